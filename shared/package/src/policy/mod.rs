//! What a registry demands of a package before it publishes it.

mod content;
mod identity;
mod paths;
mod types;

use serde::{Deserialize, Serialize};
use skillhub_protocol::{Finding, Scope};

pub use self::content::{Action, ContentCheck, ContentPolicy};
pub use self::types::FileTypes;

use crate::archive::{self, Reading};
use crate::contents::Contents;
use crate::findings::{finish, has_error};
use crate::limits::{self, Limits, Sized};
use crate::path::Placed;
use crate::skill_md::{self, SKILL_MD, SkillMd};

/// What a registry demands: data, which it can read from a file. A field that the file leaves out keeps its default; an unknown
/// field is an error.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default, deny_unknown_fields)]
pub struct Policy {
    /// Sizes and counts.
    pub limits: Limits,
    /// Which files may be in a package.
    pub types: FileTypes,
    /// Which names a skill may have.
    pub names: NameRule,
    /// What to do about the content of files, for each scope.
    pub content: ContentPolicy,
}

/// Which names a skill may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NameRule {
    /// Kebab-case, then equal to the slug; or, with a warning, any display name.
    #[default]
    Any,
    /// Kebab-case only.
    Kebab,
}

/// What a publisher declares beside the archive.
#[derive(Debug, Clone, Copy)]
pub struct Declared<'a> {
    /// The slug, not yet checked.
    pub slug: &'a str,
    /// Who will see the skill.
    pub scope: Scope,
}

/// What a check says.
#[derive(Debug)]
pub struct Report {
    /// The package, if no finding is an error.
    pub package: Option<Package>,
    /// Errors first, each group by place; at most [`MAX_FINDINGS`](crate::MAX_FINDINGS).
    pub findings: Vec<Finding>,
}

/// A package that may be published.
#[derive(Debug)]
pub struct Package {
    /// Its files.
    pub contents: Contents,
    /// What its `SKILL.md` says.
    pub skill_md: SkillMd,
}

impl Policy {
    /// The default policy with no other file types than those of the contract's own list.
    pub fn strict() -> Self {
        Self { types: FileTypes::strict(), ..Self::default() }
    }
}

/// Reads an archive and holds it against a policy: what a registry runs on every upload.
///
/// All violations are reported at once, except that a structural fault of the archive ends reading, and that nothing but
/// `SKILL.md` is inflated where sizes break a limit.
pub fn check(archive: &[u8], declared: &Declared<'_>, policy: &Policy) -> Report {
    match archive::read_all(archive, &policy.limits) {
        Ok(reading) => judge(reading, declared, policy),
        Err(fault) => Report { package: None, findings: finish(vec![fault]) },
    }
}

/// Holds files that are in memory against a policy: what a packer runs before it uploads. The same rules as [`check`], but for
/// the size of the archive.
pub fn check_contents(contents: Contents, declared: &Declared<'_>, policy: &Policy) -> Report {
    let mut findings = limits::check_sizes(
        &policy.limits,
        contents.files().iter().map(|file| Sized {
            index: file.index,
            name: file.path().as_str().as_bytes(),
            bytes: file.data().len(),
        }),
    );
    let mut listing = Vec::new();
    for file in contents.files() {
        let place = Placed { index: file.index, path: file.path().clone(), is_directory: false };
        findings.extend(policy.limits.check_depth(place.clone()).err());
        listing.push(place);
    }
    judge(Reading { contents, listing, findings }, declared, policy)
}

fn judge(reading: Reading, declared: &Declared<'_>, policy: &Policy) -> Report {
    let Reading { contents, listing, mut findings } = reading;
    findings.extend(paths::check(&listing));
    findings.extend(policy.types.check(&listing));
    findings.extend(identity::check_slug(declared.slug));
    let skill_md = skill_md(&contents, &listing, &mut findings);
    if let Some(skill_md) = &skill_md {
        findings.extend(identity::check_name(&skill_md.name, declared.slug, policy.names));
    }
    findings.extend(policy.content.check(&contents, declared.scope));
    let package = skill_md.filter(|_| !has_error(&findings)).map(|skill_md| Package { contents, skill_md });
    Report { package, findings: finish(findings) }
}

fn skill_md(contents: &Contents, listing: &[Placed], findings: &mut Vec<Finding>) -> Option<SkillMd> {
    if let Some(file) = contents.get(SKILL_MD) {
        let (skill_md, mut found) = skill_md::examine(file.data());
        findings.append(&mut found);
        return skill_md;
    }
    let is_listed = listing.iter().any(|place| !place.is_directory && place.path.as_str() == SKILL_MD);
    if !is_listed {
        findings.push(identity::no_skill_md(listing));
    }
    None
}
