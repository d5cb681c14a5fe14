//! What is private and what does not exist are answered with the same bytes, wherever a client may ask.

use std::path::Path;

use serde_json::json;

use super::Backstage;
use super::scenario::Who;
use super::stage::Stage;

/// A private skill, and one that does not exist, in a namespace that everybody sees; then a namespace with private skills alone,
/// and one that does not exist. The names of a pair are of the same length.
const PAIRS: [[(&str, &str); 2]; 2] =
    [[("team-reef", "plans"), ("team-reef", "plums")], [("team-deep", "secrets"), ("team-dunes", "secrets")]];

/// Where the clients ask: a method, and a path in which `{ns}` and `{slug}` stand for what they say.
const ASKED: [(&str, &str); 32] = [
    ("GET", "/api/v1/skills/{ns}--{slug}"),
    ("GET", "/api/v1/skills/{ns}--{slug}%401.0.0"),
    ("GET", "/api/v1/skills/{slug}?ownerHandle={ns}"),
    ("GET", "/api/v1/skills/{ns}--{slug}/versions"),
    ("GET", "/api/v1/skills/{ns}--{slug}/versions/1.0.0"),
    ("GET", "/api/v1/skills/{ns}--{slug}/file?path=SKILL.md"),
    ("GET", "/api/v1/skills/{ns}--{slug}/file?path=SKILL.md&version=1.0.0"),
    ("GET", "/api/v1/skills/{ns}--{slug}/install"),
    ("GET", "/api/v1/skills/{ns}--{slug}/moderation"),
    ("GET", "/api/v1/skills/{ns}--{slug}/verify"),
    ("GET", "/api/v1/download?slug={ns}--{slug}&version=1.0.0"),
    ("GET", "/api/v1/download?slug={ns}--{slug}%401.0.0"),
    ("GET", "/api/v1/download?slug={slug}&ownerHandle={ns}&version=1.0.0"),
    ("GET", "/api/v1/resolve?slug={ns}--{slug}&hash={hash}"),
    ("GET", "/api/v1/resolve?slug={slug}&ownerHandle={ns}&hash={hash}"),
    ("GET", "/api/v1/search?q={slug}"),
    ("GET", "/api/v1/skills?prefix={slug}&limit=25"),
    ("POST", "/api/v1/stars/{ns}--{slug}"),
    ("DELETE", "/api/v1/stars/{ns}--{slug}"),
    ("DELETE", "/api/v1/skills/{ns}--{slug}"),
    ("DELETE", "/api/v1/skills/{ns}--{slug}/versions/1.0.0"),
    ("POST", "/api/v1/skills/{ns}--{slug}/undelete"),
    ("POST", "/api/v1/skills/{ns}--{slug}/tags/calm"),
    ("GET", "/@{ns}/{slug}/.well-known/agent-skills/index.json"),
    ("GET", "/@{ns}/{slug}@1.0.0/.well-known/agent-skills/index.json"),
    ("GET", "/@{ns}/{slug}/.well-known/skills/index.json"),
    ("GET", "/@{ns}/{slug}/.well-known/skills/{slug}/SKILL.md"),
    ("GET", "/@{ns}/{slug}@1.0.0/.well-known/skills/{slug}/SKILL.md"),
    ("GET", "/api/resolve?canonicalSlug={ns}--{slug}"),
    ("MCP", "skills/get"),
    ("MCP", "resources/read"),
    ("MCP", "skills/list"),
];

/// What is asked of a namespace as a whole, where the pair is one.
const NAMESPACES: [(&str, &str); 2] =
    [("GET", "/@{ns}/.well-known/agent-skills/index.json"), ("GET", "/@{ns}/.well-known/skills/index.json")];

/// How many answers were compared, and which differ.
pub(super) struct Compared {
    pub(super) count: usize,
    pub(super) faults: Vec<String>,
}

/// Asks a registry of its own, as nobody and as a stranger.
///
/// # Errors
/// If the registry does not start or answer.
pub(super) fn compare(folder: &Path, backstage: &Backstage) -> Result<Compared, String> {
    let stage = backstage.stage(folder)?;
    let mut compared = Compared { count: 0, faults: Vec::new() };
    for who in [Who::Nobody, Who::Stranger] {
        for [private, unknown] in PAIRS {
            let namespaces = NAMESPACES.iter().filter(|_| private.0 != unknown.0);
            for (method, path) in ASKED.iter().chain(namespaces) {
                let one = ask(&stage, who, (method, path), private)?;
                let other = ask(&stage, who, (method, path), unknown)?;
                compared.count += 1;
                if one != other {
                    let fault = format!("{who:?}: {method} {path} of {private:?}: {one}\n{unknown:?}: {other}");
                    println!("{fault}\n");
                    compared.faults.push(fault);
                }
            }
        }
    }
    stage.strike()?;
    Ok(compared)
}

/// The answer to a request, with all of its headers but those that are of the moment.
fn ask(stage: &Stage, who: Who, (method, path): (&str, &str), (ns, slug): (&str, &str)) -> Result<String, String> {
    let fill = |text: &str| text.replace("{ns}", ns).replace("{slug}", slug).replace("{hash}", &"a".repeat(64));
    let (method, path, body) = match method {
        "MCP" => {
            let uri = fill("skill://{ns}/{slug}/SKILL.md");
            let meta = json!({ "io.modelcontextprotocol/protocolVersion": "2026-07-28" });
            let params = json!({ "uri": uri, "_meta": meta });
            ("POST", "/mcp".to_owned(), json!({ "jsonrpc": "2.0", "id": 1, "method": path, "params": params }))
        }
        _ => (method, fill(path), json!({ "version": "1.0.0" })),
    };
    let mut request = ureq::http::Request::builder().method(method).uri(format!("{}{path}", stage.registry()));
    if let Some(token) = stage.token(who) {
        request = request.header("authorization", format!("Bearer {token}"));
    }
    let body = if method == "GET" { String::new() } else { body.to_string() };
    let request =
        request.header("content-type", "application/json").header("accept", "application/json, text/event-stream");
    let request = request.body(body).map_err(|e| e.to_string())?;
    let agent =
        ureq::Agent::config_builder().http_status_as_error(false).max_redirects(0).allow_non_standard_methods(true);
    let answer = ureq::Agent::new_with_config(agent.build()).run(request);
    let mut answer = answer.map_err(|e| format!("{method} {path}: {e}"))?;
    let is_of_the_moment = |name: &str| matches!(name, "date" | "x-request-id");
    let headers = answer.headers().iter().filter(|(name, _)| !is_of_the_moment(name.as_str()));
    let headers: Vec<_> =
        headers.map(|(name, value)| format!("{name}: {}", String::from_utf8_lossy(value.as_bytes()))).collect();
    let status = answer.status();
    let text = answer.body_mut().read_to_string().map_err(|e| format!("{method} {path}: {e}"))?;
    Ok(format!("{status} {headers:?} {text}"))
}
