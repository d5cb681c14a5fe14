//! Work whose instructions are counted, done so many times by a process of its own.

use std::fs;
use std::hint::black_box;
use std::path::Path;

use serde::{Deserialize, Serialize};
use skillhub_package::{Declared, Policy, canonical, check, parse_skill_md};
use skillhub_protocol::{Manifest, OpenUpload, Scope};
use skillhub_tests::skill::{Skill, open_request};

use crate::stage::{Place, Service, Stage};
use crate::{runtime, sample};

/// The names of all work.
pub(crate) const WORKS: [&str; 6] = [
    "detail",
    "list of 50",
    "download",
    "open-upload request of 100 files",
    "SKILL.md of 100 KB",
    "check of a full package",
];

/// What a process needs to know for its requests.
#[derive(Serialize, Deserialize)]
pub(crate) struct Work {
    dynamodb: String,
    objects: String,
    public: String,
    access_key: String,
    secret_key: String,
    ca_pem: String,
    skill: String,
    version: String,
}

impl Work {
    /// Stores with skills in them, and a file that says where they are.
    pub(crate) async fn prepare(file: &Path) -> Stage {
        let stage = Stage::start().await;
        let manifest =
            |n: usize| Manifest::from_json(&Skill::new(&format!("skill-{n}"), "x").manifest().to_string()).unwrap();
        let skills = stage.seed("@team", Scope::Public, (0..60).map(manifest), 1).await;
        let skill = skills[0].to_string();
        let detail = stage.service.json(None, &format!("/api/skills/{skill}")).await;
        let version = detail["skill"]["currentVersion"]["id"].as_str().unwrap().to_owned();
        let Place { dynamodb, objects, public, access_key, secret_key, ca_pem } = stage.place.clone();
        let work = Self { dynamodb, objects, public, access_key, secret_key, ca_pem, skill, version };
        fs::write(file, serde_json::to_vec(&work).unwrap()).unwrap();
        stage
    }

    fn request(self, times: u32, path: &str) {
        let runtime = runtime();
        let Self { dynamodb, objects, public, access_key, secret_key, ca_pem, .. } = self;
        let place = Place { dynamodb, objects, public, access_key, secret_key, ca_pem };
        let service = Service::of(&place.connect());
        for _ in 0..times {
            black_box(runtime.block_on(service.get(None, path)));
        }
    }
}

/// Does the work of this name so many times.
///
/// # Errors
/// If there is no such work.
pub(crate) fn run(name: &str, times: &str, place: &str) -> Result<(), String> {
    let times: u32 = times.parse().map_err(|e| format!("{times}: {e}"))?;
    let text = fs::read(place).map_err(|e| format!("{place}: {e}"))?;
    let work: Work = serde_json::from_slice(&text).map_err(|e| format!("{place}: {e}"))?;
    let skill = format!("/api/skills/{}", work.skill);
    let download = format!("{skill}/versions/{}/download", work.version);
    match WORKS.iter().position(|other| *other == name) {
        Some(0) => work.request(times, &skill),
        Some(1) => work.request(times, "/api/skills?limit=50"),
        Some(2) => work.request(times, &download),
        Some(3) => open_uploads(times)?,
        Some(4) => skill_mds(times)?,
        Some(5) => checks(times)?,
        _ => return Err(format!("there is no work {name:?} among {WORKS:?}")),
    }
    Ok(())
}

fn open_uploads(times: u32) -> Result<(), String> {
    let contents = sample::contents()?;
    let name = || sample::NAME.parse().map_err(|_| "the name is none");
    let slug = sample::NAME.parse().map_err(|_| "the slug is none")?;
    let description = sample::DESCRIPTION.parse().map_err(|_| "the description is none")?;
    let version = "1.0.0".parse().map_err(|_| "the version is none")?;
    let manifest = contents.manifest(slug, name()?, description, version).map_err(|e| e.to_string())?;
    let manifest = serde_json::from_str(&manifest.to_json()).map_err(|e| e.to_string())?;
    let request = open_request(&manifest, b"archive").to_string();
    for _ in 0..times {
        black_box(OpenUpload::from_json(black_box(&request)).map_err(|e| e.to_string())?);
    }
    Ok(())
}

fn skill_mds(times: u32) -> Result<(), String> {
    let contents = sample::contents()?;
    let file = contents.get("SKILL.md").ok_or("the package has no SKILL.md")?;
    for _ in 0..times {
        black_box(parse_skill_md(black_box(file.data())).map_err(|findings| format!("{findings:?}"))?);
    }
    Ok(())
}

fn checks(times: u32) -> Result<(), String> {
    let archive = canonical(&sample::contents()?).bytes;
    let declared = Declared { slug: sample::NAME, scope: Scope::Public };
    for _ in 0..times {
        let report = check(black_box(&archive), &declared, &Policy::default());
        if black_box(report).package.is_none() {
            return Err(String::from("the package is refused"));
        }
    }
    Ok(())
}
