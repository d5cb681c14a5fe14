//! The stores of local mode, and what a publish leaves in them.

use std::collections::VecDeque;
use std::path::Path;

use clap::Parser as _;
use rand::SeedableRng as _;
use rand::rngs::StdRng;
use skillhub_local::{Config, Running};
use skillhub_package::{Method, canonical, sha256};
use skillhub_protocol::{Manifest, Namespace, Scope, UtcMillis};
use skillhub_store::{
    Audience, Connection, FileSpan, MembershipItem, ObjectKey, Objects, Quota, Rate, SeedArtifact, Settings, Table,
    TokenSecret,
};
use tokio::task::JoinSet;

use crate::packages::Package;

/// Table and bucket of local mode.
const NAME: &str = "skillhub";
/// Archives that are stored at the same time.
const CONCURRENCY: usize = 16;

/// A package as the registry keeps it.
struct Archive {
    manifest: Manifest,
    artifact: SeedArtifact,
    bytes: Vec<u8>,
}

/// Publishes the packages to `@global`, past the API.
pub(crate) async fn fill(data: &Path, packages: &[Package], seed: u64) -> Result<(), String> {
    let data = data.to_str().ok_or("the data directory's name is no UTF-8")?;
    let arguments = ["skillhub-local", "--quiet", "--port", "0", "--object-port", "0", "--data", data];
    let config = Config::try_parse_from(arguments).map_err(|e| e.to_string())?;
    let running = skillhub_local::start(&config).await.map_err(|e| e.to_string())?;
    let filled = fill_stores(&running, packages, seed).await;
    running.stop().await;
    filled
}

async fn fill_stores(running: &Running, packages: &[Package], seed: u64) -> Result<(), String> {
    let (table, objects) = connect(running).await?;
    let publisher = publisher(running, &table).await?;
    let audience = Audience::of(&publisher, Scope::Public).ok_or("@global is not public")?;
    let (mut skills, mut archives) = (Vec::new(), Vec::new());
    for package in packages {
        let Archive { manifest, artifact, bytes } = archive(package)?;
        skills.push((manifest, artifact));
        archives.push(bytes);
    }
    // Before what is published from now on.
    let start = now().plus_millis(-i64::try_from(packages.len()).map_err(|e| e.to_string())?);
    let mut rng = StdRng::seed_from_u64(seed);
    let keys = table.seed_with_artifacts(&publisher, &audience, &skills, start, &mut rng).await;
    store(&objects, keys.map_err(|e| e.to_string())?.into_iter().zip(archives).collect()).await
}

async fn connect(running: &Running) -> Result<(Table, Objects), String> {
    let stores = &running.stores;
    let credentials = (stores.credentials.access_key_id.as_str(), stores.credentials.secret_access_key.expose());
    let to = Connection::to(&stores.dynamodb_endpoint(), &stores.object_endpoint(), credentials, &stores.ca_pem);
    let connection = to.map_err(|e| e.to_string())?;
    let settings = Settings {
        table: NAME.to_owned(),
        bucket: NAME.to_owned(),
        anonymous_read: true,
        max_archive_bytes: Settings::DEFAULT_MAX_ARCHIVE_BYTES,
        objects_public_url: None,
        path_style: true,
        issuer: None,
        write_rate: Rate { per_minute: 1, burst: 1 },
        quota: Quota { sessions: 1, staged_bytes: 1 },
        administrator: None,
        token_epoch: 0,
        sweep_expired: false,
    };
    Ok((connection.table(&settings), connection.objects(&settings)))
}

/// The administrator as an owner of `@global`.
async fn publisher(running: &Running, table: &Table) -> Result<MembershipItem, String> {
    let token = TokenSecret::parse(running.local.token.expose()).ok_or("the administrator's token is none")?;
    let known = table.authenticate(&token, now()).await.map_err(|e| e.to_string())?;
    let known = known.ok_or("the registry does not know its administrator")?;
    known.membership_by_handle(&Namespace::global()).cloned().ok_or_else(|| "@global has no owner".to_owned())
}

fn now() -> UtcMillis {
    skillhub_web::Clock::default().now()
}

fn archive(package: &Package) -> Result<Archive, String> {
    let contents = package.contents("")?;
    let archive = canonical(&contents);
    let spans = archive.locations.iter().map(|at| FileSpan {
        offset: at.offset,
        bytes: at.compressed_bytes,
        deflated: at.method == Method::Deflated,
    });
    let (sha256, files) = (sha256(&archive.bytes), spans.collect());
    let artifact = SeedArtifact { sha256, bytes: archive.bytes.len() as u64, files };
    Ok(Archive { manifest: package.manifest(&contents)?, artifact, bytes: archive.bytes })
}

/// Puts every archive at its key.
async fn store(objects: &Objects, mut left: VecDeque<(ObjectKey, Vec<u8>)>) -> Result<(), String> {
    let mut running = JoinSet::new();
    loop {
        while running.len() < CONCURRENCY
            && let Some((key, bytes)) = left.pop_front()
        {
            let objects = objects.clone();
            running.spawn(async move { objects.put_artifact(&key, sha256(&bytes), bytes, None).await });
        }
        match running.join_next().await {
            None => return Ok(()),
            Some(stored) => stored.map_err(|e| e.to_string())?.map_err(|e| e.to_string())?,
        }
    }
}
