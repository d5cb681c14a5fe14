//! A registry with several skills, as far as an installation asks for them.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use skillhub_package::sha256;

use super::{Request, Response, Sandbox, Server, Skill, Tls};

const AT: &str = "2026-07-23T00:05:00.000Z";

/// The registry and its store, running.
pub(crate) struct Shop {
    pub(crate) registry: Server,
    ca: PathBuf,
    shelf: Arc<Mutex<Shelf>>,
    _store: Server,
}

/// What the registry has: versions in the order in which they were published.
#[derive(Default)]
struct Shelf {
    skills: Vec<Skill>,
    store: String,
}

impl Shop {
    /// A registry that only `sandbox` trusts.
    pub(crate) fn open(sandbox: &Sandbox) -> Self {
        let tls = Tls::new();
        let ca = sandbox.write("../ca.pem", &tls.ca_pem);
        let shelf = Arc::new(Mutex::new(Shelf::default()));
        let (for_registry, for_store) = (Arc::clone(&shelf), Arc::clone(&shelf));
        let store = Server::tls(&tls, move |request| for_store.lock().unwrap().artifact(request));
        let registry = Server::plain(move |request| for_registry.lock().unwrap().answer(request));
        shelf.lock().unwrap().store = store.url();
        Self { registry, ca, shelf, _store: store }
    }

    /// Publishes, so that the last one is the current version.
    pub(crate) fn publish(&self, skill: Skill) {
        self.shelf.lock().unwrap().skills.push(skill);
    }

    /// Makes the registry the default of the sandbox's user.
    pub(crate) fn sign_in(&self, sandbox: &Sandbox) {
        let (url, ca) = (self.registry.url(), self.ca.display());
        let config = format!("default = \"{url}\"\n\n[registries.\"{url}\"]\ntoken = \"sk_alice\"\nca = \"{ca}\"\n");
        sandbox.write("../home/.config/skillhub/config.toml", config);
    }
}

/// Ids follow from names.
fn id(letter: char, text: &str) -> String {
    let digits: String = sha256(text.as_bytes()).to_string().chars().take(24).collect();
    format!("{letter}{digits}")
}

fn name(skill: &Skill) -> String {
    format!("{}/{}", skill.namespace, skill.manifest.slug)
}

fn version_id(skill: &Skill) -> String {
    id('v', &format!("{}@{}", name(skill), skill.manifest.version))
}

impl Shelf {
    fn artifact(&self, request: &Request) -> Response {
        let found = self.skills.iter().find(|skill| request.path() == format!("/{}", skill.digest));
        found.map_or_else(not_found, |skill| Response::new(200, "application/zip", skill.archive.clone()))
    }

    fn answer(&self, request: &Request) -> Response {
        let segments: Vec<&str> = request.path().trim_start_matches("/api/").split('/').collect();
        let version = |id: &&str| self.skills.iter().find(|skill| version_id(skill) == **id);
        match segments[..] {
            ["resolve"] => self.resolve(request).map_or_else(not_found, |skill| Response::json(200, &resolved(skill))),
            ["skills", _, "versions", ref id] => {
                version(id).map_or_else(not_found, |skill| Response::json(200, &detail(skill)))
            }
            ["skills", _, "versions", ref id, "download"] => {
                version(id).map_or_else(not_found, |skill| Response::json(200, &self.download(skill)))
            }
            _ => not_found(),
        }
    }

    /// A version by its number, or else the one that was published last.
    fn resolve(&self, request: &Request) -> Option<&Skill> {
        let url = url::Url::parse("http://127.0.0.1").unwrap().join(&request.target).unwrap();
        let (_, coordinate) = url.query_pairs().find(|(key, _)| key == "coordinate")?;
        let is_meant = |skill: &&Skill| {
            coordinate == name(skill) || coordinate == format!("{}@{}", name(skill), skill.manifest.version)
        };
        self.skills.iter().rev().find(is_meant)
    }

    fn download(&self, skill: &Skill) -> Value {
        let Skill { digest, archive, .. } = skill;
        let url = format!("{}/{digest}?X-Amz-Signature=s3cret", self.store);
        json!({"url": url, "sha256": digest, "sizeBytes": archive.len(), "expiresAt": AT})
    }
}

fn resolved(skill: &Skill) -> Value {
    json!({
        "namespace": skill.namespace, "slug": skill.manifest.slug, "skillId": id('c', &name(skill)),
        "versionId": version_id(skill), "version": skill.manifest.version, "sha256": skill.digest,
        "sizeBytes": skill.archive.len(),
    })
}

fn detail(skill: &Skill) -> Value {
    json!({"schemaVersion": 1, "version": {
        "id": version_id(skill), "version": skill.manifest.version, "sha256": skill.digest,
        "sizeBytes": skill.archive.len(), "publishedAt": AT, "manifest": skill.manifest,
    }})
}

fn not_found() -> Response {
    Response::problem(404, "not_found", "there is no such thing")
}
