//! Finding the frontmatter: the lines between the first line, `---`, and the next such line.

use skillhub_protocol::Finding;

use crate::content::place::Place;

/// The largest frontmatter, in bytes.
pub(super) const MAX_BYTES: usize = 64 << 10;

/// The lines between the fences. The first of them is line 2 of the file.
pub(super) struct Block<'a> {
    pub(super) yaml: &'a str,
    pub(super) warnings: Vec<Finding>,
}

/// The text of a file that must be UTF-8 without NUL, without its byte order mark, and a warning if there was one.
pub(super) fn decode(bytes: &[u8]) -> Result<(&str, Option<Finding>), Finding> {
    let text = std::str::from_utf8(bytes).map_err(|e| not_utf8(bytes, e.valid_up_to()))?;
    if let Some(offset) = text.find('\0') {
        let finding = Finding::error("nul_byte", "skillMd", format!("the byte at offset {offset} is NUL"));
        return Err(Place::of(bytes, offset).on(finding).hint("SKILL.md must be plain text"));
    }
    let Some(text) = text.strip_prefix('\u{feff}') else {
        return Ok((text, None));
    };
    let bom =
        Finding::warning("bom", "skillMd", "begins with a byte order mark, which many clients do not skip").at(1, 1);
    Ok((text, Some(bom.hint("save the file as UTF-8 without BOM"))))
}

fn not_utf8(bytes: &[u8], offset: usize) -> Finding {
    let finding = Finding::error("not_utf8", "skillMd", format!("the byte at offset {offset} is not UTF-8"));
    let utf16 = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]);
    finding.hint(if utf16 { "the file is UTF-16: save it as UTF-8" } else { "save the file as UTF-8" })
}

/// The frontmatter of a text.
pub(super) fn find(text: &str) -> Result<Block<'_>, Finding> {
    let (first, rest) = split_line(text);
    let Some(exact) = fence(first) else {
        return Err(missing(text, first));
    };
    let mut warnings = Vec::new();
    warnings.extend((!exact).then(|| trailing_space(1)));
    let (mut end, mut line, mut left) = (0_usize, 2_u32, rest);
    while !left.is_empty() {
        let (content, after) = split_line(left);
        if let Some(exact) = fence(content) {
            warnings.extend((!exact).then(|| trailing_space(line)));
            return block(rest.get(..end).unwrap_or_default(), warnings);
        }
        end = end.saturating_add(left.len().saturating_sub(after.len()));
        line = line.saturating_add(1);
        left = after;
    }
    let message = "the frontmatter that line 1 opens is not closed by another line `---`";
    Err(Finding::error("frontmatter_unclosed", "skillMd", message).at(1, 1))
}

fn block(yaml: &str, warnings: Vec<Finding>) -> Result<Block<'_>, Finding> {
    if yaml.len() <= MAX_BYTES {
        return Ok(Block { yaml, warnings });
    }
    let message = format!("the frontmatter has {} bytes, at most {MAX_BYTES} are allowed", yaml.len());
    Err(Finding::error("frontmatter_too_large", "skillMd.frontmatter", message)
        .hint("move text below the second `---`"))
}

/// The first line, and what follows it.
pub(super) fn split_line(text: &str) -> (&str, &str) {
    let (line, rest) = text.split_once('\n').unwrap_or((text, ""));
    (line.strip_suffix('\r').unwrap_or(line), rest)
}

/// Whether a line is a fence; `Some(false)` for one with spaces behind it.
fn fence(line: &str) -> Option<bool> {
    let rest = line.strip_prefix("---")?;
    rest.bytes().all(|b| matches!(b, b' ' | b'\t')).then_some(rest.is_empty())
}

fn trailing_space(line: u32) -> Finding {
    Finding::warning(
        "fence_trailing_space",
        "skillMd",
        "spaces follow `---`, which some clients do not take for a fence",
    )
    .at(line, 4)
    .hint("remove the spaces")
}

fn missing(text: &str, first: &str) -> Finding {
    let finding = Finding::error("frontmatter_missing", "skillMd", "line 1 must be `---`, which opens the frontmatter");
    let hint = if first.contains('\r') {
        "end lines with LF or CRLF, not with CR alone"
    } else if has_later_frontmatter(text) {
        "remove what stands before the first `---`"
    } else {
        "begin the file with `---`, `name: …`, `description: …`, `---`, each on its own line"
    };
    finding.at(1, 1).hint(hint)
}

/// Whether a fence with a key behind it stands further down; another `---` is only a horizontal rule.
fn has_later_frontmatter(text: &str) -> bool {
    let near = || text.lines().skip(1).take(20);
    let is_key = |line: &str| line.split_once(':').is_some_and(|(key, _)| matches!(key, "name" | "description"));
    near().zip(near().skip(1)).any(|(line, next)| fence(line).is_some() && is_key(next))
}
