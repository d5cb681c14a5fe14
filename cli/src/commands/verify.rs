//! `skillhub verify`.

use std::collections::BTreeSet;
use std::fmt;

use serde::Serialize;
use skillhub_protocol::VersionState;

use super::install::Clients;
use super::update::not_installed;
use super::{Context, Ended};
use crate::args::VerifyArgs;
use crate::client::Client;
use crate::error::{Exit, Failure};
use crate::install::{FolderName, Target, examine, read_manifest, read_record};

/// What is to say of one skill.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Verdict {
    name: String,
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    coordinate: Option<String>,
    outcome: Outcome,
    /// What differs from what was published.
    changes: Vec<String>,
    /// What the registry says of the version, if it was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<VersionState>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Failure>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Outcome {
    Unchanged,
    Changed,
    /// The registry does not hand the version out any more.
    Blocked,
    Failed,
}

/// Compares every file with the manifest that came with it; with `--remote`, the manifest with that of the registry.
pub(super) fn run(context: &Context, args: &VerifyArgs) -> Ended {
    let targets = Target::searched(&args.target, &context.env)?;
    let mut clients = Clients::new(context);
    let mut missing: BTreeSet<&str> = args.names.iter().map(FolderName::as_str).collect();
    let mut verdicts = Vec::new();
    for target in &targets {
        for name in target.skill_names()? {
            let is_named = args.names.iter().any(|other| other.as_str() == name);
            missing.remove(name.as_str());
            if is_named || args.names.is_empty() {
                verdicts.extend(judge(&mut clients, target, name, args.remote, is_named));
            }
        }
    }
    verdicts.iter().for_each(|verdict| announce(context, verdict));
    if context.output.is_json() {
        context.output.json(&verdicts);
    }
    if !missing.is_empty() {
        return Err(not_installed(&missing.into_iter().collect::<Vec<_>>().join(", "), &targets));
    }
    Ok(verdicts.iter().find_map(Verdict::exit))
}

/// Nothing is said of skills that others installed, unless they are named.
fn judge(clients: &mut Clients<'_>, target: &Target, name: String, remote: bool, is_named: bool) -> Option<Verdict> {
    let path = target.dir.join(&name);
    if !is_named && matches!(read_record(&path), Ok(None)) {
        return None;
    }
    let blank = Verdict {
        name,
        path: path.display().to_string(),
        coordinate: None,
        outcome: Outcome::Failed,
        changes: Vec::new(),
        state: None,
        error: None,
    };
    let existing = match examine(&path) {
        Ok(Some(existing)) => existing,
        Ok(None) => return None,
        Err(failure) => return Some(Verdict { error: Some(failure), ..blank }),
    };
    let outcome = if existing.changes.is_empty() { Outcome::Unchanged } else { Outcome::Changed };
    let coordinate = Some(existing.record.coordinate());
    let mut verdict = Verdict { coordinate, outcome, changes: existing.changes, ..blank };
    if remote {
        let asked = existing.record.registry_url.parse().map_err(|e| Failure::usage(format!("registryUrl {e}")));
        match asked.and_then(|registry| clients.of(&registry)).and_then(|client| ask(&client, &path)) {
            Ok((state, differs)) => verdict = verdict.with_registry(state, differs),
            Err(failure) => verdict = Verdict { error: Some(failure), outcome: Outcome::Failed, ..verdict },
        }
    }
    Some(verdict)
}

/// The state of the version, and what of its record and manifest is not as the registry has it.
fn ask(client: &Client, path: &std::path::Path) -> Result<(VersionState, Vec<String>), Failure> {
    let record = read_record(path)?.ok_or_else(|| Failure::usage("the record is gone"))?;
    let skill = record.skill().ok_or_else(|| Failure::usage("the record names no published skill"))?;
    let resolved = client.resolve(&record.exact().unwrap_or(skill))?;
    let detail = client.version(&resolved.skill_id, &resolved.version_id)?;
    let versions = client.versions(&resolved.skill_id)?;
    let entry = versions.into_iter().find(|entry| entry.summary.version == record.version);
    let mut differs = Vec::new();
    if detail.summary.sha256 != record.sha256 {
        differs.push(format!("registry: another digest, {}", detail.summary.sha256));
    }
    if read_manifest(path).is_some_and(|manifest| manifest != detail.manifest) {
        differs.push(String::from("registry: another manifest"));
    }
    Ok((entry.map_or(VersionState::Available, |entry| entry.state), differs))
}

impl Verdict {
    fn with_registry(mut self, state: VersionState, differs: Vec<String>) -> Self {
        if !differs.is_empty() {
            self.outcome = Outcome::Changed;
        }
        if state == VersionState::Blocked {
            self.outcome = Outcome::Blocked;
        }
        self.changes.extend(differs);
        Self { state: Some(state), ..self }
    }

    fn exit(&self) -> Option<Exit> {
        match (self.outcome, &self.error) {
            (_, Some(failure)) => Some(failure.exit()),
            (Outcome::Unchanged, None) => None,
            (_, None) => Some(Exit::Failed),
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.outcome {
            Outcome::Unchanged => "unchanged",
            Outcome::Changed => "changed",
            Outcome::Blocked => "blocked",
            Outcome::Failed => "failed",
        };
        let yanked = if self.state == Some(VersionState::Yanked) { " (yanked)" } else { "" };
        write!(f, "{what} {}{yanked} in {}", self.coordinate.as_deref().unwrap_or(&self.name), self.path)
    }
}

fn announce(context: &Context, verdict: &Verdict) {
    if !context.output.is_json() {
        context.output.data(verdict);
        verdict.changes.iter().for_each(|change| context.output.data(format!("  {change}")));
        verdict.error.iter().for_each(|failure| context.output.failure(failure));
    }
}
