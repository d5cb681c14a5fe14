//! Which version a skill gets.

use skillhub_protocol::{Release, Version};

use crate::error::{Exit, Failure};

/// The version of a skill that nobody gave a version.
const FIRST: &str = "0.1.0";

/// The current version in the registry, seen from a draft.
pub(crate) struct Current {
    pub(super) version: Version,
    /// Whether the draft has the same files, name and description.
    pub(super) is_same: bool,
}

/// The option, else the version in `SKILL.md`, else the current version if nothing changed, else the next patch, else 0.1.0.
/// The registry is asked for the current version only if it matters.
pub(crate) fn choose_version(
    option: Option<&Release>,
    in_skill_md: Option<&Release>,
    current: impl FnOnce() -> Result<Option<Current>, Failure>,
) -> Result<Version, Failure> {
    if let Some(release) = option.or(in_skill_md) {
        return Ok(release.into());
    }
    match current()? {
        None => FIRST.parse().map_err(|e| Failure::usage(String::from(e))),
        Some(current) if current.is_same => Ok(current.version),
        Some(current) => next(&current.version),
    }
}

fn next(version: &Version) -> Result<Version, Failure> {
    let next = version.to_release().ok().and_then(|release| release.next_patch());
    next.as_ref().map(Version::from).ok_or_else(|| {
        Failure::new(Exit::Usage, "version_invalid", format!("no version follows {version} by itself"))
            .hint("give one with `--version`")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn option_then_skill_md_then_what_the_registry_has() {
        let release = |text: &str| text.parse::<Release>().unwrap();
        let table = [
            (Some("2.0.0"), Some("1.0.0"), None, "2.0.0"),
            (Some("2.0.0"), Some("1.0.0"), Some(("3.0.0", true)), "2.0.0"),
            (None, Some("1.0.0"), Some(("3.0.0", false)), "1.0.0"),
            (None, None, None, "0.1.0"),
            (None, None, Some(("1.2.3", true)), "1.2.3"),
            (None, None, Some(("1.2.3", false)), "1.2.4"),
            (None, None, Some(("1.0.0-rc.1", false)), "1.0.0"),
        ];
        for (option, in_skill_md, current, expected) in table {
            let current = current.map(|(version, is_same)| Current { version: version.parse().unwrap(), is_same });
            let (option, in_skill_md) = (option.map(release), in_skill_md.map(release));
            let chosen = choose_version(option.as_ref(), in_skill_md.as_ref(), || Ok(current)).unwrap();
            assert_eq!(chosen.as_str(), expected);
        }
    }

    #[test]
    fn a_version_that_has_no_successor_is_asked_for() {
        for version in ["2026-03", "1.0.18446744073709551615"] {
            let current = Current { version: version.parse().unwrap(), is_same: false };
            let failure = choose_version(None, None, || Ok(Some(current))).unwrap_err();
            assert_eq!((failure.exit(), failure.code()), (Exit::Usage, "version_invalid"));
        }
    }
}
