//! From a draft to a version in the registry.

use std::thread;
use std::time::{Duration, Instant};

use skillhub_package::canonical;
use skillhub_protocol::{
    Coordinate, Finding, Manifest, Namespace, OpenUpload, PackageDeclaration, PublishedVersion, Selector, Slug,
    UploadSession, UploadState, Version,
};

use super::choice::{Current, choose_version};
use super::{Draft, PublishOptions};
use crate::client::{Client, Stored};
use crate::error::{Exit, Failure};
use crate::output::Progress;

const FIRST_POLL: Duration = Duration::from_millis(20);
const SLOWEST_POLL: Duration = Duration::from_secs(1);
/// How long the registry may take for its verdict.
const PATIENCE: Duration = Duration::from_secs(180);
/// An upload is tried again with a fresh URL.
const PUT_ATTEMPTS: u32 = 3;

/// A version that the registry has.
#[derive(Debug, Clone)]
pub struct Published {
    /// Its full coordinate, with the version.
    pub coordinate: Coordinate,
    /// Its ids, and the artifact that downloads give.
    pub version: PublishedVersion,
    /// Whether it is new; otherwise exactly this was there already.
    pub is_new: bool,
    /// Warnings, of this machine and of the registry.
    pub warnings: Vec<Finding>,
}

/// Publishes a draft: chooses its version, uploads it, and waits for the verdict.
pub(crate) fn publish(
    client: &Client,
    draft: &Draft,
    options: &PublishOptions,
    progress: &Progress,
) -> Result<Published, Failure> {
    let (request, package) = prepare(client, draft, options)?;
    let opened = client.open_upload(&request).map_err(|failure| explain_conflict(failure).detail("phase: open"))?;
    let is_new = opened.state != UploadState::Published;
    let id = opened.id.clone();
    let uploaded = transfer(client, opened, &package, progress).map_err(|failure| {
        // So that the version is not held for an upload that will not come.
        let _ = client.cancel_upload(&id);
        failure.detail("phase: upload")
    })?;
    let decided = wait(client, uploaded).and_then(|decided| verdict(draft, &request, decided, is_new));
    decided.map_err(|failure| failure.detail(format!("phase: validate (upload {id})")))
}

/// The version that [`publish`] would publish, chosen and checked in the same way; nothing is opened.
pub(crate) fn rehearse(client: &Client, draft: &Draft, options: &PublishOptions) -> Result<Coordinate, Failure> {
    prepare(client, draft, options).and_then(|(request, _)| coordinate(&request))
}

/// What is sent, and the bytes that it declares.
fn prepare(client: &Client, draft: &Draft, options: &PublishOptions) -> Result<(OpenUpload, Vec<u8>), Failure> {
    let in_skill_md = draft.skill_md.version();
    let version = choose_version(options.version.as_ref(), in_skill_md.as_ref(), || current(client, draft, options))?;
    let package = canonical(&draft.contents).bytes;
    let request = OpenUpload {
        namespace: options.namespace.clone(),
        scope: options.scope,
        tags: options.tags.clone(),
        package: PackageDeclaration { size_bytes: package.len() as u64, sha256: skillhub_package::sha256(&package) },
        manifest: draft.manifest(version)?,
    };
    Ok((request, package))
}

fn current(client: &Client, draft: &Draft, options: &PublishOptions) -> Result<Option<Current>, Failure> {
    let coordinate = Coordinate::new(options.namespace.clone(), draft.slug.clone(), Selector::Latest);
    let coordinate = coordinate.map_err(|e| Failure::usage(String::from(e)))?;
    let resolved = match client.ask(&coordinate) {
        Ok(resolved) => resolved,
        Err(failure) if failure.is_not_found() => return withdrawn(client, coordinate.namespace(), coordinate.slug()),
        Err(failure) => return Err(failure),
    };
    let manifest = client.version(&resolved.skill_id, &resolved.version_id)?.manifest;
    Ok(Some(Current { is_same: draft.equals(&manifest), version: manifest.version }))
}

