//! The Lambda bootstrap, called by a schedule.

use lambda_runtime::{LambdaEvent, service_fn};
use skillhub_package::Policy;
use skillhub_store::{Connection, Settings};
use skillhub_sweep::{FETCH_LIMIT, refresh_keys, sweep};
use skillhub_validate::Validator;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_runtime::Error> {
    skillhub_web::init_logging();
    let settings = Settings::from_variables(|name| std::env::var(name).ok())?;
    let connection = Connection::from_env().await;
    let (table, objects) = (connection.table(&settings), connection.objects(&settings));
    let validator = &Validator { table, objects, policy: Policy::default(), clock: skillhub_web::now };
    let issuer = settings.issuer.as_ref();
    let keys = async || match issuer {
        Some(issuer) => refresh_keys(&validator.table, issuer, FETCH_LIMIT, skillhub_web::now()).await.map(drop),
        None => Ok(()),
    };
    let handler = async |_: LambdaEvent<serde_json::Value>| {
        let mut rng = skillhub_web::rng();
        let (keys, swept) = tokio::join!(keys(), sweep(validator, &mut rng));
        keys.and(swept).map(drop).map_err(lambda_runtime::Error::from)
    };
    lambda_runtime::run(service_fn(handler)).await
}
