//! Doing what a history says with a registry of this process.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::Request as HttpRequest;
use serde_json::Value;
use skillhub_package::sha256;
use skillhub_protocol::{DownloadResponse, PackageDeclaration, PresignedPut, UploadId};
use skillhub_store::{ObjectKey, Patience};
use skillhub_web::Clock;
use tokio::task::JoinSet;

use super::names::{Names, package};
use super::op::{self, Op, Read};
use super::request::{Request, request};
use super::understand::Raw;
use super::words::{Caller, Person, Slot};
use crate::in_process::{Answer as Http, Caller as Token, InProcess, event_of};

/// How long a call may take. What an injected delay exceeds, and a busy machine hardly ever.
pub(super) const PATIENCE: Patience = Patience {
    connect: Duration::from_secs(5),
    attempt: Duration::from_millis(2500),
    call: Duration::from_secs(8),
    backoff: Duration::from_millis(1),
};
/// Longest list, in pages.
const MAX_PAGES: usize = 100;

/// A registry, and the people of the histories.
pub(super) struct Stage {
    pub(super) registry: InProcess,
    people: BTreeMap<Person, Token>,
}

/// One thing to do, with everything that it takes.
enum Job {
    Ask { token: Option<Token>, request: Request, read: Option<Read> },
    Put { id: UploadId, bytes: Vec<u8> },
    Event(UploadId),
    Sweep,
    Advance(Duration),
}

impl Stage {
    /// A registry with all people, their namespaces, and `@team`.
    pub(super) async fn set() -> (Arc<Self>, Names) {
        let mut registry = InProcess::start().await;
        let mut people = BTreeMap::from([(Person::Admin, registry.owner.clone())]);
        for person in &Person::ALL[1..] {
            people.insert(*person, registry.person(person.handle()).await);
        }
        registry.found_namespace(&people[&Person::Lead], "@team", "organization").await;
        registry.set_patience(PATIENCE);
        registry.proxy.take_attempts();
        let names = Names::new(people.iter().map(|(person, token)| (token.principal.clone(), *person)).collect());
        (Arc::new(Self { registry, people }), names)
    }

    /// Does these things at once; gives what came of each.
    pub(super) async fn perform(self: &Arc<Self>, ops: &[Op], names: &Names) -> Result<Vec<Raw>, String> {
        let mut running = JoinSet::new();
        for (i, op) in ops.iter().enumerate() {
            let job = self.job(op, names).ok_or_else(|| format!("{op:?} cannot be done"))?;
            let stage = self.clone();
            running.spawn(async move { (i, stage.run(job).await) });
        }
        let mut done = BTreeMap::new();
        while let Some(ended) = running.join_next().await {
            let (i, raw) = ended.map_err(|e| format!("the registry panicked: {e}"))?;
            done.insert(i, raw?);
        }
        Ok(done.into_values().collect())
    }

    fn job(&self, op: &Op, names: &Names) -> Option<Job> {
        let id = |slot: &Slot| names.uploads.get(slot).cloned();
        Some(match op {
            Op::Upload(slot, bytes) => Job::Put { id: id(slot)?, bytes: self.bytes(*slot, *bytes, names)? },
            Op::Event(slot) => Job::Event(id(slot)?),
            Op::Sweep => Job::Sweep,
            Op::Advance(pause) => Job::Advance(Duration::from_secs(pause.seconds())),
            op => {
                let token = self.token(op.caller()?, names)?;
                let read = if let Op::Read(_, read) = op { Some(read.clone()) } else { None };
                Job::Ask { token, request: request(op, names, self.registry.clock.now())?, read }
            }
        })
    }

    /// `None` if the caller has no such token.
    fn token(&self, caller: Caller, names: &Names) -> Option<Option<Token>> {
        Some(match caller {
            Caller::Anonymous => None,
            Caller::Main(person) => Some(self.people.get(&person)?.clone()),
            Caller::With(_, slot) => {
                let (person, token) = names.secrets.get(&slot)?.clone();
                Some(Token { principal: self.people.get(&person)?.principal.clone(), token })
            }
        })
    }

