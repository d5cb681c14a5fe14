//! Getting a package, and proof that it is the right one.

use skillhub_package::{Contents, Limits, read, sha256, verify};
use skillhub_protocol::{Coordinate, DownloadResponse, Finding, Manifest, PackagePath, ResolveResponse, Sha256};

use super::record::FOLDER;
use crate::client::{Client, Fetched};
use crate::error::{Exit, Failure};
use crate::output::Output;

/// A package that is what the registry said.
pub(super) struct Package {
    pub(super) contents: Contents,
    pub(super) manifest: Manifest,
}

/// What `coordinate` means now.
pub(super) fn resolve(client: &Client, coordinate: &Coordinate) -> Result<ResolveResponse, Failure> {
    let resolved = client.resolve(coordinate)?;
    let is_asked = resolved.namespace == *coordinate.namespace() && resolved.slug == *coordinate.slug();
    if !is_asked {
        let (namespace, slug) = (&resolved.namespace, &resolved.slug);
        return Err(disagreement(format!("asked for {coordinate}, got {namespace}/{slug}")));
    }
    Ok(resolved)
}

/// Downloads a version into memory and checks it: size and digest, the archive's structure, and each file by the manifest.
pub(super) fn download(client: &Client, wanted: &ResolveResponse, output: &Output) -> Result<Package, Failure> {
    let answer = client.version(&wanted.skill_id, &wanted.version_id)?;
    let manifest = answer.manifest;
    if answer.summary.id != wanted.version_id || manifest.slug != wanted.slug || manifest.version != wanted.version {
        let (slug, version) = (&manifest.slug, &manifest.version);
        return Err(disagreement(format!(
            "resolved {} {}, got the manifest of {slug} {version}",
            wanted.slug, wanted.version
        )));
    }
    let bytes = fetch(client, wanted, output)?;
    let contents = read(&bytes, &Limits::default()).map_err(|findings| refused(wanted, findings))?;
    verify(&contents, &manifest).map_err(|findings| refused(wanted, findings))?;
    refuse_forged_record(&contents).map_err(|finding| refused(wanted, vec![finding]))?;
    Ok(Package { contents, manifest })
}

/// The folder where this command keeps its own records must not come out of a package.
fn refuse_forged_record(contents: &Contents) -> Result<(), Finding> {
    let is_ours = |path: &PackagePath| path.segments().next().is_some_and(|first| first.eq_ignore_ascii_case(FOLDER));
    match contents.files().iter().find(|file| is_ours(file.path())) {
        None => Ok(()),
        Some(file) => {
            let message = format!("the folder {FOLDER} is for the installer alone");
            Err(Finding::error("path_hidden", file.path().as_str(), message))
        }
    }
}

/// A URL may expire, or a connection end, once.
fn fetch(client: &Client, wanted: &ResolveResponse, output: &Output) -> Result<Vec<u8>, Failure> {
    let mut is_last = false;
    loop {
        let credential = client.download(&wanted.skill_id, &wanted.version_id)?;
        check_credential(wanted, &credential)?;
        let progress = output.progress(wanted.slug.as_str());
        match client.fetch(&credential, &progress) {
            Ok(Fetched::Bytes(bytes)) => return check_digest(wanted.sha256, bytes),
            Ok(Fetched::Expired) if is_last => return Err(expired(&credential)),
            Err(failure) if is_last || failure.exit() != Exit::Network => return Err(failure),
            Ok(Fetched::Expired) | Err(_) => is_last = true,
        }
    }
}

/// The two answers must speak of the same bytes, and of no more than a package may have.
fn check_credential(wanted: &ResolveResponse, credential: &DownloadResponse) -> Result<(), Failure> {
    if credential.sha256 != wanted.sha256 {
        return Err(digest_mismatch(wanted.sha256, credential.sha256));
    }
    if credential.size_bytes != wanted.size_bytes {
        return Err(disagreement(format!("resolved {} bytes, offered {}", wanted.size_bytes, credential.size_bytes)));
    }
    let limit = Limits::default().archive_bytes;
    if credential.size_bytes > limit {
        let message = format!("the archive has {} bytes, at most {limit} are allowed", credential.size_bytes);
        return Err(refused(wanted, vec![Finding::error("package_too_large", "archive", message)]));
    }
    Ok(())
}

fn check_digest(expected: Sha256, bytes: Vec<u8>) -> Result<Vec<u8>, Failure> {
    let got = sha256(&bytes);
    if got == expected { Ok(bytes) } else { Err(digest_mismatch(expected, got)) }
}

fn digest_mismatch(expected: Sha256, got: Sha256) -> Failure {
    Failure::new(Exit::Refused, "digest_mismatch", "the download is not the package that the registry declared")
        .detail(format!("expected sha256 {expected}"))
        .detail(format!("got      sha256 {got}"))
        .hint("try again; if it stays, something on the way or the registry's store is broken")
}

fn disagreement(detail: String) -> Failure {
    Failure::new(Exit::Refused, "invalid_answer", "the registry's answers contradict each other")
        .detail(detail)
        .hint("try again; if it stays, tell those who run the registry")
}

fn expired(credential: &DownloadResponse) -> Failure {
    Failure::new(
        Exit::Network,
        "download_expired",
        "the store refuses the URLs that the registry gives for the download",
    )
    .detail(format!("at {}", credential.url))
    .hint("check that the clocks of this machine and of the registry are right")
}

fn refused(wanted: &ResolveResponse, findings: Vec<Finding>) -> Failure {
    let ResolveResponse { namespace, slug, version, .. } = wanted;
    Failure::refused(format!("{namespace}/{slug} {version} cannot be installed"), findings)
}
