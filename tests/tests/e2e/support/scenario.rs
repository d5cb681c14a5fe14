//! Scenarios: files with commands and all that they print, against a registry of their own.
//!
//! | line | means |
//! |---|---|
//! | `# …` | is for the reader |
//! | `$ skillhub …` | runs the command; words are parted by spaces, `"…"` holds one with spaces |
//! | `@ write PATH TEXT` | writes a file of the project; `\n` in the text is a line end |
//! | `@ delete PATH` | deletes a file or folder of the project |
//! | `@ env NAME=VALUE` | sets a variable for all that follows |
//! | `@ as NAME` | is this person from here on; `admin` is the one who runs the registry |
//! | `@ folder COORDINATE` | writes the folder of this version into the project |
//! | `@ publish COORDINATE` | publishes it, and founds its namespace if need be, as `admin` |
//! | `@ open COORDINATE` | opens an upload as `skillhub publish` would, and uploads nothing, as `admin` |
//! | `@ reject COORDINATE` | uploads what is not what it is declared to be, as `admin` |
//! | `@ spoil` | changes the bytes of what was published in the store |
//! | `= N` | the exit code |
//! | `  > …`, `  ! …` | a line of standard output, of standard error |
//!
//! The last two kinds are written anew on each run and compared; `UPDATE_EXPECT=1` keeps what comes of it. What is different
//! on each run has a name, such as `[REGISTRY]` or `[UPLOAD-1]` (`redact.rs`), which commands may use as well.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use expect_test::expect_file;
use serde_json::{Value, json};
use skillhub_package::canonical;
use skillhub_package::pack::{SourceFile, from_files};
use skillhub_protocol::{Coordinate, Selector, UploadSession, UploadState};
use skillhub_tests::issuer::{AUDIENCE, IssuerServer, TestKey, claims};
use tempfile::TempDir;

use super::redact::Names;
use super::{Http, Registry, Skill, open_request, overwrite};

const ADMIN: &str = "admin";

pub(crate) struct Scenario {
    registry: Registry,
    /// Who vouches for everybody but the administrator.
    issuer: IssuerServer,
    key: TestKey,
    root: TempDir,
    env: BTreeMap<String, String>,
    /// Where the store has what was published.
    packages: Vec<String>,
    names: Names,
    text: String,
}

impl Scenario {
    /// Runs the commands of a file in `scenarios` and compares what they print.
    pub(crate) fn play(name: &str) {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/e2e/scenarios").join(name);
        let mut scenario = Self::start();
        fs::read_to_string(&file).unwrap().lines().for_each(|line| scenario.step(line));
        expect_file![file].assert_eq(&scenario.text);
    }

    fn start() -> Self {
        let key = TestKey::new("a", 1);
        let issuer = IssuerServer::start(&json!([key.jwk()]));
        let mut registry = Registry::start_with_issuer(&issuer.url(), AUDIENCE);
        registry.wait_for_log("the issuer's keys were fetched");
        let root = TempDir::new().unwrap();
        for dir in ["home", "project"] {
            fs::create_dir(root.path().join(dir)).unwrap();
        }
        let (env, packages, names, text) = (BTreeMap::new(), Vec::new(), Names::default(), String::new());
        let scenario = Self { registry, issuer, key, root, env, packages, names, text };
        scenario.sign_in();
        scenario
    }

    /// Makes the registry the default of the person at the keyboard, who is the administrator.
    fn sign_in(&self) {
        let (url, token) = (self.url(), self.registry.token());
        let ca = self.registry.data().join("ca.pem");
        let args = ["login", "--registry", &url, "--ca", ca.to_str().unwrap(), "--token", &token];
        let output = self.command(&args.map(str::to_owned)).output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }

    fn url(&self) -> String {
        self.registry.local_json()["registry"].as_str().unwrap().to_owned()
    }

    fn project(&self) -> PathBuf {
        self.root.path().join("project")
    }

    fn home(&self) -> PathBuf {
        self.root.path().join("home")
    }

    fn step(&mut self, line: &str) {
        let is_result = line.starts_with("= ") || line.starts_with("  >") || line.starts_with("  !");
        if is_result {
            return;
        }
        self.text.push_str(&format!("{line}\n"));
        if let Some(command) = line.strip_prefix("$ skillhub") {
            self.run(&words(&self.fill(command)));
        } else if let Some(action) = line.strip_prefix("@ ") {
            let (what, rest) = action.split_once(' ').unwrap_or((action, ""));
            self.act(what, rest);
        }
    }

    fn command(&self, args: &[String]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_e2e-command"));
        command.args(args).current_dir(self.project()).stdin(Stdio::null());
        command.env_clear().env("HOME", self.home()).envs(&self.env);
        command
    }

    fn run(&mut self, args: &[String]) {
        let output = self.command(args).output().unwrap();
        let code = output.status.code().unwrap();
        self.text.push_str(&format!("= {code}\n"));
        for (mark, output) in [('>', &output.stdout), ('!', &output.stderr)] {
            for line in self.redact(std::str::from_utf8(output).unwrap()).lines() {
                self.text.push_str(format!("  {mark} {line}").trim_end());
                self.text.push('\n');
            }
        }
        let stderr = String::from_utf8_lossy(&output.stderr);
        if code != 0 && code != 2 && output.stdout.is_empty() {
            assert!(stderr.contains("hint"), "an error says what to do next: {stderr}");
        }
        for secret in [self.registry.token().as_str(), "X-Amz-Signature"] {
            assert!(!stderr.contains(secret), "a secret is printed: {stderr}");
        }
    }

