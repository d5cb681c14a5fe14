//! The registry on the embedded stores: the same functions that run on Lambda, given their stores.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use aws_lambda_events::event::s3::S3Event;
use axum::Router;
use skillhub_package::Policy;
use skillhub_protocol::{Namespace, NamespaceKind};
use skillhub_store::{
    Connection, Issuer, NamespaceId, NamespaceItem, Objects, PrincipalId, Settings, StoreError, Table, TokenItem,
    TokenScope, TokenSecret,
};
use skillhub_sweep::{FETCH_LIMIT, refresh_keys};
use skillhub_validate::{Validator, handle_event};
use skillhub_web::{IssuerKeyCache, Registry};
use tokio_util::sync::CancellationToken;

use crate::data_dir::LocalConfig;
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

/// Everything that the functions share.
#[derive(Clone)]
pub(crate) struct LocalRegistry {
    registry: Registry,
    objects: Objects,
    validator: Arc<Validator>,
}

impl LocalRegistry {
    /// Connects to the stores, makes table, bucket and `@global` if they are not there, and takes over from a dead process.
    pub(crate) async fn connect(base: &Base, issuer: Option<Issuer>) -> Result<Self, StartError> {
        let stores = &base.stores;
        let settings = settings(issuer);
        let (access_key, secret_key) = (&stores.credentials.access_key_id, &stores.credentials.secret_access_key);
        let connection = Connection::to(
            &stores.dynamodb_endpoint(),
            &stores.object_endpoint(),
            (access_key, secret_key.expose()),
            &stores.ca_pem,
        )
        .await?;
        let (table, objects) = (connection.table(&settings), connection.objects(&settings));
        table.create_if_absent().await?;
        objects.create_if_absent().await?;
        found_namespaces(&table).await?;
        // The lock on the data directory says that whoever had claimed a session has ended, and its events with it.
        table.make_all_due(skillhub_web::now()).await?;
        let clock = skillhub_web::now;
        let validator =
            Arc::new(Validator { table: table.clone(), objects: objects.clone(), policy: Policy::default(), clock });
        let registry = Registry { table, settings: settings.into(), issuer_keys: IssuerKeyCache::default() };
        Ok(Self { registry, objects, validator })
    }

    /// The routers of all functions as one.
    pub(crate) fn router(&self) -> Router {
        let (registry, objects) = (&self.registry, &self.objects);
        let router = skillhub_list::router(registry.clone())
            .merge(skillhub_detail::router(registry.clone()))
            .merge(skillhub_download::router(registry.clone(), objects.clone()))
            .merge(skillhub_publish::router(registry.clone(), objects.clone()));
        skillhub_web::finish(router)
    }

    /// The handler of the object store's events.
    pub(crate) fn on_event(&self) -> impl Fn(S3Event) -> Handling + Clone + Send + Sync + 'static + use<> {
        let validator = self.validator.clone();
        move |event| {
            let validator = validator.clone();
            Box::pin(async move { handle_event(&validator, event, &mut skillhub_web::rng()).await })
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
            let mut rng = skillhub_web::rng();
            // An issuer that is slow holds up neither the sessions nor the end.
            let keys = stopping.run_until_cancelled(self.refresh_keys());
            let (swept, _) = tokio::join!(skillhub_sweep::sweep(&self.validator, &mut rng), keys);
            if let Err(error) = swept {
                tracing::error!(%error, "sweep");
            }
        }
    }

    async fn refresh_keys(&self) {
        let Registry { table, settings, .. } = &self.registry;
        let Some(issuer) = &settings.issuer else { return };
        if let Err(error) = refresh_keys(table, issuer, FETCH_LIMIT, skillhub_web::now()).await {
            tracing::error!(%error, "the issuer's keys");
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
        let item = TokenItem {
            principal: admin(),
            scopes: vec![TokenScope::Read, TokenScope::Publish, TokenScope::Manage],
            expires_at: None,
        };
        self.registry.table.put_token(&token, &item).await?;
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
    }
}

fn admin() -> PrincipalId {
    let (issuer, subject) = ADMIN;
    PrincipalId::derive(issuer, subject)
}

/// `@global`, and the administrator's own namespace. What exists stays as it is.
async fn found_namespaces(table: &Table) -> Result<(), StoreError> {
    let admin = admin();
    let own = Namespace::from_handle(ADMIN.1).unwrap_or_else(|_| Namespace::global());
    let namespaces = [
        (NamespaceId::global(), Namespace::global(), NamespaceKind::Global),
        (NamespaceId::personal(&admin), own, NamespaceKind::Personal),
    ];
    for (id, namespace, kind) in namespaces {
        let item = NamespaceItem { id, namespace, kind, organization_id: None };
        table.create_namespace(&item, &admin).await?;
    }
    Ok(())
}
