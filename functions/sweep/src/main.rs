//! The Lambda bootstrap, called by a schedule.

use lambda_runtime::{LambdaEvent, service_fn};
use skillhub_store::{Connection, Settings};
use skillhub_validate::Validator;
use skillhub_web::Clock;
use tracing::Instrument as _;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_runtime::Error> {
    skillhub_web::init_logging();
    let variable = |name: &str| std::env::var(name).ok();
    let settings = Settings::from_variables(variable)?;
    let connection = Connection::from_env().await;
    let (table, objects) = (connection.table(&settings), connection.objects(&settings));
    let (settings, policy) = (&settings, skillhub_validate::policy(variable)?);
    let validator = &Validator { table, objects, policy, clock: Clock::default() };
    let handler = async |LambdaEvent { context, .. }: LambdaEvent<serde_json::Value>| {
        let span = tracing::info_span!("sweep", request_id = context.request_id);
        skillhub_sweep::sweep(validator, settings, &mut skillhub_web::rng()).instrument(span).await;
        Ok::<_, lambda_runtime::Error>(())
    };
    lambda_runtime::run(service_fn(handler)).await
}
