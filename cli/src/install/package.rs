//! Getting a package, and proof that it is the right one.

use skillhub_package::{Contents, Limits, PackageFile, parse_skill_md, read, sha256, verify, verify_skill_md};
use skillhub_protocol::{DownloadResponse, Finding, Manifest, PackagePath, Sha256};

use super::cache::Cache;
use super::record::FOLDER;
use super::wanted::{Place, Wanted};
use crate::client::Fetched;
use crate::error::{Exit, Failure};
use crate::fail_point::fail_point;
use crate::output::Progress;

/// A package that is what the registry said.
pub(super) struct Package {
    pub(super) contents: Contents,
    pub(super) manifest: Manifest,
}

/// A version from the cache, else from the registry. Either way its digest, the archive's structure and each file are checked.
pub(super) fn obtain(wanted: &Wanted, cache: &Cache, progress: &Progress) -> Result<Package, Failure> {
    match cache.get(wanted.sha256).and_then(|bytes| cached(wanted, &bytes)) {
        Some(package) => Ok(package),
        None => download(wanted, cache, progress),
    }
}

/// The package in these bytes, which have the right digest: its manifest follows from them.
fn cached(wanted: &Wanted, bytes: &[u8]) -> Option<Package> {
    let contents = read(bytes, &Limits::default()).ok()?;
    refuse_forged_record(&contents).ok()?;
    let skill_md = parse_skill_md(contents.get(Manifest::SKILL_MD)?.data()).ok()?;
    let (slug, version) = (wanted.slug().clone(), wanted.version.clone());
    let manifest = contents.manifest(slug, skill_md.name, skill_md.description, version).ok()?;
    Some(Package { contents, manifest })
}

fn download(wanted: &Wanted, cache: &Cache, progress: &Progress) -> Result<Package, Failure> {
    let place = wanted.place()?;
    let answer = wanted.client.version(&place.skill, &place.version)?;
    let manifest = answer.manifest;
    if answer.summary.id != place.version || manifest.slug != *wanted.slug() || manifest.version != wanted.version {
        let (slug, version) = (&manifest.slug, &manifest.version);
        let (asked, asked_version) = (wanted.slug(), &wanted.version);
        return Err(disagreement(format!("resolved {asked} {asked_version}, got the manifest of {slug} {version}")));
    }
    let bytes = fetch(wanted, &place, progress)?;
    fail_point("fetched");
    let contents = read(&bytes, &Limits::default()).map_err(|findings| refused(wanted, findings))?;
    verify(&contents, &manifest).map_err(|findings| refused(wanted, findings))?;
    let skill_md = contents.get(Manifest::SKILL_MD).map(PackageFile::data).unwrap_or_default();
    let skill_md = parse_skill_md(skill_md).map_err(|findings| refused(wanted, findings))?;
    verify_skill_md(&skill_md, &manifest).map_err(|findings| refused(wanted, findings))?;
    refuse_forged_record(&contents).map_err(|finding| refused(wanted, vec![finding]))?;
    cache.put(wanted.sha256, &bytes);
    fail_point("cached");
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
fn fetch(wanted: &Wanted, place: &Place, progress: &Progress) -> Result<Vec<u8>, Failure> {
    let mut is_last = false;
    loop {
        let credential = wanted.client.download(&place.skill, &place.version)?;
        check_credential(wanted, place, &credential)?;
        match wanted.client.fetch(&credential, progress) {
            Ok(Fetched::Bytes(bytes)) => return check_digest(wanted.sha256, bytes),
            Ok(Fetched::Expired) if is_last => return Err(expired(&credential)),
            Err(failure) if is_last || failure.exit() != Exit::Network => return Err(failure),
            Ok(Fetched::Expired) | Err(_) => is_last = true,
        }
    }
}

/// The two answers must speak of the same bytes, and of no more than a package may have.
fn check_credential(wanted: &Wanted, place: &Place, credential: &DownloadResponse) -> Result<(), Failure> {
    if credential.sha256 != wanted.sha256 {
        return Err(digest_mismatch(wanted.sha256, credential.sha256));
    }
    if credential.size_bytes != place.size_bytes {
        return Err(disagreement(format!("resolved {} bytes, offered {}", place.size_bytes, credential.size_bytes)));
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

pub(super) fn disagreement(detail: String) -> Failure {
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

fn refused(wanted: &Wanted, findings: Vec<Finding>) -> Failure {
    let (namespace, slug, version) = (wanted.namespace(), wanted.slug(), &wanted.version);
    Failure::refused(format!("{namespace}/{slug} {version} cannot be installed"), findings)
        .hint("nothing was changed; tell those who run the registry")
}
