//! The registry in the test's own process: embedded stores, the proxy before them, and the functions, whose clock and whose
//! events the test has in its hands.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use aws_lambda_events::event::s3::S3Event;
use axum::Router;
use bytes::Bytes;
use http::{Request, StatusCode};
use http_body_util::{BodyExt as _, Full};
use hyper::service::Service as _;
use hyper_util::service::TowerToHyperService;
use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use serde_json::Value;
use skillhub_local::{DataDir, Functions, ObjectCreated, Ports, Stores, s3_event, start_stores};
use skillhub_package::sha256;
use skillhub_protocol::{PackageDeclaration, PresignedPut, Role, UploadId, UploadSession};
use skillhub_store::{
    Connection, Objects, Patience, PrincipalId, Quota, Rate, Settings, StoreError, Table, TokenSecret,
};
use skillhub_validate::Outcome;
use skillhub_web::Clock;
use tempfile::TempDir;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::task::JoinHandle;

use crate::invariants::{self, Settled};
use crate::proxy::Proxy;
use crate::raw_table::RawTable;
use crate::skill::Skill;
use crate::wire::Wire;

const NAME: &str = "skillhub";

/// A registry of this process.
pub struct InProcess {
    /// What the functions ask of the stores, and what becomes of it.
    pub proxy: Proxy,
    /// The functions, on the far side of the proxy.
    pub functions: Functions,
    /// The functions' clock.
    pub clock: Clock,
    /// The table, past the proxy.
    pub table: RawTable,
    /// A client for the object store, past the proxy.
    pub wire: Wire,
    /// An owner of `@global`.
    pub owner: Caller,
    /// Made once: a router costs more than a request in a build for tests.
    router: Router,
    connection: Connection,
    settings: Settings,
    _stores: Stores,
    events: UnboundedReceiver<ObjectCreated>,
    // Last, so that the stores are gone before their files are.
    _dir: TempDir,
}

/// Somebody with a token.
#[derive(Debug, Clone)]
pub struct Caller {
    /// The internal id.
    pub principal: PrincipalId,
    /// The token.
    pub token: TokenSecret,
}

/// An answer of the API.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: BTreeMap<String, String>,
    /// The body.
    pub body: Bytes,
}

impl Answer {
    /// The body as JSON.
    ///
    /// # Panics
    /// If it is none.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|e| panic!("{e}: {self:?}"))
    }

    /// The body as an upload session.
    ///
    /// # Panics
    /// If it is none.
    pub fn session(&self) -> UploadSession {
        let text = std::str::from_utf8(&self.body).unwrap_or_default();
        UploadSession::from_json(text).unwrap_or_else(|e| panic!("{e}: {self:?}"))
    }

    /// The code of a problem; empty if it is none.
    pub fn code(&self) -> String {
        self.json()["code"].as_str().unwrap_or_default().to_owned()
    }
}

/// Time-outs that no test on a busy machine meets by chance, and repetitions at once.
pub const TEST_PATIENCE: Patience = Patience {
    connect: Duration::from_secs(10),
    attempt: Duration::from_secs(30),
    call: Duration::from_secs(60),
    backoff: Duration::from_millis(1),
};

impl InProcess {
    /// Starts one, with new data.
    ///
    /// # Panics
    /// If that fails, as every method here where its own part fails: a test ends there.
    pub async fn start() -> Self {
        Self::start_with(TEST_PATIENCE).await
    }

    /// Starts one whose functions wait as long as this for the stores.
    pub async fn start_with(patience: Patience) -> Self {
        Self::start_as(patience, |_| {}).await
    }

    /// Starts one whose operator has changed a setting.
    pub async fn start_set(change: impl FnOnce(&mut Settings)) -> Self {
        Self::start_as(TEST_PATIENCE, change).await
    }

