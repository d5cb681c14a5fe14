//! Other people's servers, as processes on this machine for as long as they are probed.

use std::fs::{self, File};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::process::target;
use crate::tools::STORE_SERVERS;

/// How long a start may take.
const START: Duration = Duration::from_secs(60);
/// Between two looks whether it is ready.
const PAUSE: Duration = Duration::from_millis(100);
/// The only key that the servers take. It opens nothing but a server on 127.0.0.1 that lives for seconds.
const KEY: [&str; 2] = ["probes", "secret-of-the-probes"];

/// A running server. It is killed when this value is dropped: what it holds is of no use to anybody.
pub(super) struct Running {
    child: Child,
    log: PathBuf,
    s3_url: String,
    dynamodb_url: Option<String>,
    /// Files that it leaves outside of its folder.
    leaves: Vec<PathBuf>,
}

/// SeaweedFS: an S3 gateway with all that it needs behind it, in one process.
///
/// # Errors
/// If it cannot be installed or does not get ready.
pub(super) fn seaweedfs() -> Result<Running, String> {
    let folder = fresh_folder("seaweedfs")?;
    let [s3, s3_grpc, master, master_grpc, volume, volume_grpc, filer, filer_grpc] = free_ports()?;
    let identity = serde_json::json!({ "identities": [{
        "name": "probes",
        "credentials": [{ "accessKey": KEY[0], "secretKey": KEY[1] }],
        "actions": ["Admin", "Read", "Write", "List", "Tagging"],
    }] });
    write(&folder.join("s3.json"), &identity.to_string())?;
    let mut weed = Command::new(STORE_SERVERS.programs()?.join("weed"));
    weed.args([
        "-logtostderr=true",
        "server",
        "-ip=127.0.0.1",
        "-ip.bind=127.0.0.1",
        "-dir=.",
        "-s3",
        "-s3.config=s3.json",
    ]);
    weed.args(["-s3.port.iceberg=0", "-s3.port.lance=0", "-s3.localSocket=s3.sock", "-filer.localSocket=filer.sock"]);
    weed.args(["-master.volumeSizeLimitMB=64", "-volume.max=20", "-master.telemetry=false"]);
    for (flag, port) in [
        ("s3.port", s3),
        ("s3.port.grpc", s3_grpc),
        ("master.port", master),
        ("master.port.grpc", master_grpc),
        ("volume.port", volume),
        ("volume.port.grpc", volume_grpc),
        ("filer.port", filer),
        ("filer.port.grpc", filer_grpc),
    ] {
        weed.arg(format!("-{flag}={port}"));
    }
    let sockets = [("s3", s3_grpc), ("master", master_grpc), ("volume", volume_grpc), ("filer", filer_grpc)];
    let leaves = sockets.map(|(part, port)| PathBuf::from(format!("/tmp/seaweedfs-{part}-grpc-{port}.sock")));
    let mut running = Running::start(&mut weed, &folder, s3)?;
    running.leaves = leaves.into();
    running.ready("/healthz")?;
    Ok(running)
}

/// MiniStack: S3 and DynamoDB on one port, with signatures checked.
///
/// # Errors
/// If it cannot be installed or does not get ready.
pub(super) fn ministack() -> Result<Running, String> {
    let folder = fresh_folder("ministack")?;
    let [port] = free_ports()?;
    let mut ministack = Command::new(STORE_SERVERS.programs()?.join("ministack"));
    ministack.env_clear().env("HOME", &folder).env("TMPDIR", &folder).env("PATH", "/usr/bin:/bin");
    ministack.env("BIND_HOST", "127.0.0.1").env("GATEWAY_PORT", port.to_string());
    ministack.env("AWS_ACCESS_KEY_ID", KEY[0]).env("AWS_SECRET_ACCESS_KEY", KEY[1]);
    ministack.env("AUTH", "true").env("SERVICES", "s3,dynamodb");
    ministack.env("IOT_MTLS_ENABLED", "0").env("SFTP_ENABLED", "0");
    let mut running = Running::start(&mut ministack, &folder, port)?;
    running.dynamodb_url = Some(running.s3_url.clone());
    running.ready("/health")?;
    Ok(running)
}

impl Running {
    fn start(command: &mut Command, folder: &Path, s3: u16) -> Result<Self, String> {
        let log = folder.with_extension("log");
        let output = File::create(&log).map_err(|e| format!("{}: {e}", log.display()))?;
        let errors = output.try_clone().map_err(|e| format!("{}: {e}", log.display()))?;
        command.current_dir(folder).stdin(Stdio::null()).stdout(output).stderr(errors);
        let child = command.spawn().map_err(|e| format!("{}: {e}", command.get_program().to_string_lossy()))?;
        let s3_url = format!("http://127.0.0.1:{s3}");
        Ok(Self { child, log, s3_url, dynamodb_url: None, leaves: Vec::new() })
    }

    /// Waits until a path answers with success.
    fn ready(&mut self, path: &str) -> Result<(), String> {
        let (url, deadline) = (format!("{}{path}", self.s3_url), Instant::now() + START);
        while ureq::get(&url).call().is_err() {
            let ended = self.child.try_wait().map_err(|e| e.to_string())?;
            if ended.is_some() || Instant::now() > deadline {
                return Err(format!("{url} does not answer; {}", self.log()));
            }
            thread::sleep(PAUSE);
        }
        Ok(())
    }

    /// Where to read what it said.
    pub(super) fn log(&self) -> String {
        format!("the server's log is {}", self.log.display())
    }

    /// Tells the probes where it is, and with what to sign.
    pub(super) fn tell(&self, probes: &mut Command) {
        let [key, secret] = KEY;
        probes.env("AWS_ACCESS_KEY_ID", key).env("AWS_SECRET_ACCESS_KEY", secret).env("AWS_REGION", "us-east-1");
        probes.env_remove("AWS_SESSION_TOKEN").env_remove("SKILLHUB_STORES_CA");
        probes.env("SKILLHUB_STORES_S3_URL", &self.s3_url);
        probes.env("SKILLHUB_STORES_DYNAMODB_URL", self.dynamodb_url.as_deref().unwrap_or_default());
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // All of this fails only where nothing is left to do.
        let _ = self.child.kill();
        let _ = self.child.wait();
        self.leaves.iter().for_each(|file| drop(fs::remove_file(file)));
    }
}

/// Different ports on which nobody listens. They are free when this returns; who takes one before the server does makes its start
/// fail.
///
/// # Errors
/// If the system has none.
pub(crate) fn free_ports<const N: usize>() -> Result<[u16; N], String> {
    let listeners: Vec<TcpListener> =
        (0..N).map(|_| TcpListener::bind(("127.0.0.1", 0))).collect::<Result<_, _>>().map_err(|e| e.to_string())?;
    let port = |listener: &TcpListener| listener.local_addr().map(|address| address.port());
    let ports: Vec<u16> = listeners.iter().map(port).collect::<Result<_, _>>().map_err(|e| e.to_string())?;
    ports.try_into().map_err(|_| "too few ports".to_owned())
}

fn fresh_folder(name: &str) -> Result<PathBuf, String> {
    let folder = target().join("stores").join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    Ok(folder)
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))
}
