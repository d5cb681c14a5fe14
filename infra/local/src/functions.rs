//! The functions of the registry on one connection: the same routers and handlers that run on Lambda, given their stores.

use std::time::Duration;

use aws_lambda_events::event::s3::S3Event;
use axum::Router;
use skillhub_package::Policy;
use skillhub_store::{Connection, Objects, Settings, StoreError};
use skillhub_sweep::Report;
use skillhub_validate::{Validator, handle_event};
use skillhub_web::{Clock, IssuerKeyCache, Registry};

/// All functions as one.
#[derive(Debug, Clone)]
pub struct Functions {
    registry: Registry,
    objects: Objects,
    validator: Validator,
    verdict_wait: Duration,
}

impl Functions {
    /// The functions on these stores.
    pub fn new(connection: &Connection, settings: Settings, clock: Clock) -> Self {
        let (table, objects) = (connection.table(&settings), connection.objects(&settings));
        let policy = Policy::default();
        let validator = Validator { table: table.clone(), objects: objects.clone(), policy, clock: clock.clone() };
        let issuer_keys = IssuerKeyCache::default();
        let registry = Registry { table, settings: settings.into(), clock, issuer_keys };
        Self { registry, objects, validator, verdict_wait: skillhub_compat::VERDICT_WAIT }
    }

    /// The same, but a publication through another client's protocol waits only so long for its verdict.
    #[must_use]
    pub fn with_verdict_wait(self, verdict_wait: Duration) -> Self {
        Self { verdict_wait, ..self }
    }

    /// The routers of all functions as one.
    pub fn router(&self) -> Router {
        let (registry, objects) = (&self.registry, &self.objects);
        let router = skillhub_list::router(registry.clone())
            .merge(skillhub_detail::router(registry.clone()))
            .merge(skillhub_download::router(registry.clone(), objects.clone()))
            .merge(skillhub_publish::router(registry.clone(), objects.clone()))
            .merge(skillhub_manage::router(registry.clone()))
            .merge(skillhub_compat::router(registry.clone(), objects.clone(), self.verdict_wait));
        skillhub_web::finish(router)
    }

    /// What validates uploads, with the stores and the clock that all the functions use.
    pub fn validator(&self) -> &Validator {
        &self.validator
    }

    /// Handles an event of the object store.
    ///
    /// # Errors
    /// If a store fails; the event should then be delivered again.
    pub async fn on_event(&self, event: S3Event) -> Result<(), StoreError> {
        handle_event(&self.validator, event, &mut skillhub_web::rng()).await
    }

    /// One run of the sweeper.
    pub async fn sweep(&self) -> Report {
        skillhub_sweep::sweep(&self.validator, &self.registry.settings, &mut skillhub_web::rng()).await
    }
}
