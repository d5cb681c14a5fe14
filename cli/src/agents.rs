//! The block of `AGENTS.md` that lists the installed skills, as other clients write and read it. Nothing here touches a file.

mod block;
mod render;

use std::ops::Range;

pub use block::Fault;

/// An installed skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The name of its folder, by which clients find it.
    pub name: String,
    /// The description of its `SKILL.md`; white space in it becomes single spaces.
    pub description: String,
    /// Where it is.
    pub location: Location,
    /// The path of its `SKILL.md`, if that is to stand in the place of the word.
    pub path: Option<String>,
}

/// Where a skill is; those of the project come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Location {
    /// In a folder of the project.
    Project,
    /// In a folder of the home folder.
    Global,
}

impl Entry {
    /// What the block says about its location: `project` or `global`, or the path.
    pub fn location_text(&self) -> &str {
        match (&self.path, self.location) {
            (Some(path), _) => path,
            (None, Location::Project) => "project",
            (None, Location::Global) => "global",
        }
    }
}

/// The text with the block of these skills: in the place of the one that is there, else after the text and a blank line. Without
/// skills, the block and its lines are taken away. Every other byte stays; the block has the line ends of the text's first line.
///
/// A block begins with a line `<skills_system …>` and ends with a line `</skills_system>`; or it is what stands between the
/// lines `<!-- SKILLS_TABLE_START -->` and `<!-- SKILLS_TABLE_END -->`, without that tag. Such a line holds nothing else but
/// spaces, fewer than four before it, and is in no fenced code; everything else is prose. Within a block, fences mean nothing.
///
/// # Errors
/// If it is not clear what the block is, or if what is appended would be a part of fenced code that is never closed.
pub fn update(text: &str, skills: &[Entry]) -> Result<String, Fault> {
    let scanned = block::scan(text)?;
    let eol = line_end(text);
    if skills.is_empty() {
        return Ok(scanned.block.map_or_else(|| text.to_owned(), |block| replace(text, &block.lines, "")));
    }
    let new = render::block(skills).replace('\n', eol);
    match (scanned.block, scanned.open_fence) {
        (Some(block), _) => Ok(replace(text, &block.text, &new)),
        (None, Some(line)) => Err(Fault::OpenFence { line }),
        (None, None) => Ok(format!("{text}{}{new}{eol}", gap(text, eol))),
    }
}

fn line_end(text: &str) -> &'static str {
    let first = text.split('\n').next();
    if first.is_some_and(|line| line.ends_with('\r')) { "\r\n" } else { "\n" }
}

/// What is missing to a blank line at the end of the text.
fn gap(text: &str, eol: &str) -> String {
    let body = block::without_bom(text);
    let missing = match body.strip_suffix('\n').map(|rest| rest.strip_suffix('\r').unwrap_or(rest)) {
        None if body.is_empty() => 0,
        None => 2,
        Some(rest) if rest.is_empty() || rest.ends_with('\n') => 0,
        Some(_) => 1,
    };
    eol.repeat(missing)
}

fn replace(text: &str, range: &Range<usize>, new: &str) -> String {
    let before = text.get(..range.start).unwrap_or_default();
    let after = text.get(range.end..).unwrap_or_default();
    [before, new, after].concat()
}

#[cfg(test)]
mod tests;
