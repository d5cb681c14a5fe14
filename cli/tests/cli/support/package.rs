//! A skill, and the answers of a registry that offers it.

use serde_json::{Value, json};
use skillhub_package::pack::{SourceFile, from_files};
use skillhub_package::{Contents, canonical, sha256};
use skillhub_protocol::{Manifest, Sha256};

use super::{Request, Response, Server, Tls};

pub(crate) const SKILL_ID: &str = "c0mdxk2t6s9f3a8bq1z7ry4uw";
pub(crate) const VERSION_ID: &str = "v0mdxk2t6s9f3a8bq1z7ry4uw";

/// A published version.
pub(crate) struct Skill {
    pub(crate) namespace: String,
    pub(crate) manifest: Manifest,
    pub(crate) archive: Vec<u8>,
    /// Of the archive.
    pub(crate) digest: Sha256,
}

impl Skill {
    /// `@team/<slug>` with a script and a reference.
    pub(crate) fn new(slug: &str, version: &str) -> Self {
        Self::with(slug, version, &[])
    }

    /// The same in another namespace.
    pub(crate) fn of(self, namespace: &str) -> Self {
        Self { namespace: namespace.to_owned(), ..self }
    }

    /// The same with more files.
    pub(crate) fn with(slug: &str, version: &str, more: &[(&str, &str)]) -> Self {
        Self::made(slug, version, &format!("Checks {version}."), more)
    }

    /// The same, whose SKILL.md has this YAML for its description, whatever the manifest says.
    pub(crate) fn describing(slug: &str, version: &str, yaml: &str) -> Self {
        Self::made(slug, version, yaml, &[])
    }

    fn made(slug: &str, version: &str, description: &str, more: &[(&str, &str)]) -> Self {
        let skill_md = format!("---\nname: {slug}\ndescription: {description}\n---\n\n# Use\n");
        let files = [
            ("SKILL.md", skill_md.as_str()),
            ("references/notes.md", "Notes.\n"),
            ("scripts/run.sh", "#!/bin/sh\necho run\n"),
        ];
        let contents = contents(&[&files, more].concat());
        let description = format!("Checks {version}.").parse().unwrap();
        let (slug, name) = (slug.parse().unwrap(), slug.parse().unwrap());
        let manifest = contents.manifest(slug, name, description, version.parse().unwrap()).unwrap();
        let archive = canonical(&contents).bytes;
        Self { namespace: String::from("@team"), manifest, digest: sha256(&archive), archive }
    }
}

fn contents(files: &[(&str, &str)]) -> Contents {
    let files =
        files.iter().map(|(path, text)| SourceFile { path: (*path).to_owned(), data: text.as_bytes().to_vec() });
    from_files(files.collect()).unwrap().contents
}

/// What a registry and its store answer about one version; a test spoils what it is about.
#[derive(Clone)]
pub(crate) struct Answers {
    pub(crate) resolve: Value,
    pub(crate) version: Value,
    /// `url` is filled in by [`Answers::serve`] where it is `null`.
    pub(crate) download: Value,
    pub(crate) artifact: Response,
    /// Answers that come before all others, by path.
    pub(crate) instead: Vec<(&'static str, Response)>,
}

impl Answers {
    pub(crate) fn of(skill: &Skill) -> Self {
        let Skill { namespace, manifest, archive, .. } = skill;
        let (slug, version) = (&manifest.slug, &manifest.version);
        let (digest, size) = (sha256(archive), archive.len());
        let at = "2026-07-23T00:05:00.000Z";
        Self {
            resolve: json!({
                "schemaVersion": 1, "namespace": namespace, "slug": slug, "skillId": SKILL_ID, "versionId": VERSION_ID,
                "version": version, "sha256": digest, "sizeBytes": size,
            }),
            version: json!({"schemaVersion": 1, "version": {
                "id": VERSION_ID, "version": version, "sha256": digest, "sizeBytes": size, "publishedAt": at,
                "manifest": manifest,
            }}),
            download: json!({"url": null, "sha256": digest, "sizeBytes": size, "expiresAt": at}),
            artifact: Response::new(200, "application/zip", archive.clone()),
            instead: Vec::new(),
        }
    }

    /// The registry and its store, running.
    pub(crate) fn serve(mut self, tls: &Tls) -> (Server, Server) {
        let artifact = self.artifact.clone();
        let store = Server::tls(tls, move |_| artifact.clone());
        if self.download.get("url").is_some_and(Value::is_null) {
            self.download["url"] = json!(format!("{}/packages/a.zip?X-Amz-Signature=s3cret", store.url()));
        }
        let registry = Server::plain(move |request| self.answer(request));
        (registry, store)
    }

    fn answer(&self, request: &Request) -> Response {
        let path = request.path();
        if let Some((_, response)) = self.instead.iter().find(|(instead, _)| *instead == path) {
            return response.clone();
        }
        let version = format!("/api/skills/{SKILL_ID}/versions/{VERSION_ID}");
        match path.strip_prefix(&version) {
            _ if path == "/api/resolve" => Response::json(200, &self.resolve),
            Some("") => Response::json(200, &self.version),
            Some("/download") => Response::json(200, &self.download),
            _ => Response::problem(404, "not_found", "there is no such thing"),
        }
    }
}
