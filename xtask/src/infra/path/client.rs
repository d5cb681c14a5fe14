//! The two ways to a deployed registry: its API, and the command.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};
use ureq::Agent;
use ureq::http::Request;

use super::Cloud;
use crate::process::{capture, target};

/// The API.
pub(super) struct Api {
    agent: Agent,
    registry: String,
}

/// An answer of it.
pub(super) struct Answer {
    what: String,
    status: u16,
    body: String,
}

impl Answer {
    /// The body as JSON.
    ///
    /// # Errors
    /// If the answer is no success, or no JSON.
    pub(super) fn success(&self) -> Result<Value, String> {
        let Self { what, status, body } = self;
        if !(200..300).contains(status) {
            return Err(format!("{what} is answered {status}: {body}"));
        }
        serde_json::from_str(body).map_err(|e| format!("{what}: {e}: {body}"))
    }
}

impl Api {
    pub(super) fn new(agent: Agent, registry: String) -> Self {
        Self { agent, registry }
    }

    /// Calls a route.
    ///
    /// # Errors
    /// If there is no answer.
    pub(super) fn call(&self, token: &str, method: &str, path: &str, body: Option<&Value>) -> Result<Answer, String> {
        let what = format!("{method} {path}");
        let request = Request::builder().method(method).uri(format!("{}{path}", self.registry));
        let request = request.header("authorization", format!("Bearer {token}"));
        let request = request.body(body.map(Value::to_string).unwrap_or_default()).map_err(|e| e.to_string())?;
        let mut answer = self.agent.run(request).map_err(|e| format!("{what}: {e}"))?;
        let body = answer.body_mut().read_to_string().map_err(|e| format!("{what}: {e}"))?;
        Ok(Answer { what, status: answer.status().as_u16(), body })
    }

    /// Gets any URL: the status, and how many bytes.
    ///
    /// # Errors
    /// If there is no whole answer.
    pub(super) fn fetch(&self, url: &str) -> Result<(u16, usize), String> {
        let mut answer = self.agent.get(url).call().map_err(|e| format!("a presigned URL: {e}"))?;
        let bytes = answer.body_mut().read_to_vec().map_err(|e| format!("a presigned URL: {e}"))?;
        Ok((answer.status().as_u16(), bytes.len()))
    }
}

/// The command, with a home folder of its own.
pub(super) struct Skillhub {
    home: PathBuf,
}

impl Skillhub {
    /// # Errors
    /// If its configuration cannot be written.
    pub(super) fn new(cloud: &Cloud, registry: &str, token: &str) -> Result<Self, String> {
        let home = cloud.folder().join("home");
        fs::create_dir_all(&home).map_err(|e| format!("{}: {e}", home.display()))?;
        let mut config = json!({ "registry": registry, "token": token, "namespace": "@global" });
        if let Some(ca) = cloud.certificate() {
            config["ca"] = json!(ca);
        }
        let file = home.join("local.json");
        fs::write(&file, config.to_string()).map_err(|e| format!("{}: {e}", file.display()))?;
        Ok(Self { home })
    }

    /// Runs it, and gives what it printed.
    ///
    /// # Errors
    /// If it fails.
    pub(super) fn run(&self, arguments: &[&str]) -> Result<String, String> {
        let mut skillhub = Command::new(target().join("debug/skillhub"));
        skillhub.env_clear().env("HOME", &self.home).current_dir(&self.home);
        capture(skillhub.args(arguments).arg(format!("--local={}", self.home.display())))
    }

    /// The same, as JSON.
    ///
    /// # Errors
    /// If it fails, or prints none.
    pub(super) fn json(&self, arguments: &[&str]) -> Result<Value, String> {
        let text = self.run(arguments)?;
        serde_json::from_str(&text).map_err(|e| format!("skillhub: {e}: {text}"))
    }
}
