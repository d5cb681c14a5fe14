//! What the program `load` is to do, as it reads it.

use serde::Deserialize;
use serde_json::{Value, json};
use skillhub_protocol::ListResponse;

use super::contents::{VERSION, names};
use super::registries::Registry;
use super::server::Server;
use super::{Stage, read};

/// How long a page of a list is.
const PAGE: usize = 50;
/// What `load` calls such a page.
const LIST: &str = "list of 50";
/// Whoever publishes to skillhub-selfhost; what filled it has let it in.
const PERSON: (&str, &str) = ("publisher", "benchmark");

/// What can be asked of a registry.
struct Paths {
    detail: Vec<String>,
    list: Vec<String>,
    download: Vec<String>,
}

/// The configuration that our registry leaves for its clients; the rest of it does not matter here.
#[derive(Deserialize)]
struct LocalConfig {
    token: String,
    ca: String,
}

/// Details, lists and downloads of all the registries.
///
/// # Errors
/// If ours does not list its skills.
pub(super) fn peers(stage: &Stage<'_>, servers: &[Server]) -> Result<Value, String> {
    let mut contestants = Vec::new();
    let paths = servers.iter().map(|server| paths(stage, server)).collect::<Result<Vec<_>, _>>()?;
    type Choose = fn(&Paths) -> &Vec<String>;
    let kinds: [(&str, Choose); 3] =
        [("detail", |paths| &paths.detail), (LIST, |paths| &paths.list), ("download", |paths| &paths.download)];
    for (kind, choose) in kinds {
        for (server, paths) in servers.iter().zip(&paths) {
            // It has no pages.
            let whole = server.registry == Registry::Pypiserver && kind == LIST;
            contestants.push(json!({
                "registry": server.registry.name(),
                "kind": if whole { "list of all" } else { kind },
                "pid": server.pid(),
                "address": server.address(),
                "paths": choose(paths),
                "follow": server.registry == Registry::Skillhub && kind == "download",
            }));
        }
    }
    let options = stage.options;
    Ok(json!({
        "rounds": options.rounds,
        "seconds": options.seconds,
        "seed": options.seed,
        "ca": ours(stage, find(servers, Registry::Skillhub)?)?["ca"],
        "contestants": contestants,
    }))
}

/// A publish to ours and to skillhub-selfhost.
///
/// # Errors
/// If our registry's configuration cannot be read.
pub(super) fn publish(stage: &Stage<'_>, servers: &[Server]) -> Result<Value, String> {
    let other = find(servers, Registry::Selfhost)?;
    let (username, password) = PERSON;
    Ok(json!({
        "rounds": stage.options.rounds,
        "seed": stage.options.seed,
        "ours": ours(stage, find(servers, Registry::Skillhub)?)?,
        "other": { "pid": other.pid(), "address": other.address(), "username": username, "password": password },
    }))
}

/// Readers and a publisher.
///
/// # Errors
/// If ours does not list its skills.
pub(super) fn mixed(stage: &Stage<'_>, servers: &[Server]) -> Result<Value, String> {
    let server = find(servers, Registry::Skillhub)?;
    let Paths { detail, list, download } = paths(stage, server)?;
    Ok(json!({
        "minutes": stage.options.minutes,
        "seed": stage.options.seed,
        "ours": ours(stage, server)?,
        "paths": [detail, list, download],
    }))
}

fn find(servers: &[Server], registry: Registry) -> Result<&Server, String> {
    let found = servers.iter().find(|server| server.registry == registry);
    found.ok_or_else(|| format!("{} does not run", registry.name()))
}

fn ours(stage: &Stage<'_>, server: &Server) -> Result<Value, String> {
    let path = stage.home(Registry::Skillhub).join("local.json");
    let config: LocalConfig = serde_json::from_str(&read(&path)?).map_err(|e| format!("{}: {e}", path.display()))?;
    let ca = read(config.ca.as_ref())?;
    Ok(json!({ "pid": server.pid(), "address": server.address(), "token": config.token, "ca": ca }))
}

fn paths(stage: &Stage<'_>, server: &Server) -> Result<Paths, String> {
    let pages = stage.options.skills.div_ceil(PAGE).max(1);
    let detail = names(stage).map(|name| server.registry.by_name(&name)).collect();
    Ok(match server.registry {
        Registry::Skillhub => return skills(server),
        Registry::Verdaccio => Paths {
            detail,
            list: (0..pages).map(|page| format!("/-/v1/search?size={PAGE}&from={}", page * PAGE)).collect(),
            download: names(stage).map(|name| format!("/{name}/-/{name}-{VERSION}.tgz")).collect(),
        },
        Registry::Pypiserver => {
            let file = |name: String| format!("/packages/{}-{VERSION}.tar.gz", name.replace('-', "_"));
            Paths { detail, list: vec!["/simple/".to_owned()], download: names(stage).map(file).collect() }
        }
        Registry::Selfhost => Paths {
            detail,
            list: (1..=pages).map(|page| format!("/api/skills/?page={page}&size={PAGE}")).collect(),
            download: names(stage).map(|name| format!("/api/skills/{name}/download")).collect(),
        },
    })
}

/// Everything in our list, by its ids.
fn skills(server: &Server) -> Result<Paths, String> {
    let mut paths = Paths { detail: Vec::new(), list: Vec::new(), download: Vec::new() };
    let mut next = Some(format!("/api/skills?limit={PAGE}"));
    while let Some(path) = next {
        let page = ListResponse::from_json(&server.get(&path)?).map_err(|e| format!("GET {path}: {e}"))?;
        for skill in &page.skills {
            let version = &skill.current_version.id;
            paths.detail.push(format!("/api/skills/{}", skill.id));
            paths.download.push(format!("/api/skills/{}/versions/{version}/download", skill.id));
        }
        paths.list.push(path);
        next = page.next_cursor.map(|cursor| format!("/api/skills?limit={PAGE}&cursor={cursor}"));
    }
    Ok(paths)
}
