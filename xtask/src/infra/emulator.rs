//! AWS on this machine: MiniStack, which answers over TLS, checks signatures and lets roles do what their policies say.

use std::env;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::cloud::trusting;
use crate::process::target;
use crate::stores::server::free_ports;
use crate::tools::STORE_SERVERS;

/// How long a start may take.
const START: Duration = Duration::from_secs(60);
/// Between two looks whether it is ready.
const PAUSE: Duration = Duration::from_millis(100);
/// The administrator of the emulated account. It opens nothing but a server on 127.0.0.1 that lives for minutes.
const KEY: [&str; 2] = ["emulated", "secret-of-the-emulated-account"];
/// What the template needs of AWS.
const SERVICES: &str =
    "s3,dynamodb,lambda,apigateway,cloudformation,iam,sts,sqs,sns,logs,cloudwatch,monitoring,events,kms";

/// A running emulator. It is killed when this value is dropped.
pub(super) struct Emulator {
    child: Child,
    folder: PathBuf,
    url: String,
}

impl Emulator {
    /// Starts one that knows nothing.
    ///
    /// # Errors
    /// If it cannot be installed or does not get ready.
    pub(super) fn start() -> Result<Self, String> {
        let folder = fresh_folder()?;
        let [port] = free_ports()?;
        let url = format!("https://127.0.0.1:{port}");
        let log = folder.join("log");
        let output = File::create(&log).map_err(|e| format!("{}: {e}", log.display()))?;
        let errors = output.try_clone().map_err(|e| format!("{}: {e}", log.display()))?;
        let mut ministack = Command::new(STORE_SERVERS.programs()?.join("ministack"));
        ministack.env_clear().env("HOME", &folder).env("TMPDIR", &folder).env("PATH", "/usr/bin:/bin");
        ministack.env("BIND_HOST", "127.0.0.1").env("GATEWAY_PORT", port.to_string()).env("SERVICES", SERVICES);
        ministack.env("AWS_ACCESS_KEY_ID", KEY[0]).env("AWS_SECRET_ACCESS_KEY", KEY[1]).env("AUTH", "true");
        ministack.env("IOT_MTLS_ENABLED", "0").env("SFTP_ENABLED", "0").env("USE_SSL", "1");
        // The functions inherit these two: where AWS is, and whose certificate to trust.
        ministack.env("AWS_ENDPOINT_URL", &url).env("SSL_CERT_FILE", certificate(&folder));
        ministack.current_dir(&folder).stdin(Stdio::null()).stdout(output).stderr(errors);
        let child = ministack.spawn().map_err(|e| format!("ministack: {e}"))?;
        let mut emulator = Self { child, folder, url };
        emulator.ready()?;
        Ok(emulator)
    }

    /// Waits until it answers.
    fn ready(&mut self) -> Result<(), String> {
        let (url, deadline) = (format!("{}/health", self.url), Instant::now() + START);
        while !trusting(&self.certificate()).is_ok_and(|agent| agent.get(&url).call().is_ok()) {
            let ended = self.child.try_wait().map_err(|e| e.to_string())?;
            if ended.is_some() || Instant::now() > deadline {
                return Err(format!("{url} does not answer; {}", self.log()));
            }
            thread::sleep(PAUSE);
        }
        Ok(())
    }

    /// Where it is.
    pub(super) fn url(&self) -> &str {
        &self.url
    }

    /// A folder for what a run makes.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The certificate that its clients must trust.
    pub(super) fn certificate(&self) -> PathBuf {
        certificate(&self.folder)
    }

    /// Tells a program of AWS's own tools where AWS is.
    pub(super) fn tell(&self, tool: &mut Command) {
        // Nobody's account comes into this.
        for (name, _) in env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("AWS_")) {
            tool.env_remove(name);
        }
        let [key, secret] = KEY;
        tool.env("AWS_ACCESS_KEY_ID", key).env("AWS_SECRET_ACCESS_KEY", secret).env("AWS_REGION", "us-east-1");
        tool.env("AWS_DEFAULT_REGION", "us-east-1").env("AWS_ENDPOINT_URL", &self.url).env("HOME", &self.folder);
        tool.env("AWS_CA_BUNDLE", self.certificate());
    }

    /// Where to read what it said.
    pub(super) fn log(&self) -> String {
        format!("the emulator's log is {}", self.folder.join("log").display())
    }
}

impl Drop for Emulator {
    fn drop(&mut self) {
        // It ends its functions on a plain signal; both calls fail only if it has ended.
        let _ = Command::new("kill").arg(self.child.id().to_string()).status();
        let deadline = Instant::now() + Duration::from_secs(5);
        if crate::process::wait(&mut self.child, deadline).is_err() {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// Where it keeps what it makes at its first start.
fn certificate(folder: &Path) -> PathBuf {
    folder.join("ministack-tls/server.crt")
}

fn fresh_folder() -> Result<PathBuf, String> {
    let folder = target().join("infra");
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    Ok(folder)
}
