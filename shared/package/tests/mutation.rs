//! Archives with something wrong: whatever the strict reader accepts, other readers read the same way.

mod support;

use std::collections::BTreeMap;
use std::io::{BufRead, Cursor, Read, Write};
use std::process::{Command, Stdio};

use serde_json::Value;
use skillhub_package::{Contents, Limits, PackageFile, canonical, pack, read};
use support::{Entry, Random, SKILL_MD, archive, check_default, contents};

const SEED: u64 = 0x5eed_0001;
const ROUNDS: usize = 220_000;
const LIMITS: Limits =
    Limits { archive_bytes: 64 << 10, unpacked_bytes: 16 << 10, file_bytes: 8 << 10, files: 20, depth: 4 };
const INTERESTING: [u32; 12] = [0, 1, 2, 8, 9, 20, 0x7f, 0x80, 0xff, 0xffff, 0x7fff_ffff, 0xffff_ffff];

type Files = BTreeMap<String, Vec<u8>>;

/// The small archives of the vectors, and canonical ones.
fn seeds() -> Vec<Vec<u8>> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/vectors/zip");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let vectors =
        paths.iter().filter(|path| path.extension().is_some_and(|e| e == "zip")).map(|p| std::fs::read(p).unwrap());
    let mut seeds: Vec<_> = vectors.filter(|archive| archive.len() < 2000).collect();
    let text = "one two three ".repeat(40);
    let packages = [
        contents(&[("SKILL.md", SKILL_MD.as_bytes()), ("é/中.md", text.as_bytes()), ("run.sh", b"#!/bin/sh\n")]),
        contents(&[("SKILL.md", text.as_bytes())]),
    ];
    seeds.extend(packages.iter().map(|package| canonical(package).bytes));
    seeds
}

/// An archive whose headers agree, with fields that tools really write and some that none should.
fn built(random: &mut Random) -> Vec<u8> {
    const NAMES: [&str; 10] = ["SKILL.md", "a", "A", "é.md", "a/b.md", "a/", "b/c/", "x.sh", "ß", "SS"];
    const EXTRAS: [&[u8]; 3] = [b"", b"UT\x01\0\x03", b"\x0a\0\0\0"];
    let count = random.below(5);
    let entries: Vec<_> = (0..count)
        .map(|_| {
            let name = NAMES[random.below(NAMES.len())];
            let data = if name.ends_with('/') { Vec::new() } else { vec![b'x'; random.below(300)] };
            let entry = if random.below(2) == 0 || data.is_empty() { Entry::stored } else { Entry::deflated };
            entry(name, &data).with(|entry| {
                let sound = if name.ends_with('/') { 0o040_755 } else { 0o100_644 };
                entry.mode = pick(random, &[sound, 0], &[0o100_755, 0o040_755, 0o120_777, 0o104_755]);
                entry.made_by = pick(random, &[20, 3 << 8 | 20], &[19 << 8 | 63]);
                entry.extra = pick(random, &EXTRAS, &[b"\x01\0\x08\0\0\0\0\0\0\0\0\0"]).into();
                entry.flags |= pick(random, &[0, 2], &[4, 8, 1 << 11]);
            })
        })
        .collect();
    archive(&entries)
}

/// Mostly one of the usual values, sometimes an odd one.
fn pick<T: Copy>(random: &mut Random, usual: &[T], odd: &[T]) -> T {
    let from = if random.below(12) == 0 { odd } else { usual };
    from[random.below(from.len())]
}

fn mutate(archive: &mut Vec<u8>, donor: &[u8], random: &mut Random) {
    if archive.is_empty() {
        return;
    }
    let at = random.below(archive.len());
    let len = random.below(40.min(archive.len() - at));
    match random.below(8) {
        0 => archive[at] ^= 1 << random.below(8),
        1 => archive[at] = random.next() as u8,
        2 => edit_field(archive, random),
        3 => archive.truncate(at),
        4 => {
            let range = archive[at..at + len].to_vec();
            let to = random.below(archive.len());
            archive.splice(to..to, range);
        }
        5 => drop(archive.drain(at..at + len)),
        6 => {
            let from = random.below(donor.len());
            let until = (from + 1 + random.below(60)).min(donor.len());
            archive.splice(at..at + len, donor[from..until].iter().copied());
        }
        _ => edit_both(archive, random),
    }
}

/// Writes an interesting number into a field of some header.
fn edit_field(archive: &mut [u8], random: &mut Random) {
    let headers: Vec<_> = archive.windows(2).enumerate().filter(|(_, pair)| *pair == b"PK").map(|(at, _)| at).collect();
    let at = headers.get(random.below(headers.len())).copied().unwrap_or(0) + 4 + random.below(42);
    let value = INTERESTING[random.below(INTERESTING.len())].to_le_bytes();
    let width = [1, 2, 4][random.below(3)];
    if let Some(field) = archive.get_mut(at..at + width) {
        field.copy_from_slice(&value[..width]);
    }
}

