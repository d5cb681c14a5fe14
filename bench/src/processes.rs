//! What other processes of this machine take, from `/proc`.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

/// How long a process is looked at to see whether it is idle.
const LOOK: Duration = Duration::from_millis(50);
/// The share of one processor that an idle process may take: timers of its runtime.
const IDLE: f64 = 0.04;

/// Seconds of processor time that the living threads of a process have taken, to the nanosecond. (The ticks of
/// `/proc/PID/stat` are ten milliseconds, which is as much as a publish takes.)
///
/// # Errors
/// If there is no such process.
pub fn cpu_seconds(pid: u32) -> Result<f64, String> {
    let tasks = format!("/proc/{pid}/task");
    let entries = fs::read_dir(&tasks).map_err(|e| format!("{tasks}: {e}"))?;
    // A thread may end between the two reads.
    let texts = entries.filter_map(|task| fs::read_to_string(task.ok()?.path().join("schedstat")).ok());
    let nanos = texts.filter_map(|text| text.split(' ').next()?.parse::<u64>().ok());
    Ok(nanos.sum::<u64>() as f64 / 1e9)
}

/// Bytes of memory that a process has resident.
///
/// # Errors
/// If there is no such process.
pub fn resident_bytes(pid: u32) -> Result<u64, String> {
    let path = format!("/proc/{pid}/status");
    let text = fs::read_to_string(&path).map_err(|e| format!("{path}: {e}"))?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    kib.map(|kib| kib * 1024).ok_or_else(|| format!("{path} has no VmRSS"))
}

/// Waits until a process has nothing to do.
///
/// # Errors
/// If it still works after `patience`.
pub fn await_idle(pid: u32, patience: Duration) -> Result<(), String> {
    let deadline = Instant::now() + patience;
    let mut before = cpu_seconds(pid)?;
    while Instant::now() < deadline {
        let start = Instant::now();
        thread::sleep(LOOK);
        let after = cpu_seconds(pid)?;
        if after - before <= IDLE * start.elapsed().as_secs_f64() {
            return Ok(());
        }
        before = after;
    }
    Err(format!("process {pid} still works after {patience:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_takes_time_and_memory() {
        let pid = std::process::id();
        let before = cpu_seconds(pid).unwrap();
        let start = Instant::now();
        while start.elapsed() < Duration::from_millis(30) {
            std::hint::black_box(fs::read_to_string("/proc/loadavg").unwrap());
        }
        assert!(cpu_seconds(pid).unwrap() > before);
        assert!(resident_bytes(pid).unwrap() > 100_000);
        assert!(cpu_seconds(u32::MAX).is_err());
    }
}
