//! Values on the command line that are narrower than their types, or wider.

use skillhub_protocol::{CanonicalSlug, Coordinate, Namespace, Release, Selector, Slug, Tag, is_kebab_case};

/// Exactly one version of a skill.
#[derive(Debug, Clone)]
pub(crate) struct ExactVersion {
    pub(crate) skill: CanonicalSlug,
    pub(crate) version: Release,
}

impl ExactVersion {
    pub(crate) fn coordinate(&self) -> Coordinate {
        self.skill.clone().with(Selector::Version(self.version.clone()))
    }
}

pub(super) fn exact_version(text: &str) -> Result<ExactVersion, String> {
    let coordinate: Coordinate = text.parse().map_err(String::from)?;
    match coordinate.selector() {
        Selector::Version(version) => Ok(ExactVersion { skill: coordinate.to_canonical(), version: version.clone() }),
        _ => Err(String::from("must name one version, such as @team/skill@1.2.0")),
    }
}

pub(super) fn skill(text: &str) -> Result<CanonicalSlug, String> {
    let coordinate: Coordinate = text.parse().map_err(String::from)?;
    match (coordinate.selector(), text.ends_with("@latest")) {
        (Selector::Latest, false) => Ok(coordinate.to_canonical()),
        _ => Err(String::from("must name a skill without a version, such as @team/skill")),
    }
}

/// A handle, with or without "@".
pub(super) fn handle(text: &str) -> Result<Namespace, String> {
    Namespace::from_handle(text.strip_prefix('@').unwrap_or(text)).map_err(String::from)
}

pub(super) fn kebab_slug(text: &str) -> Result<Slug, String> {
    let slug: Slug = text.parse().map_err(|fault| format!("{fault}"))?;
    if is_kebab_case(text) { Ok(slug) } else { Err(String::from("must not hold \"--\"")) }
}

pub(super) fn free_tag(text: &str) -> Result<Tag, String> {
    match text.parse() {
        Ok(_) if text == Tag::LATEST => Err(String::from("must not be \"latest\", which the registry computes")),
        Ok(tag) => Ok(tag),
        Err(fault) => Err(format!("{fault}")),
    }
}
