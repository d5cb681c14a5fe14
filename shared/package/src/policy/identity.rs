//! Who the skill says it is: `SKILL.md` must be there, and name and slug must fit.

use skillhub_protocol::{Finding, SkillName, Slug, is_kebab_case};

use super::NameRule;
use crate::findings::quote;
use crate::path::Placed;
use crate::skill_md::SKILL_MD;

pub(super) fn check_slug(slug: &str) -> Option<Finding> {
    match slug.parse::<Slug>() {
        Err(fault) => Some(Finding::error(fault.code(), "slug", format!("{} {fault}", quote(slug)))),
        Ok(_) if is_kebab_case(slug) => None,
        Ok(_) => {
            let message = format!("{} must not hold \"--\", which separates namespace and slug", quote(slug));
            Some(Finding::error("slug_double_hyphen", "slug", message))
        }
    }
}

pub(super) fn check_name(name: &SkillName, slug: &str, rule: NameRule) -> Option<Finding> {
    let name = name.as_str();
    if !is_kebab_case(name) {
        let message = format!("{} is not kebab-case, as the public specification demands", quote(name));
        let path = "skillMd.frontmatter.name";
        let finding = match rule {
            NameRule::Any => Finding::warning("name_not_kebab_case", path, message),
            NameRule::Kebab => Finding::error("name_not_kebab_case", path, message),
        };
        return Some(finding.hint(format!("write `name: {}`", suggestion(name, slug))));
    }
    if name == slug || slug.parse::<Slug>().is_err() {
        return None;
    }
    let message = format!("the slug is {}, but SKILL.md names the skill {}", quote(slug), quote(name));
    Some(Finding::error("slug_mismatch", "slug", message).hint(format!("publish it as {}", quote(name))))
}

/// The name in kebab-case where it has such a form, else the slug.
fn suggestion(name: &str, slug: &str) -> String {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let kebab = words.collect::<Vec<_>>().join("-").to_ascii_lowercase();
    if name.is_ascii() && is_kebab_case(&kebab) { kebab } else { slug.to_owned() }
}

/// What to say of a package without `SKILL.md` at its root.
pub(super) fn no_skill_md(listing: &[Placed]) -> Finding {
    let finding = Finding::error("skill_md_missing", "archive", "there is no file SKILL.md at the root of the package");
    let mut files = listing.iter().filter(|place| !place.is_directory).map(|place| place.path.as_str());
    let is_skill_md = |path: &str| path.rsplit('/').next().is_some_and(|name| name.eq_ignore_ascii_case(SKILL_MD));
    match files.find(|path| is_skill_md(path)) {
        None => finding,
        Some(found) => match found.rsplit_once('/') {
            Some((folder, SKILL_MD)) => {
                finding.hint(format!("found at {found}: pack from inside the folder {}", quote(folder)))
            }
            _ => finding.hint(format!("found at {found}: the name must be spelled SKILL.md, rename the file")),
        },
    }
}
