//! `skillhub doctor`.

use std::fs;
use std::path::Path;

use serde::Serialize;
use skillhub_package::describe_skill_md;
use skillhub_protocol::Manifest;

use super::show::counted;
use super::{Context, Ended};
use crate::config::{ProjectConfig, UserConfig};
use crate::error::{Exit, Failure};
use crate::install::{Cache, Found, Lockfile, Target, leftovers, read_record, scan};

/// What was looked at, and what there is to say of it.
#[derive(Debug, Serialize)]
struct Finding {
    check: &'static str,
    outcome: Outcome,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Outcome {
    Ok,
    Warning,
    Failed,
}

impl Finding {
    fn new(check: &'static str, outcome: Outcome, message: impl Into<String>) -> Self {
        Self { check, outcome, message: message.into(), hint: None }
    }

    fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    fn failed(check: &'static str, failure: &Failure) -> Self {
        Self::new(check, Outcome::Failed, failure.message()).hint(failure.hint_line())
    }
}

/// Looks at all that the commands depend on. What is broken is a failure; what is only odd is a warning.
pub(super) fn run(context: &Context) -> Ended {
    let mut findings = vec![configuration(context), project(context), lockfile(context), cache(context)];
    findings.extend(registry(context));
    findings.extend(folders(context));
    findings.extend(skills(context)?);
    if context.output.is_json() {
        context.output.json(&findings);
    } else {
        findings.iter().for_each(|finding| print(context, finding));
    }
    Ok(findings.iter().any(|finding| finding.outcome == Outcome::Failed).then_some(Exit::Failed))
}

fn print(context: &Context, finding: &Finding) {
    let outcome = match finding.outcome {
        Outcome::Ok => "ok     ",
        Outcome::Warning => "warning",
        Outcome::Failed => "failed ",
    };
    context.output.data(format!("{outcome}  {}: {}", finding.check, finding.message));
    finding.hint.iter().for_each(|hint| context.output.data(format!("         hint: {hint}")));
}

fn configuration(context: &Context) -> Finding {
    let check = "configuration";
    let file = UserConfig::path(&context.env);
    match (UserConfig::load(&context.env), file) {
        (Err(failure), _) => Finding::failed(check, &failure),
        (Ok(_), Some(file)) if is_open_to_others(&file) => {
            Finding::new(check, Outcome::Warning, format!("others can read {}, which holds tokens", file.display()))
                .hint(format!("chmod 600 {}", file.display()))
        }
        (Ok(_), Some(file)) if !file.exists() => {
            Finding::new(check, Outcome::Ok, format!("none in {}", file.display()))
        }
        (Ok(_), Some(file)) => Finding::new(check, Outcome::Ok, file.display().to_string()),
        (Ok(_), None) => Finding::new(check, Outcome::Warning, "there is no home folder to keep it in")
            .hint("set SKILLHUB_CONFIG_DIR"),
    }
}

#[cfg(unix)]
fn is_open_to_others(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(file).is_ok_and(|metadata| metadata.permissions().mode() & 0o077 != 0)
}

#[cfg(not(unix))]
fn is_open_to_others(_: &Path) -> bool {
    false
}

fn project(context: &Context) -> Finding {
    match ProjectConfig::load(&context.env) {
        Err(failure) => Finding::failed("project", &failure),
        Ok(ProjectConfig { registry: Some(registry), .. }) => {
            Finding::new("project", Outcome::Ok, format!("skillhub.toml names {registry}"))
        }
        Ok(_) => Finding::new("project", Outcome::Ok, context.env.cwd.display().to_string()),
    }
}

fn lockfile(context: &Context) -> Finding {
    match Lockfile::load(&context.env) {
        Err(failure) => Finding::failed("lock file", &failure),
        Ok(None) => Finding::new("lock file", Outcome::Ok, "none"),
        Ok(Some(lockfile)) => {
            let missing = lockfile.skills().filter(|(folder, _)| {
                !Target::project(folder.agent, &context.env).dir.join(folder.name.as_str()).exists()
            });
            match missing.count() {
                0 => Finding::new("lock file", Outcome::Ok, counted(lockfile.skills().count(), "skill")),
                missing => {
                    Finding::new("lock file", Outcome::Warning, format!("{} missing here", counted(missing, "skill")))
                        .hint("`skillhub install` installs them")
                }
            }
        }
    }
}

fn cache(context: &Context) -> Finding {
    let cache = Cache::new(context.env.cache_dir.as_deref());
    let Some(dir) = cache.dir() else {
        return Finding::new("cache", Outcome::Warning, "there is no home folder to keep it in")
            .hint("set SKILLHUB_CACHE_DIR");
    };
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let sizes: Vec<u64> = entries.filter_map(|entry| Some(entry.metadata().ok()?.len())).collect();
    let bytes: u64 = sizes.iter().sum();
    Finding::new(
        "cache",
        Outcome::Ok,
        format!("{}, {bytes} bytes in {}", counted(sizes.len(), "package"), dir.display()),
    )
}

/// Whether the registry answers, and to whom.
fn registry(context: &Context) -> Vec<Finding> {
    let client = match context.client() {
        Ok(client) => client,
        Err(failure) => return vec![Finding::failed("registry", &failure)],
    };
    if let Err(failure) = client.first_skills() {
        return vec![Finding::failed("registry", &failure)];
    }
    let reached = Finding::new("registry", Outcome::Ok, format!("{} answers", client.registry()));
    let token = match client.endpoint().token {
        None => Finding::new("token", Outcome::Warning, "none: only what everybody may see is there")
            .hint("sign in with `skillhub login`"),
        Some(_) => match client.whoami() {
            Ok(identity) => Finding::new("token", Outcome::Ok, format!("it is {}'s", identity.handle)),
            Err(failure) => Finding::failed("token", &failure),
        },
    };
    vec![reached, token]
}

/// What killed installations have left.
fn folders(context: &Context) -> Vec<Finding> {
    let warn = |target: &Target| {
        let left = leftovers(&target.dir);
        let message = format!(
            "an installation that was killed has left {} in {}",
            counted(left.len(), "folder"),
            target.dir.display()
        );
        let hint = "the next installation there removes or repairs them";
        (!left.is_empty()).then(|| Finding::new("folders", Outcome::Warning, message).hint(hint))
    };
    Target::all(&context.env).iter().filter_map(warn).collect()
}

fn skills(context: &Context) -> Result<Vec<Finding>, Failure> {
    let found = scan(&context.env)?;
    let mut findings: Vec<Finding> = found.iter().filter_map(skill).collect();
    let odd = findings.len();
    findings.push(Finding::new("skills", Outcome::Ok, format!("{} installed, {odd} of them odd", found.len())));
    Ok(findings)
}

fn skill(found: &Found) -> Option<Finding> {
    let path = found.path.display();
    if let Some(other) = &found.shadowed_by {
        let message = format!("{path} is shadowed by {}", other.display());
        return Some(Finding::new("skill", Outcome::Warning, message).hint("remove one of the two"));
    }
    if let Err(failure) = read_record(&found.path) {
        return Some(Finding::failed("skill", &failure));
    }
    let skill_md = fs::read(found.path.join(Manifest::SKILL_MD)).ok()?;
    let finding = describe_skill_md(&skill_md).err()?;
    let message = format!("agents may not load {path}: SKILL.md {}", finding.message);
    Some(Finding::new("skill", Outcome::Warning, message).hint("correct it, or remove the skill"))
}
