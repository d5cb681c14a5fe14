//! Credentials with a form of their own. Assignments such as `password = "…"` are not guessed at: documentation is full of them.

use std::ops::Range;

use super::Hit;

/// One kind of credential.
pub(super) struct Rule {
    /// What it begins with (or, for keys in PEM, what ends its first line).
    pub(super) needle: &'static str,
    what: &'static str,
    body: Body,
}

/// What must follow the needle.
enum Body {
    /// Exactly this many characters of an alphabet.
    Exactly(usize, fn(u8) -> bool),
    /// At least this many.
    AtLeast(usize, fn(u8) -> bool),
    /// The lines of a key.
    Pem,
}

use Body::{AtLeast, Exactly, Pem};

const fn rule(needle: &'static str, what: &'static str, body: Body) -> Rule {
    Rule { needle, what, body }
}

/// Sources: the vendors' documentation of their formats.
pub(super) const RULES: [Rule; 28] = [
    rule("AKIA", "an AWS access key", Exactly(16, is_upper)),
    rule("ASIA", "a temporary AWS access key", Exactly(16, is_upper)),
    rule("ghp_", "a GitHub token", Exactly(36, is_alnum)),
    rule("gho_", "a GitHub token", Exactly(36, is_alnum)),
    rule("ghu_", "a GitHub token", Exactly(36, is_alnum)),
    rule("ghs_", "a GitHub token", Exactly(36, is_alnum)),
    rule("ghr_", "a GitHub token", Exactly(36, is_alnum)),
    rule("github_pat_", "a GitHub token", Exactly(82, is_word)),
    rule("glpat-", "a GitLab token", AtLeast(20, is_word_or_hyphen)),
    rule("sk-ant-api", "an Anthropic API key", AtLeast(80, is_word_or_hyphen)),
    rule("sk-ant-admin", "an Anthropic API key", AtLeast(80, is_word_or_hyphen)),
    rule("sk-proj-", "an OpenAI API key", AtLeast(48, is_word_or_hyphen)),
    rule("sk-svcacct-", "an OpenAI API key", AtLeast(48, is_word_or_hyphen)),
    rule("sk-or-v1-", "an OpenRouter API key", Exactly(64, is_hex)),
    rule("AIza", "a Google API key", Exactly(35, is_word_or_hyphen)),
    rule("GOCSPX-", "a Google OAuth secret", Exactly(28, is_word_or_hyphen)),
    rule("xoxb-", "a Slack token", AtLeast(40, is_word_or_hyphen)),
    rule("xoxp-", "a Slack token", AtLeast(40, is_word_or_hyphen)),
    rule("xoxs-", "a Slack token", AtLeast(40, is_word_or_hyphen)),
    rule("hooks.slack.com/services/T", "a Slack webhook", AtLeast(40, is_path)),
    rule("sk_live_", "a Stripe key", AtLeast(24, is_alnum)),
    rule("rk_live_", "a Stripe key", AtLeast(24, is_alnum)),
    rule("npm_", "an npm token", Exactly(36, is_alnum)),
    rule("pypi-AgEIcHlwaS5vcmc", "a PyPI token", AtLeast(50, is_word_or_hyphen)),
    rule("hf_", "a Hugging Face token", Exactly(34, is_alpha)),
    rule("dop_v1_", "a DigitalOcean token", Exactly(64, is_hex)),
    rule("SG.", "a SendGrid key", Exactly(66, is_word_or_dot)),
    rule("PRIVATE KEY-----", "a private key", Pem),
];

/// How far the lines of a key are read.
const PEM_WINDOW: usize = 256;
/// How much of a key must follow its first line: documentation shows `...` there.
const MIN_PEM: usize = 100;
/// Real bodies are random; texts with fewer bits for each character are written by people.
const MIN_ENTROPY: f64 = 3.0;
/// What people write where a secret would be.
const PLACEHOLDERS: [&str; 14] = [
    "exampl",
    "sample",
    "your",
    "xxxx",
    "placeholder",
    "dummy",
    "fake",
    "redacted",
    "secret",
    "token",
    "12345",
    "abcde",
    "00000",
    "todo",
];

