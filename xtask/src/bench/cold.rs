//! `cargo xtask bench cold`: what a function costs from its start to its first look for work, beside the smallest one of its kind.
//!
//! Every program runs against a Runtime API of this process, in turn, many times; the figures are medians.

use std::fs::{self, Permissions};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use crate::package::{self, Build};
use crate::process::{run as run_command, target};

/// Starts of each program. The first is thrown away.
const ROUNDS: usize = 16;
/// How long one start may take.
const PATIENCE: Duration = Duration::from_secs(20);
/// CPU until the first look for work, as a multiple of the smallest function's.
const MAX_CPU: f64 = 2.5;
/// Resident memory at that moment, in KiB.
const MAX_RSS: u64 = 12_000_000 / 1024;
/// The first random number, in nanoseconds.
const MAX_RANDOM: u64 = 1_000_000;

/// The path of a look for work.
const NEXT: &str = "/2018-06-01/runtime/invocation/next";

/// What a start costs.
#[derive(Clone, Copy, Default)]
struct Cost {
    /// Nanoseconds on a processor, of all threads that live.
    cpu: u64,
    /// From the start to the look, in nanoseconds.
    wall: u64,
    /// KiB.
    rss: u64,
}

/// Measures every function whose zip is there, and holds it against the targets.
///
/// # Errors
/// If a target is missed.
pub(super) fn run() -> Result<(), String> {
    package::zips(Build::Release)?;
    let folder = target().join("bench/cold");
    fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let names = package::functions()?;
    let hello = package::hello()?;
    let mut programs = vec![("hello".to_owned(), hello.clone())];
    for name in names {
        let program = unzip(&package::zip_of(&name), &folder.join(&name))?;
        programs.push((name, program));
    }
    let api = RuntimeApi::start()?;
    let cold = measure(&api, &programs, false)?;
    let warm = measure(&api, &programs, true)?;
    report(&programs, &cold, &warm)?;
    random(&api, &hello)
}

fn unzip(zip: &Path, folder: &Path) -> Result<PathBuf, String> {
    run_command(Command::new("python3").args(["-m", "zipfile", "-e"]).arg(zip).arg(folder))?;
    let program = folder.join("bootstrap");
    fs::set_permissions(&program, Permissions::from_mode(0o755)).map_err(|e| format!("{}: {e}", program.display()))?;
    Ok(program)
}

/// The medians of each program, which run in turn so that a busy moment hits all of them.
fn measure(api: &RuntimeApi, programs: &[(String, PathBuf)], warm_up: bool) -> Result<Vec<Cost>, String> {
    let mut costs = vec![Vec::new(); programs.len()];
    for round in 0..ROUNDS {
        for ((_, program), costs) in programs.iter().zip(&mut costs) {
            let cost = api.cost(program, warm_up)?;
            if round > 0 {
                costs.push(cost);
            }
        }
    }
    let median = |costs: Vec<Cost>, of: fn(&Cost) -> u64| {
        let mut values: Vec<_> = costs.iter().map(of).collect();
        values.sort_unstable();
        values.get(values.len() / 2).copied().unwrap_or_default()
    };
    let of_all = |costs: Vec<Cost>| Cost {
        cpu: median(costs.clone(), |cost| cost.cpu),
        wall: median(costs.clone(), |cost| cost.wall),
        rss: median(costs, |cost| cost.rss),
    };
    Ok(costs.into_iter().map(of_all).collect())
}

fn report(programs: &[(String, PathBuf)], cold: &[Cost], warm: &[Cost]) -> Result<(), String> {
    let millis = |nanos: u64| nanos as f64 / 1e6;
    println!("load {}", fs::read_to_string("/proc/loadavg").unwrap_or_default().trim());
    println!("{:20}{:>10}{:>8}{:>10}{:>10}{:>16}", "function", "CPU ms", "x", "wall ms", "RSS KiB", "with first calls");
    let smallest = cold.first().map_or(1, |cost| cost.cpu.max(1));
    let mut missed = Vec::new();
    for (((name, _), cost), warm) in programs.iter().zip(cold).zip(warm) {
        let ratio = cost.cpu as f64 / smallest as f64;
        let (cpu, wall, warm) = (millis(cost.cpu), millis(cost.wall), millis(warm.cpu));
        println!("{name:20}{cpu:>10.2}{ratio:>8.2}{wall:>10.2}{:>10}{warm:>13.2} ms", cost.rss);
        if ratio > MAX_CPU || cost.rss > MAX_RSS {
            missed.push(name.as_str());
        }
    }
    println!("targets: CPU <= {MAX_CPU} x hello, RSS <= {MAX_RSS} KiB");
    if missed.is_empty() { Ok(()) } else { Err(format!("beyond a target: {}", missed.join(", "))) }
}

