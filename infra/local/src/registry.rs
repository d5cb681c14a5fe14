//! The registry on the embedded stores: its functions, its first namespaces, its administrator.

use std::pin::Pin;
use std::time::Duration;

use aws_lambda_events::event::s3::S3Event;
use rand::{Rng, RngExt};
use skillhub_protocol::{CreateNamespace, Namespace, NamespaceKind, TokenScope, UtcMillis};
use skillhub_store::{
    Authenticated, ChangeError, ChangedBy, Connection, Issuer, PrincipalId, Quota, Rate, Settings, StoreError, Table,
    TokenSecret,
};
use skillhub_validate::Validator;
use skillhub_web::Clock;
use tokio_util::sync::CancellationToken;

use crate::data_dir::LocalConfig;
use crate::functions::Functions;
use crate::run::Base;
use crate::secret::Secret;
use crate::stores::StartError;

/// An event being handled.
pub(crate) type Handling = Pin<Box<dyn Future<Output = Result<(), StoreError>> + Send>>;

const TABLE: &str = "skillhub";
const BUCKET: &str = "skillhub";
/// Issuer and subject of the administrator's identity.
const ADMIN: (&str, &str) = ("skillhub-local", "admin");
const SWEEP_EVERY: Duration = Duration::from_secs(60);

/// The functions on the embedded stores, and what an operator would do for them.
#[derive(Clone)]
pub(crate) struct LocalRegistry {
    pub(crate) functions: Functions,
}

impl LocalRegistry {
    /// Connects to the stores, makes table, bucket and `@global` if they are not there, and takes over from a dead process.
    pub(crate) async fn connect(base: &Base, issuer: Option<Issuer>) -> Result<Self, StartError> {
        let stores = &base.stores;
        let (access_key, secret_key) = (&stores.credentials.access_key_id, &stores.credentials.secret_access_key);
        let connection = Connection::to(
            &stores.dynamodb_endpoint(),
            &stores.object_endpoint(),
            (access_key, secret_key.expose()),
            &stores.ca_pem,
        )?;
        let functions = Functions::new(&connection, settings(issuer), Clock::default());
        let Validator { table, objects, clock, .. } = functions.validator();
        table.create_if_absent().await?;
        objects.create_if_absent().await?;
        found_namespaces(table, clock.now(), &mut skillhub_web::rng()).await?;
        // The lock on the data directory says that whoever had claimed a session has ended.
        table.make_all_due(clock.now()).await?;
        Ok(Self { functions })
    }

    /// The handler of the object store's events.
    pub(crate) fn on_event(&self) -> impl Fn(S3Event) -> Handling + Clone + Send + Sync + 'static + use<> {
        let functions = self.functions.clone();
        move |event| {
            let functions = functions.clone();
            Box::pin(async move { functions.on_event(event).await })
        }
    }

    /// Sweeps at once and then every minute, until `stopping`.
    pub(crate) async fn sweep_until(self, stopping: CancellationToken) {
        let mut timer = tokio::time::interval(SWEEP_EVERY);
        loop {
            tokio::select! {
                _ = timer.tick() => {}
                () = stopping.cancelled() => return,
            }
            self.functions.sweep().await;
        }
    }

    /// The configuration that the command reads: with the token of an earlier start, or else a new one.
    pub(crate) async fn local_config(&self, base: &Base) -> Result<LocalConfig, StartError> {
        let data = base.stores.data();
        let earlier = data.read_local_config()?.map(|config| config.token);
        let token = match earlier.and_then(|token| TokenSecret::parse(token.expose())) {
            Some(token) => token,
            None => TokenSecret::generate(&mut skillhub_web::rng()),
        };
        // Stored again at every start, in case the process ended between the two writes of an earlier one.
        self.functions.validator().table.put_token(&token, &admin()).await?;
        let config = LocalConfig {
            registry: base.api_endpoint(),
            token: Secret::new(token.expose()),
            ca: base.stores.ca_path.clone(),
            namespace: Namespace::global().to_string(),
        };
        data.write_local_config(&config)?;
        Ok(config)
    }
}

fn settings(issuer: Option<Issuer>) -> Settings {
    Settings {
        table: TABLE.to_owned(),
        bucket: BUCKET.to_owned(),
        anonymous_read: true,
        max_archive_bytes: Settings::DEFAULT_MAX_ARCHIVE_BYTES,
        objects_public_url: None,
        path_style: true,
        issuer,
        // One person's machine: the limits are those of a runaway loop.
        write_rate: Rate { per_minute: 60_000, burst: 10_000 },
        quota: Quota { sessions: 1000, staged_bytes: 4 << 30 },
        administrator: None,
        token_epoch: 0,
        sweep_expired: false,
    }
}

fn admin() -> PrincipalId {
    let (issuer, subject) = ADMIN;
    PrincipalId::derive(issuer, subject)
}

/// `@global`, and the administrator's own namespace. What exists stays as it is.
async fn found_namespaces(table: &Table, now: UtcMillis, rng: &mut (impl Rng + Send)) -> Result<(), StoreError> {
    table.found(&admin(), now, rng.random()).await?;
    let (Ok(namespace), kind) = (Namespace::from_handle(ADMIN.1), NamespaceKind::Personal) else { return Ok(()) };
    let scopes = TokenScope::ALL.to_vec();
    let caller = Authenticated { principal: admin(), token_sha256: None, scopes, memberships: Vec::new() };
    let by = ChangedBy { caller: &caller, now };
    match table.create_namespace(by, &CreateNamespace { namespace, kind }, rng).await {
        Ok(_) | Err(ChangeError::Refused(_)) => Ok(()),
        Err(ChangeError::Store(error)) => Err(error),
    }
}
