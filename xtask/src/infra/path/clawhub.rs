//! The client of another registry, pointed at a deployed one.

use std::fs;
use std::path::Path;

use serde_json::json;

use super::{Stack, equal};
use crate::process::capture;
use crate::tools::CLAWHUB;

/// Lets it say who it is and install a skill, and compares that with its source.
///
/// # Errors
/// If the client fails, or installs something else.
pub(super) fn installs(stack: &Stack<'_>, token: &str, slug: &str, sources: &Path) -> Result<(), String> {
    let home = stack.cloud().folder().join("clawhub");
    fs::create_dir_all(&home).map_err(|e| format!("{}: {e}", home.display()))?;
    let registry = stack.registry()?;
    // What its `login` writes: a token in the arguments would be in the message of a failure.
    let config = home.join("clawhub.json");
    let known = json!({ "registry": &registry, "token": token });
    fs::write(&config, known.to_string()).map_err(|e| format!("{}: {e}", config.display()))?;
    let run = |arguments: &[&str]| {
        let mut clawhub = CLAWHUB.command()?;
        clawhub.args(arguments).current_dir(&home).env_clear();
        clawhub.env("HOME", &home).env("CLAWHUB_CONFIG_PATH", &config);
        clawhub.env("CLAWHUB_REGISTRY", &registry).env("CLAWHUB_DISABLE_TELEMETRY", "1").env("NO_COLOR", "1");
        clawhub.envs(stack.cloud().certificate().map(|path| ("NODE_EXTRA_CA_CERTS", path)));
        capture(&mut clawhub)
    };
    run(&["whoami"])?;
    run(&["install", slug, "--workdir", &home.display().to_string()])?;
    equal(&sources.join(slug), &home.join("skills").join(slug), &[".clawhub"])?;
    println!("clawhub {} installed a skill, equal to its source", CLAWHUB.version());
    Ok(())
}