impl Rule {
    /// The hit, if what surrounds the needle makes it a credential.
    pub(super) fn hit(&self, text: &[u8], needle: Range<usize>) -> Option<Hit> {
        let after = text.get(needle.end..)?;
        if matches!(self.body, Pem) {
            return is_pem(after).then(|| self.report(needle.start, "-----BEGIN…"));
        }
        let before = needle.start.checked_sub(1).and_then(|at| text.get(at));
        if before.is_some_and(|b| is_word(*b)) {
            return None;
        }
        let body = self.body.of(after).filter(|body| is_random(body))?;
        let shown = format!("{}… (at least {} characters)", self.needle, needle.len().checked_add(body.len())?);
        Some(self.report(needle.start, &shown))
    }

    fn report(&self, offset: usize, shown: &str) -> Hit {
        let message = format!("holds {}: {shown}", self.what);
        Hit { offset, message, hint: "remove it, and revoke it where it was issued: it has been copied already" }
    }
}

impl Body {
    /// The body at the start of a text. Reads no further than it must.
    fn of<'a>(&self, after: &'a [u8]) -> Option<&'a [u8]> {
        let (len, alphabet, ends) = match self {
            Exactly(len, alphabet) => (*len, alphabet, true),
            AtLeast(len, alphabet) => (*len, alphabet, false),
            Pem => return None,
        };
        let (body, rest) = after.split_at_checked(len)?;
        let goes_on = rest.first().is_some_and(|b| alphabet(*b));
        (!(ends && goes_on) && body.iter().all(|b| alphabet(*b))).then_some(body)
    }
}

fn is_random(body: &[u8]) -> bool {
    let lower = String::from_utf8_lossy(body).to_ascii_lowercase();
    entropy(body) >= MIN_ENTROPY && !PLACEHOLDERS.iter().any(|word| lower.contains(word))
}

/// Shannon's entropy of the bytes, in bits for each byte.
fn entropy(bytes: &[u8]) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in bytes {
        if let Some(count) = counts.get_mut(usize::from(*byte)) {
            *count = count.saturating_add(1);
        }
    }
    let total = bytes.len() as f64;
    let share = |count: u32| f64::from(count) / total;
    counts.into_iter().filter(|count| *count > 0).map(share).map(|p| -p * p.log2()).sum()
}

/// Whether enough of a key follows, on lines of their own or with `\n` spelled out.
fn is_pem(after: &[u8]) -> bool {
    if ![b"\n".as_slice(), b"\r\n", b"\\n"].iter().any(|line_break| after.starts_with(line_break)) {
        return false;
    }
    let window = after.get(..PEM_WINDOW).unwrap_or(after);
    let text = String::from_utf8_lossy(window).replace("\\n", "\n");
    let digits: Vec<u8> = text.bytes().filter(|b| !b.is_ascii_whitespace()).take_while(|b| is_base64(*b)).collect();
    digits.len() >= MIN_PEM && entropy(&digits) >= MIN_ENTROPY
}

fn is_upper(b: u8) -> bool {
    b.is_ascii_uppercase() || b.is_ascii_digit()
}

fn is_alpha(b: u8) -> bool {
    b.is_ascii_alphabetic()
}

fn is_alnum(b: u8) -> bool {
    b.is_ascii_alphanumeric()
}

fn is_hex(b: u8) -> bool {
    matches!(b, b'0'..=b'9' | b'a'..=b'f')
}

fn is_word(b: u8) -> bool {
    is_alnum(b) || b == b'_'
}

fn is_word_or_hyphen(b: u8) -> bool {
    is_word(b) || b == b'-'
}

fn is_word_or_dot(b: u8) -> bool {
    is_word_or_hyphen(b) || b == b'.'
}

fn is_path(b: u8) -> bool {
    is_alnum(b) || b == b'/'
}

fn is_base64(b: u8) -> bool {
    is_alnum(b) || matches!(b, b'+' | b'/' | b'=')
}
