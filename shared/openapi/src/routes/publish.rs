//! `functions/publish`.

use http::Method;
use serde_json::{Value, json};
use skillhub_protocol::{OpenUpload, UploadSession, UploadsResponse};
use utoipa::openapi::schema::{ObjectBuilder, Type};

use crate::operation::Operation;

pub(crate) fn operations() -> Vec<Operation> {
    vec![open(), own(), show(), cancel()]
}

fn open() -> Operation {
    let key = ObjectBuilder::new().schema_type(Type::String).min_length(Some(1)).max_length(Some(255));
    Operation::new(Method::POST, "/api/uploads", "openUpload", "publishing", "Opens an upload session")
        .about(
            "PUT the archive to `upload.url` with exactly `upload.headers`, then GET the session until its state is final. \
             The same request again gets the same session.",
        )
        .publisher()
        .request_header(
            "Idempotency-Key",
            "Chosen by the client, for safe repetition: the same key and request get the same session for 7 days.",
            key.pattern(Some("^[!-~]+$")),
        )
        .takes::<OpenUpload>(example())
        .fails(400, &["unsupported_schema_version"])
        .fails(409, &["version_exists", "conflict", "session_open", "idempotency_mismatch"])
        .fails(422, &["policy_refused"])
        .fails(429, &["quota_exceeded"])
        .answers_with::<UploadSession>(201, "A new session.", &["Location", "Cache-Control"])
        .answers_with::<UploadSession>(200, "The session of an earlier request, or what is published already.", &[
            "Cache-Control",
        ])
}

fn own() -> Operation {
    Operation::new(
        Method::GET,
        "/api/uploads",
        "listUploads",
        "publishing",
        "The caller's sessions that have not ended",
    )
    .known()
    .answers::<UploadsResponse>(200, "Their ids, oldest first, at most 100.")
}

fn show() -> Operation {
    Operation::new(Method::GET, "/api/uploads/{uploadId}", "getUpload", "publishing", "An upload session")
        .about("For who opened it, and for owners of its namespace. While it is open, with a fresh URL for the upload.")
        .known()
        .answers_with::<UploadSession>(200, "The session.", &["Cache-Control"])
}

fn cancel() -> Operation {
    Operation::new(Method::DELETE, "/api/uploads/{uploadId}", "cancelUpload", "publishing", "Cancels an upload session")
        .publisher()
        .fails(409, &["session_closed"])
        .answers_with::<UploadSession>(200, "The session, canceled; also if it was so already.", &["Cache-Control"])
}

fn example() -> Value {
    json!({
        "namespace": "@global",
        "tags": ["beta"],
        "package": { "sizeBytes": 1024, "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08" },
        "manifest": {
            "schemaVersion": 1,
            "slug": "release-helper",
            "name": "release-helper",
            "description": "Prepare and validate a release.",
            "version": "1.0.0",
            "files": [{
                "path": "SKILL.md",
                "sizeBytes": 128,
                "sha256": "60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752",
            }],
        },
    })
}
