//! `SKILL.md`: YAML between two fences, then text for the agent.

mod describe;
mod fences;
mod fields;
mod hint;
mod node;
mod yaml;

use serde_json::Value;
use skillhub_protocol::{Finding, Manifest, Release, SkillName, Summary};

pub use self::describe::describe_skill_md;
use crate::findings::finish;

/// The path of the file at the root of every package.
pub(crate) const SKILL_MD: &str = Manifest::SKILL_MD;

/// What a `SKILL.md` says of its skill.
#[derive(Debug, Clone, PartialEq)]
pub struct SkillMd {
    /// The name, without white space around it.
    pub name: SkillName,
    /// The description, without white space around it.
    pub description: Summary,
    /// The whole frontmatter, unknown fields included: always an object.
    pub frontmatter: Value,
}

impl SkillMd {
    /// The version that the frontmatter states: `version`, else `metadata.version`, if it is a publishable version.
    pub fn version(&self) -> Option<Release> {
        let text = |value: Option<&Value>| value.and_then(Value::as_str)?.trim().parse().ok();
        let metadata = self.frontmatter.get("metadata");
        text(self.frontmatter.get("version")).or_else(|| text(metadata.and_then(|m| m.get("version"))))
    }
}

/// Parses the bytes of a `SKILL.md`. Warnings are left to [`check`](crate::check).
///
/// # Errors
/// All faults of the fields, or the first fault of encoding, fences or YAML. Lines and columns count in the file.
pub fn parse_skill_md(bytes: &[u8]) -> Result<SkillMd, Vec<Finding>> {
    let (skill_md, findings) = examine(bytes);
    skill_md.ok_or_else(|| finish(findings.into_iter().filter(Finding::is_error).collect()))
}

/// What the bytes say, if nothing is wrong with them, and everything that there is to say about them.
pub(crate) fn examine(bytes: &[u8]) -> (Option<SkillMd>, Vec<Finding>) {
    let mut findings = Vec::new();
    match read(bytes, &mut findings) {
        Ok(skill_md) => (skill_md.filter(|_| !crate::findings::has_error(&findings)), findings),
        Err(fault) => {
            findings.push(fault);
            (None, findings)
        }
    }
}

fn read(bytes: &[u8], findings: &mut Vec<Finding>) -> Result<Option<SkillMd>, Finding> {
    if bytes.is_empty() {
        return Err(Finding::error("skill_md_empty", format!("files[{SKILL_MD}]"), "SKILL.md is empty"));
    }
    let (text, bom) = fences::decode(bytes)?;
    findings.extend(bom);
    let block = fences::find(text)?;
    findings.extend(block.warnings);
    let parsed = yaml::parse(block.yaml)?;
    let mut fields = fields::Reader::new(&parsed);
    let (name, description) = (fields.name(), fields.description());
    fields.check_portability();
    findings.append(&mut fields.findings);
    let read = name.zip(description);
    Ok(read.map(|(name, description)| SkillMd { name, description, frontmatter: parsed.values.into() }))
}
