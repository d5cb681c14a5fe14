//! A registry with several skills, and what may be done to them, as far as a client can tell.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use skillhub_package::sha256;
use skillhub_protocol::Sha256;

use super::{Request, Response, Sandbox, Server, Skill, Tls};

const AT: &str = "2026-07-23T00:05:00.000Z";
/// The token that the registry knows; it is alice's.
pub(crate) const TOKEN: &str = "sk_alice";

/// The registry and its store, running.
pub(crate) struct Shop {
    pub(crate) registry: Server,
    pub(crate) store: Server,
    pub(crate) ca: PathBuf,
    shelf: Arc<Mutex<Shelf>>,
}

/// What the registry has: versions in the order in which they were published.
#[derive(Default)]
struct Shelf {
    entries: Vec<Entry>,
    /// What `beta` means, by skill.
    beta: BTreeMap<String, String>,
    store: String,
}

struct Entry {
    skill: Skill,
    state: &'static str,
    reason: Value,
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
        Self { registry, store, ca, shelf }
    }

    /// Publishes, so that the last one is the current version.
    pub(crate) fn publish(&self, skill: Skill) {
        self.shelf.lock().unwrap().entries.push(Entry { skill, state: "available", reason: Value::Null });
    }

    /// The bytes that the store hands out instead of those of every package.
    pub(crate) fn spoil(&self) {
        for entry in &mut self.shelf.lock().unwrap().entries {
            entry.skill.archive.reverse();
        }
    }

    /// Makes the registry the default of the sandbox's user, who is alice.
    pub(crate) fn sign_in(&self, sandbox: &Sandbox) {
        let (url, ca) = (self.registry.url(), self.ca.display());
        let config = format!("default = \"{url}\"\n\n[registries.\"{url}\"]\ntoken = \"{TOKEN}\"\nca = \"{ca}\"\n");
        sandbox.write("../home/.config/skillhub/config.toml", config);
    }
}

/// Ids follow from names, so that tests can name them.
fn id(letter: char, text: &str) -> String {
    let digits: String = sha256(text.as_bytes()).to_string().chars().take(24).collect();
    format!("{letter}{digits}")
}

impl Entry {
    fn name(&self) -> String {
        format!("{}/{}", self.skill.namespace, self.skill.manifest.slug)
    }

    fn skill_id(&self) -> String {
        id('c', &self.name())
    }

    fn version_id(&self) -> String {
        id('v', &format!("{}@{}", self.name(), self.skill.manifest.version))
    }

    fn version(&self) -> &str {
        self.skill.manifest.version.as_str()
    }

    fn digest(&self) -> Sha256 {
        // Of the bytes before they were spoiled: what the manifest was made from.
        self.skill.digest
    }

    fn summary(&self) -> Value {
        json!({
            "id": self.version_id(), "version": self.version(), "sha256": self.digest(),
            "sizeBytes": self.skill.archive.len(), "publishedAt": AT,
        })
    }
}

impl Shelf {
    fn artifact(&self, request: &Request) -> Response {
        let found = self.entries.iter().find(|entry| request.path() == format!("/{}", entry.digest()));
        match found {
            Some(entry) => Response::new(200, "application/zip", entry.skill.archive.clone()),
            None if request.method == "PUT" => Response::new(200, "text/plain", ""),
            None => Response::new(404, "application/xml", "<Error/>"),
        }
    }

    /// The versions of a skill that are available, the newest first.
    fn available(&self, name: &str) -> Vec<&Entry> {
        let entries = self.entries.iter().rev();
        entries.filter(|entry| entry.name() == name && entry.state == "available").collect()
    }

    fn resolve(&self, coordinate: &str) -> Option<&Entry> {
        let (name, selector) = match coordinate.rsplit_once('@') {
            Some((name, selector)) if !name.is_empty() => (name, selector),
            _ => (coordinate, "latest"),
        };
        match selector {
            "latest" => self.available(name).into_iter().next(),
            "beta" => self.beta.get(name).and_then(|version| self.resolve(&format!("{name}@{version}"))),
            version => self.entries.iter().find(|entry| entry.name() == name && entry.version() == version),
        }
    }

    fn skill(&self, entry: &Entry, with_manifest: bool) -> Value {
        let current = self.available(&entry.name()).into_iter().next().unwrap_or(entry);
        let mut version = current.summary();
        if with_manifest {
            version["manifest"] = json!(current.skill.manifest);
        }
        let manifest = &current.skill.manifest;
        json!({
            "id": entry.skill_id(), "namespace": entry.skill.namespace, "slug": manifest.slug, "name": manifest.name,
            "description": manifest.description, "scope": "public", "organizationId": null, "currentVersion": version,
        })
    }

    /// One summary for each skill, in the order of their names.
    fn skills(&self, prefix: &str) -> Vec<Value> {
        let mut names: Vec<&Entry> = self.entries.iter().collect();
        names.sort_by_key(|entry| entry.name());
        names.dedup_by_key(|entry| entry.name());
        let fits = |entry: &&&Entry| entry.skill.manifest.slug.as_str().starts_with(prefix);
        names.iter().filter(fits).map(|entry| self.skill(entry, false)).collect()
    }

