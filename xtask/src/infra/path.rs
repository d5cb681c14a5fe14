//! The whole path through a deployed registry: a token, skills that other people wrote, everything that becomes of them.

mod clawhub;
mod client;
mod crowd;
mod events;
mod refusals;
mod script;
mod watch;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use self::client::{Api, Skillhub};
use super::cloud::Cloud;
use super::stack::{Issuer, Stack};
use crate::corpus::ARC;
use crate::process::{build_programs, run as run_command};

/// How many skills are published.
const SKILLS: usize = 20;
/// How many of them are installed and compared.
const INSTALLED: usize = 3;

/// Deploys a registry with these zips to an emulator whose objects are at this address, and walks the path.
///
/// # Errors
/// The first step that is not as it should be.
pub(super) fn run(cloud: &Cloud, objects_url: &str, zips: &Path) -> Result<(), String> {
    build_programs()?;
    let issuer = Issuer::start()?;
    let stack = Stack::deploy(cloud, &templates(cloud.folder(), zips)?, objects_url, &issuer)?;
    println!("deployed: {}", stack.output("ApiUrl")?);
    swept(&stack)?;
    let token = token(&Api::new(cloud.agent()?, stack.registry()?), issuer.token())?;
    walk(&stack, &token, &mut Vec::new())
}

/// The templates with the zips that are to be deployed; the first one's path.
fn templates(folder: &Path, zips: &Path) -> Result<PathBuf, String> {
    let to = folder.join("templates");
    fs::create_dir_all(&to).map_err(|e| format!("{}: {e}", to.display()))?;
    for from in super::lint::yaml_files()? {
        let text = fs::read_to_string(&from).map_err(|e| format!("{}: {e}", from.display()))?;
        let text = text.replace("../../target/lambda", &zips.display().to_string());
        let file = to.join(from.file_name().unwrap_or_default());
        fs::write(&file, text).map_err(|e| format!("{}: {e}", file.display()))?;
    }
    Ok(to.join("template.yaml"))
}

/// Walks the path of a registry that has nothing in it. What is `seen` on it that only an account shows is added, also before a
/// failure.
///
/// # Errors
/// The first step that is not as it should be.
pub(super) fn walk(stack: &Stack<'_>, token: &str, seen: &mut Vec<String>) -> Result<(), String> {
    ARC.fetch()?;
    let (cloud, registry) = (stack.cloud(), stack.registry()?);
    let api = Api::new(cloud.agent()?, registry.clone());
    let skillhub = Skillhub::new(cloud, &registry, token)?;
    let skills = some_skills(&cloud.folder().join("skills"))?;
    let slugs = published(&skillhub, &skills)?;
    listed(&api, token, SKILLS)?;
    installed(&skillhub, &slugs, &skills, &cloud.folder().join("project"))?;
    downloaded(&api, token, &slugs)?;
    let first = slugs.first().ok_or("nothing was published")?;
    clawhub::installs(stack, token, first, &skills)?;
    events::demand(stack, token, first)?;
    yanked(&skillhub, &api, token, &slugs)?;
    crowd::demand(stack, token, first, seen)?;
    swept(stack)?;
    refusals::demand(stack, token, seen)
}

/// The sweeper runs without a failed step: the first time it fetches the issuer's keys and makes the administrator one.
fn swept(stack: &Stack<'_>) -> Result<(), String> {
    let log = stack.sweep()?;
    if log.contains("failed_steps: 0") { Ok(()) } else { Err(format!("the sweeper left something undone:\n{log}")) }
}

/// An API token, had with a JWT of the administrator.
fn token(api: &Api, jwt: &str) -> Result<String, String> {
    let wish = json!({ "name": "deployment", "scopes": ["read", "publish", "manage"] });
    let answer = api.call(jwt, "POST", "/api/tokens", Some(&wish))?.success()?;
    let token = answer["token"].as_str().filter(|token| token.starts_with("sk_"));
    token.map(str::to_owned).ok_or_else(|| "the answer has no token".to_owned())
}

/// The first skills of a public pack, in a folder of their own.
fn some_skills(folder: &Path) -> Result<PathBuf, String> {
    fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let entries = fs::read_dir(ARC.skills()).map_err(|e| format!("{}: {e}", ARC.skills().display()))?;
    let mut skills: Vec<PathBuf> = entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
    skills.retain(|skill| skill.join("SKILL.md").is_file());
    skills.sort();
    for skill in skills.iter().take(SKILLS) {
        let name = skill.file_name().unwrap_or_default();
        crate::process::run(std::process::Command::new("cp").arg("-r").arg(skill).arg(folder.join(name)))?;
    }
    Ok(folder.to_owned())
}

