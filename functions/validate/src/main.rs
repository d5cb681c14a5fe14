//! The Lambda bootstrap.

use lambda_runtime::{LambdaEvent, service_fn};
use skillhub_store::{Connection, Settings};
use skillhub_validate::{Validator, handle_payload};
use skillhub_web::Clock;
use tracing::Instrument as _;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_runtime::Error> {
    skillhub_web::init_logging();
    let variable = |name: &str| std::env::var(name).ok();
    let settings = Settings::from_variables(variable)?;
    let connection = Connection::from_env();
    let (table, objects) = (connection.table(&settings), connection.objects(&settings));
    let policy = skillhub_validate::policy(variable)?;
    let validator = &Validator { table, objects, policy, clock: Clock::default() };
    skillhub_web::warm_up(validator.warm_up()).await;
    let handler = async |LambdaEvent { payload, context }: LambdaEvent<serde_json::Value>| {
        let span = tracing::info_span!("event", request_id = context.request_id);
        handle_payload(validator, payload, &mut skillhub_web::rng()).instrument(span).await
    };
    lambda_runtime::run(service_fn(handler)).await
}