    fn act(&mut self, what: &str, rest: &str) {
        match what {
            "write" => self.write(rest),
            "delete" => {
                let path = self.project().join(rest);
                let removed = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
                removed.unwrap();
            }
            "env" => {
                let (name, value) = rest.split_once('=').unwrap();
                self.env.insert(name.to_owned(), self.fill(value));
            }
            "as" => self.become_somebody(rest),
            "folder" => Declared::new(rest).skill.write_below(&self.project()),
            "publish" => self.publish(rest),
            "open" => drop(self.open(&Declared::new(rest).request())),
            "reject" => self.reject(rest),
            "spoil" => self.packages.iter().for_each(|key| overwrite(&self.registry, key, |bytes| bytes.reverse())),
            other => panic!("unknown action {other}"),
        }
    }

    fn write(&self, rest: &str) {
        let (path, text) = rest.split_once(' ').unwrap();
        let path = self.project().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, self.fill(text).replace("\\n", "\n")).unwrap();
    }

    /// Somebody has a token of the issuer, and has founded the namespace of that name.
    fn become_somebody(&mut self, name: &str) {
        if name == ADMIN {
            self.env.remove("SKILLHUB_TOKEN");
            return;
        }
        let token = self.key.sign(&self.key.header(), &claims(&self.issuer.url(), name));
        found(&Http::new(&self.registry, Some(token.clone())), &format!("@{name}"), "personal");
        self.env.insert(String::from("SKILLHUB_TOKEN"), token);
    }

    fn publish(&mut self, coordinate: &str) {
        let (declared, http) = (Declared::new(coordinate), self.registry.http());
        found(&http, &declared.namespace, "organization");
        let session = self.open(&declared.request());
        let put = http.put(session.upload.as_ref().unwrap(), &declared.package);
        assert_eq!(put.status, 200, "{put:?}");
        let verdict = http.verdict(&session);
        let published = verdict.published.unwrap_or_else(|| panic!("{:?}", verdict.findings));
        let (skill, version, digest) = (published.skill_id, published.version_id, published.artifact_sha256);
        self.packages.push(format!("packages/{skill}/{version}/{digest}.zip"));
    }

    fn open(&mut self, request: &Value) -> UploadSession {
        let answer = self.registry.http().open(request);
        assert_eq!(answer.status, 201, "{}", answer.text());
        let session = UploadSession::from_json(answer.text()).unwrap();
        self.names.redact(session.id.as_str());
        session
    }

    fn reject(&mut self, coordinate: &str) {
        let mut declared = Declared::new(coordinate);
        let mut other = declared.skill.clone();
        other.files[1].1.push(b'!');
        declared.package = package_of(&other);
        let session = self.open(&declared.request());
        let http = self.registry.http();
        assert_eq!(http.put(session.upload.as_ref().unwrap(), &declared.package).status, 200);
        assert_eq!(http.verdict(&session).state, UploadState::Rejected);
    }

    /// Text of the file with what is different on each run.
    fn fill(&self, text: &str) -> String {
        self.names.fill(&text.replace("[REGISTRY]", &self.url()))
    }

    fn redact(&mut self, text: &str) -> String {
        let project = self.project();
        let real = project.canonicalize().unwrap();
        let pairs = [
            (self.url(), "[REGISTRY]"),
            (self.registry.object_endpoint(), "[STORE]"),
            (real.display().to_string(), "[PROJECT]"),
            (project.display().to_string(), "[PROJECT]"),
            (self.home().display().to_string(), "[HOME]"),
        ];
        let text = pairs.iter().fold(text.to_owned(), |text, (value, name)| text.replace(value, name));
        self.names.redact(&text)
    }
}

/// A version to publish, whose content follows from its coordinate.
struct Declared {
    namespace: String,
    skill: Skill,
    package: Vec<u8>,
}

impl Declared {
    fn new(coordinate: &str) -> Self {
        let parsed: Coordinate = coordinate.parse().unwrap();
        let Selector::Version(version) = parsed.selector() else { panic!("{coordinate} has no version") };
        let version = version.to_string();
        let skill = Skill::new(parsed.slug().as_str(), &version).version(&version);
        Self { namespace: parsed.namespace().to_string(), package: package_of(&skill), skill }
    }

    fn request(&self) -> Value {
        let mut request = open_request(&self.skill.manifest(), &self.package);
        request["namespace"] = json!(self.namespace);
        request
    }
}

/// The package that `skillhub publish` makes of the skill.
fn package_of(skill: &Skill) -> Vec<u8> {
    let files = skill.files.iter().map(|(path, data)| SourceFile { path: path.clone(), data: data.clone() });
    canonical(&from_files(files.collect()).unwrap().contents).bytes
}

/// Makes a namespace, unless it is there.
fn found(http: &Http, namespace: &str, kind: &str) {
    let body = json!({ "namespace": namespace, "kind": kind }).to_string();
    let answer = http.send("POST", "/api/namespaces", &[], body.as_bytes());
    assert!(matches!(answer.status, 201 | 409), "{}", answer.text());
}

fn words(line: &str) -> Vec<String> {
    let (mut words, mut quoted, mut word) = (Vec::new(), false, None::<String>);
    for c in line.chars() {
        match c {
            '"' => {
                quoted = !quoted;
                word.get_or_insert_default();
            }
            ' ' if !quoted => words.extend(word.take()),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}