    fn answer(&mut self, request: &Request) -> Response {
        let known = request.header("authorization").is_none_or(|value| value == format!("Bearer {TOKEN}"));
        if !known {
            return Response::problem(401, "unauthenticated", "the token is unknown");
        }
        let path = request.path().to_owned();
        let segments: Vec<&str> = path.trim_start_matches("/api/").split('/').collect();
        match (request.method.as_str(), &segments[..]) {
            ("GET", ["skills"]) => list(self.skills("")),
            ("GET", ["search"]) => {
                Response::json(200, &json!({"schemaVersion": 1, "skills": self.skills(&query(request, "q"))}))
            }
            ("GET", ["resolve"]) => self.answer_resolve(&query(request, "coordinate")),
            (_, ["skills", id, rest @ ..]) => self.answer_skill(request, id, rest),
            _ if request.header("authorization").is_none() => {
                Response::problem(401, "unauthenticated", "this needs a token")
            }
            (method, rest) => super::people::answer(method, rest, request),
        }
    }

    fn answer_resolve(&self, coordinate: &str) -> Response {
        let Some(entry) = self.resolve(coordinate) else { return not_found() };
        Response::json(
            200,
            &json!({
                "schemaVersion": 1, "namespace": entry.skill.namespace, "slug": entry.skill.manifest.slug,
                "skillId": entry.skill_id(), "versionId": entry.version_id(), "version": entry.version(),
                "sha256": entry.digest(), "sizeBytes": entry.skill.archive.len(),
            }),
        )
    }

    fn answer_skill(&mut self, request: &Request, id: &str, rest: &[&str]) -> Response {
        let Some(at) = self.entries.iter().position(|entry| entry.skill_id() == id) else { return not_found() };
        let name = self.entries[at].name();
        match (request.method.as_str(), rest) {
            ("GET", []) => {
                Response::json(200, &json!({"schemaVersion": 1, "skill": self.skill(&self.entries[at], true)}))
            }
            ("GET", ["versions"]) => self.versions(&name),
            (_, ["versions", version, rest @ ..]) => self.answer_version(request, version, rest),
            ("GET", ["tags"]) => self.tags(&name),
            ("PUT", ["tags", _]) => {
                let body: Value = serde_json::from_slice(&request.body).unwrap();
                let version = body["version"].as_str().unwrap().to_owned();
                if self.resolve(&format!("{name}@{version}")).is_none() {
                    return Response::problem(409, "conflict", &format!("{name} has no available version {version}"));
                }
                self.beta.insert(name, version);
                no_content()
            }
            ("DELETE", ["tags", _]) => {
                self.beta.remove(&name);
                no_content()
            }
            (method, ["maintainers", rest @ ..]) => super::people::maintainers(method, rest),
            _ => not_found(),
        }
    }

    fn versions(&self, name: &str) -> Response {
        let entries = self.entries.iter().rev().filter(|entry| entry.name() == name);
        let versions = entries.map(|entry| {
            let mut version = entry.summary();
            version["state"] = json!(entry.state);
            version["reason"] = entry.reason.clone();
            version
        });
        let versions: Vec<Value> = versions.collect();
        Response::json(200, &json!({"schemaVersion": 1, "versions": versions, "nextCursor": null}))
    }

    fn tags(&self, name: &str) -> Response {
        let latest = self.available(name).into_iter().next().map(|entry| ("latest", entry));
        let beta = self.resolve(&format!("{name}@beta")).map(|entry| ("beta", entry));
        let tag = |(tag, entry): (&str, &Entry)| json!({"tag": tag, "versionId": entry.version_id(), "version": entry.version()});
        let tags: Vec<Value> = latest.into_iter().chain(beta).map(tag).collect();
        Response::json(200, &json!({"tags": tags}))
    }

    fn answer_version(&mut self, request: &Request, version: &str, rest: &[&str]) -> Response {
        let store = self.store.clone();
        let Some(entry) = self.entries.iter_mut().find(|entry| entry.version_id() == version) else {
            return not_found();
        };
        match (request.method.as_str(), rest) {
            ("GET", []) => {
                let mut version = entry.summary();
                version["manifest"] = json!(entry.skill.manifest);
                Response::json(200, &json!({"schemaVersion": 1, "version": version}))
            }
            ("GET", ["download"]) if entry.state == "blocked" => Response::problem(410, "blocked", "it was blocked"),
            ("GET", ["download"]) => {
                let (digest, size) = (entry.digest(), entry.skill.archive.len());
                let url = format!("{store}/{digest}?X-Amz-Signature=s3cret");
                Response::json(200, &json!({"url": url, "sha256": digest, "sizeBytes": size, "expiresAt": AT}))
            }
            ("POST", [action]) if entry.state == "blocked" && *action != "block" => {
                Response::problem(410, "blocked", "a blocked version stays blocked")
            }
            ("POST", [action]) => {
                let body: Value = serde_json::from_slice(&request.body).unwrap();
                entry.state = match *action {
                    "yank" => "yanked",
                    "block" => "blocked",
                    _ => "available",
                };
                entry.reason = if entry.state == "available" { Value::Null } else { body["reason"].clone() };
                no_content()
            }
            _ => not_found(),
        }
    }
}

fn list(skills: Vec<Value>) -> Response {
    Response::json(200, &json!({"schemaVersion": 1, "skills": skills, "nextCursor": null}))
}

fn query(request: &Request, name: &str) -> String {
    let url = url::Url::parse("http://127.0.0.1").unwrap().join(&request.target).unwrap();
    url.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned()).unwrap_or_default()
}

fn not_found() -> Response {
    Response::problem(404, "not_found", "there is no such thing")
}

pub(super) fn no_content() -> Response {
    Response::new(204, "text/plain", "").without("content-length")
}
