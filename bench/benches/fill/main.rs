//! Fills a data directory of local mode with skills, as if they had been published: `fill DATA_DIR COUNT SEED`.
#![expect(clippy::print_stderr, reason = "what is done, for who waits")]

mod packages;
mod registry;

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;

use self::packages::{Package, SMALL};

/// Fills a data directory of local mode with skills.
#[derive(Parser)]
struct Arguments {
    /// The data directory; no registry may run on it
    data: PathBuf,
    /// How many skills
    count: usize,
    /// What they are made from
    seed: u64,
    /// A file to write the packages to, a line of JSON each, for other registries to have the same
    #[arg(long)]
    packages: Option<PathBuf>,
    /// What cargo says to every benchmark
    #[arg(long, hide = true)]
    bench: bool,
}

#[tokio::main]
async fn main() -> ExitCode {
    // `cargo test` and `cargo bench` run every benchmark without arguments; this one makes something for others.
    if std::env::args().skip(1).all(|argument| argument == "--bench") {
        eprintln!("fill: nothing to do without a data directory");
        return ExitCode::SUCCESS;
    }
    match run(&Arguments::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

async fn run(arguments: &Arguments) -> Result<(), String> {
    let Arguments { data, count, seed, .. } = arguments;
    let start = Instant::now();
    let package = |number| Package::new(*seed, format!("skill-{number:05}"), &SMALL);
    let packages: Vec<Package> = (0..*count).map(package).collect();
    if let Some(file) = &arguments.packages {
        write(file, &packages).map_err(|e| format!("{}: {e}", file.display()))?;
    }
    registry::fill(data, &packages, *seed).await?;
    eprintln!("filled {} with {count} skills of seed {seed} in {:.1} s", data.display(), start.elapsed().as_secs_f64());
    Ok(())
}

fn write(file: &Path, packages: &[Package]) -> std::io::Result<()> {
    let mut file = BufWriter::new(File::create(file)?);
    for package in packages {
        serde_json::to_writer(&mut file, package)?;
        file.write_all(b"\n")?;
    }
    file.flush()
}
