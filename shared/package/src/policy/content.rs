//! What to do about the content of files.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use skillhub_protocol::{Finding, Scope, Severity};

use crate::content;
use crate::contents::Contents;

/// A check of content whose outcome a registry decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ContentCheck {
    /// Characters that people do not see.
    HiddenUnicode,
    /// Credentials. Block in public scope, else warn.
    SecretFound,
    /// Commands that run what they download.
    DownloadAndRun,
    /// Scripts in pictures.
    SvgActiveContent,
}

/// What to do about a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// Say nothing.
    Off,
    /// Publish with a warning.
    Warn,
    /// Refuse.
    Block,
}

/// What differs from the defaults, for each scope: `{"public": {"download_and_run": "block"}}`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ContentPolicy(HashMap<Scope, HashMap<ContentCheck, Action>>);

impl ContentCheck {
    /// The code of findings of this check.
    pub fn code(self) -> &'static str {
        match self {
            Self::HiddenUnicode => "hidden_unicode",
            Self::SecretFound => "secret_found",
            Self::DownloadAndRun => "download_and_run",
            Self::SvgActiveContent => "svg_active_content",
        }
    }
}

impl ContentPolicy {
    /// The same policy with another action for one check in one scope.
    #[must_use]
    pub fn with(mut self, scope: Scope, check: ContentCheck, action: Action) -> Self {
        self.0.entry(scope).or_default().insert(check, action);
        self
    }

    /// What to do about a finding of this check in this scope.
    pub fn action(&self, scope: Scope, check: ContentCheck) -> Action {
        let default = match (check, scope) {
            (ContentCheck::SecretFound, Scope::Public) => Action::Block,
            _ => Action::Warn,
        };
        self.0.get(&scope).and_then(|actions| actions.get(&check)).copied().unwrap_or(default)
    }

    pub(super) fn check(&self, contents: &Contents, scope: Scope) -> Vec<Finding> {
        let mut findings = Vec::new();
        for file in contents.files() {
            findings.extend(content::magic::check(file));
            for (check, finding) in content::scan(file) {
                match self.action(scope, check) {
                    Action::Off => {}
                    Action::Warn => findings.push(Finding { severity: Severity::Warning, ..finding }),
                    Action::Block => findings.push(Finding { severity: Severity::Error, ..finding }),
                }
            }
        }
        findings
    }
}
