#![doc = include_str!("../README.md")]

mod app;
mod auth;
mod clock;
mod error;
mod extract;
mod issuer_keys;
mod jwt;
mod lambda;
mod metrics;
mod open_upload;
mod refusal;

pub use app::finish;
pub use auth::{Caller, Known, Manager, Publisher};
pub use clock::{Clock, Now, rng};
pub use error::ApiError;
pub use extract::{Body, Handle, MAX_BODY_BYTES, Params, PathParams, json, json_text, page_limit};
pub use issuer_keys::IssuerKeyCache;
pub use lambda::{LambdaError, init_logging, log_filter, run, warm_up};
pub use metrics::METRICS;
pub use open_upload::{OpenedUpload, open_upload};

use std::sync::Arc;

use skillhub_store::{Settings, Table};

/// What a function that reads metadata needs; it has no way to the bucket.
#[derive(Debug, Clone)]
pub struct Registry {
    /// The metadata.
    pub table: Table,
    /// What the operator has set.
    pub settings: Arc<Settings>,
    /// What time it is.
    pub clock: Clock,
    /// The keys of the issuer in the settings, as read last.
    pub issuer_keys: IssuerKeyCache,
}
