//! The Lambda bootstrap.

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), skillhub_web::LambdaError> {
    skillhub_web::run(|registry, _| skillhub_manage::router(registry)).await
}
