//! OpenSkills, which looks at the same four folders and writes the same block.

use std::collections::BTreeSet;

use serde::Deserialize;

use super::agents::{Node, parse};
use super::project::Project;
use super::{FOLDERS, Folder, PER_FOLDER};
use crate::corpus::ARC;

/// Installs other skills into each of the four folders; OpenSkills lists, reads and syncs every one of them.
///
/// # Errors
/// What it does not find, or shows in another way.
pub(super) fn finds_what_we_install(project: &Project, slugs: &[String]) -> Result<(), String> {
    let chosen: Vec<(&Folder, &[String])> = FOLDERS.iter().zip(slugs.chunks(PER_FOLDER)).collect();
    for (folder, slugs) in &chosen {
        let mut args = vec!["install"];
        args.extend(slugs.iter().map(String::as_str).chain(folder.flags.iter().copied()));
        project.skillhub(&args)?;
        for slug in *slugs {
            let path = project.path(folder.path).join(slug);
            if !path.join("SKILL.md").is_file() {
                return Err(format!("{} is not installed", path.display()));
            }
        }
    }
    let list = project.openskills(&["list"])?;
    for (folder, slugs) in &chosen {
        let is_listed = |slug: &String| list.lines().any(|line| is_row(line, slug, folder.location));
        if let Some(slug) = slugs.iter().find(|slug| !is_listed(slug)) {
            return Err(format!("openskills list does not show {slug} ({}):\n{list}", folder.location));
        }
    }
    let all: Vec<&str> = chosen.iter().flat_map(|(_, slugs)| slugs.iter().map(String::as_str)).collect();
    let read = project.openskills(&[&["read"][..], &all].concat())?;
    if let Some(slug) = all.iter().find(|slug| !read.contains(&format!("Reading: {slug}\n"))) {
        return Err(format!("openskills read does not find {slug}"));
    }
    project.openskills(&["sync", "-y"])?;
    let (nodes, ..) = parse(&project.read("AGENTS.md")?)?;
    let synced: BTreeSet<&str> = nodes.iter().map(|(name, ..)| name.as_str()).collect();
    match all.iter().find(|slug| !synced.contains(*slug)) {
        Some(slug) => Err(format!("openskills sync leaves {slug} out")),
        None => {
            println!("OpenSkills lists, reads and syncs {} skills in {} folders", all.len(), chosen.len());
            Ok(())
        }
    }
}

/// A row of its list: the name, white space, and the location in parentheses.
fn is_row(line: &str, slug: &str, location: &str) -> bool {
    let mut words = line.split_whitespace();
    words.next() == Some(slug) && words.next() == Some(&format!("({location})"))
}

/// What `skillhub list --json` shows, as far as it matters.
#[derive(Deserialize)]
struct Listed {
    name: String,
    coordinate: Option<String>,
    location: String,
}

/// OpenSkills installs from folders into its own targets; `skillhub list` and `sync` show the same skills.
///
/// # Errors
/// What is not shown.
pub(super) fn installs_what_we_find(project: &Project, slugs: &[String]) -> Result<(), String> {
    let targets: [(&[&str], &str); 4] =
        [(&[], "project"), (&["-u"], "project"), (&["-g"], "global"), (&["-g", "-u"], "global")];
    let mut expected = BTreeSet::new();
    for ((flags, location), slug) in targets.into_iter().zip(slugs) {
        let source = ARC.skills().join(slug).display().to_string();
        project.openskills(&[&["install", &source, "-y"][..], flags].concat())?;
        expected.insert((slug.clone(), location.to_owned()));
    }
    let listed: Vec<Listed> =
        serde_json::from_str(&project.skillhub(&["list", "--json"])?).map_err(|e| format!("skillhub list: {e}"))?;
    if let Some(ours) = listed.iter().find(|skill| skill.coordinate.is_some()) {
        return Err(format!("{} is said to be ours", ours.name));
    }
    let found: BTreeSet<_> = listed.into_iter().map(|skill| (skill.name, skill.location)).collect();
    if found != expected {
        return Err(format!("skillhub list shows {found:?}, not {expected:?}"));
    }
    project.skillhub(&["sync"])?;
    let (nodes, ..) = parse(&project.read("AGENTS.md")?)?;
    let synced: BTreeSet<_> = nodes.into_iter().map(|(name, _, location)| (name, location)).collect();
    if synced != expected {
        return Err(format!("skillhub sync shows {synced:?}, not {expected:?}"));
    }
    println!("skillhub lists and syncs {} skills that OpenSkills installed", expected.len());
    Ok(())
}

/// One run of a tool that writes the block.
type Sync = fn(&Project) -> Result<(), String>;

/// Both tools sync one file twice, in either order: one block, the same nodes, and the text around it untouched.
///
/// # Errors
/// What differs.
pub(super) fn syncs_with_us(project: &Project) -> Result<(), String> {
    const BEFORE: &str = "# Mine\n\nText before.\n\n";
    const AFTER: &str = "\n\n## More\n\nText behind.\n";
    let ours: Sync = |project| project.skillhub(&["sync"]).map(drop);
    let theirs: Sync = |project| project.openskills(&["sync", "-y"]).map(drop);
    let orders =
        [[ours, ours, theirs, theirs, ours], [theirs, theirs, ours, ours, theirs], [ours, theirs, ours, theirs, ours]];
    for (number, order) in orders.iter().enumerate() {
        project.write("AGENTS.md", &format!("{BEFORE}<skills_system>\n</skills_system>{AFTER}"))?;
        let mut seen: Option<BTreeSet<Node>> = None;
        for (step, sync) in order.iter().enumerate() {
            sync(project)?;
            let fault = |what: String| format!("order {number}, step {step}: {what}");
            let (nodes, before, after) = parse(&project.read("AGENTS.md")?).map_err(fault)?;
            if (before.as_str(), after.as_str()) != (BEFORE, AFTER) {
                return Err(fault(format!("the text around the block changed: {before:?} … {after:?}")));
            }
            let nodes: BTreeSet<Node> = nodes.into_iter().map(plain).collect();
            match &seen {
                Some(earlier) if *earlier != nodes => {
                    return Err(fault(format!("other nodes: {earlier:#?}, {nodes:#?}")));
                }
                _ => seen = Some(nodes),
            }
        }
    }
    println!("both tools sync one file in {} orders: one block, the same nodes, the rest untouched", orders.len());
    Ok(())
}

/// OpenSkills takes the text of the line for the description: with its quotation marks, and without escapes.
fn plain((name, description, location): Node) -> Node {
    let text = description.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(&description);
    let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    (name, text, location)
}
