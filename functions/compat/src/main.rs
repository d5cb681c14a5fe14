//! The Lambda bootstrap.

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), skillhub_web::LambdaError> {
    skillhub_web::run(|registry, connection| {
        let objects = connection.objects(&registry.settings);
        skillhub_compat::router(registry, objects, skillhub_compat::VERDICT_WAIT)
    })
    .await
}