    async fn start_as(patience: Patience, change: impl FnOnce(&mut Settings)) -> Self {
        let dir = TempDir::new().unwrap();
        let data = DataDir::open(dir.path()).unwrap();
        let mut stores = start_stores(data, Ports::default(), [7; 40], SystemTime::now()).await.unwrap();
        let events = stores.take_events().unwrap();
        let proxy = Proxy::start(&stores.dynamodb_endpoint(), &stores.object_endpoint(), &stores.ca_pem).await.unwrap();
        let (id, secret) = (&stores.credentials.access_key_id, stores.credentials.secret_access_key.expose());
        let connection = Connection::to(&proxy.dynamodb_url, &proxy.objects_url, (id, secret), &stores.ca_pem);
        let connection = connection.unwrap().with_patience(patience);
        let clock = Clock::default();
        let mut settings = settings(&stores);
        change(&mut settings);
        let functions = Functions::new(&connection, settings.clone(), clock.clone());
        let router = functions.router();
        let wire = Wire::trusting(&stores.ca_pem).unwrap();
        let table = RawTable::new(wire.clone(), &stores.dynamodb_endpoint(), NAME);
        let owner = Caller::named("owner");
        let started = Self {
            proxy,
            functions,
            clock,
            table,
            wire,
            owner,
            router,
            connection,
            settings,
            _stores: stores,
            events,
            _dir: dir,
        };
        started.found().await;
        started.proxy.take_attempts();
        started
    }

    async fn found(&self) {
        self.table().create_if_absent().await.unwrap();
        self.objects().create_if_absent().await.unwrap();
        self.table().found(&self.owner.principal, self.clock.now(), 0).await.unwrap();
        self.admit(&self.owner).await;
        self.found_namespace(&self.owner, "@owner", "personal").await;
    }

    async fn admit(&self, caller: &Caller) {
        self.table().put_token(&caller.token, &caller.principal).await.unwrap();
    }

    /// A namespace of the caller's.
    pub async fn found_namespace(&self, caller: &Caller, handle: &str, kind: &str) {
        let body = serde_json::json!({ "namespace": handle, "kind": kind }).to_string();
        let answer = self.send(Some(caller), "POST", "/api/namespaces", &body).await;
        assert_eq!(answer.status, StatusCode::CREATED, "{answer:?}");
    }

    /// Somebody else with a token, and with the personal namespace `@name`.
    pub async fn person(&self, name: &str) -> Caller {
        let caller = Caller::named(name);
        self.admit(&caller).await;
        self.found_namespace(&caller, &format!("@{name}"), "personal").await;
        self.proxy.take_attempts();
        caller
    }