/// The highest version of a skill that has none available: its number stays taken.
fn withdrawn(client: &Client, namespace: &Namespace, slug: &Slug) -> Result<Option<Current>, Failure> {
    let skill = match client.named(namespace, slug) {
        Ok(skill) => skill,
        Err(failure) if failure.is_not_found() => return Ok(None),
        Err(failure) => return Err(failure),
    };
    let highest = client.versions(&skill)?.into_iter().next();
    Ok(highest.map(|entry| Current { is_same: false, version: entry.summary.version }))
}

fn explain_conflict(failure: Failure) -> Failure {
    match failure.code() {
        "version_exists" => {
            failure.hint("published versions never change: raise the version in SKILL.md or give `--version`")
        }
        _ => failure,
    }
}

/// Brings the bytes to the store, if the session waits for them.
fn transfer(
    client: &Client,
    mut session: UploadSession,
    package: &[u8],
    progress: &Progress,
) -> Result<UploadSession, Failure> {
    let mut attempts_left = PUT_ATTEMPTS;
    while let (UploadState::Open, Some(put)) = (session.state, &session.upload) {
        attempts_left = attempts_left.saturating_sub(1);
        match client.store(put, package, progress) {
            Ok(Stored::Yes) => break,
            Ok(Stored::Expired) if attempts_left > 0 => {}
            Ok(Stored::Expired) => return Err(expired()),
            // The bytes may have arrived even so: the session tells.
            Err(failure) if attempts_left == 0 => return arrived(client, &session).ok_or(failure),
            Err(_) => {}
        }
        session = client.upload(&session.id)?;
    }
    Ok(session)
}

/// The session, if it does not wait for bytes any more.
fn arrived(client: &Client, session: &UploadSession) -> Option<UploadSession> {
    client.upload(&session.id).ok().filter(|session| session.state != UploadState::Open)
}

fn expired() -> Failure {
    Failure::new(Exit::Network, "upload_expired", "the store refuses the URLs that the registry gives for the upload")
        .hint("check that the clocks of this machine and of the registry are right")
}

/// Asks for the session until its state is final.
fn wait(client: &Client, mut session: UploadSession) -> Result<UploadSession, Failure> {
    let begun = Instant::now();
    let mut pause = FIRST_POLL;
    while !session.state.is_terminal() {
        if begun.elapsed() > PATIENCE {
            return Err(too_slow(&session));
        }
        thread::sleep(pause);
        pause = pause.saturating_mul(2).min(SLOWEST_POLL);
        session = client.upload(&session.id)?;
    }
    Ok(session)
}

fn too_slow(session: &UploadSession) -> Failure {
    let message = format!("the registry has not decided within {} seconds", PATIENCE.as_secs());
    Failure::new(Exit::Network, "timeout", message)
        .detail(format!("state: {}", session.state))
        .hint("`skillhub status` asks for it; to publish again continues with the same upload")
}

fn verdict(draft: &Draft, request: &OpenUpload, session: UploadSession, is_new: bool) -> Result<Published, Failure> {
    let coordinate = coordinate(request)?;
    match (session.state, session.published) {
        (UploadState::Published, Some(version)) => {
            let mut warnings = [draft.warnings.clone(), session.findings].concat();
            warnings.sort();
            warnings.dedup();
            Ok(Published { coordinate, version, is_new, warnings })
        }
        (UploadState::Rejected, _) => {
            Err(Failure::refused(format!("the registry refuses {coordinate}"), session.findings))
        }
        (state, _) => {
            let message = format!("{coordinate} was not published: the upload ended as {state}");
            Err(Failure::new(Exit::Failed, "session_closed", message).hint("publish again"))
        }
    }
}

fn coordinate(request: &OpenUpload) -> Result<Coordinate, Failure> {
    let Manifest { slug, version, .. } = &request.manifest;
    release(version)
        .and_then(|selector| Coordinate::new(request.namespace.clone(), slug.clone(), selector))
        .map_err(|e| Failure::usage(String::from(e)))
}

fn release(version: &Version) -> Result<Selector, skillhub_protocol::InvalidValue> {
    version.to_release().map(Selector::Version)
}