/// Changes the same bytes everywhere, so that local header and directory go on agreeing.
fn edit_both(archive: &mut [u8], random: &mut Random) {
    let at = random.below(archive.len());
    let Some(pattern) = archive.get(at..at + 4).map(<[u8]>::to_vec) else { return };
    let (offset, value) = (random.below(4), random.next() as u8);
    let places: Vec<_> = archive.windows(4).enumerate().filter(|(_, w)| *w == pattern).map(|(at, _)| at).collect();
    places.into_iter().for_each(|place| archive[place + offset] = value);
}

/// What the `zip` crate makes of an archive.
fn second_opinion(bytes: &[u8]) -> Result<Files, String> {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).map_err(|e| e.to_string())?;
    let mut files = Files::new();
    for index in 0..archive.len() {
        let mut file = archive.by_index(index).map_err(|e| e.to_string())?;
        let name = file.name().map_err(|e| e.to_string())?.into_owned();
        if file.is_dir() {
            continue;
        }
        let mut data = Vec::new();
        file.read_to_end(&mut data).map_err(|e| format!("{name}: {e}"))?;
        files.insert(name, data);
    }
    Ok(files)
}

/// What Python's `zipfile` makes of archives, path -> digest or the error for each; `None` without Python.
fn third_opinion(accepted: &[(Vec<u8>, Contents)]) -> Option<Vec<Value>> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/read_archives.py");
    let mut python = Command::new("python3");
    let mut python = python.arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok()?;
    let mut stdin = python.stdin.take().unwrap();
    let framed =
        accepted.iter().flat_map(|(archive, _)| [&(archive.len() as u32).to_le_bytes(), &archive[..]].concat());
    let input: Vec<u8> = framed.collect();
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let output = python.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    assert!(output.status.success(), "python3 failed");
    Some(output.stdout.lines().map(|line| serde_json::from_str(&line.unwrap()).unwrap()).collect())
}

/// Where Python reads anything else than what was accepted.
#[expect(clippy::print_stderr, reason = "says that a part of the test did not run")]
fn disagreements_of_python(accepted: &[(Vec<u8>, Contents)]) -> Vec<String> {
    let Some(answers) = third_opinion(accepted) else {
        eprintln!("there is no python3: its zipfile was not asked");
        return Vec::new();
    };
    assert_eq!(answers.len(), accepted.len());
    let digest = |file: &PackageFile| (file.path().to_string(), file.sha256().to_string());
    let asked = accepted.iter().zip(answers);
    asked
        .filter(|((_, ours), theirs)| *theirs != ours.files().iter().map(digest).collect::<Value>())
        .map(|((_, ours), theirs)| format!("\n{ours:?}\n  but Python: {theirs}"))
        .collect()
}

#[expect(clippy::print_stdout, reason = "the seed and the counts are the result of the test")]
#[test]
fn what_is_accepted_is_read_alike_by_other_readers() {
    let seeds = seeds();
    let mut random = Random(SEED);
    let (mut accepted, mut changed, mut refused, mut disagreements) = (0, Vec::new(), 0, Vec::new());
    for round in 0..ROUNDS {
        let seed = &seeds[random.below(seeds.len())];
        let mut archive = if random.below(3) == 0 { built(&mut random) } else { seed.clone() };
        for _ in 0..random.below(4) {
            let donor = random.below(seeds.len());
            mutate(&mut archive, &seeds[donor], &mut random);
        }
        if round % 8 == 0 {
            check_default(&archive);
            if let Ok(packed) = pack::from_zip(&archive, &LIMITS) {
                assert!(packed.contents.files().iter().map(|f| f.size_bytes()).sum::<u64>() <= LIMITS.unpacked_bytes);
            }
        }
        let Ok(contents) = read(&archive, &LIMITS) else {
            refused += 1;
            continue;
        };
        accepted += 1;
        let ours: Files = contents.files().iter().map(|f| (f.path().to_string(), f.data().to_vec())).collect();
        assert!(ours.values().map(Vec::len).sum::<usize>() as u64 <= LIMITS.unpacked_bytes);
        let theirs = second_opinion(&archive);
        if theirs.as_ref() != Ok(&ours) {
            disagreements.push(format!("\nround {round}: {ours:?}\n  but {theirs:?}"));
        }
        if !seeds.contains(&archive) {
            changed.push((archive, contents));
        }
    }
    disagreements.extend(disagreements_of_python(&changed));
    println!(
        "seed {SEED:#x}: {accepted} accepted ({} changed), {refused} refused, {} disagreements",
        changed.len(),
        disagreements.len()
    );
    assert!(changed.len() > ROUNDS / 100, "too few accepted archives to compare");
    assert!(disagreements.is_empty(), "{}", disagreements.iter().take(10).cloned().collect::<String>());
}