/// Publishes all of them: upload, event, validator, verdict. Gives their slugs.
fn published(skillhub: &Skillhub, skills: &Path) -> Result<Vec<String>, String> {
    let folder = skills.display().to_string();
    let batch: Value = skillhub.json(&["publish", "--all", &folder, "--namespace", "@global", "--json", "--quiet"])?;
    let verdicts = batch["skills"].as_array().map(Vec::as_slice).unwrap_or_default();
    let slug = |verdict: &Value| {
        let coordinate = verdict["coordinate"].as_str().filter(|_| verdict["outcome"] == "published")?;
        Some(coordinate.strip_prefix("@global/")?.split_once('@')?.0.to_owned())
    };
    let slugs: Vec<_> = verdicts.iter().filter_map(slug).collect();
    println!("published {} skills", slugs.len());
    if slugs.len() == SKILLS { Ok(slugs) } else { Err(format!("not all skills were published: {batch}")) }
}

/// The skills of this path; what scripts publish beside them is an organization's.
fn listed(api: &Api, token: &str, expected: usize) -> Result<(), String> {
    let answer = api.call(token, "GET", "/api/skills?limit=100&namespace=@global", None)?.success()?;
    let found = answer["skills"].as_array().map_or(0, Vec::len);
    if found == expected { Ok(()) } else { Err(format!("{found} skills are listed, not {expected}")) }
}

/// Installs some, and compares them with their sources.
fn installed(skillhub: &Skillhub, slugs: &[String], sources: &Path, project: &Path) -> Result<(), String> {
    for slug in slugs.iter().take(INSTALLED) {
        let folder = project.display().to_string();
        skillhub.run(&["install", slug, "--dir", &folder, "--quiet"])?;
        equal(&sources.join(slug), &project.join(slug), &[])?;
    }
    println!("installed {INSTALLED} skills, equal to their sources");
    Ok(())
}

/// Demands that two folders of a skill are equal, but for what a client keeps beside its files. The pack has notes of its maker's
/// tools in some of its folders, which are no part of a skill.
fn equal(source: &Path, installed: &Path, beside: &[&str]) -> Result<(), String> {
    let left_out = [".astron"].iter().chain(beside).flat_map(|name| ["-x", name]);
    run_command(std::process::Command::new("diff").arg("-r").args(left_out).arg(source).arg(installed))
}

/// Ids of skill and current version.
fn ids(api: &Api, token: &str, slug: &str) -> Result<(String, String), String> {
    let answer = api.call(token, "GET", &format!("/api/resolve?coordinate={slug}"), None)?.success()?;
    let id = |name: &str| answer[name].as_str().map(str::to_owned).ok_or_else(|| format!("{answer} has no {name}"));
    Ok((id("skillId")?, id("versionId")?))
}

/// A download is what was announced, over HTTPS; a URL that was changed is refused.
fn downloaded(api: &Api, token: &str, slugs: &[String]) -> Result<(), String> {
    let slug = slugs.first().ok_or("nothing was published")?;
    let (skill, version) = ids(api, token, slug)?;
    api.call(token, "GET", &format!("/api/skills/{skill}"), None)?.success()?;
    let path = format!("/api/skills/{skill}/versions/{version}/download");
    let answer = api.call(token, "GET", &path, None)?.success()?;
    let url = answer["url"].as_str().filter(|url| url.starts_with("https://")).ok_or("the download is not HTTPS")?;
    let bytes = api.fetch(url)?;
    if bytes.0 != 200 || answer["sizeBytes"] != bytes.1 {
        return Err(format!(
            "the download is answered {} with {} bytes, not {}",
            bytes.0, bytes.1, answer["sizeBytes"]
        ));
    }
    let signature = url.split("X-Amz-Signature=").nth(1).and_then(|rest| rest.split('&').next());
    let signature = signature.ok_or("the URL has no signature")?;
    let forged = url.replace(signature, &"0".repeat(signature.len()));
    let longer = url.replace("X-Amz-Expires=300", "X-Amz-Expires=3000");
    for (what, url) in [("a forged signature", forged), ("a longer life", longer)] {
        let (status, _) = api.fetch(&url)?;
        if status != 403 {
            return Err(format!("{what} is answered {status}, not 403"));
        }
    }
    println!("downloaded; a forged signature and a longer life are refused");
    Ok(())
}

/// A version that is yanked leaves the list, and its exact number stays.
fn yanked(skillhub: &Skillhub, api: &Api, token: &str, slugs: &[String]) -> Result<(), String> {
    let slug = slugs.last().ok_or("nothing was published")?;
    let (skill, version) = ids(api, token, slug)?;
    let answer = api.call(token, "GET", &format!("/api/skills/{skill}/versions/{version}"), None)?.success()?;
    let number = answer["version"]["version"].as_str().ok_or("the version has no number")?;
    skillhub.run(&["yank", &format!("{slug}@{number}"), "--reason", "a trial of the deployment", "--quiet"])?;
    listed(api, token, SKILLS - 1)?;
    let path = format!("/api/skills/{skill}/versions/{version}/download");
    api.call(token, "GET", &path, None)?.success().map(drop)
}
