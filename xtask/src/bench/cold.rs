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

use skillhub_bench::{Bound, Report, Row, Unit};

use super::page;
use crate::package::{self, Build};
use crate::process::{run as run_command, target};

/// Starts of each program. The first is thrown away.
const ROUNDS: usize = 16;
/// How long one start may take.
const PATIENCE: Duration = Duration::from_secs(20);
/// CPU until the first look for work, as a multiple of the smallest function's.
const MAX_CPU: f64 = 2.5;
/// Resident memory at that moment, in bytes.
const MAX_RSS: f64 = 12e6;
/// The first random number, in microseconds.
const MAX_RANDOM: f64 = 1000.0;
/// The largest zip, in megabytes.
const MAX_ZIP: f64 = 5.0;

/// The smallest function.
const HELLO: &str = "hello";
/// The path of a look for work.
const NEXT: &str = "/2018-06-01/runtime/invocation/next";

/// What a start costs.
#[derive(Clone, Copy, Default)]
struct Cost {
    /// Nanoseconds on a processor, of all threads that live.
    cpu: u64,
    /// From the start to the look, in nanoseconds.
    wall: u64,
    /// Bytes.
    rss: u64,
}

/// Builds every function and measures it.
///
/// # Errors
/// If a zip is too large, or a function does not start.
pub(super) fn run(report: &mut Report) -> Result<(), String> {
    let rows = measured(&package::functions()?)?;
    report.merge(Report { rows, ..Report::default() });
    Ok(())
}

/// A target of time or memory may be missed by this factor then, for the noise of a shared machine.
const SLACK: f64 = 1.5;

/// The same, where nothing is kept and a target of time or memory has slack.
///
/// # Errors
/// If a zip is too large, or misses a target by far.
pub(super) fn gate() -> Result<(), String> {
    let rows = measured(&package::functions()?)?;
    rows.iter().for_each(|row| println!("{}", page::sentence(row)));
    let far = |row: &&Row| row.met == Some(false) && row.ratio.is_none_or(|ratio| ratio > SLACK);
    let missed: Vec<_> = rows.iter().filter(far).map(page::sentence).collect();
    if missed.is_empty() { Ok(()) } else { Err(format!("missed by far:\n  {}", missed.join("\n  "))) }
}

fn measured(names: &[String]) -> Result<Vec<Row>, String> {
    let zips = package::zips(Build::Release)?;
    let folder = target().join("bench/cold");
    fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let hello = package::hello()?;
    let mut programs = vec![(HELLO.to_owned(), hello.clone())];
    for name in names {
        let program = unzip(&package::zip_of(name, &zips), &folder.join(name))?;
        programs.push((name.clone(), program));
    }
    let api = RuntimeApi::start()?;
    let cold = measure(&api, &programs, false)?;
    let warm = measure(&api, &programs, true)?;
    let mut rows = rows(&programs, &cold, &warm);
    rows.push(random(&api, &hello)?);
    for (name, _) in programs.iter().skip(1) {
        let zip = package::zip_of(name, &zips);
        let bytes = fs::metadata(&zip).map_err(|e| format!("{}: {e}", zip.display()))?.len();
        let row = Row::new("P4", format!("zip of {name}"), bytes as f64 / 1e6, Unit::Megabytes);
        rows.push(row.demands(Bound::AtMost(MAX_ZIP)).method("size of the file", 1));
    }
    Ok(rows)
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

fn rows(programs: &[(String, PathBuf)], cold: &[Cost], warm: &[Cost]) -> Vec<Row> {
    let method = "exec to the first look for work, against a Runtime API of this process, in turn";
    let smallest = cold.first().map_or(1, |cost| cost.cpu.max(1)) as f64;
    let mut rows = Vec::new();
    for (((name, _), cost), warm) in programs.iter().zip(cold).zip(warm) {
        let millis =
            |nanos: u64, what: &str| Row::new("P3", format!("{name}: {what}"), nanos as f64 / 1e6, Unit::Millis);
        let rss = Row::new("P3", format!("{name}: resident memory"), cost.rss as f64 / 1e6, Unit::Megabytes);
        let new = if name == HELLO {
            vec![millis(cost.cpu, "CPU"), rss]
        } else {
            let ratio = Row::new("P3", format!("{name}: CPU / {HELLO}'s"), cost.cpu as f64 / smallest, Unit::Times);
            let first = millis(warm.cpu, "CPU with its first calls of the stores");
            vec![ratio.demands(Bound::AtMost(MAX_CPU)), rss.demands(Bound::AtMost(MAX_RSS / 1e6)), first]
        };
        rows.extend(new.into_iter().map(|row| row.method(method, ROUNDS - 1)));
    }
    rows
}

/// How long the first random number of a process takes.
fn random(api: &RuntimeApi, hello: &Path) -> Result<Row, String> {
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        let mut child = api.start_program(hello, false, Stdio::piped())?;
        let mut line = String::new();
        if let Some(errors) = child.0.stderr.take() {
            BufReader::new(errors).read_line(&mut line).map_err(|e| e.to_string())?;
        }
        api.looked()?;
        let nanos = line.split(' ').next().and_then(|nanos| nanos.parse::<f64>().ok());
        times.push(nanos.ok_or_else(|| format!("no time in {line:?}"))? / 1000.0);
    }
    let row = Row::new("P3", "first random number of a process", skillhub_bench::median(times), Unit::Micros);
    Ok(row.demands(Bound::AtMost(MAX_RANDOM)).method("measured by the process itself", ROUNDS))
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
        command.env("AWS_SECRET_ACCESS_KEY", "cold");
        // Where a start calls nobody, it has the addresses of AWS, as it is deployed.
        if warm_up {
            command.env("AWS_ENDPOINT_URL", format!("http://{}", self.address));
        }
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
        let process = child.0.id();
        let cpu = Duration::from_secs_f64(skillhub_bench::cpu_seconds(process)?);
        let cpu = u64::try_from(cpu.as_nanos()).unwrap_or(u64::MAX);
        Ok(Cost { cpu, wall, rss: skillhub_bench::resident_bytes(process)? })
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
