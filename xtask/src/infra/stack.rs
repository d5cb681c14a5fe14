//! The registry, deployed as README.md of infra/aws says, and ready for its first token.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde::Deserialize;

use super::cloud::Cloud;
use super::lint::sam;
use crate::process::{Lines, capture, line, target};
use crate::tools::SAM;

/// What everything is called.
const NAME: &str = "skillhub";
/// How long the issuer may take to start.
const START: Duration = Duration::from_secs(30);

/// A deployed registry.
pub(super) struct Stack<'a> {
    cloud: &'a Cloud,
    name: String,
    outputs: BTreeMap<String, String>,
}

/// An OIDC issuer on this machine.
pub(super) struct Issuer {
    child: Child,
    told: Told,
}

/// What it prints.
#[derive(Default, Deserialize)]
struct Told {
    issuer: String,
    audience: String,
    subject: String,
    token: String,
}

impl Issuer {
    /// Starts one.
    ///
    /// # Errors
    /// If it does not say where it is.
    pub(super) fn start() -> Result<Self, String> {
        let mut command = Command::new(target().join("debug/issuer"));
        let child = command.arg("admin").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut issuer = Self { child: child.map_err(|e| format!("issuer: {e}"))?, told: Told::default() };
        let line = Lines::of(&mut issuer.child).next(Instant::now() + START)?.ok_or("the issuer ended")?;
        issuer.told = serde_json::from_str(&line).map_err(|e| format!("issuer: {e}"))?;
        Ok(issuer)
    }

    /// A JWT of the registry's administrator.
    pub(super) fn token(&self) -> &str {
        &self.told.token
    }
}

impl Drop for Issuer {
    fn drop(&mut self) {
        // Both fail only if it has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl<'a> Stack<'a> {
    /// Deploys this template, by the command of an operator.
    ///
    /// # Errors
    /// If a command fails.
    pub(super) fn deploy(
        cloud: &'a Cloud,
        template: &Path,
        objects_url: &str,
        issuer: &Issuer,
    ) -> Result<Self, String> {
        let Told { issuer, audience, subject, .. } = &issuer.told;
        let mut deploy = sam(&SAM.programs()?);
        cloud.tell(&mut deploy);
        deploy.args(["deploy", "--stack-name", NAME, "--resolve-s3", "--no-progressbar", "--template"]);
        deploy.arg(template);
        deploy.args(["--capabilities", "CAPABILITY_IAM", "CAPABILITY_AUTO_EXPAND", "--parameter-overrides"]);
        deploy.arg(format!("Administrator='{issuer} {subject}'"));
        deploy.arg(format!("OidcIssuer={issuer}")).arg(format!("OidcAudience={audience}"));
        deploy.args(["AnonymousRead=true", &format!("ObjectsPublicUrl={objects_url}")]);
        capture(&mut deploy)?;
        Self::deployed(cloud, NAME)
    }

    /// One that is there.
    ///
    /// # Errors
    /// If there is no stack of this name.
    pub(super) fn deployed(cloud: &'a Cloud, name: &str) -> Result<Self, String> {
        let mut list = sam(&SAM.programs()?);
        cloud.tell(&mut list);
        let text = capture(list.args(["list", "stack-outputs", "--stack-name", name, "--output", "json"]))?;
        #[derive(Deserialize)]
        #[serde(rename_all = "PascalCase")]
        struct Output {
            output_key: String,
            output_value: String,
        }
        let outputs: Vec<Output> = serde_json::from_str(&text).map_err(|e| format!("{}: {e}", line(&list)))?;
        let outputs = outputs.into_iter().map(|output| (output.output_key, output.output_value)).collect();
        Ok(Self { cloud, name: name.to_owned(), outputs })
    }

    /// What the template says of itself under this name.
    ///
    /// # Errors
    /// If it does not.
    pub(super) fn output(&self, name: &str) -> Result<&str, String> {
        self.outputs.get(name).map(String::as_str).ok_or_else(|| format!("the stack has no output {name}"))
    }

    /// Where the API is.
    ///
    /// # Errors
    /// If the stack does not say.
    pub(super) fn registry(&self) -> Result<String, String> {
        Ok(self.cloud.registry(self.output("ApiUrl")?))
    }

    /// Calls the sweeper, and gives its log.
    ///
    /// # Errors
    /// If it fails.
    pub(super) fn sweep(&self) -> Result<String, String> {
        let mut invoke = sam(&SAM.programs()?);
        self.cloud.tell(&mut invoke);
        invoke.args(["remote", "invoke", "SweepFunction", "--stack-name", &self.name, "--event", "{}"]);
        let output = invoke.stdin(Stdio::null()).output().map_err(|e| format!("{}: {e}", line(&invoke)))?;
        let log = [output.stdout, output.stderr].concat();
        let log = String::from_utf8_lossy(&log).into_owned();
        if output.status.success() { Ok(log) } else { Err(format!("{}: {}\n{log}", line(&invoke), output.status)) }
    }

    /// Where it is deployed.
    pub(super) fn cloud(&self) -> &'a Cloud {
        self.cloud
    }

    /// What the names of all functions begin with. The stack itself may be called otherwise.
    ///
    /// # Errors
    /// If the stack does not say.
    pub(super) fn prefix(&self) -> Result<&str, String> {
        let sweeper = self.output("SweepFunctionName")?;
        sweeper.strip_suffix("-sweep").ok_or_else(|| format!("the sweeper is called {sweeper}"))
    }
}
