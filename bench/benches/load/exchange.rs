//! One thing that a client wants of a registry, which takes one request or two.

use bytes::Bytes;
use http::Uri;
use serde::Deserialize;

use crate::client::{Connection, Trust};

/// A client with its connections.
pub(crate) struct Client {
    api: Connection,
    /// To the store of objects, once its address is known.
    objects: Option<Connection>,
    trust: Option<Trust>,
}

/// What a download is told.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Told {
    url: String,
    size_bytes: usize,
}

impl Client {
    /// A client of the registry at `address`.
    pub(crate) fn of(address: &str, trust: Option<Trust>) -> Result<Self, String> {
        Ok(Self { api: Connection::to(address, None)?, objects: None, trust })
    }

    /// The connection to the API.
    pub(crate) fn api(&mut self) -> &mut Connection {
        &mut self.api
    }

    /// Gets something that is not empty.
    pub(crate) async fn get(&mut self, path: &str) -> Result<Bytes, String> {
        match self.api.get(path).await? {
            body if body.is_empty() => Err(format!("GET {path}: an empty answer")),
            body => Ok(body),
        }
    }

    /// Asks for the URL of a package and reads the package there, all of it.
    pub(crate) async fn download(&mut self, path: &str) -> Result<Bytes, String> {
        let told = self.api.get(path).await?;
        let told: Told = serde_json::from_slice(&told).map_err(|e| format!("GET {path}: {e}"))?;
        let uri: Uri = told.url.parse().map_err(|e| format!("GET {path}: {e}"))?;
        let package = self.objects(&uri)?.get(path_of(&uri)).await?;
        match package.len() {
            bytes if bytes == told.size_bytes => Ok(package),
            bytes => Err(format!("GET {path}: {bytes} bytes came, {} were told", told.size_bytes)),
        }
    }

    /// The connection to the store of objects that a URL names.
    pub(crate) fn objects(&mut self, uri: &Uri) -> Result<&mut Connection, String> {
        let authority = uri.authority().ok_or("a URL without a host")?.as_str();
        let connection = match self.objects.take() {
            Some(connection) if connection.authority() == authority => connection,
            _ => Connection::to(authority, Some(self.trust.clone().ok_or("no authority to trust for HTTPS")?))?,
        };
        Ok(self.objects.insert(connection))
    }
}

/// Path and query.
pub(crate) fn path_of(uri: &Uri) -> &str {
    uri.path_and_query().map_or("/", |path| path.as_str())
}
