//! From files to a package and what is declared of it, as our own command makes them.

use http::StatusCode;
use skillhub_package::pack::{SourceFile, from_files};
use skillhub_package::{Declared, Package, Policy, canonical, check_contents, sha256};
use skillhub_protocol::{Finding, OpenUpload, PackageDeclaration};
use skillhub_web::ApiError;

use super::super::text::Refused;
use super::target::Target;

/// Checks the files and makes the canonical archive of them.
///
/// # Errors
/// 422 with the findings, one a line.
pub(crate) async fn assemble(files: Vec<SourceFile>, target: &Target) -> Result<(OpenUpload, Vec<u8>), Refused> {
    let target = target.clone();
    // Deflating megabytes is no work for the thread that answers requests in local mode.
    let assembled = tokio::task::spawn_blocking(move || assemble_now(files, &target)).await;
    assembled.map_err(|e| ApiError::internal(e.to_string()))?.map_err(|findings| refusal(&findings))
}

fn assemble_now(files: Vec<SourceFile>, target: &Target) -> Result<(OpenUpload, Vec<u8>), Vec<Finding>> {
    let contents = from_files(files)?.contents;
    let declared = Declared { slug: target.slug.as_str(), scope: target.scope };
    let report = check_contents(contents, &declared, &Policy::default());
    let Some(Package { contents, skill_md }) = report.package else { return Err(report.findings) };
    let archive = canonical(&contents).bytes;
    let manifest = contents.manifest(target.slug.clone(), skill_md.name, skill_md.description, target.version.clone());
    let manifest = manifest.map_err(|e| vec![Finding::error("manifest_mismatch", e.path(), e.message().to_owned())])?;
    let package = PackageDeclaration { size_bytes: archive.len() as u64, sha256: sha256(&archive) };
    let (namespace, tags) = (target.namespace.clone(), target.tags.clone());
    Ok((OpenUpload { namespace, scope: None, tags, package, manifest }, archive))
}

/// The errors among the findings, one a line.
pub(crate) fn refusal(findings: &[Finding]) -> Refused {
    let errors = findings.iter().filter(|finding| finding.is_error()).map(ToString::to_string);
    let text = [String::from("This package cannot be published:")].into_iter().chain(errors).collect::<Vec<_>>();
    Refused::new(StatusCode::UNPROCESSABLE_ENTITY, text.join("\n"))
}
