//! A skill, packed and checked on this machine.

use std::path::{Path, PathBuf};

use skillhub_package::pack::LeftOut;
use skillhub_package::{Contents, Declared, Package, Policy, SkillMd, check_contents, parse_skill_md};
use skillhub_protocol::{Error, Finding, Manifest, Release, Scope, Slug, Version, is_kebab_case};

use crate::error::Failure;
use crate::pack::{Source, pack};

/// What is said of a skill, besides what is in it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DraftOptions<'a> {
    /// The slug, where the name in `SKILL.md` or the folder's name is not the one.
    pub(crate) slug: Option<&'a Slug>,
    /// The version, where the one in `SKILL.md` or a computed one is not the one.
    pub(crate) version: Option<&'a Release>,
    /// Who will see the skill: some checks depend on it.
    pub(crate) scope: Scope,
}

/// A skill that passed every check of this machine.
pub(crate) struct Draft {
    /// Where it was read from.
    pub(crate) source: PathBuf,
    /// The slug to publish.
    pub(crate) slug: Slug,
    /// The files.
    pub(crate) contents: Contents,
    /// What is in `SKILL.md`.
    pub(crate) skill_md: SkillMd,
    /// What was not packed.
    pub(crate) left_out: Vec<LeftOut>,
    /// What the checks warn of.
    pub(crate) warnings: Vec<Finding>,
}

impl Draft {
    /// Packs and checks a folder or a ZIP.
    pub(crate) fn prepare(source: &Path, options: &DraftOptions<'_>) -> Result<Self, Failure> {
        Self::check(pack(source)?, options)
    }

    /// Checks what was packed.
    pub(crate) fn check(source: Source, options: &DraftOptions<'_>) -> Result<Self, Failure> {
        let Source { path, contents, left_out } = source;
        let slug = choose_slug(options.slug, &contents, &path)?;
        let declared = Declared { slug: slug.as_str(), scope: options.scope };
        let report = check_contents(contents, &declared, &Policy::default());
        let Some(Package { contents, skill_md }) = report.package else {
            let message = format!("{} cannot be published", path.display());
            return Err(Failure::refused(message, report.findings));
        };
        let mut warnings = report.findings;
        warnings.extend(overridden(options.version, skill_md.version().as_ref()));
        Ok(Self { source: path, slug, contents, skill_md, left_out, warnings })
    }

    /// The manifest that this skill has as `version`.
    pub(crate) fn manifest(&self, version: Version) -> Result<Manifest, Failure> {
        let (name, description) = (self.skill_md.name.clone(), self.skill_md.description.clone());
        self.contents.manifest(self.slug.clone(), name, description, version).map_err(|e| self.not_describable(&e))
    }

    fn not_describable(&self, error: &Error) -> Failure {
        let finding = Finding::error("manifest_mismatch", error.path(), error.message());
        Failure::refused(format!("{} cannot be published", self.source.display()), vec![finding])
    }

    /// Whether this skill and `manifest` differ in nothing but slug and version.
    pub(crate) fn equals(&self, manifest: &Manifest) -> bool {
        let files = self.contents.files().iter().map(|file| (file.path(), file.sha256()));
        manifest.name == self.skill_md.name
            && manifest.description == self.skill_md.description
            && files.eq(manifest.files().iter().map(|file| (&file.path, file.sha256)))
    }
}

fn overridden(option: Option<&Release>, in_skill_md: Option<&Release>) -> Option<Finding> {
    let (option, in_skill_md) = (option?, in_skill_md.filter(|in_skill_md| Some(*in_skill_md) != option)?);
    let message = format!("is {in_skill_md}, but --version says {option}, which holds");
    Some(Finding::warning("version_overridden", "skillMd.frontmatter.version", message))
}

/// The option, else the name in `SKILL.md`, else the name of the folder or ZIP: the first that is kebab-case.
fn choose_slug(option: Option<&Slug>, contents: &Contents, source: &Path) -> Result<Slug, Failure> {
    if let Some(slug) = option {
        return Ok(slug.clone());
    }
    let skill_md = contents.get(Manifest::SKILL_MD).map(|file| parse_skill_md(file.data()));
    let folder = folder_name(source);
    let names = match &skill_md {
        Some(Ok(skill_md)) => [Some(skill_md.name.as_str()), folder.as_deref()],
        // The checks to come say what is wrong with it; the slug is not what matters.
        _ => [folder.as_deref(), Some("unnamed")],
    };
    let kebab = names.into_iter().flatten().filter(|name| is_kebab_case(name));
    kebab.filter_map(|name| name.parse().ok()).next().ok_or_else(|| no_slug(&names, source))
}

fn folder_name(source: &Path) -> Option<String> {
    let source = source.canonicalize().ok()?;
    let name = if source.is_dir() { source.file_name() } else { source.file_stem() };
    Some(name?.to_str()?.to_owned())
}

fn no_slug(names: &[Option<&str>], source: &Path) -> Failure {
    let tried = names.iter().flatten().map(|name| format!("{name:?} is not kebab-case"));
    Failure::usage(format!("{} has no name that can be its slug", source.display()))
        .details(tried)
        .hint("name one with `--slug`, such as `--slug my-skill`")
}
