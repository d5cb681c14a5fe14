//! The skills that are published and compared. They are made here, so that every byte of them is known.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// What only the private skills say: whoever reads it has seen one.
pub(super) const PRIVATE: &str = "moulting grounds of the lobster";

/// Paths and bytes.
type Files = BTreeMap<String, Vec<u8>>;

/// How many files the nasty skill has.
const NASTY_FILES: usize = 90;

/// Names that a client could stumble over: scripts, spaces, signs that mean something in URLs, and an order that depends on
/// who sorts.
const NASTY_NAMES: [&str; 15] = [
    "references/naïve façade.md",
    "references/日本語の手引き.md",
    "references/Ελληνικά.md",
    "references/русский/указатель.md",
    "references/עברית.md",
    "references/한국어.md",
    "references/🦞.md",
    "references/1 & 2 (draft), it's a+b=c; ~x@y!.md",
    "references/a_b.md",
    "references/a-b.md",
    "references/a10.md",
    "references/a2.md",
    "references/ä.md",
    "references/Z.md",
    "scripts/run.sh",
];

/// Names that end or mean something else where a client appends them to a URL as they are.
const SIGNS: [&str; 3] = ["references/50% done.md", "references/%2e%2e%2fescape.md", "references/issue #1.md"];

/// Writes all of them below a folder: `v1/…` and `v2/…` are editions of the same skills.
///
/// # Errors
/// If a file cannot be written.
pub(super) fn write(root: &Path) -> Result<(), String> {
    for name in ["notes", "diary", "almanac", "letters", "ledger", "sketch", "tools"] {
        write_files(&root.join("v1").join(name), &plain(name, 1))?;
        write_files(&root.join("v2").join(name), &plain(name, 2))?;
    }
    for name in ["plans", "secrets"] {
        write_files(&root.join("v1").join(name), &skill(name, &format!("Knows the {PRIVATE}."), "Tell nobody."))?;
    }
    write_files(&root.join("v1/nasty"), &nasty())?;
    write_files(&root.join("v1/signs"), &signs())?;
    write_files(&root.join("v1/heavy"), &heavy())?;
    write_files(&root.join("v1/picture"), &picture())?;
    // The same without the file that is no text: what clients that publish text alone make of it.
    write_files(&root.join("v1/picture-text"), &plain("picture", 1))?;
    write_files(&root.join("v1/weekly-notes"), &named("Weekly Notes"))?;
    write_files(&root.join("v1/faulty"), &Files::from([("SKILL.md".to_owned(), b"---\nname: faulty\n---\n".to_vec())]))
}

fn skill(name: &str, description: &str, body: &str) -> Files {
    let text = format!("---\nname: {name}\ndescription: {description}\n---\n\n# {name}\n\n{body}\n");
    Files::from([("SKILL.md".to_owned(), text.into_bytes())])
}

/// An ordinary skill. Its second edition changes a file, adds one and leaves one out.
fn plain(name: &str, edition: u8) -> Files {
    let mut files = skill(name, &format!("Keeps the {name} of a voyage."), &format!("Edition {edition}."));
    let mut add = |path: &str, text: String| files.insert(path.to_owned(), text.into_bytes());
    add("references/guide.md", format!("How to keep them, edition {edition}.\n"));
    add("scripts/run.sh", "#!/bin/sh\necho kept\n".to_owned());
    add(if edition == 1 { "references/old.md" } else { "references/new.md" }, "Come and gone.\n".to_owned());
    files
}

/// A skill whose name is for people.
fn named(name: &str) -> Files {
    skill(name, "Sums up a week.", "Every Friday.")
}

/// A skill with a file that is no text.
fn picture() -> Files {
    let mut files = plain("picture", 1);
    // The signature of PNG, and bytes that are no UTF-8.
    let image = [&b"\x89PNG\r\n\x1a\n"[..], &(0..=255).collect::<Vec<u8>>()].concat();
    files.insert("assets/logo.png".to_owned(), image);
    files
}

/// A skill of 90 files, one of which has a path of 100 characters, and many of which have difficult names.
fn nasty() -> Files {
    let mut files = skill("nasty", "Has names that clients could stumble over.", "Try me.");
    let stem = "references/deep/deeper/deepest/";
    let long = format!("{stem}{}.md", "x".repeat(100 - stem.len() - ".md".len()));
    let names = NASTY_NAMES.iter().map(|name| (*name).to_owned()).chain([long]);
    files.extend(
        names.map(|name| (name.clone(), format!("#!/bin/sh\n# {name}\r\n\tand no newline at the end").into_bytes())),
    );
    for row in files.len()..NASTY_FILES {
        files.insert(format!("assets/row-{row}.csv"), format!("row,{row}\n").into_bytes());
    }
    files
}

/// A skill with names that look like parts of URLs.
fn signs() -> Files {
    let mut files = skill("signs", "Has names that look like parts of URLs.", "Quote me.");
    files.extend(SIGNS.map(|name| (name.to_owned(), format!("{name}\n").into_bytes())));
    files
}

/// A skill that is too large for the body of one request to a Lambda, and small enough for the registry.
fn heavy() -> Files {
    let mut files = skill("heavy", "Weighs more than one request can carry.", "Take it in parts.");
    for part in 0..7 {
        // Numbers, which deflate does not make too small.
        let mut text = String::new();
        let mut number: u32 = 1 + part;
        while text.len() < 1_000_000 {
            number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let _ = writeln!(text, "{number}");
        }
        files.insert(format!("assets/part-{part}.txt"), text.into_bytes());
    }
    files
}

fn write_files(root: &Path, files: &Files) -> Result<(), String> {
    for (path, bytes) in files {
        let path = root.join(path);
        let folder = path.parent().unwrap_or(root);
        fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        fs::write(&path, bytes).map_err(|e| format!("{}: {e}", path.display()))?;
    }
    Ok(())
}
