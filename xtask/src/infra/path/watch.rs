//! The programs of the functions behind `cargo lambda watch`, as a developer has them, on the stores of a deployment.

use std::fs::File;
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::Stack;
use crate::process::{root, target};
use crate::stores::server::free_ports;
use crate::tools::CARGO_LAMBDA;

/// How long the start may take.
const START: Duration = Duration::from_secs(60);
/// Between two looks whether it listens.
const PAUSE: Duration = Duration::from_millis(50);
/// The functions that events are sent to.
const FUNCTIONS: [&str; 3] = ["skillhub-list", "skillhub-validate", "skillhub-sweep"];

/// Killed when this value is dropped.
pub(super) struct Watch {
    children: Vec<Child>,
    url: String,
}

impl Watch {
    /// Starts all of it.
    ///
    /// # Errors
    /// If a program does not start.
    pub(super) fn start(stack: &Stack<'_>) -> Result<Self, String> {
        let [port] = free_ports()?;
        let mut watch = Self { children: Vec::new(), url: format!("http://127.0.0.1:{port}") };
        let mut server = Command::new(CARGO_LAMBDA.programs()?.join("cargo-lambda"));
        server.args(["lambda", "watch", "--only-lambda-apis", "-A", "127.0.0.1", "-P", &port.to_string()]);
        // It asks cargo what there is to watch.
        watch.spawn(stack, "watch", server.current_dir(root()))?;
        let deadline = Instant::now() + START;
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            if Instant::now() > deadline {
                return Err("cargo lambda watch does not listen".to_owned());
            }
            thread::sleep(PAUSE);
        }
        for function in FUNCTIONS {
            let mut program = Command::new(target().join("debug").join(function));
            stack.cloud().tell(program.env_clear());
            program.env("SSL_CERT_FILE", stack.cloud().certificate().unwrap_or_default());
            program.env("AWS_LAMBDA_RUNTIME_API", format!("{}/.rt/{function}", watch.url));
            program.env("AWS_LAMBDA_FUNCTION_NAME", function).env("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "256");
            program.env("AWS_LAMBDA_FUNCTION_VERSION", "1").env("SKILLHUB_ANONYMOUS_READ", "true");
            program.env("SKILLHUB_TABLE", stack.output("TableName")?);
            program.env("SKILLHUB_BUCKET", stack.output("BucketName")?);
            watch.spawn(stack, function, &mut program)?;
        }
        Ok(watch)
    }

    fn spawn(&mut self, stack: &Stack<'_>, name: &str, command: &mut Command) -> Result<(), String> {
        let log = stack.cloud().folder().join(name).with_extension("log");
        let output = File::create(&log).map_err(|e| format!("{}: {e}", log.display()))?;
        let errors = output.try_clone().map_err(|e| format!("{}: {e}", log.display()))?;
        let child = command.stdin(Stdio::null()).stdout(output).stderr(errors).spawn();
        self.children.push(child.map_err(|e| format!("{name}: {e}"))?);
        Ok(())
    }

    /// Where events are sent.
    pub(super) fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        for child in &mut self.children {
            // Both fail only if it has ended.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