    /// Such a person with this role in `@global`.
    pub async fn member(&self, name: &str, role: Role) -> Caller {
        let caller = self.person(name).await;
        let (path, body) = (format!("/api/namespaces/@global/members/{name}"), format!(r#"{{"role":"{role}"}}"#));
        let answer = self.send(Some(&self.owner), "PUT", &path, &body).await;
        assert_eq!(answer.status, StatusCode::NO_CONTENT, "{answer:?}");
        self.proxy.take_attempts();
        caller
    }

    /// From now on its functions wait as long as this for the stores.
    pub fn set_patience(&mut self, patience: Patience) {
        self.functions = self.instance(self.clock.clone(), patience);
        self.router = self.functions.router();
    }

    /// Another instance of the functions on the same stores, behind the same proxy, with this clock and this patience.
    pub fn instance(&self, clock: Clock, patience: Patience) -> Functions {
        Functions::new(&self.connection.clone().with_patience(patience), self.settings.clone(), clock)
    }

    /// From now on its operator has changed a setting.
    pub fn set(&mut self, change: impl FnOnce(&mut Settings)) {
        change(&mut self.settings);
        self.set_patience(TEST_PATIENCE);
    }

    /// The table as the functions have it.
    pub fn table(&self) -> &Table {
        &self.functions.validator().table
    }

    /// The bucket as the functions have it.
    pub fn objects(&self) -> &Objects {
        &self.functions.validator().objects
    }

    /// Sends a request to the API.
    pub async fn send(&self, caller: Option<&Caller>, method: &str, path: &str, body: &str) -> Answer {
        self.send_with(caller, method, path, &[], body).await
    }

    /// Sends a request with more headers to the API.
    pub async fn send_with(
        &self,
        caller: Option<&Caller>,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Answer {
        let mut request = Request::builder().method(method).uri(path);
        if let Some(caller) = caller {
            request = request.header("authorization", format!("Bearer {}", caller.token.expose()));
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        self.exchange(request.body(Full::new(Bytes::from(body.to_owned()))).unwrap()).await
    }

    /// Sends any request to the API, as it is.
    pub async fn exchange(&self, request: Request<Full<Bytes>>) -> Answer {
        exchange_on(self.router.clone(), request).await
    }

    /// The same, while every upload that the object store tells of is validated: for a request that waits for a verdict.
    pub async fn exchange_validating(&mut self, request: Request<Full<Bytes>>) -> Answer {
        let router = self.router.clone();
        let mut answer = tokio::spawn(async move { exchange_on(router, request).await });
        loop {
            tokio::select! {
                answer = &mut answer => return answer.unwrap(),
                created = self.events.recv() => {
                    let event = s3_event(&created.unwrap()).unwrap();
                    self.functions.on_event(event).await.unwrap();
                }
            }
        }
    }

    /// Reads from the API as the owner.
    pub async fn get(&self, path: &str) -> Answer {
        self.send(Some(&self.owner), "GET", path, "").await
    }

    /// Opens an upload session as the owner.
    pub async fn open(&self, skill: &Skill) -> UploadSession {
        self.open_as(&self.owner, skill).await
    }

    /// Opens an upload session.
    pub async fn open_as(&self, caller: &Caller, skill: &Skill) -> UploadSession {
        let answer = self.send(Some(caller), "POST", "/api/uploads", &skill.request().to_string()).await;
        assert!(answer.status.is_success(), "{answer:?}");
        answer.session()
    }

    /// A session as the API has it.
    pub async fn session(&self, id: &UploadId) -> UploadSession {
        self.get(&format!("/api/uploads/{id}")).await.session()
    }

    /// Uploads as a session says; gives the store's status.
    pub async fn put(&self, upload: &PresignedPut, bytes: &[u8]) -> StatusCode {
        let mut request = Request::put(upload.url.expose());
        for (name, value) in upload.headers.iter().filter(|(name, _)| *name != "content-length") {
            request = request.header(name, value);
        }
        self.wire.send(request.body(Bytes::copy_from_slice(bytes)).unwrap()).await.unwrap().status()
    }

    /// Puts any bytes where a session's upload is expected: as through the session's URL if they are what was declared, or as
    /// in a store that does not check. Independent of how far the clock was advanced.
    pub async fn place(&self, id: &UploadId, bytes: &[u8]) -> S3Event {
        let declared = PackageDeclaration { size_bytes: bytes.len() as u64, sha256: sha256(bytes) };
        let real = Clock::default();
        let credential = self.objects().presign_upload(id, declared, real.now()).await.unwrap();
        let (url, headers, expires_at) = (credential.url, credential.headers, credential.expires_at);
        let status = self.put(&PresignedPut { url, headers, expires_at }, bytes).await;
        assert_eq!(status, StatusCode::OK);
        event_of(id)
    }

    /// Opens a session and uploads its bytes; the event is the test's to deliver.
    pub async fn upload(&self, skill: &Skill) -> (UploadId, S3Event) {
        let session = self.open(skill).await;
        let event = self.place(&session.id, &skill.archive()).await;
        (session.id, event)
    }

    /// The next event that the object store has told, of whatever key.
    pub async fn next_event(&mut self) -> S3Event {
        s3_event(&self.events.recv().await.unwrap()).unwrap()
    }

    /// Delivers an event.
    ///
    /// # Errors
    /// If a store fails: it would be delivered again.
    pub async fn deliver(&self, event: &S3Event) -> Result<(), StoreError> {
        self.functions.on_event(event.clone()).await
    }

    /// Calls the validator as an event does, and says how that ended.
    ///
    /// # Errors
    /// If a store fails.
    pub async fn validate(&self, id: &UploadId) -> Result<Outcome, StoreError> {
        self.functions.validator().validate(id, &mut skillhub_web::rng()).await
    }

    /// Opens, uploads, validates; gives the session as it ended.
    pub async fn publish(&self, skill: &Skill) -> UploadSession {
        let (id, event) = self.upload(skill).await;
        self.deliver(&event).await.unwrap();
        self.session(&id).await
    }

    /// Validates in a task of its own, as another function does.
    pub fn validate_beside(&self, id: &UploadId) -> JoinHandle<Result<Outcome, StoreError>> {
        validate_on(&self.functions, id)
    }

    /// Checks every invariant, when nothing is under way any more.
    pub async fn settled(&self) -> Settled {
        let deleted = self.proxy.deletions();
        assert!(deleted.iter().all(|key| !key.starts_with("packages/")), "an artifact was to be deleted: {deleted:?}");
        // However impatient the functions are, this looks until it sees.
        let objects = self.connection.clone().with_patience(TEST_PATIENCE).objects(&self.settings);
        invariants::check(&self.table, &objects, &self.wire).await
    }
}

async fn exchange_on(router: Router, request: Request<Full<Bytes>>) -> Answer {
    let response = TowerToHyperService::new(router).call(request).await.unwrap();
    let (head, body) = response.into_parts();
    let body = body.collect().await.unwrap().to_bytes();
    let text = |value: &http::HeaderValue| value.to_str().unwrap_or_default().to_owned();
    let headers = head.headers.iter().map(|(name, value)| (name.to_string(), text(value))).collect();
    Answer { status: head.status, headers, body }
}

/// Validates on these functions in a task of its own.
pub fn validate_on(functions: &Functions, id: &UploadId) -> JoinHandle<Result<Outcome, StoreError>> {
    let (validator, id) = (functions.validator().clone(), id.clone());
    tokio::spawn(async move { validator.validate(&id, &mut skillhub_web::rng()).await })
}

impl Caller {
    /// The caller of this name, whose token depends on the name alone.
    fn named(name: &str) -> Self {
        let principal = PrincipalId::derive("tests", name);
        let seed = principal.as_str().bytes().fold(0_u64, |seed, byte| seed.wrapping_mul(31) + u64::from(byte));
        Self { principal, token: TokenSecret::generate(&mut StdRng::seed_from_u64(seed)) }
    }
}

/// The event of an upload, as the store would tell it; what it says of size and content is made up.
pub fn event_of(id: &UploadId) -> S3Event {
    let created = ObjectCreated {
        bucket: NAME.to_owned(),
        key: format!("staging/{id}"),
        size: rand::rng().random_range(0..1 << 40),
        etag: String::from("00000000000000000000000000000000"),
        event_time: SystemTime::UNIX_EPOCH,
        by: skillhub_local::Creation::Put,
    };
    s3_event(&created).unwrap()
}

/// Presigned URLs go straight to the object store: what clients do with them is no call of the SDK.
fn settings(stores: &Stores) -> Settings {
    Settings {
        table: NAME.to_owned(),
        bucket: NAME.to_owned(),
        anonymous_read: true,
        max_archive_bytes: Settings::DEFAULT_MAX_ARCHIVE_BYTES,
        objects_public_url: Some(stores.object_endpoint()),
        path_style: true,
        write_rate: Rate { per_minute: 60_000, burst: 10_000 },
        quota: Quota { sessions: 100, ..Settings::DEFAULT_QUOTA },
        administrator: None,
        token_epoch: 0,
        sweep_expired: false,
        issuer: None,
    }
}
