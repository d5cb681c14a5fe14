//! The example skills, published at first start through the same path that everybody takes.

use std::path::{Path, PathBuf};

use skillhub_cli::{Client, Endpoint, publish_folder};
use skillhub_protocol::{Coordinate, Namespace};

use crate::data_dir::LocalConfig;
use crate::files::{self, Access};

/// Says that the examples have been published: later starts leave the registry as its users have made it.
const MARKER: &str = "examples-published";

/// What became of one example: its coordinate, or why not.
pub(crate) type Example = Result<Coordinate, String>;

/// Publishes every skill below `dir`, unless an earlier start did. Blocks; the API must be answering.
pub(crate) fn publish(data: &Path, local: &LocalConfig, dir: &Path) -> Vec<Example> {
    let marker = data.join(MARKER);
    if marker.exists() {
        return Vec::new();
    }
    let client = match client(local) {
        Ok(client) => client,
        Err(error) => return vec![Err(error)],
    };
    let results: Vec<_> = skill_folders(dir).iter().map(|folder| publish_one(&client, folder)).collect();
    // Without the marker the next start publishes them again, which changes nothing that is there.
    if results.iter().all(Result::is_ok)
        && let Err(error) = files::write_atomically(&marker, b"", Access::Private)
    {
        tracing::warn!(%error, "the examples' marker could not be written");
    }
    results
}

fn client(local: &LocalConfig) -> Result<Client, String> {
    let endpoint = Endpoint {
        registry: local.registry.parse().map_err(|e| format!("{e}"))?,
        token: Some(local.token.expose().parse().map_err(|e| format!("{e}"))?),
        ca: Some(local.ca.clone()),
        namespace: None,
    };
    Client::new(endpoint).map_err(|e| e.to_string())
}

fn publish_one(client: &Client, folder: &Path) -> Example {
    let published = publish_folder(client, folder, &Namespace::global());
    published.map(|published| published.coordinate).map_err(|e| format!("{}: {e}", folder.display()))
}

fn skill_folders(dir: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    let mut folders: Vec<_> =
        entries.map(|entry| entry.path()).filter(|path| path.join("SKILL.md").is_file()).collect();
    folders.sort();
    folders
}
