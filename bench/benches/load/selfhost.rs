//! Publishing to skillhub-selfhost: one form with the archive in it.

use bytes::Bytes;
use http::header::{AUTHORIZATION, CONTENT_TYPE};
use http::{Request, Response};
use http_body_util::Full;
use serde::Deserialize;
use skillhub_package::canonical;

use crate::client::Connection;
use crate::packages::Package;

/// What separates the parts of a form; no text of a package has it.
const BOUNDARY: &str = "----------------------form-part";

/// The registry as a plan has it.
#[derive(Deserialize)]
pub(crate) struct Selfhost {
    pub(crate) pid: u32,
    address: String,
    username: String,
    password: String,
}

/// Somebody who is signed in.
pub(crate) struct Publisher {
    connection: Connection,
    authorization: String,
}

impl Publisher {
    /// Signs in.
    pub(crate) async fn of(registry: &Selfhost) -> Result<Self, String> {
        #[derive(Deserialize)]
        struct Tokens {
            access_token: String,
        }
        let Selfhost { username, password, .. } = registry;
        let mut connection = Connection::to(&registry.address, None)?;
        let body = serde_json::json!({ "username": username, "password": password }).to_string();
        let request = Request::post("/api/auth/login").header(CONTENT_TYPE, "application/json");
        let request = request.body(Full::from(body)).map_err(|e| e.to_string())?;
        let tokens: Tokens = serde_json::from_slice(&answer(&mut connection, request).await?.into_body())
            .map_err(|e| format!("skillhub-selfhost lets nobody sign in: {e}"))?;
        Ok(Self { connection, authorization: format!("Bearer {}", tokens.access_token) })
    }

    /// Publishes; the answer says that it is done.
    pub(crate) async fn publish(&mut self, form: &Bytes) -> Result<(), String> {
        let request = Request::post("/api/skills/").header(AUTHORIZATION, &self.authorization);
        let request = request.header(CONTENT_TYPE, format!("multipart/form-data; boundary={BOUNDARY}"));
        let request = request.body(Full::from(form.clone())).map_err(|e| e.to_string())?;
        answer(&mut self.connection, request).await.map(drop)
    }
}

/// The form that publishes a package, whose files it wants below a folder of the package's name.
pub(crate) fn form(package: &Package) -> Result<Bytes, String> {
    let archive = canonical(&package.contents(&format!("{}/", package.name))?).bytes;
    let mut form = Vec::new();
    let texts = [("display_name", &package.name), ("description", &package.description)];
    for (name, text) in texts {
        let part = format!("--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{text}\r\n");
        form.extend_from_slice(part.as_bytes());
    }
    let head = format!(
        "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{}.zip\"\r\n\
         Content-Type: application/zip\r\n\r\n",
        package.name
    );
    form.extend_from_slice(head.as_bytes());
    form.extend_from_slice(&archive);
    form.extend_from_slice(format!("\r\n--{BOUNDARY}--\r\n").as_bytes());
    Ok(form.into())
}

async fn answer(connection: &mut Connection, request: Request<Full<Bytes>>) -> Result<Response<Bytes>, String> {
    let what = format!("{} {}", request.method(), request.uri());
    let answer = connection.send(request).await?;
    if answer.status().is_success() {
        return Ok(answer);
    }
    Err(format!("{what}: {}: {}", answer.status(), String::from_utf8_lossy(answer.body())))
}
