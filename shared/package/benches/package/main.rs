//! What the validation of a package costs, as a ratio to the least that any validator has to do, measured in the same run.
//!
//! Each round runs every contestant once, one after the other, and every time is the median of the rounds. The program fails
//! if a target is missed, one of time by more than [`SLACK`].
#![expect(clippy::print_stderr, reason = "a program that reports on the terminal")]

mod bare;
mod hostile;
mod sample;

use std::hint::black_box;
use std::process::ExitCode;
use std::time::Instant;

use peak_alloc::PeakAlloc;
use skillhub_bench::{Bound, Row, Unit, median, shares};
use skillhub_package::{Contents, Declared, Policy, Report, canonical, check, sha256, verify};
use skillhub_protocol::{Manifest, Scope};

use self::bare::Bare;

#[global_allocator]
static HEAP: PeakAlloc = PeakAlloc;

/// How often each contestant runs.
const ROUNDS: usize = 31;
const METHOD: &str = "in turn, in one process, median";
const HEAP_METHOD: &str = "the most at once, counted by the allocator";
/// A target may be missed by this factor, for the noise of a shared machine.
const SLACK: f64 = 1.15;
/// A validation takes at most this share more than the bare loop.
const VALIDATION: f64 = 1.3;
/// A refusal takes at most this share of a validation.
const REFUSAL: f64 = 0.1;
/// The heap of a validation, in bytes, beyond the archive and its files.
const HEAP_BEYOND: usize = 2 << 20;
/// The heap of a refusal, in bytes, beyond the archive and what may be unpacked of it: one buffer, and what is said of it.
const BUFFER: usize = 1 << 20;

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
    let validation = times.report_validation();
    let heap = report_heap(&upload)?;
    let refusals = times.report_refusals(hostile);
    let refused_heap = report_refused_heap(hostile)?;
    Ok(validation && heap && refusals && refused_heap)
}

fn upload() -> Result<(Upload, Bare), String> {
    let contents = sample::contents()?;
    let made = canonical(&contents);
    let manifest = manifest(&contents).map_err(|e| e.to_string())?;
    let (files, unpacked) = (contents.files().len(), unpacked(&contents));
    eprintln!("package: {files} files, {unpacked} bytes, packed {} bytes", made.bytes.len());
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
    validation: Vec<f64>,
    keeping: Vec<f64>,
    dropping: Vec<f64>,
    refusals: Vec<Vec<f64>>,
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
        let [validation, keeping, dropping] = [&self.validation, &self.keeping, &self.dropping];
        told("validation of a full package", median(validation.iter().map(|s| s * 1e3).collect()), Unit::Millis);
        let dropped = median(shares(validation, dropping));
        told("validation / bare loop that drops the files", dropped, Unit::Times);
        judge("P1", "validation / bare loop that keeps the files", median(shares(validation, keeping)), VALIDATION)
    }

    fn report_refusals(&self, hostile: &[hostile::Archive]) -> bool {
        let ratio = |times: &Vec<f64>| median(shares(times, &self.validation));
        let ratios = hostile.iter().zip(&self.refusals).map(|(archive, times)| (ratio(times), &archive.name));
        let Some((worst, name)) = ratios.max_by(|a, b| a.0.total_cmp(&b.0)) else { return false };
        judge("P2", &format!("worst of {} refusals / validation: {name}", hostile.len()), worst, REFUSAL)
    }
}

/// The seconds until a result is there; giving it back does not count.
fn timed<T>(work: impl FnOnce() -> Result<T, String>) -> Result<f64, String> {
    let start = Instant::now();
    let result = black_box(work());
    let time = start.elapsed().as_secs_f64();
    result.map(|_| time)
}

/// What came of some work, and the most heap that it had at once.
fn with_heap<T>(work: impl FnOnce() -> Result<T, String>) -> Result<(T, usize), String> {
    let before = HEAP.current_usage();
    HEAP.reset_peak_usage();
    let result = work()?;
    Ok((result, HEAP.peak_usage().saturating_sub(before)))
}

fn report_heap(upload: &Upload) -> Result<bool, String> {
    let (report, heap) = with_heap(|| validate(upload))?;
    let files = report.package.map_or(0, |package| unpacked(&package.contents));
    let beyond = heap as f64 - files as f64;
    Row::new("P1", "peak heap beyond archive and files", beyond, Unit::Bytes).method(HEAP_METHOD, 1).print();
    let (peak, most) = (upload.archive.len() + heap, upload.archive.len() + files + HEAP_BEYOND);
    Ok(judge_heap("P1", "peak heap / (archive + files + 2 MiB)", peak, most))
}

/// What a refusal inflates stays on the heap until the verdict, but for files whose paths are refused, which go one by one.
fn report_refused_heap(hostile: &[hostile::Archive]) -> Result<bool, String> {
    let mut worst = (0, "none");
    for archive in hostile {
        let (_, heap) = with_heap(|| archive.refuse())?;
        worst = worst.max((heap, archive.name.as_str()));
    }
    let limit = usize::try_from(Policy::default().limits.unpacked_bytes).map_err(|e| e.to_string())?;
    let what = format!("worst peak heap of {} refusals / (unpacked limit + 1 MiB): {}", hostile.len(), worst.1);
    Ok(judge_heap("P2", &what, worst.0, limit + BUFFER))
}

/// A time for information.
fn told(what: &str, figure: f64, unit: Unit) {
    Row::new("P1", what, figure, unit).method(METHOD, ROUNDS).print();
}

/// Whether a ratio of times meets its target, or misses it by the slack at most.
fn judge(row: &str, what: &str, figure: f64, most: f64) -> bool {
    Row::new(row, what, figure, Unit::Times).demands(Bound::AtMost(most)).method(METHOD, ROUNDS).print();
    figure <= most * SLACK
}

/// Whether the heap is what it may be: a count, which needs no slack.
fn judge_heap(row: &str, what: &str, peak: usize, most: usize) -> bool {
    let share = peak as f64 / most as f64;
    Row::new(row, what, share, Unit::Times).demands(Bound::AtMost(1.0)).method(HEAP_METHOD, 1).print();
    peak <= most
}