/// How long the first random number of a process takes.
fn random(api: &RuntimeApi, hello: &Path) -> Result<(), String> {
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        let mut child = api.start_program(hello, false, Stdio::piped())?;
        let mut line = String::new();
        if let Some(errors) = child.0.stderr.take() {
            BufReader::new(errors).read_line(&mut line).map_err(|e| e.to_string())?;
        }
        api.looked()?;
        let nanos = line.split(' ').next().and_then(|nanos| nanos.parse::<u64>().ok());
        times.push(nanos.ok_or_else(|| format!("no time in {line:?}"))?);
    }
    times.sort_unstable();
    let median = times.get(times.len() / 2).copied().unwrap_or_default();
    println!("first random number: {} us, target {} us", median / 1000, MAX_RANDOM / 1000);
    if median <= MAX_RANDOM { Ok(()) } else { Err("the first random number takes too long".to_owned()) }
}

/// The Runtime API of Lambda, as far as the first look for work. It never has any. Every other path is answered 400, which a
/// store's first call takes for an answer.
struct RuntimeApi {
    address: String,
    looks: mpsc::Receiver<TcpStream>,
}

/// Killed when this value is dropped.
struct Program(Child);

impl Drop for Program {
    fn drop(&mut self) {
        // Both fail only if it has ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl RuntimeApi {
    fn start() -> Result<Self, String> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(|e| e.to_string())?;
        let address = listener.local_addr().map_err(|e| e.to_string())?.to_string();
        let (sender, looks) = mpsc::channel();
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let sender = sender.clone();
                thread::spawn(move || serve(stream, &sender));
            }
        });
        Ok(Self { address, looks })
    }

    fn start_program(&self, program: &Path, warm_up: bool, stderr: Stdio) -> Result<Program, String> {
        let mut command = Command::new(program);
        command.env_clear().env("AWS_LAMBDA_RUNTIME_API", &self.address).env("AWS_REGION", "us-east-1");
        command.env("AWS_LAMBDA_FUNCTION_NAME", "cold").env("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "256");
        command.env("AWS_LAMBDA_FUNCTION_VERSION", "1").env("AWS_ACCESS_KEY_ID", "cold");
        command.env("AWS_SECRET_ACCESS_KEY", "cold").env("AWS_ENDPOINT_URL", format!("http://{}", self.address));
        command.env("SKILLHUB_TABLE", "cold").env("SKILLHUB_BUCKET", "cold");
        command.env("SKILLHUB_WARM_UP", if warm_up { "true" } else { "false" });
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(stderr);
        command.spawn().map(Program).map_err(|e| format!("{}: {e}", program.display()))
    }

    /// Waits for a look; what is returned keeps its connection open.
    fn looked(&self) -> Result<TcpStream, String> {
        self.looks.recv_timeout(PATIENCE).map_err(|_| "a program did not look for work in time".to_owned())
    }

    fn cost(&self, program: &Path, warm_up: bool) -> Result<Cost, String> {
        let start = Instant::now();
        let child = self.start_program(program, warm_up, Stdio::null())?;
        let _open = self.looked().map_err(|e| format!("{}: {e}", program.display()))?;
        let wall = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        let process = PathBuf::from(format!("/proc/{}", child.0.id()));
        Ok(Cost { cpu: cpu(&process)?, wall, rss: rss(&process)? })
    }
}

/// Answers one connection until a look comes, which is handed over unanswered.
fn serve(mut stream: TcpStream, looks: &mpsc::Sender<TcpStream>) {
    let Ok(reader) = stream.try_clone() else { return };
    let mut reader = BufReader::new(reader);
    while let Some((path, length)) = request(&mut reader) {
        if path == NEXT {
            // Without a receiver the measurement is over.
            let _over = looks.send(stream);
            return;
        }
        let read = reader.by_ref().take(length).read_to_end(&mut Vec::new());
        let answer = "HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n";
        if read.and_then(|_| stream.write_all(answer.as_bytes())).is_err() {
            return;
        }
    }
}

/// The path of a request, and how long its body is.
fn request(reader: &mut impl std::io::BufRead) -> Option<(String, u64)> {
    let mut lines = reader.lines().map_while(Result::ok);
    let path = lines.next()?.split(' ').nth(1)?.to_owned();
    let headers: Vec<_> = lines.take_while(|line| !line.is_empty()).collect();
    let length = headers.iter().find_map(|header| {
        let (name, value) = header.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().ok())?
    });
    Some((path, length.unwrap_or(0)))
}

/// Nanoseconds that the threads of a process were on a processor.
fn cpu(process: &Path) -> Result<u64, String> {
    let tasks = fs::read_dir(process.join("task")).map_err(|e| e.to_string())?;
    let times = tasks.filter_map(Result::ok).map(|task| {
        let text = fs::read_to_string(task.path().join("schedstat")).unwrap_or_default();
        text.split(' ').next().and_then(|nanos| nanos.parse::<u64>().ok()).unwrap_or(0)
    });
    Ok(times.sum())
}

/// Resident memory in KiB.
fn rss(process: &Path) -> Result<u64, String> {
    let status = fs::read_to_string(process.join("status")).map_err(|e| e.to_string())?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().split(' ').next()?.parse().ok()).ok_or_else(|| "no VmRSS".to_owned())
}
