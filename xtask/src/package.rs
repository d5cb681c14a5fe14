//! `cargo xtask package`: the zips that are deployed.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use clap::{Args, ValueEnum};

use crate::process::{build_programs, cargo, root, run as run_command, target};
use crate::tools::CARGO_LAMBDA;

/// Options of the command.
#[derive(Args)]
pub(crate) struct Options {
    /// For which processors
    #[arg(long, value_enum, default_value = "x86-64")]
    architecture: Architecture,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Architecture {
    /// Intel and AMD
    #[value(name = "x86-64", alias = "x86_64")]
    X86,
    /// Graviton; `rustup target add aarch64-unknown-linux-gnu` first
    #[value(name = "arm64")]
    Arm,
}

/// How programs are built.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Build {
    /// Quickly, and stripped: to try a deployment out.
    Debug,
    /// As they are deployed.
    Release,
}

/// The largest zip, in bytes.
const MAX_ZIP: u64 = 5_000_000;

/// Builds all zips, and prints their sizes.
///
/// # Errors
/// If a build fails, or a zip is larger than 5 MB.
pub(crate) fn run(options: &Options) -> Result<(), String> {
    let start = Instant::now();
    let names = functions()?;
    let folder = target().join("lambda");
    build_release(&names, options.architecture, &folder)?;
    println!("built in {:.0} s", start.elapsed().as_secs_f64());
    check_sizes(&names, &folder)
}

fn check_sizes(names: &[String], folder: &Path) -> Result<(), String> {
    println!("{:20}{:>14}", "function", "zip in bytes");
    let mut largest = 0;
    for name in names {
        let zip = zip_of(name, folder);
        let bytes = fs::metadata(&zip).map_err(|e| format!("{}: {e}", zip.display()))?.len();
        println!("{name:20}{bytes:>14}");
        largest = largest.max(bytes);
    }
    if largest > MAX_ZIP { Err(format!("a zip has {largest} bytes, the target is {MAX_ZIP}")) } else { Ok(()) }
}

/// Makes all zips for this machine, as far as they are not up to date, and says in which folder they are. It is none of those
/// that are deployed to AWS, which may have been built for other processors.
///
/// # Errors
/// If a build fails, or a zip is larger than 5 MB.
pub(crate) fn zips(build: Build) -> Result<PathBuf, String> {
    let names = functions()?;
    match build {
        Build::Debug => {
            build_programs()?;
            names.iter().try_for_each(|name| zip_debug(name))?;
            Ok(target().join("lambda-debug"))
        }
        Build::Release => {
            let folder = target().join("lambda-release");
            build_release(&names, Architecture::X86, &folder)?;
            check_sizes(&names, &folder)?;
            Ok(folder)
        }
    }
}

/// With Zig as the linker, so that the programs run on the C library of Amazon Linux, whatever this machine has.
fn build_release(names: &[String], architecture: Architecture, folder: &Path) -> Result<(), String> {
    let mut command = lambda("build --profile lambda --output-format zip")?;
    command.args(names.iter().flat_map(|name| ["--package", name]));
    command.arg(if architecture == Architecture::Arm { "--arm64" } else { "--x86-64" });
    run_command(command.arg("--lambda-dir").arg(folder))
}

/// The packages of `functions/` that have a program.
pub(crate) fn functions() -> Result<Vec<String>, String> {
    let folder = root().join("functions");
    let entries = fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let has_program = |folder: &PathBuf| folder.join("src/main.rs").is_file();
    let folders = entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).filter(has_program);
    let mut names: Vec<String> = folders.filter_map(|folder| package_name(&folder)).collect();
    names.sort();
    Ok(names)
}

fn package_name(folder: &Path) -> Option<String> {
    Some(format!("skillhub-{}", folder.file_name()?.to_str()?))
}

/// The smallest function of the same kind, built as the others are, for this machine.
///
/// # Errors
/// If it cannot be built.
pub(crate) fn hello() -> Result<PathBuf, String> {
    let mut command = lambda("build --profile lambda --package skillhub-web --example hello")?;
    let folder = target().join("lambda-release");
    run_command(command.arg("--x86-64").arg("--lambda-dir").arg(&folder))?;
    Ok(folder.join("hello/bootstrap"))
}

/// `cargo lambda` with arguments.
fn lambda(arguments: &str) -> Result<Command, String> {
    let mut command = cargo("lambda");
    command.args(arguments.split_whitespace());
    let path = std::env::var_os("PATH").unwrap_or_default();
    let paths = std::iter::once(CARGO_LAMBDA.programs()?).chain(std::env::split_paths(&path));
    command.env("PATH", std::env::join_paths(paths).map_err(|e| e.to_string())?);
    Ok(command)
}

/// Where the zip of a function is, below the folder of all.
pub(crate) fn zip_of(name: &str, folder: &Path) -> PathBuf {
    folder.join(name).join("bootstrap.zip")
}

/// The zip of a debug build, without its symbols.
fn zip_debug(name: &str) -> Result<(), String> {
    let folder = target().join("lambda-debug").join(name);
    fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let zip = folder.join("bootstrap.zip");
    let bootstrap = folder.join("bootstrap");
    run_command(Command::new("strip").arg("-o").arg(&bootstrap).arg(target().join("debug").join(name)))?;
    // Writes a zip with the modes of its files.
    let python = "import sys, zipfile; z = zipfile.ZipFile(sys.argv[1], 'w', zipfile.ZIP_DEFLATED, compresslevel=1); \
                  z.write(sys.argv[2], 'bootstrap'); z.close()";
    let made = File::create(&zip).map_err(|e| format!("{}: {e}", zip.display()));
    made.and_then(|_| run_command(Command::new("python3").args(["-c", python]).arg(&zip).arg(&bootstrap)))
}
