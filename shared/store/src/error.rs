//! What can go wrong between us and the stores.

use aws_sdk_dynamodb::error::{DisplayErrorContext, ProvideErrorMetadata, SdkError};

/// A store did not do what was asked. Outcomes that a caller decides by (a failed condition, a missing item) are no errors
/// but values.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The store is away, slow or throttling: trying again later may work. On the API: 503.
    #[error("{operation}: the store is unavailable: {cause}")]
    Unavailable {
        /// The call that failed.
        operation: &'static str,
        /// The SDK's own words.
        cause: String,
    },
    /// The store refused the call: a missing permission or a fault of ours. On the API: 500.
    #[error("{operation}: the store refused: {cause}")]
    Refused {
        /// The call that failed.
        operation: &'static str,
        /// The SDK's own words.
        cause: String,
    },
    /// An item of a format that this release does not know. Never guessed at: 503 until a newer release runs.
    #[error("an item {kind} has the format {format}, which this release does not read")]
    UnknownFormat {
        /// What was read.
        kind: &'static str,
        /// Its format number, or what stands there.
        format: String,
    },
    /// An item that cannot be read although its format is known.
    #[error("an item {kind} is corrupt: {cause}")]
    Corrupt {
        /// What was read.
        kind: &'static str,
        /// What is wrong with it, without its content.
        cause: String,
    },
}

impl StoreError {
    pub(crate) fn corrupt(kind: &'static str, cause: impl std::fmt::Display) -> Self {
        Self::Corrupt { kind, cause: cause.to_string() }
    }

    /// Whether the same call may work later.
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Unavailable { .. })
    }
}

/// Codes with which the stores say "not now".
const TRANSIENT: &[&str] = &[
    // Two conditional writes of one object at once: S3 asks for the second one again.
    "ConditionalRequestConflict",
    "InternalError",
    "InternalServerError",
    "LimitExceededException",
    "ProvisionedThroughputExceededException",
    "RequestLimitExceeded",
    "RequestTimeout",
    "ServiceUnavailable",
    "SlowDown",
    "ThrottlingException",
    "TransactionConflictException",
    "TransactionInProgressException",
];

/// Turns an SDK error into ours.
pub(crate) fn sdk_error<E, R>(operation: &'static str, error: SdkError<E, R>) -> StoreError
where
    E: std::error::Error + ProvideErrorMetadata + 'static,
    R: std::fmt::Debug + 'static,
{
    let refused = match &error {
        SdkError::ServiceError(service) => service.err().code().is_some_and(|code| !TRANSIENT.contains(&code)),
        SdkError::ConstructionFailure(_) => true,
        _ => false,
    };
    let cause = DisplayErrorContext(&error).to_string();
    if refused { StoreError::Refused { operation, cause } } else { StoreError::Unavailable { operation, cause } }
}
