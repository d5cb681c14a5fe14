//! One file of a published version: one ranged read at the place that is kept with the version. Nothing is unpacked.

use http::StatusCode;
use skillhub_protocol::{Coordinate, FileEntry, SkillId, VersionId, VersionState};
use skillhub_store::{Files, ObjectKey, VersionBody, VersionItem, Viewer};
use skillhub_web::{ApiError, Registry};

use crate::App;

/// The largest file, and the longest JSON text, that a function answers with, in bytes. Lambda takes 6,291,556 bytes of answer,
/// in which each byte of text may be escaped and so become two; base64 makes four of three.
pub(crate) const MAX_BYTES: usize = 3_000_000;

/// A version that the caller sees and whose bytes may be handed out.
#[derive(Debug)]
pub(crate) struct Readable {
    /// The skill.
    pub(crate) skill_id: SkillId,
    /// The version's id.
    pub(crate) version_id: VersionId,
    /// What is said of it.
    pub(crate) version: VersionItem,
    /// Its frontmatter.
    pub(crate) frontmatter: serde_json::Value,
    /// Its files.
    pub(crate) files: Files,
}

impl Readable {
    /// What a coordinate means: the calls of [`Table::resolve`](skillhub_store::Table::resolve), then one batch. The rule is
    /// that of a download: a yanked version is had by its exact number only, a blocked one is 410 for who may see it.
    pub(crate) async fn find(registry: &Registry, viewer: &Viewer, coordinate: &Coordinate) -> Result<Self, ApiError> {
        let resolved = registry.table.resolve(coordinate).await?.ok_or_else(ApiError::not_found)?;
        Self::get(registry, viewer, resolved.skill_id, resolved.version_id).await
    }

    /// A version by its ids: one batch.
    pub(crate) async fn get(
        registry: &Registry,
        viewer: &Viewer,
        skill_id: SkillId,
        version_id: VersionId,
    ) -> Result<Self, ApiError> {
        let found = registry.table.version_with_body(&skill_id, &version_id).await?;
        let (version, body) = found.ok_or_else(ApiError::not_found)?;
        if !viewer.may_see(&version.audience, registry.settings.anonymous_read) {
            return Err(ApiError::not_found());
        }
        demand_bytes(&version)?;
        let files = body.files()?;
        let VersionBody { extra, .. } = body;
        Ok(Self { skill_id, version_id, version, frontmatter: extra.frontmatter, files })
    }

    /// Where the artifact is.
    pub(crate) fn artifact(&self) -> ObjectKey {
        artifact(self.skill_id.clone(), self.version_id.clone(), &self.version)
    }

    /// The bytes of the file with exactly this path, which are what the manifest says: one ranged read. 413 for a file of more
    /// than [`MAX_BYTES`].
    pub(crate) async fn read(&self, app: &App, path: &str) -> Result<Vec<u8>, ApiError> {
        let (file, span) = self.files.get(path).ok_or_else(ApiError::not_found)?;
        if !may_be_served(file) {
            return Err(too_large(file));
        }
        Ok(app.objects.read_file(&self.artifact(), file, span).await?)
    }
}

/// Where the artifact of a version is.
pub(crate) fn artifact(skill: SkillId, version: VersionId, item: &VersionItem) -> ObjectKey {
    ObjectKey::Package { skill, version, artifact: item.artifact_sha256 }
}

/// Whether a function can answer with the file.
pub(crate) fn may_be_served(file: &FileEntry) -> bool {
    file.size_bytes <= MAX_BYTES as u64
}

fn too_large(file: &FileEntry) -> ApiError {
    let detail = format!(
        "{} has {} bytes, and a single file is handed out up to {MAX_BYTES}. Download the whole package instead \
         (GET /api/skills/{{skillId}}/versions/{{versionId}}/download), or use `skillhub install`.",
        file.path, file.size_bytes
    );
    ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, "payload_too_large", detail)
}

/// The bytes as text that no answer needs more than one escape a byte for: UTF-8 with no control character but tab, newline
/// and carriage return.
pub(crate) fn plain_text(bytes: &[u8]) -> Option<&str> {
    let plain = |b: &u8| *b >= b' ' || matches!(b, b'\t' | b'\n' | b'\r');
    std::str::from_utf8(bytes).ok().filter(|text| text.as_bytes().iter().all(plain))
}

/// The media type of a file, without the `charset=utf-8` that goes with text: never one that a browser runs, since these bytes are their publisher's.
pub(crate) fn media_type(path: &str, bytes: &[u8]) -> &'static str {
    match plain_text(bytes) {
        Some(_) if path.to_ascii_lowercase().ends_with(".md") => "text/markdown",
        Some(_) => "text/plain",
        None => "application/octet-stream",
    }
}

/// The bytes of a blocked version are handed out in no form.
pub(crate) fn demand_bytes(version: &VersionItem) -> Result<(), ApiError> {
    if version.state == VersionState::Blocked {
        let detail = "This version is blocked: its bytes are not handed out any more.";
        return Err(ApiError::new(StatusCode::GONE, "blocked", detail));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_no_answer_could_hold_is_refused_with_the_limit_and_the_ways_out() {
        let file = |size_bytes| FileEntry {
            path: "a.bin".parse().unwrap(),
            size_bytes,
            sha256: skillhub_protocol::Sha256::from_bytes([0; 32]),
        };
        assert!(may_be_served(&file(3_000_000)));
        assert!(!may_be_served(&file(3_000_001)));
        let error = too_large(&file(3_000_001));
        assert_eq!(error.status(), StatusCode::PAYLOAD_TOO_LARGE);
        for told in ["a.bin", "3000001", "3000000", "/download", "skillhub install"] {
            assert!(error.detail().contains(told), "{}", error.detail());
        }
    }

    #[test]
    fn a_type_follows_from_the_bytes_and_no_browser_runs_it() {
        for (path, bytes, expected) in [
            ("SKILL.md", "# ä\r\n\t".as_bytes(), "text/markdown"),
            ("page.html", b"<script>", "text/plain"),
            ("image.svg", b"<svg/>", "text/plain"),
            ("empty", b"", "text/plain"),
            ("SKILL.md", b"\x00", "application/octet-stream"),
            ("logo.png", b"\x89PNG", "application/octet-stream"),
        ] {
            assert_eq!(media_type(path, bytes), expected, "{path}");
        }
    }
}
