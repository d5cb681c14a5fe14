//! The verdict on the bytes: size, digest, archive, policy, manifest.

use rand::Rng;
use skillhub_package::{Canonical, Declared, Package, Policy, canonical, check, sha256, verify, verify_skill_md};
use skillhub_protocol::{Finding, Manifest};
use skillhub_store::{SessionItem, StagedBytes, StoreError, fail_point};

use crate::{Judgement, Validator};

/// A package that may be published as far as its bytes go.
pub(crate) struct Checked {
    pub(crate) package: Package,
    pub(crate) canonical: Canonical,
    pub(crate) warnings: Vec<Finding>,
}

impl Validator {
    pub(crate) async fn judge(
        &self,
        session: &SessionItem,
        rng: &mut (impl Rng + Send),
    ) -> Result<Judgement, StoreError> {
        let bytes = match self.objects.read_staging(&session.id, session.package_bytes).await? {
            StagedBytes::Missing => return Ok(Judgement::NoBytes),
            StagedBytes::TooLong => return Ok(Judgement::Rejected(vec![longer_than_declared(session)])),
            StagedBytes::Bytes(bytes) => bytes,
        };
        fail_point("validate.read");
        let situation = self.table.situation(session).await?;
        fail_point("validate.situation");
        let (declared, policy) = (session.clone(), self.policy.clone());
        let manifest = situation.manifest.clone();
        // Inflating and hashing megabytes is no work for the thread that answers requests in local mode.
        let checked = tokio::task::spawn_blocking(move || check_bytes(&bytes, &declared, &manifest, &policy)).await;
        fail_point("validate.checked");
        match checked.map_err(|e| StoreError::Unavailable { operation: "check", cause: e.to_string() })? {
            Err(findings) => Ok(Judgement::Rejected(bounded(findings))),
            Ok(checked) => self.promote(session, situation, checked, rng).await,
        }
    }
}

fn check_bytes(
    bytes: &[u8],
    session: &SessionItem,
    manifest: &Manifest,
    policy: &Policy,
) -> Result<Checked, Vec<Finding>> {
    if bytes.len() as u64 != session.package_bytes || sha256(bytes) != session.package_sha256 {
        return Err(vec![other_than_declared(bytes, session)]);
    }
    let declared = Declared { slug: session.slug.as_str(), scope: session.audience.scope() };
    let report = check(bytes, &declared, policy);
    let Some(package) = report.package else { return Err(report.findings) };
    let disagreements = disagreements(&package, manifest);
    if !disagreements.is_empty() {
        return Err(disagreements);
    }
    let canonical = canonical(&package.contents);
    Ok(Checked { package, canonical, warnings: bounded(report.findings) })
}

/// Where the declared manifest and the package differ.
fn disagreements(package: &Package, manifest: &Manifest) -> Vec<Finding> {
    let files = verify(&package.contents, manifest).err();
    let skill_md = verify_skill_md(&package.skill_md, manifest).err();
    files.into_iter().chain(skill_md).flatten().collect()
}

fn longer_than_declared(session: &SessionItem) -> Finding {
    let message = format!("the upload is longer than the {} bytes that were declared", session.package_bytes);
    Finding::error("upload_mismatch", "archive", message)
}

fn other_than_declared(bytes: &[u8], session: &SessionItem) -> Finding {
    let message = format!(
        "declared were {} bytes with SHA-256 {}, uploaded were {} bytes with SHA-256 {}",
        session.package_bytes,
        session.package_sha256,
        bytes.len(),
        sha256(bytes)
    );
    Finding::error("upload_mismatch", "archive", message)
}

/// Findings go into an item: at most 1 KiB each and 48 KiB together.
fn bounded(mut findings: Vec<Finding>) -> Vec<Finding> {
    const EACH: usize = 1 << 10;
    const TOGETHER: usize = 48 << 10;
    let mut left = TOGETHER;
    for finding in &mut findings {
        let used = finding.path.len() + finding.code.len() + finding.hint.as_ref().map_or(0, String::len);
        shorten(&mut finding.message, EACH.saturating_sub(used));
    }
    findings.retain(|finding| {
        let size = finding.path.len() + finding.message.len() + finding.hint.as_ref().map_or(0, String::len) + 128;
        let fits = size <= left;
        left = left.saturating_sub(size);
        fits
    });
    findings
}

fn shorten(text: &mut String, bytes: usize) {
    if text.len() > bytes {
        let end = (0..=bytes.saturating_sub(3)).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
        text.truncate(end);
        text.push('…');
    }
}
