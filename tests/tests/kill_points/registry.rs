//! A registry in a process, as its clients see it, and what is behind it.

use std::fs::{self, File, OpenOptions};
use std::io::{BufRead as _, BufReader};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::{Request, StatusCode};
use serde_json::{Value, json};
use skillhub_local::{Credentials, LocalConfig};
use skillhub_protocol::{ListResponse, UploadId, UploadSession, UploadState};
use skillhub_store::{Connection, Objects, Settings};
use skillhub_tests::invariants;
use skillhub_tests::raw_table::RawTable;
use skillhub_tests::skill::Skill;
use skillhub_tests::wire::Wire;

use crate::{Story, artifact};

/// How long anything may take before a test gives up on it.
const PATIENCE: Duration = Duration::from_secs(60);

/// A registry in a process.
pub(crate) struct Registry {
    child: Child,
    dir: PathBuf,
    /// Where it listens, once it has said so.
    at: Option<Addresses>,
}

struct Addresses {
    api: String,
    objects: String,
    tables: String,
    token: String,
    wire: Wire,
}

impl Drop for Registry {
    fn drop(&mut self) {
        self.kill();
    }
}

impl Registry {
    pub(crate) fn spawn(dir: &Path, point: Option<&str>) -> Self {
        let log = |name: &str| OpenOptions::new().create(true).append(true).open(dir.join(name)).unwrap();
        let mut process = Command::new(env!("CARGO_BIN_EXE_e2e-registry"));
        process.args(["--port", "0", "--object-port", "0", "--data"]).arg(dir);
        process.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log("log"));
        if let Some(point) = point {
            process.env("SKILLHUB_FAIL_POINT", point);
        }
        Self { child: process.spawn().unwrap(), dir: dir.to_owned(), at: None }
    }

    /// Starts one that lives until it answers.
    pub(crate) fn start(dir: &Path, point: Option<&str>) -> Self {
        let mut registry = Self::spawn(dir, point);
        let addresses = Addresses::read(registry.child.stdout.take().unwrap(), dir);
        registry.at = Some(addresses);
        registry
    }

    fn at(&self) -> &Addresses {
        self.at.as_ref().unwrap()
    }

    pub(crate) fn kill(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// The signal that it ended by.
    pub(crate) async fn ended(&mut self) -> Option<i32> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.signal();
            }
            assert!(Instant::now() < deadline, "it lives on: {}", fs::read_to_string(self.dir.join("log")).unwrap());
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// An answer of the API, unless the process dies over it.
    async fn send(&self, method: &str, path: &str, body: &str) -> Option<(StatusCode, String)> {
        let Addresses { api, token, wire, .. } = self.at();
        let request = Request::builder().method(method).uri(format!("{api}{path}"));
        let request = request.header("authorization", format!("Bearer {token}"));
        let answer = wire.send(request.body(Bytes::from(body.to_owned())).unwrap()).await.ok()?;
        Some((answer.status(), String::from_utf8(answer.body().to_vec()).unwrap()))
    }

    async fn open(&self, request: &Value) -> Option<UploadSession> {
        let (status, text) = self.send("POST", "/api/uploads", &request.to_string()).await?;
        assert!(status.is_success(), "{text}");
        Some(UploadSession::from_json(&text).unwrap())
    }

    /// Uploads, if the session waits for bytes. They may be there already, and the process may die.
    async fn put(&self, session: &UploadSession, bytes: &[u8]) {
        let Some(upload) = &session.upload else { return };
        let mut request = Request::put(upload.url.expose());
        for (name, value) in upload.headers.iter().filter(|(name, _)| *name != "content-length") {
            request = request.header(name, value);
        }
        let request = request.body(Bytes::copy_from_slice(bytes)).unwrap();
        if let Ok(answer) = self.at().wire.send(request).await {
            assert!([200, 412].contains(&answer.status().as_u16()), "{answer:?}");
        }
    }

    /// Opens and uploads, as far as that goes.
    pub(crate) async fn begin(&self, request: &Value, archive: &[u8]) {
        if let Some(session) = self.open(request).await {
            self.put(&session, archive).await;
        }
    }

    async fn session(&self, id: &UploadId) -> UploadSession {
        let (_, text) = self.send("GET", &format!("/api/uploads/{id}"), "").await.unwrap();
        UploadSession::from_json(&text).unwrap()
    }

    /// Opens, uploads and waits for the verdict.
    pub(crate) async fn publish(&self, request: &Value, archive: &[u8]) -> UploadSession {
        let mut session = self.open(request).await.unwrap();
        self.put(&session, archive).await;
        let deadline = Instant::now() + PATIENCE;
        while !session.state.is_terminal() {
            assert!(Instant::now() < deadline, "no verdict came: {session:?}");
            tokio::time::sleep(Duration::from_millis(20)).await;
            session = self.session(&session.id).await;
        }
        session
    }

    pub(crate) async fn cancel(&self, skill: &Skill) {
        let session = self.open(&skill.request()).await.unwrap();
        let answer = self.send("DELETE", &format!("/api/uploads/{}", session.id), "").await;
        assert!(answer.is_none(), "{answer:?}");
    }

    /// Two sessions of the same content, of which one names the scope; the first publishes it.
    pub(crate) async fn join(&self, skill: &Skill) {
        let mut named = skill.request();
        named["scope"] = json!("public");
        let late = self.open(&named).await.unwrap();
        self.publish(&skill.request(), &skill.archive()).await;
        self.put(&late, &skill.archive()).await;
    }

    /// A session that believes its slug to be another skill's than it is, as after a claim that somebody overtook.
    pub(crate) async fn adopt(&self, skill: &Skill) {
        let late = self.open(&skill.request()).await.unwrap();
        let believed = json!(format!("c{}", "0".repeat(24)));
        self.table().set(&format!("U#{}", late.id), "#", "skill_id", &believed).await.unwrap();
        let newer = Skill::new("crashed", "newer").version("1.1.0");
        self.publish(&newer.request(), &newer.archive()).await;
        self.put(&late, &skill.archive()).await;
    }

    /// A session without bytes, for the sweeper of the next start.
    pub(crate) async fn leave(&self, skill: &Skill, story: Story) {
        let session = self.open(&skill.request()).await.unwrap();
        let (pk, past) = (format!("U#{}", session.id), json!("2020-01-01T00:00:00.000Z"));
        let set = async |name: &str, value: &Value| self.table().set(&pk, "#", name, value).await.unwrap();
        match story {
            Story::Expire => set("expires_at", &past).await,
            Story::NoBytes => {
                set("state", &json!("VALIDATING")).await;
                set("lease_until", &past).await;
            }
            _ => {}
        }
    }

    fn table(&self) -> RawTable {
        RawTable::new(self.at().wire.clone(), &self.at().tables, "skillhub")
    }

    async fn objects(&self) -> Objects {
        let Addresses { objects, tables, .. } = self.at();
        let credentials: Credentials =
            serde_json::from_reader(File::open(self.dir.join("store-credentials.json")).unwrap()).unwrap();
        let keys = (credentials.access_key_id.as_str(), credentials.secret_access_key.expose());
        let ca_pem = fs::read_to_string(self.dir.join("ca.pem")).unwrap();
        let settings = Settings::from_variables(|name| match name {
            "SKILLHUB_TABLE" | "SKILLHUB_BUCKET" => Some(String::from("skillhub")),
            "AWS_ENDPOINT_URL" => Some(objects.clone()),
            _ => None,
        });
        let settings = settings.unwrap();
        Connection::to(tables, objects, keys, &ca_pem).unwrap().objects(&settings)
    }

    /// Waits until every session has ended and every upload is gone.
    pub(crate) async fn quiet(&self) {
        let (table, objects) = (self.table(), self.objects().await);
        let deadline = Instant::now() + PATIENCE;
        loop {
            let rows = table.scan().await.unwrap();
            let mut busy = Vec::new();
            for row in rows.iter().filter(|row| row.pk.starts_with("U#") && row.sk == "#") {
                let id = row.pk["U#".len()..].parse().unwrap();
                let state: UploadState = serde_json::from_value(row.attributes["state"].clone()).unwrap();
                if !state.is_terminal() || objects.staging_exists(&id).await.unwrap() {
                    busy.push((id, state));
                }
            }
            if busy.is_empty() {
                return;
            }
            assert!(Instant::now() < deadline, "{busy:?}: {}", fs::read_to_string(self.dir.join("log")).unwrap());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// All that can be seen from outside: table and bucket, then what readers are answered.
    pub(crate) async fn check(&self, published: &[&Skill], story: Story) {
        let settled = invariants::check(&self.table(), &self.objects().await, &self.at().wire).await;
        for skill in published {
            let name = format!("@global/{}@{}", skill.name, skill.version);
            assert_eq!(settled.versions.get(&name), Some(&artifact(skill)), "{name}");
            let (status, text) = self.send("GET", &format!("/api/resolve?coordinate={name}"), "").await.unwrap();
            let resolved: Value = serde_json::from_str(&text).unwrap();
            assert_eq!((status, &resolved["sha256"]), (StatusCode::OK, &json!(artifact(skill).to_string())), "{text}");
        }
        assert_eq!(settled.versions.len(), published.len() + usize::from(story == Story::Adopt), "{settled:?}");
        let (_, text) = self.send("GET", "/api/skills?limit=100", "").await.unwrap();
        assert_eq!(ListResponse::from_json(&text).unwrap().skills.len(), published.len(), "{text}");
    }
}

impl Addresses {
    /// What the start says on standard output.
    fn read(stdout: ChildStdout, dir: &Path) -> Self {
        let lines: Vec<_> = BufReader::new(stdout).lines().map_while(Result::ok).take(4).collect();
        let find = |label: &str| {
            let line = lines.iter().find_map(|line| line.trim().strip_prefix(label));
            let line = line.unwrap_or_else(|| panic!("{lines:?}: {}", fs::read_to_string(dir.join("log")).unwrap()));
            line.split_whitespace().next().unwrap().to_owned()
        };
        let local: LocalConfig = serde_json::from_reader(File::open(dir.join("local.json")).unwrap()).unwrap();
        let ca_pem = fs::read_to_string(dir.join("ca.pem")).unwrap();
        Self {
            api: find("API"),
            objects: find("objects"),
            tables: find("tables"),
            token: local.token.expose().to_owned(),
            wire: Wire::trusting(&ca_pem).unwrap(),
        }
    }
}
