//! What one processor validates of real skills: `packs NAME=FOLDER…`, where the folders of a folder are skills.
#![expect(clippy::print_stderr, reason = "what is left out, for who waits")]

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use skillhub_bench::{Row, Unit, in_turn, median};
use skillhub_package::pack::{self, SourceFile};
use skillhub_package::{Contents, Declared, Limits, Policy, canonical, check, parse_skill_md, read};
use skillhub_protocol::{Scope, Slug};

const ROUNDS: usize = 15;

/// A skill as a publisher would upload it, and as it was before.
struct Skill {
    slug: String,
    archive: Vec<u8>,
    contents: Contents,
}

fn main() -> ExitCode {
    let packs: Vec<_> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    // `cargo test` and `cargo bench` run every benchmark without arguments; this one needs skills.
    if packs.is_empty() {
        eprintln!("packs: nothing to do without a folder of skills");
    }
    match packs.iter().try_for_each(|pack| measure(pack)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn measure(pack: &str) -> Result<(), String> {
    let (name, folder) = pack.split_once('=').ok_or_else(|| format!("{pack}: write NAME=FOLDER"))?;
    let skills = skills(Path::new(folder))?;
    let bytes: u64 = skills.iter().flat_map(|skill| skill.contents.files()).map(|file| file.size_bytes()).sum();
    let (limits, policy) = (Limits::default(), Policy::default());
    let check_one =
        |skill: &Skill| check(&skill.archive, &Declared { slug: &skill.slug, scope: Scope::Public }, &policy);
    let refused = skills.iter().filter(|skill| check_one(skill).package.is_none()).count();
    let method = format!("{} packages of {bytes} bytes unpacked, {refused} of them refused, on one core", skills.len());
    let mut read_all = || skills.iter().filter(|skill| read(&skill.archive, &limits).is_ok()).count();
    let mut check_all = || skills.iter().filter(|skill| check_one(skill).package.is_some()).count();
    let mut pack_all = || skills.iter().map(|skill| canonical(&skill.contents).bytes.len()).sum();
    let seconds: Vec<f64> =
        in_turn(ROUNDS, &mut [&mut read_all, &mut check_all, &mut pack_all]).into_iter().map(median).collect();
    let [reading, checking, packing] = seconds.as_slice() else { return Err("nothing was measured".to_owned()) };
    let row = |what: &str, figure, unit| {
        Row::new("validator", format!("{name}: {what}"), figure, unit).method(method.as_str(), ROUNDS).print();
    };
    let mb = bytes as f64 / 1e6;
    row("check and canonical", skills.len() as f64 / (checking + packing), Unit::PerSecond);
    row("check and canonical", mb / (checking + packing), Unit::MegabytesPerSecond);
    row("read", mb / reading, Unit::MegabytesPerSecond);
    row("read and check", mb / checking, Unit::MegabytesPerSecond);
    row("canonical", mb / packing, Unit::MegabytesPerSecond);
    Ok(())
}

fn skills(folder: &Path) -> Result<Vec<Skill>, String> {
    let at = |e: std::io::Error| format!("{}: {e}", folder.display());
    let entries = fs::read_dir(folder).map_err(at)?.collect::<Result<Vec<_>, _>>().map_err(at)?;
    let mut folders: Vec<_> =
        entries.iter().map(fs::DirEntry::path).filter(|path| path.join("SKILL.md").is_file()).collect();
    folders.sort();
    folders.iter().map(|folder| skill(folder)).collect()
}

fn skill(folder: &Path) -> Result<Skill, String> {
    let mut files = Vec::new();
    collect(folder, "", &mut files).map_err(|e| format!("{}: {e}", folder.display()))?;
    let packed = pack::from_files(files).map_err(|findings| format!("{}: {findings:?}", folder.display()))?;
    // As the command chooses it: what the skill is called, if that can be a slug, or else what its folder is called.
    let skill_md = packed.contents.get("SKILL.md").and_then(|file| parse_skill_md(file.data()).ok());
    let called = skill_md.map(|skill_md| skill_md.name.to_string()).filter(|name| name.parse::<Slug>().is_ok());
    let folder = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(Skill { slug: called.unwrap_or(folder), archive: canonical(&packed.contents).bytes, contents: packed.contents })
}

fn collect(folder: &Path, prefix: &str, files: &mut Vec<SourceFile>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            collect(&entry.path(), &format!("{path}/"), files)?;
        } else {
            files.push(SourceFile { path, data: fs::read(entry.path())? });
        }
    }
    Ok(())
}
