//! What the validation of a package costs, as a ratio to the least that any validator has to do, measured in the same run.
//!
//! Each round runs every contestant once, one after the other, and every figure is the median of the rounds. The program fails
//! if a target is missed by more than [`SLACK`].
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program that reports on the terminal")]

mod bare;
mod hostile;
mod sample;

use std::fs;
use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use peak_alloc::PeakAlloc;
use skillhub_package::{Contents, Declared, Policy, Report, canonical, check, sha256, verify};
use skillhub_protocol::{Manifest, Scope};

use self::bare::Bare;

#[global_allocator]
static HEAP: PeakAlloc = PeakAlloc;

/// How often each contestant runs.
const ROUNDS: usize = 31;
/// A target may be missed by this factor, for the noise of a shared machine.
const SLACK: f64 = 1.15;
/// A validation takes at most this share more than the bare loop.
const VALIDATION: f64 = 1.3;
/// A refusal takes at most this share of a validation.
const REFUSAL: f64 = 0.1;
/// The heap of a validation, in bytes, beyond the archive and its files.
const HEAP_BEYOND: usize = 2 << 20;

/// A full package as a registry gets it.
struct Upload {
    archive: Vec<u8>,
    manifest: Manifest,
}

fn main() -> ExitCode {
    let vectors = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/vectors/zip");
    let done = hostile::load(vectors.as_ref()).and_then(|hostile| run(&hostile));
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(hostile: &[hostile::Archive]) -> Result<bool, String> {
    let (upload, bare) = upload()?;
    validate(&upload)?;
    let times = Times::measure(&upload, &bare, hostile)?;
    println!("{ROUNDS} rounds, median; load average {}; slack {SLACK}", load_average());
    let validation = times.report_validation();
    let heap = report_heap(&upload)?;
    let refusals = times.report_refusals(hostile);
    Ok(validation && heap && refusals)
}

fn upload() -> Result<(Upload, Bare), String> {
    let contents = sample::contents()?;
    let made = canonical(&contents);
    let manifest = manifest(&contents).map_err(|e| e.to_string())?;
    let (files, unpacked) = (contents.files().len(), unpacked(&contents));
    println!("package: {files} files, {unpacked} bytes, packed {} bytes", made.bytes.len());
    let sizes = contents.files().iter().map(|file| file.data().len()).collect();
    Ok((Upload { archive: made.bytes, manifest }, Bare { locations: made.locations, sizes }))
}

fn manifest(contents: &Contents) -> Result<Manifest, Box<dyn std::error::Error>> {
    let (slug, name) = (sample::NAME.parse()?, sample::NAME.parse()?);
    Ok(contents.manifest(slug, name, sample::DESCRIPTION.parse()?, "1.0.0".parse()?)?)
}

fn unpacked(contents: &Contents) -> usize {
    contents.files().iter().map(|file| file.data().len()).sum()
}

/// What a registry does with an upload, from its bytes to the verdict.
fn validate(upload: &Upload) -> Result<Report, String> {
    let report = look_at(&upload.archive);
    let package = report.package.as_ref().ok_or_else(|| format!("the package is refused: {:?}", report.findings))?;
    verify(&package.contents, &upload.manifest).map_err(|findings| format!("{findings:?}"))?;
    Ok(report)
}

fn look_at(archive: &[u8]) -> Report {
    black_box(sha256(archive));
    check(archive, &Declared { slug: sample::NAME, scope: Scope::Public }, &Policy::default())
}

/// The times of each contestant, one for each round.
#[derive(Default)]
struct Times {
    validation: Vec<Duration>,
    keeping: Vec<Duration>,
    dropping: Vec<Duration>,
    refusals: Vec<Vec<Duration>>,
}

impl Times {
    fn measure(upload: &Upload, bare: &Bare, hostile: &[hostile::Archive]) -> Result<Self, String> {
        let mut times = Self { refusals: vec![Vec::new(); hostile.len()], ..Self::default() };
        for _ in 0..ROUNDS {
            times.keeping.push(timed(|| bare.keep(&upload.archive))?);
            times.validation.push(timed(|| validate(upload))?);
            times.dropping.push(timed(|| bare.drop(&upload.archive))?);
            for (archive, times) in hostile.iter().zip(&mut times.refusals) {
                times.push(timed(|| archive.refuse())?);
            }
        }
        Ok(times)
    }

    fn report_validation(&self) -> bool {
        let ms = |times: &[Duration]| median(times.iter().map(|time| time.as_secs_f64() * 1e3));
        let (validation, keeping, dropping) = (ms(&self.validation), ms(&self.keeping), ms(&self.dropping));
        println!(
            "validation {validation:.2} ms; bare loop: keeps the files {keeping:.2} ms, drops them {dropping:.2} ms"
        );
        let ratio = |floor: &[Duration]| median(self.validation.iter().zip(floor).map(|(a, b)| share(*a, *b)));
        println!("     validation / bare loop that drops the files: {:.3}", ratio(&self.dropping));
        judge("P1", "validation / bare loop that keeps the files", ratio(&self.keeping), VALIDATION)
    }

    fn report_refusals(&self, hostile: &[hostile::Archive]) -> bool {
        let ratio = |times: &[Duration]| median(times.iter().zip(&self.validation).map(|(a, b)| share(*a, *b)));
        let mut ratios: Vec<_> = hostile.iter().zip(&self.refusals).map(|(a, times)| (ratio(times), &a.name)).collect();
        ratios.sort_by(|a, b| b.0.total_cmp(&a.0));
        let Some((worst, name)) = ratios.first() else { return false };
        let text = format!("worst of {} refusals / validation: {name}", ratios.len());
        let is_met = judge("P2", &text, *worst, REFUSAL);
        ratios.iter().skip(1).take(4).for_each(|(ratio, name)| println!("     then {name}: {ratio:.4}"));
        is_met
    }
}

/// The time until a result is there; giving it back does not count.
fn timed<T>(work: impl FnOnce() -> Result<T, String>) -> Result<Duration, String> {
    let start = Instant::now();
    let result = black_box(work());
    let time = start.elapsed();
    result.map(|_| time)
}

fn share(a: Duration, b: Duration) -> f64 {
    a.as_secs_f64() / b.as_secs_f64()
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// The most heap during one validation, the archive included.
fn report_heap(upload: &Upload) -> Result<bool, String> {
    let others = HEAP.current_usage() - upload.archive.len();
    HEAP.reset_peak_usage();
    let report = validate(upload)?;
    let peak = HEAP.peak_usage() - others;
    let files = report.package.map_or(0, |package| unpacked(&package.contents));
    let target = upload.archive.len() + files + HEAP_BEYOND;
    println!("     peak heap {peak} bytes, of which archive and files are {}", upload.archive.len() + files);
    Ok(judge("P1", "peak heap / (archive + files + 2 MiB)", peak as f64 / target as f64, 1.0))
}

fn judge(row: &str, what: &str, figure: f64, target: f64) -> bool {
    let (is_met, verdict) = match figure / target {
        ratio if ratio <= 1.0 => (true, "met"),
        ratio if ratio <= SLACK => (true, "missed within the slack"),
        _ => (false, "MISSED"),
    };
    println!("{row}   {what}: {figure:.4}, target {target}: {verdict}");
    is_met
}

fn load_average() -> String {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').next().filter(|load| !load.is_empty()).unwrap_or("unknown").to_owned()
}