    fn bytes(&self, slot: Slot, bytes: op::Bytes, names: &Names) -> Option<Vec<u8>> {
        let (slug, content) = *names.packages.get(&slot)?;
        let mut archive = package(slug, content).archive.clone();
        match bytes {
            op::Bytes::Declared => {}
            op::Bytes::Others => archive.iter_mut().for_each(|byte| *byte ^= 1),
            op::Bytes::More => archive.push(0),
        }
        Some(archive)
    }

    async fn run(&self, job: Job) -> Result<Raw, String> {
        let silent = |good: bool| Ok(Raw::Silent(if good { 200 } else { 503 }));
        match job {
            Job::Ask { token, request, read } => self.ask(token.as_ref(), &request, read.as_ref()).await,
            Job::Put { id, bytes } => self.put(&id, &bytes).await.map(Raw::Silent),
            Job::Event(id) => silent(self.registry.deliver(&event_of(&id)).await.is_ok()),
            Job::Sweep => {
                let report = self.registry.functions.sweep().await;
                silent(report.failed_steps == 0 && report.sessions.failed == 0)
            }
            Job::Advance(by) => {
                self.registry.clock.advance(by);
                silent(true)
            }
        }
    }

    /// Whatever the functions' clock says, the store has its own.
    async fn put(&self, id: &UploadId, bytes: &[u8]) -> Result<u16, String> {
        let declared = PackageDeclaration { size_bytes: bytes.len() as u64, sha256: sha256(bytes) };
        let credential = self.registry.objects().presign_upload(id, declared, Clock::default().now()).await;
        let credential = credential.map_err(|e| e.to_string())?;
        let (url, headers, expires_at) = (credential.url, credential.headers, credential.expires_at);
        Ok(self.registry.put(&PresignedPut { url, headers, expires_at }, bytes).await.as_u16())
    }

    async fn ask(&self, token: Option<&Token>, request: &Request, read: Option<&Read>) -> Result<Raw, String> {
        let first = self.send(token, request, &request.path).await;
        match read {
            Some(Read::List(..) | Read::Versions(..) | Read::Audit(_)) => self.other_pages(token, request, first).await,
            Some(Read::Download(..)) if first.status.is_success() => self.fetch(first).await,
            _ => Ok(Raw::Http(vec![first])),
        }
    }

    async fn send(&self, token: Option<&Token>, request: &Request, path: &str) -> Http {
        let headers: Vec<_> = request.headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
        self.registry.send_with(token, request.method, path, &headers, &request.body).await
    }

    async fn other_pages(&self, token: Option<&Token>, request: &Request, first: Http) -> Result<Raw, String> {
        let mut pages = vec![first];
        while let Some(cursor) = pages.last().and_then(next_cursor) {
            if pages.len() == MAX_PAGES {
                return Err(format!("{}: more than {MAX_PAGES} pages", request.path));
            }
            let cursor: String = url::form_urlencoded::byte_serialize(cursor.as_bytes()).collect();
            let page = self.send(token, request, &format!("{}&cursor={cursor}", request.path)).await;
            if !page.status.is_success() {
                return Ok(Raw::Http(vec![page]));
            }
            pages.push(page);
        }
        Ok(Raw::Http(pages))
    }

    /// The URL of a clock that was moved is signed for another time than the store has, so it is made again for the same key.
    async fn fetch(&self, first: Http) -> Result<Raw, String> {
        let text = String::from_utf8_lossy(&first.body).into_owned();
        let answer = DownloadResponse::from_json(&text).map_err(|e| format!("{e}: {text}"))?;
        let url = url::Url::parse(answer.url.expose()).map_err(|e| e.to_string())?;
        let key = url.path().trim_start_matches('/').split_once('/').and_then(|(_, key)| ObjectKey::parse_package(key));
        let key = key.ok_or_else(|| format!("{} is no package", url.path()))?;
        let credential = self.registry.objects().presign_download(&key, "x.zip", Clock::default().now()).await;
        let credential = credential.map_err(|e| e.to_string())?;
        let request = HttpRequest::get(credential.url.expose()).body(Bytes::new()).map_err(|e| e.to_string())?;
        let got = self.registry.wire.send(request).await.map_err(|e| e.to_string())?;
        Ok(Raw::Download(first, got.status(), got.body().to_vec()))
    }
}

fn next_cursor(page: &Http) -> Option<String> {
    let body: Value = serde_json::from_slice(&page.body).ok()?;
    body.get("nextCursor")?.as_str().map(str::to_owned)
}
