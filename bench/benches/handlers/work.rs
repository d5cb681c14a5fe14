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

/// Does something so many times.
type Turns = fn(&Work, u32) -> Result<(), String>;

/// All work, by name.
pub(crate) const WORKS: [(&str, Turns); 6] = [
    ("detail", |work, times| work.request(times, &format!("/api/skills/{}", work.skill))),
    ("list of 50", |work, times| work.request(times, "/api/skills?limit=50")),
    ("download", |work, times| {
        work.request(times, &format!("/api/skills/{}/versions/{}/download", work.skill, work.version))
    }),
    ("open-upload request of 100 files", |_, times| open_uploads(times)),
    ("SKILL.md of 100 KB", |_, times| skill_mds(times)),
    ("check of a full package", |_, times| checks(times)),
];

/// What a process needs to know for its requests.
#[derive(Serialize, Deserialize)]
pub(crate) struct Work {
    place: Place,
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
        let work = Self { place: stage.place.clone(), skill, version };
        fs::write(file, serde_json::to_vec(&work).unwrap()).unwrap();
        stage
    }

    fn request(&self, times: u32, path: &str) -> Result<(), String> {
        let runtime = runtime();
        let service = Service::of(&self.place.connect());
        for _ in 0..times {
            black_box(runtime.block_on(service.get(None, path)));
        }
        Ok(())
    }
}

/// Does the work of this name so many times.
///
/// # Errors
/// If there is no such work.
pub(crate) fn run(name: &str, times: &str, file: &str) -> Result<(), String> {
    let times: u32 = times.parse().map_err(|e| format!("{times}: {e}"))?;
    let text = fs::read(file).map_err(|e| format!("{file}: {e}"))?;
    let work: Work = serde_json::from_slice(&text).map_err(|e| format!("{file}: {e}"))?;
    let turns = WORKS.iter().find(|(other, _)| *other == name).map(|(_, turns)| turns);
    turns.ok_or_else(|| format!("there is no work {name:?}"))?(&work, times)
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
