//! The program: arguments, log, signals.

use std::io::Write as _;
use std::process::ExitCode;

use clap::Parser as _;
use tracing_subscriber::Layer as _;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::config::Config;
use crate::examples::{self, Example};
use crate::run::{Running, start};

/// Runs local mode until Ctrl-C or SIGTERM; a second signal ends it at once.
pub async fn main() -> ExitCode {
    let config = Config::parse();
    let log = tracing_subscriber::fmt::layer().with_writer(std::io::stderr).with_filter(config.log_filter());
    tracing_subscriber::registry().with(log).init();
    let running = match start(&config).await {
        Ok(running) => running,
        Err(error) => return fail(&error.to_string()),
    };
    let examples = publish_examples(&config, &running).await;
    if !config.quiet {
        say(&greeting(&running, &examples));
    }
    if let Err(error) = signal().await {
        tracing::error!(%error, "signals can't be received, so this ends now");
    }
    tokio::select! {
        () = running.stop() => ExitCode::SUCCESS,
        _again = signal() => fail("stopped before everything had ended"),
    }
}

async fn publish_examples(config: &Config, running: &Running) -> Vec<Example> {
    let Some(dir) = config.examples() else { return Vec::new() };
    let (data, local) = (running.stores.data().root().to_owned(), running.local.clone());
    let published = tokio::task::spawn_blocking(move || examples::publish(&data, &local, &dir)).await;
    published.unwrap_or_else(|error| vec![Err(error.to_string())])
}

fn greeting(running: &Running, examples: &[Example]) -> String {
    let stores = &running.stores;
    let mut text = format!(
        "skillhub is running; Ctrl-C stops it\n  API      http://{}\n  objects  {}  (CA: {})\n  tables   {}\n  data     {}\n",
        running.address,
        stores.object_endpoint(),
        stores.ca_path.display(),
        stores.dynamodb_endpoint(),
        stores.data().root().display(),
    );
    for example in examples {
        text.push_str(&match example {
            Ok(coordinate) => format!("published the example {coordinate}\n"),
            Err(error) => format!("an example was not published: {error}\n"),
        });
    }
    text.push_str(
        "\nType in a second shell, in this directory:\n  \
         cargo run -p skillhub-cli -- install hello-skill --local\n  \
         cargo run -p skillhub-cli -- list --remote --local\n  \
         cargo run -p skillhub-cli -- publish DIR --local\n",
    );
    text
}

/// Ctrl-C or SIGTERM.
async fn signal() -> std::io::Result<()> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let mut terminate = signal(SignalKind::terminate())?;
        tokio::select! {
            interrupted = tokio::signal::ctrl_c() => interrupted,
            _ = terminate.recv() => Ok(()),
        }
    }
    #[cfg(not(unix))]
    tokio::signal::ctrl_c().await
}

fn say(text: &str) {
    if let Err(error) = std::io::stdout().write_all(text.as_bytes()) {
        tracing::debug!(%error, "standard output is closed");
    }
}

fn fail(message: &str) -> ExitCode {
    if let Err(error) = writeln!(std::io::stderr(), "error: {message}") {
        tracing::error!(%error, message);
    }
    ExitCode::FAILURE
}
