//! The Lambda bootstrap, called by a schedule.

use lambda_runtime::{LambdaEvent, service_fn};
use serde::{Deserialize, Serialize};
use skillhub_store::{Connection, Settings};
use skillhub_sweep::Rebuild;
use skillhub_validate::Validator;
use skillhub_web::Clock;
use tracing::Instrument as _;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_runtime::Error> {
    skillhub_web::init_logging();
    let variable = |name: &str| std::env::var(name).ok();
    let settings = Settings::from_variables(variable)?;
    let connection = Connection::from_env();
    let (table, objects) = (connection.table(&settings), connection.objects(&settings));
    let (settings, policy) = (&settings, skillhub_validate::policy(variable)?);
    let validator = &Validator { table, objects, policy, clock: Clock::default() };
    let handler = async |LambdaEvent { payload, context }: LambdaEvent<Payload>| {
        let span = tracing::info_span!("sweep", request_id = context.request_id);
        let Some(run) = payload.rebuild else {
            skillhub_sweep::sweep(validator, settings, &mut skillhub_web::rng()).instrument(span).await;
            return Ok(None);
        };
        let (run, more) = skillhub_sweep::rebuild(validator, run).instrument(span).await?;
        // What to call it with next; nothing at the end.
        Ok::<_, lambda_runtime::Error>(more.then_some(Payload { rebuild: Some(run) }))
    };
    lambda_runtime::run(service_fn(handler)).await
}

/// What the schedule sends has fields of its own; an operator asks for a rebuild.
#[derive(Debug, Serialize, Deserialize)]
struct Payload {
    #[serde(default)]
    rebuild: Option<Rebuild>,
}
