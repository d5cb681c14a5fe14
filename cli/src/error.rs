//! What can go wrong, in the form in which it is told.

use std::borrow::Cow;
use std::fmt;
use std::path::Path;

use serde::Serialize;
use skillhub_protocol::Finding;

/// How the command ends when something went wrong: the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// It failed for a reason that has no code of its own.
    Failed = 1,
    /// The command line or the configuration is wrong.
    Usage = 2,
    /// The token is missing, unknown, or may not do this.
    Authentication = 3,
    /// The registry or its store could not be reached, or is not well.
    Network = 4,
    /// Something is already there, and it is something else.
    Conflict = 5,
    /// The package, or what was downloaded, is not acceptable.
    Refused = 6,
}

impl Exit {
    fn hint(self) -> &'static str {
        match self {
            Self::Failed => "correct that, then try again; `skillhub doctor` looks for what is wrong on this machine",
            Self::Usage => "`skillhub help` and `skillhub help COMMAND` show what there is",
            Self::Authentication => {
                "`skillhub whoami` shows who you are there; an owner of the namespace can change that"
            }
            Self::Network => "try again; if it stays, tell those who run the registry",
            Self::Conflict => "look at what is there, then decide which of the two shall stay",
            Self::Refused => "correct what is listed, then try again",
        }
    }
}

/// Why something did not work: what, the details, and what to do next.
///
/// The texts may come from elsewhere; they are made safe for a terminal where they are printed.
#[derive(Debug, Clone, Serialize)]
#[serde(transparent)]
pub struct Failure(Box<Fault>);

/// Boxed, so that a `Result` stays small.
#[derive(Debug, Clone, Serialize)]
struct Fault {
    #[serde(skip)]
    exit: Exit,
    code: Cow<'static, str>,
    message: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    details: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    findings: Vec<Finding>,
    hint: Cow<'static, str>,
}

impl Failure {
    /// A failure with its stable code (lower snake case), and the hint of its kind.
    pub fn new(exit: Exit, code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        let (details, findings) = (Vec::new(), Vec::new());
        let (code, message) = (code.into(), message.into());
        Self(Box::new(Fault { exit, code, message, details, findings, hint: exit.hint().into() }))
    }

    /// The command line or the configuration is wrong.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, "usage", message)
    }

    /// `cannot <action> <path>: <cause>`.
    pub(crate) fn io(action: &str, path: &Path, cause: &dyn fmt::Display) -> Self {
        Self::new(Exit::Failed, "io", format!("cannot {action} {}: {cause}", path.display()))
    }

    /// A package that a check refuses.
    pub(crate) fn refused(message: impl Into<String>, findings: Vec<Finding>) -> Self {
        let code = findings.iter().find(|finding| finding.is_error()).map(|finding| finding.code.clone());
        let code = code.map_or(Cow::Borrowed("policy_refused"), Cow::Owned);
        let mut failure = Self::new(Exit::Refused, code, message);
        failure.0.findings = findings;
        failure
    }

    /// The same failure with one more line of detail.
    #[must_use]
    pub fn detail(mut self, detail: impl Into<String>) -> Self {
        self.0.details.push(detail.into());
        self
    }

    /// The same failure with one more line of detail for each item.
    #[must_use]
    pub fn details(mut self, details: impl IntoIterator<Item = String>) -> Self {
        self.0.details.extend(details);
        self
    }

    /// The same failure with what to do next, in place of what it had.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.0.hint = Cow::Owned(hint.into());
        self
    }

    /// The exit code.
    pub fn exit(&self) -> Exit {
        self.0.exit
    }

    /// The stable code.
    pub fn code(&self) -> &str {
        &self.0.code
    }

    /// What went wrong.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// What a check found.
    pub fn findings(&self) -> &[Finding] {
        &self.0.findings
    }

    /// The same failure, for places that tell the findings apart from it.
    pub(crate) fn without_findings(&self) -> Self {
        let mut failure = self.clone();
        failure.0.findings.clear();
        failure
    }

    /// Whether the registry says that there is no such thing, for this caller.
    pub(crate) fn is_not_found(&self) -> bool {
        self.0.code == "not_found"
    }

    pub(crate) fn detail_lines(&self) -> &[String] {
        &self.0.details
    }

    /// What to do next.
    pub(crate) fn hint_line(&self) -> &str {
        &self.0.hint
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} [{}]", self.0.message, self.0.code)?;
        self.0.details.iter().try_for_each(|detail| write!(f, "\n  {detail}"))?;
        self.0.findings.iter().try_for_each(|finding| write!(f, "\n  {finding}"))?;
        write!(f, "\nhint: {}", self.hint_line())
    }
}

impl std::error::Error for Failure {}
