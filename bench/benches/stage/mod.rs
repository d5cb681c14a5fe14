//! A registry to measure: embedded stores on files of their own, and the functions straight on them, with nothing between.

use std::time::SystemTime;

use axum::Router;
use bytes::Bytes;
use http::{Request, StatusCode};
use http_body_util::{BodyExt as _, Full};
use hyper::service::Service as _;
use hyper_util::service::TowerToHyperService;
use rand::SeedableRng as _;
use rand::rngs::StdRng;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use skillhub_local::{DataDir, Functions, Ports, Stores, start_stores};
use skillhub_protocol::{Manifest, Scope, SkillId};
use skillhub_store::{Audience, Authenticated, Connection, PrincipalId, Rate, Settings, Table, TokenSecret};
use skillhub_tests::in_process::TEST_PATIENCE;
use skillhub_tests::proxy::{Call, Proxy};
use skillhub_web::Clock;
use tempfile::TempDir;

/// Table and bucket.
const NAME: &str = "skillhub";
/// How many skills are seeded at once.
const CHUNK: usize = 1000;

/// Where stores are, and how to sign for them.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Place {
    pub(crate) dynamodb: String,
    pub(crate) objects: String,
    /// Where presigned URLs lead.
    pub(crate) public: String,
    pub(crate) access_key: String,
    pub(crate) secret_key: String,
    pub(crate) ca_pem: String,
}

/// Such a registry. Its caller is an owner of `@global`, with a personal namespace `@owner` and the organization `@team`.
pub(crate) struct Stage {
    pub(crate) place: Place,
    pub(crate) service: Service,
    #[allow(dead_code, reason = "not every measurement is of a known caller")]
    pub(crate) token: TokenSecret,
    caller: Authenticated,
    functions: Functions,
    _stores: Stores,
    // Last, so that the stores are gone before their files are.
    _dir: TempDir,
}

/// The functions as Lambda calls them: in process, one request after the other.
#[derive(Clone)]
pub(crate) struct Service(TowerToHyperService<Router>);

impl Place {
    pub(crate) fn connect(&self) -> Functions {
        let keys = (self.access_key.as_str(), self.secret_key.as_str());
        let connection = Connection::to(&self.dynamodb, &self.objects, keys, &self.ca_pem).unwrap();
        // A program below callgrind is slow.
        let connection = connection.with_patience(TEST_PATIENCE);
        Functions::new(&connection, settings(&self.public), Clock::default())
    }
}

impl Stage {
    pub(crate) async fn start() -> Self {
        let dir = TempDir::new().unwrap();
        let data = DataDir::open(dir.path()).unwrap();
        let stores = start_stores(data, Ports::default(), [7; 40], SystemTime::now()).await.unwrap();
        let place = Place {
            dynamodb: stores.dynamodb_endpoint(),
            objects: stores.object_endpoint(),
            public: stores.object_endpoint(),
            access_key: stores.credentials.access_key_id.clone(),
            secret_key: stores.credentials.secret_access_key.expose().to_owned(),
            ca_pem: stores.ca_pem.clone(),
        };
        let functions = place.connect();
        let service = Service::of(&functions);
        let (token, caller) = found(&functions, &service).await;
        Self { place, service, token, caller, functions, _stores: stores, _dir: dir }
    }

    pub(crate) fn table(&self) -> &Table {
        &self.functions.validator().table
    }

    /// Seeds skills of a scope into the namespace; the ids in their order. Their names follow from `manifest`.
    pub(crate) async fn seed(
        &self,
        namespace: &str,
        scope: Scope,
        manifests: impl Iterator<Item = Manifest>,
        seed: u64,
    ) -> Vec<SkillId> {
        let membership = self.caller.membership_by_handle(&namespace.parse().unwrap()).unwrap();
        let audience = Audience::of(membership, scope).unwrap();
        let (mut manifests, mut skills) = (manifests.peekable(), Vec::new());
        let (mut rng, start) = (StdRng::seed_from_u64(seed), Clock::default().now().plus_millis(-3_600_000));
        while manifests.peek().is_some() {
            let chunk: Vec<_> = manifests.by_ref().take(CHUNK).collect();
            let from = start.plus_millis(i64::try_from(skills.len()).unwrap());
            skills.extend(self.table().seed(membership, &audience, &chunk, from, &mut rng).await.unwrap());
        }
        skills
    }

    /// The calls that a request makes, by a proxy between functions of their own and the stores.
    pub(crate) async fn calls_of(&self, token: Option<&TokenSecret>, path: &str) -> Vec<Call> {
        let Place { dynamodb, objects, ca_pem, .. } = &self.place;
        let proxy = Proxy::start(dynamodb, objects, ca_pem).await.unwrap();
        let place =
            Place { dynamodb: proxy.dynamodb_url.clone(), objects: proxy.objects_url.clone(), ..self.place.clone() };
        let service = Service::of(&place.connect());
        service.get(token, path).await;
        proxy.take_calls()
    }
}

impl Service {
    pub(crate) fn of(functions: &Functions) -> Self {
        Self(TowerToHyperService::new(functions.router()))
    }

    /// Reads; gives the body, which must be that of a success.
    pub(crate) async fn get(&self, token: Option<&TokenSecret>, path: &str) -> Bytes {
        self.send(token, "GET", path, Bytes::new()).await
    }

    pub(crate) async fn send(&self, token: Option<&TokenSecret>, method: &str, path: &str, body: Bytes) -> Bytes {
        let mut request = Request::builder().method(method).uri(path);
        if let Some(token) = token {
            request = request.header("authorization", format!("Bearer {}", token.expose()));
        }
        let answer = self.0.call(request.body(Full::new(body)).unwrap()).await.unwrap();
        let (head, body) = answer.into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        let success = matches!(head.status, StatusCode::OK | StatusCode::CREATED);
        assert!(success, "{method} {path}: {} {body:?}", head.status);
        body
    }

    /// Reads JSON.
    pub(crate) async fn json(&self, token: Option<&TokenSecret>, path: &str) -> Value {
        serde_json::from_slice(&self.get(token, path).await).unwrap()
    }
}

/// Table, bucket and namespaces, and the caller with a token.
async fn found(functions: &Functions, service: &Service) -> (TokenSecret, Authenticated) {
    let (table, clock) = (&functions.validator().table, Clock::default());
    let principal = PrincipalId::derive("bench", "owner");
    let token = TokenSecret::generate(&mut StdRng::seed_from_u64(7));
    table.create_if_absent().await.unwrap();
    functions.validator().objects.create_if_absent().await.unwrap();
    table.found(&principal, clock.now(), 0).await.unwrap();
    table.put_token(&token, &principal).await.unwrap();
    for (namespace, kind) in [("@owner", "personal"), ("@team", "organization")] {
        let body = json!({ "namespace": namespace, "kind": kind }).to_string();
        service.send(Some(&token), "POST", "/api/namespaces", body.into()).await;
    }
    let caller = table.authenticate(&token, clock.now()).await.unwrap().unwrap();
    (token, caller)
}

fn settings(public: &str) -> Settings {
    Settings {
        table: NAME.to_owned(),
        bucket: NAME.to_owned(),
        anonymous_read: true,
        max_archive_bytes: Settings::DEFAULT_MAX_ARCHIVE_BYTES,
        objects_public_url: Some(public.to_owned()),
        path_style: true,
        write_rate: Rate { per_minute: 60_000, burst: 10_000 },
        quota: Settings::DEFAULT_QUOTA,
        administrator: None,
        token_epoch: 0,
        sweep_expired: false,
        issuer: None,
    }
}
