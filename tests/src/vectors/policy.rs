//! What vectors of packages have in common: a verdict of the publish policy, and the code that explains it.

use serde::Deserialize;
use skillhub_package::{Declared, Policy, Report, check};
use skillhub_protocol::{Finding, Scope};

/// What the policy must say.
#[derive(Debug, Deserialize)]
pub(super) struct Expected {
    verdict: Verdict,
    code: Option<String>,
    #[serde(default)]
    code_any: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Verdict {
    /// Published without a finding.
    Accept,
    /// Published with a warning of the code.
    Warn,
    /// Not published, with an error of the code.
    Refuse,
}

/// What the default policy says of an archive that is published under `slug`, visible to everybody.
pub(super) fn report(archive: &[u8], slug: &str) -> Report {
    check(archive, &Declared { slug, scope: Scope::Public }, &Policy::default())
}

impl Expected {
    /// Compares a report with this expectation.
    pub(super) fn demand(&self, report: &Report) -> Result<(), String> {
        let holds = match self.verdict {
            Verdict::Accept => report.package.is_some() && report.findings.is_empty(),
            Verdict::Warn => report.package.is_some() && self.any(&report.findings, false),
            Verdict::Refuse => report.package.is_none() && self.any(&report.findings, true) && self.alone(report),
        };
        if holds { Ok(()) } else { Err(self.difference(&report.findings, report.package.is_some())) }
    }

    fn any(&self, findings: &[Finding], error: bool) -> bool {
        findings.iter().any(|finding| finding.is_error() == error && self.names(&finding.code))
    }

    fn names(&self, code: &str) -> bool {
        self.code.iter().chain(&self.code_any).any(|expected| expected == code)
    }

    /// A structural fault of the archive ends reading, so it comes alone.
    fn alone(&self, report: &Report) -> bool {
        let structural = |code: &String| code.starts_with("zip_") || code == "not_regular_file";
        !self.code.as_ref().is_some_and(structural) || report.findings.len() == 1
    }

    fn difference(&self, findings: &[Finding], published: bool) -> String {
        let codes: Vec<&str> = self.code.iter().chain(&self.code_any).map(String::as_str).collect();
        let expected = match self.verdict {
            Verdict::Accept => "published without a finding".to_owned(),
            Verdict::Warn => format!("published with the warning {}", codes.join(" or ")),
            Verdict::Refuse => format!("refused with {}", codes.join(" or ")),
        };
        let found: Vec<String> = findings.iter().map(Finding::to_string).collect();
        let verdict = if published { "published" } else { "refused" };
        format!("must be {expected}, is {verdict} with [{}]", found.join("; "))
    }
}
