//! Publishing to this registry as its command does: open, PUT, look for the verdict.

use std::time::{Duration, Instant};

use bytes::Bytes;
use http::header::{AUTHORIZATION, CONTENT_TYPE};
use http::{Request, StatusCode, Uri};
use http_body_util::Full;
use skillhub_package::{canonical, sha256};
use skillhub_protocol::{ListResponse, Namespace, OpenUpload, PackageDeclaration, SkillId, UploadId, UploadSession};

use crate::Ours;
use crate::client::Trust;
use crate::exchange::{Client, path_of};
use crate::packages::Package;

/// The time between two looks for a verdict.
const LOOK: Duration = Duration::from_millis(20);
/// How long a verdict may take.
const PATIENCE: Duration = Duration::from_secs(20);

/// Somebody who publishes.
pub(crate) struct Publisher {
    client: Client,
    authorization: String,
}

/// A package that is ready to be published.
pub(crate) struct Parcel {
    request: String,
    archive: Bytes,
}

impl Parcel {
    /// Packs a package for `@global`.
    pub(crate) fn of(package: &Package) -> Result<Self, String> {
        let contents = package.contents("")?;
        let archive = canonical(&contents).bytes;
        let open = OpenUpload {
            namespace: Namespace::global(),
            scope: None,
            tags: Vec::new(),
            package: PackageDeclaration { size_bytes: archive.len() as u64, sha256: sha256(&archive) },
            manifest: package.manifest(&contents)?,
        };
        let request = serde_json::to_string(&open).map_err(|e| e.to_string())?;
        Ok(Self { request, archive: archive.into() })
    }
}

impl Publisher {
    /// The administrator of the registry.
    pub(crate) fn of(ours: &Ours) -> Result<Self, String> {
        let client = Client::of(&ours.address, Some(Trust::in_authority(&ours.ca)?))?;
        Ok(Self { client, authorization: format!("Bearer {}", ours.token) })
    }

    /// Publishes, and waits for the verdict, which must be good.
    pub(crate) async fn publish(&mut self, parcel: &Parcel) -> Result<SkillId, String> {
        let id = self.upload(parcel).await?;
        let deadline = Instant::now() + PATIENCE;
        while Instant::now() < deadline {
            let session = self.ask(Request::get(format!("/api/uploads/{id}")), Bytes::new()).await?;
            match session.published {
                Some(published) => return Ok(published.skill_id),
                None if session.state.is_terminal() => {
                    return Err(format!("the upload {id} ended as {}", session.state));
                }
                None => tokio::time::sleep(LOOK).await,
            }
        }
        Err(format!("no verdict on the upload {id} in {PATIENCE:?}"))
    }

    /// Opens a session and puts the bytes where it says.
    pub(crate) async fn upload(&mut self, parcel: &Parcel) -> Result<UploadId, String> {
        let session = self.ask(Request::post("/api/uploads"), parcel.request.clone().into()).await?;
        let upload = session.upload.ok_or_else(|| format!("the upload {} wants no bytes", session.id))?;
        let uri: Uri = upload.url.expose().parse().map_err(|e| format!("the upload's URL: {e}"))?;
        let mut put = Request::put(path_of(&uri));
        for (name, value) in &upload.headers {
            put = put.header(name, value);
        }
        let put = put.body(Full::from(parcel.archive.clone())).map_err(|e| e.to_string())?;
        match self.client.objects(&uri)?.send(put).await?.status() {
            StatusCode::OK => Ok(session.id),
            status => Err(format!("PUT of the upload {}: {status}", session.id)),
        }
    }

    /// The skills after this one.
    pub(crate) async fn list_after(&mut self, cursor: Option<&SkillId>) -> Result<Vec<SkillId>, String> {
        let cursor = cursor.map(|id| format!("&cursor={id}")).unwrap_or_default();
        let page = self.client.get(&format!("/api/skills?limit=100{cursor}")).await?;
        let page = ListResponse::from_json(&String::from_utf8_lossy(&page)).map_err(|e| e.to_string())?;
        Ok(page.skills.into_iter().map(|skill| skill.id).collect())
    }

    async fn ask(&mut self, request: http::request::Builder, body: Bytes) -> Result<UploadSession, String> {
        let request = request.header(AUTHORIZATION, &self.authorization).header(CONTENT_TYPE, "application/json");
        let request = request.body(Full::from(body)).map_err(|e| e.to_string())?;
        let what = format!("{} {}", request.method(), request.uri());
        let answer = self.client.api().send(request).await?;
        let text = String::from_utf8_lossy(answer.body());
        if !answer.status().is_success() {
            return Err(format!("{what}: {}: {text}", answer.status()));
        }
        UploadSession::from_json(&text).map_err(|e| format!("{what}: {e}"))
    }
}
