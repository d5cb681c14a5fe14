//! The Lambda bootstrap, called by a schedule.

use lambda_runtime::{LambdaEvent, service_fn};
use skillhub_package::Policy;
use skillhub_store::{Connection, Settings};
use skillhub_validate::Validator;
use skillhub_web::Clock;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_runtime::Error> {
    skillhub_web::init_logging();
    let settings = Settings::from_variables(|name| std::env::var(name).ok())?;
    let connection = Connection::from_env().await;
    let (table, objects) = (connection.table(&settings), connection.objects(&settings));
    let settings = &settings;
    let validator = &Validator { table, objects, policy: Policy::default(), clock: Clock::default() };
    let handler = async |_: LambdaEvent<serde_json::Value>| {
        skillhub_sweep::sweep(validator, settings, &mut skillhub_web::rng()).await;
        Ok::<_, lambda_runtime::Error>(())
    };
    lambda_runtime::run(service_fn(handler)).await
}
