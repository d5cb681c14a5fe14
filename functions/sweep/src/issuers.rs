//! The keys of the issuer whose JWTs are accepted, fetched into the table. The only call of the registry to the outside.

use std::collections::HashSet;
use std::io::Read as _;
use std::time::Duration;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use skillhub_protocol::UtcMillis;
use skillhub_store::{Issuer, IssuerKey, IssuerKeys, StoreError, Table};
use ureq::http::StatusCode;
use ureq::{Agent, Proxy};
use url::Url;

/// How long keys count as fresh, in milliseconds.
const FRESH: i64 = 5 * 60 * 1000;
/// The longest document, in bytes.
const MAX_DOCUMENT_BYTES: u64 = 256 << 10;

/// How long one document may take, from the first byte of the request to the last of the answer.
pub const FETCH_LIMIT: Duration = Duration::from_secs(5);

/// What became of the keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refresh {
    /// They were fetched less than five minutes ago.
    Fresh,
    /// They were fetched; so many can be used.
    Fetched(usize),
    /// They could not be fetched. Those that were there, if any, still are.
    Failed,
}

/// Why there are no keys.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// Its keys are said to be where none are fetched from.
    #[error("jwks_uri must be HTTPS; HTTP is for loopback hosts, and only if the issuer is on one")]
    Address,
    /// No answer, or none to its end within the limit.
    #[error("the {document} cannot be read: {cause}")]
    Unreachable {
        /// Which document.
        document: &'static str,
        /// What the client says.
        cause: String,
    },
    /// Another status than 200. Redirects are not followed.
    #[error("the {document} is answered with status {}, not 200", status.as_u16())]
    Status {
        /// Which document.
        document: &'static str,
        /// The status.
        status: StatusCode,
    },
    /// More than 256 KiB.
    #[error("the {0} is larger than {MAX_DOCUMENT_BYTES} bytes")]
    TooLarge(&'static str),
    /// Not the JSON that it must be.
    #[error("the {0} is not as it must be")]
    Malformed(&'static str),
    /// The document is about somebody else.
    #[error("the discovery document is of another issuer")]
    WrongIssuer,
    /// Our own fault.
    #[error("the fetch ended abnormally")]
    Aborted,
}

/// Fetches the issuer's keys, if they are older than five minutes. A failure goes to the log, and the next run tries again.
///
/// # Errors
/// If the store fails.
pub async fn refresh_keys(
    table: &Table,
    issuer: &Issuer,
    limit: Duration,
    now: UtcMillis,
) -> Result<Refresh, StoreError> {
    let stored = table.issuer_keys(issuer).await?;
    let age = stored.map(|keys| now.epoch_millis() - keys.fetched_at.epoch_millis());
    if age.is_some_and(|age| (0..FRESH).contains(&age)) {
        return Ok(Refresh::Fresh);
    }
    let fetching = issuer.clone();
    let fetched = tokio::task::spawn_blocking(move || fetch_keys(&fetching, limit)).await;
    match fetched.unwrap_or(Err(FetchError::Aborted)) {
        Ok(keys) => {
            let count = keys.len();
            table.put_issuer_keys(&IssuerKeys { issuer: issuer.url().to_owned(), keys, fetched_at: now }).await?;
            tracing::info!(count, "the issuer's keys were fetched");
            Ok(Refresh::Fetched(count))
        }
        Err(error) => {
            tracing::warn!(%error, "the issuer's keys were not fetched");
            Ok(Refresh::Failed)
        }
    }
}

/// The keys of an issuer that can be used, by way of its discovery document. Each of the two documents may take `limit`. Blocks.
///
/// # Errors
/// [`FetchError`]. A key that cannot be used is none: it is left out, with a warning in the log.
pub fn fetch_keys(issuer: &Issuer, limit: Duration) -> Result<Vec<IssuerKey>, FetchError> {
    let discovered: Discovery = fetch(issuer, &issuer.discovery_url(), DISCOVERY, limit)?;
    if discovered.issuer != issuer.url() {
        return Err(FetchError::WrongIssuer);
    }
    let set: KeySet = fetch(issuer, &discovered.jwks_uri, KEY_SET, limit)?;
    Ok(usable(set.keys))
}

const DISCOVERY: &str = "discovery document";
const KEY_SET: &str = "set of keys";

#[derive(Deserialize)]
struct Discovery {
    issuer: String,
    jwks_uri: String,
}

#[derive(Deserialize)]
struct KeySet {
    keys: Vec<serde_json::Value>,
}

/// The first keys that can be used and have names of their own.
fn usable(elements: Vec<serde_json::Value>) -> Vec<IssuerKey> {
    let (mut keys, mut kids) = (Vec::new(), HashSet::new());
    for (index, element) in elements.into_iter().enumerate() {
        match IssuerKey::from_jwk(element) {
            Ok(_) if keys.len() == IssuerKeys::MAX => {
                tracing::warn!(index, max = IssuerKeys::MAX, "the issuer has more keys than are kept");
                break;
            }
            Ok(key) if kids.insert(key.kid().to_owned()) => keys.push(key),
            Ok(_) => tracing::warn!(index, "a key of the issuer is left out: another one has its kid"),
            Err(reason) => tracing::warn!(index, %reason, "a key of the issuer is left out"),
        }
    }
    keys
}

fn fetch<T: DeserializeOwned>(
    issuer: &Issuer,
    url: &str,
    document: &'static str,
    limit: Duration,
) -> Result<T, FetchError> {
    let url = Url::parse(url).ok().filter(|url| issuer.allows(url)).ok_or(FetchError::Address)?;
    let unreachable = |cause: String| FetchError::Unreachable { document, cause };
    let answer = agent(&url, limit).get(url.as_str()).call().map_err(|error| unreachable(error.to_string()))?;
    if answer.status() != StatusCode::OK {
        return Err(FetchError::Status { document, status: answer.status() });
    }
    let mut bytes = Vec::new();
    let mut body = answer.into_body().into_reader().take(MAX_DOCUMENT_BYTES + 1);
    body.read_to_end(&mut bytes).map_err(|error| unreachable(error.to_string()))?;
    if bytes.len() as u64 > MAX_DOCUMENT_BYTES {
        return Err(FetchError::TooLarge(document));
    }
    serde_json::from_slice(&bytes).map_err(|_| FetchError::Malformed(document))
}

/// A client that follows no redirect and keeps no connection: it is needed twice in five minutes.
fn agent(url: &Url, limit: Duration) -> Agent {
    // HTTP is for this machine, which no proxy can reach.
    let proxy = if url.scheme() == "https" { Proxy::try_from_env() } else { None };
    let config = Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .proxy(proxy)
        .user_agent(concat!("skillhub/", env!("CARGO_PKG_VERSION")))
        .accept("application/json")
        .timeout_global(Some(limit));
    config.build().into()
}
