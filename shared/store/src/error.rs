//! What can go wrong between us and the stores.

use aws_sdk_dynamodb::error::{DisplayErrorContext, ProvideErrorMetadata, SdkError};

/// A store did not do what was asked. Outcomes that a caller decides by (a failed condition, a missing item) are no errors
/// but values.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The store is away or slow: trying again later may work. On the API: 503.
    #[error("{operation}: the store is unavailable: {cause}")]
    Unavailable {
        /// The call that failed.
        operation: &'static str,
        /// The SDK's own words.
        cause: String,
    },
    /// The store has too much to do: trying the same again after a pause may work. On the API: 503.
    #[error("{operation}: the store is throttling: {cause}")]
    Throttled {
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

    /// Another transaction is changing the same items.
    pub(crate) fn busy() -> Self {
        let cause = String::from("another transaction is changing the same items");
        Self::Unavailable { operation: "TransactWriteItems", cause }
    }

    /// Whether the same call may work later.
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Unavailable { .. } | Self::Throttled { .. })
    }

    /// Whether an item is there that this release cannot read.
    pub fn is_unreadable(&self) -> bool {
        matches!(self, Self::UnknownFormat { .. } | Self::Corrupt { .. })
    }
}

/// Codes with which the stores say "not now".
const TRANSIENT: &[&str] = &[
    // Two conditional writes of one object at once: S3 asks for the second one again.
    "ConditionalRequestConflict",
    "InternalError",
    "InternalServerError",
    "LimitExceededException",
    "RequestTimeout",
    "ServiceUnavailable",
    "TransactionConflictException",
    "TransactionInProgressException",
];

/// Codes with which they say "not so much".
const THROTTLED: &[&str] =
    &["ProvisionedThroughputExceededException", "RequestLimitExceeded", "SlowDown", "ThrottlingException"];

/// Turns an SDK error into ours.
pub(crate) fn sdk_error<E, R>(operation: &'static str, error: SdkError<E, R>) -> StoreError
where
    E: std::error::Error + ProvideErrorMetadata + 'static,
    R: std::fmt::Debug + 'static,
{
    let cause = DisplayErrorContext(&error).to_string();
    match &error {
        SdkError::ConstructionFailure(_) => StoreError::Refused { operation, cause },
        SdkError::ServiceError(service) => match service.err().code() {
            Some(code) if THROTTLED.contains(&code) => StoreError::Throttled { operation, cause },
            Some(code) if !TRANSIENT.contains(&code) => StoreError::Refused { operation, cause },
            _ => StoreError::Unavailable { operation, cause },
        },
        _ => StoreError::Unavailable { operation, cause },
    }
}

/// Whether a write was made: a failed condition is an answer, and no error.
pub(crate) fn is_made<T, E, R>(operation: &'static str, answer: Result<T, SdkError<E, R>>) -> Result<bool, StoreError>
where
    E: std::error::Error + ProvideErrorMetadata + 'static,
    R: std::fmt::Debug + 'static,
{
    match answer {
        Ok(_) => Ok(true),
        Err(SdkError::ServiceError(refused)) if refused.err().code() == Some("ConditionalCheckFailedException") => {
            Ok(false)
        }
        Err(error) => Err(sdk_error(operation, error)),
    }
}
