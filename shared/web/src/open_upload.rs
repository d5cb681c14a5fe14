//! Opening an upload session, for every function that publishes: permission, then the manifest, then whether the version
//! exists.

use http::{StatusCode, header};
use skillhub_protocol::{
    Namespace, NamespaceKind, OpenUpload, PublishedVersion, Release, Scope, UploadId, UtcMillis, is_kebab_case,
};
use skillhub_store::{Audience, Authenticated, MembershipItem, Opened, OpenedBy, SessionItem, fail_point};

use crate::Registry;
use crate::clock::rng;
use crate::error::ApiError;

/// When an upload that is open now may have ended, in milliseconds.
const QUOTA_WAIT_MS: i64 = 30_000;

/// What an upload was opened as.
#[derive(Debug)]
pub enum OpenedUpload {
    /// A new session.
    Created(Box<SessionItem>),
    /// The session that the same caller has opened for the same before.
    Existing(Box<SessionItem>),
    /// Exactly this version is published already.
    Published {
        /// The session that published it; it may be gone by now.
        upload_id: UploadId,
        /// The version's number.
        release: Release,
        /// What was published.
        published: PublishedVersion,
    },
}

/// Opens an upload session, or says why not. No byte of the package is known yet: everything that needs one is the
/// validator's.
///
/// # Errors
/// 403 without the right to publish, 409 for a version with other content or one that somebody else is publishing, 422 for
/// what the policy refuses already, 429 for too many open ones, 503 if a store fails.
pub async fn open_upload(
    registry: &Registry,
    caller: &Authenticated,
    request: &OpenUpload,
    idempotency_key: Option<&str>,
    now: UtcMillis,
) -> Result<OpenedUpload, ApiError> {
    let membership = may_publish(caller, &request.namespace)?;
    let release = check_policy(request, registry.settings.max_archive_bytes)?;
    let audience = audience_of(membership, request.scope)?;
    let by = OpenedBy { caller, membership, idempotency_key, quota: registry.settings.quota };
    fail_point("open.begin");

    match registry.table.open_session(by, request, &release, &audience, now, &mut rng()).await? {
        Opened::Created(session) => Ok(OpenedUpload::Created(session.into())),
        Opened::Existing(session) => Ok(OpenedUpload::Existing(session.into())),
        Opened::Published { upload_id, published } => Ok(OpenedUpload::Published { upload_id, release, published }),
        refused => Err(refusal(refused, request)),
    }
}

/// Unknown namespaces and those without a role for the caller get one answer.
fn may_publish<'a>(caller: &'a Authenticated, namespace: &Namespace) -> Result<&'a MembershipItem, ApiError> {
    caller.membership_by_handle(namespace).filter(|m| m.role.may_publish()).ok_or_else(|| {
        let detail = format!("You may not publish to {namespace}. GET /api/whoami lists where you may.");
        ApiError::forbidden(detail).with("forbidden", "namespace", "is none that you may publish to")
    })
}

/// What can be refused before any byte is uploaded. Everything else is the validator's.
fn check_policy(request: &OpenUpload, max_archive_bytes: u64) -> Result<Release, ApiError> {
    let manifest = &request.manifest;
    let mut refused = ApiError::new(
        StatusCode::UNPROCESSABLE_ENTITY,
        "policy_refused",
        "The manifest does not follow the rules for publishing; see errors.",
    );
    let mut ok = true;
    let mut refuse = |code: &str, path: &str, message: String| {
        ok = false;
        refused = refused.clone().with(code, path, message);
    };
    if !is_kebab_case(manifest.slug.as_str()) {
        let message = format!("{} must not have \"--\", which separates namespace and slug", manifest.slug);
        refuse("slug_double_hyphen", "manifest.slug", message);
    }
    let bytes = request.package.size_bytes;
    if bytes > max_archive_bytes {
        let message = format!("is {bytes} bytes, the limit is {max_archive_bytes}");
        refuse("package_too_large", "package.sizeBytes", message);
    }
    let release = manifest.version.to_release();
    if let Err(e) = &release {
        refuse("version_invalid", "manifest.version", e.to_string());
    }
    match release {
        Ok(release) if ok => Ok(release),
        _ => Err(refused),
    }
}

fn audience_of(membership: &MembershipItem, scope: Option<Scope>) -> Result<Audience, ApiError> {
    let scope = scope.unwrap_or(match membership.kind {
        NamespaceKind::Global => Scope::Public,
        NamespaceKind::Organization => Scope::Organization,
        NamespaceKind::Personal => Scope::Personal,
    });
    Audience::of(membership, scope).ok_or_else(|| {
        let message = format!("{} cannot have skills of scope {scope}", membership.namespace);
        ApiError::invalid("invalid_request", "scope", message)
    })
}

/// Names the session, which its opener and the owners of the namespace may look at or cancel.
fn session_open(what: &str, session: Option<&UploadId>) -> ApiError {
    let detail = format!("{what} is being published by somebody else. Try again in a minute.");
    let error = ApiError::conflict("session_open", detail);
    match session {
        Some(id) => error.header(header::LOCATION, &format!("/api/uploads/{id}")),
        None => error,
    }
}

fn refusal(opened: Opened, request: &OpenUpload) -> ApiError {
    let (slug, version) = (&request.manifest.slug, &request.manifest.version);
    let name = format!("{}/{slug}", request.namespace);
    match opened {
        Opened::VersionExists => {
            let detail = format!("{name}@{version} exists with other content. Publish under a new version number.");
            ApiError::conflict("version_exists", detail).with("version_exists", "manifest.version", "is taken")
        }
        Opened::NotMaintainer => {
            let detail =
                format!("You are no maintainer of {name}. An owner of {} can make you one.", request.namespace);
            ApiError::forbidden(detail)
        }
        Opened::ScopeDiffers(audience) => {
            let detail = format!(
                "{name} has the scope {}. Publishing does not change it: leave the scope out.",
                audience.scope()
            );
            ApiError::conflict("conflict", detail).with("conflict", "scope", "differs from the skill's")
        }
        Opened::IdempotencyMismatch => {
            let detail = "This Idempotency-Key was used for another request. Use a new one for each request.";
            ApiError::conflict("idempotency_mismatch", detail)
        }
        Opened::QuotaExceeded => {
            let detail = "You have too many uploads open. Finish or cancel some: GET /api/uploads lists them.";
            ApiError::too_many("quota_exceeded", detail, QUOTA_WAIT_MS)
        }
        Opened::Locked(session) => session_open(&format!("{name}@{version}"), session.as_ref()),
        Opened::Created(_) | Opened::Existing(_) | Opened::Published { .. } => {
            ApiError::internal(String::from("an opened session was taken for a refusal"))
        }
    }
}
