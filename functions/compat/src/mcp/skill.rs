//! A skill as the Skills extension spells it.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use serde_json::{Value, json};
use skillhub_protocol::{Coordinate, Manifest, Namespace, Selector, Slug};

use crate::files::MAX_BYTES;

/// What stands in a segment of a URI as it is (RFC 3986, 2.3); the slash separates segments.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/');

/// The longest description, name aside the only length that clients check, in characters.
const MAX_DESCRIPTION: usize = 1024;
const MAX_COMPATIBILITY: usize = 500;

/// Room for what stands around the entries of an answer, in bytes.
const ENVELOPE: usize = 1000;
/// How many bytes of JSON the entries of one answer have together.
pub(super) const MAX_ENTRIES: usize = MAX_BYTES - ENVELOPE;

/// `skill://<namespace>/<slug>/<path>`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SkillUri {
    pub(super) coordinate: Coordinate,
    pub(super) path: String,
}

impl SkillUri {
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut parts = text.strip_prefix("skill://")?.splitn(3, '/');
        let namespace = Namespace::from_handle(parts.next()?).ok()?;
        let coordinate = Coordinate::new(namespace, parts.next()?.parse().ok()?, Selector::Latest).ok()?;
        let path = percent_decode_str(parts.next()?).decode_utf8().ok()?.into_owned();
        Some(Self { coordinate, path })
    }
}

/// The URI of a file.
pub(super) fn uri(namespace: &Namespace, slug: &Slug, path: &str) -> String {
    format!("skill://{}/{slug}/{}", namespace.handle(), utf8_percent_encode(path, ESCAPED))
}

/// The entry of a skill; `None` if the extension cannot spell it. Clients demand that its name is kebab-case and the last
/// segment of its path, so the slug; a description of 1 to 1024 characters; and, where there are such, `license` as text,
/// `compatibility` as text of 1 to 500 characters, `allowed-tools` as text or a list of texts, `metadata` as a mapping. An
/// entry that would fill more than a page is left out, too.
pub(super) fn entry(namespace: &Namespace, manifest: &Manifest, frontmatter: Value) -> Option<Value> {
    if !is_spelled(&manifest.slug, &frontmatter) {
        return None;
    }
    let resource = |file: &skillhub_protocol::FileEntry| {
        json!({
            "uri": uri(namespace, &manifest.slug, file.path.as_str()),
            "digest": format!("sha256:{}", file.sha256),
            "size": file.size_bytes,
        })
    };
    let entry = json!({
        "uri": uri(namespace, &manifest.slug, Manifest::SKILL_MD),
        "frontmatter": frontmatter,
        "resources": manifest.files().iter().map(resource).collect::<Vec<_>>(),
    });
    Some(entry).filter(|entry| size(entry) <= MAX_ENTRIES)
}

/// How many bytes an entry takes in a list.
pub(super) fn size(entry: &Value) -> usize {
    entry.to_string().len() + 1
}

/// Whether clients take a skill with this frontmatter under this slug.
pub(super) fn is_spelled(slug: &Slug, frontmatter: &Value) -> bool {
    let within = |text: &str, max| (1..=max).contains(&text.chars().count());
    let text = |name: &str| frontmatter.get(name).and_then(Value::as_str);
    let absent_or = |name: &str, holds: &dyn Fn(&Value) -> bool| frontmatter.get(name).is_none_or(holds);
    let texts = |list: &Vec<Value>| list.iter().all(Value::is_string);
    text("name") == Some(slug.as_str())
        && text("description").is_some_and(|text| within(text, MAX_DESCRIPTION))
        && absent_or("license", &Value::is_string)
        && absent_or("metadata", &Value::is_object)
        && absent_or("compatibility", &|value| value.as_str().is_some_and(|text| within(text, MAX_COMPATIBILITY)))
        && absent_or("allowed-tools", &|value| value.is_string() || value.as_array().is_some_and(texts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_survives_its_uri() {
        let (namespace, slug) = (Namespace::global(), "a-b".parse().unwrap());
        for (path, spelled) in [
            ("SKILL.md", "SKILL.md"),
            ("references/a b.md", "references/a%20b.md"),
            ("100%#?.md", "100%25%23%3F.md"),
            ("日本/ü~_-.md", "%E6%97%A5%E6%9C%AC/%C3%BC~_-.md"),
        ] {
            let uri = uri(&namespace, &slug, path);
            assert_eq!(uri, format!("skill://global/a-b/{spelled}"));
            let parsed = SkillUri::parse(&uri).unwrap();
            assert_eq!((parsed.path.as_str(), parsed.coordinate.to_string().as_str()), (path, "@global/a-b"));
        }
    }

    #[test]
    fn what_is_no_uri_of_a_skill_names_nothing() {
        for text in [
            "",
            "skill://",
            "skill://global",
            "skill://global/a",
            "skill://@global/a/SKILL.md",
            "skill://global/A/SKILL.md",
            "skill://global/a--b/SKILL.md",
            "skill://global/a/%FF",
            "file://global/a/SKILL.md",
        ] {
            assert_eq!(SkillUri::parse(text), None, "{text}");
        }
    }

    #[test]
    fn what_clients_refuse_is_not_spelled() {
        let slug: Slug = "a".parse().unwrap();
        let with = |name: &str, value: Value| {
            let mut frontmatter = json!({ "name": "a", "description": "d" });
            frontmatter[name] = value;
            is_spelled(&slug, &frontmatter)
        };
        for (name, value) in [
            ("other", json!(1.5)),
            ("license", json!("MIT")),
            ("description", json!("ü".repeat(1024))),
            ("compatibility", json!("c".repeat(500))),
            ("allowed-tools", json!("Read Write")),
            ("allowed-tools", json!(["Read"])),
            ("metadata", json!({ "n": 1 })),
        ] {
            assert!(with(name, value.clone()), "{name}: {value}");
        }
        for (name, value) in [
            ("name", json!("A")),
            ("name", json!(" a")),
            ("description", json!("d".repeat(1025))),
            ("description", json!("")),
            ("license", json!(null)),
            ("compatibility", json!("")),
            ("compatibility", json!("c".repeat(501))),
            ("allowed-tools", json!([1])),
            ("allowed-tools", json!({})),
            ("metadata", json!("text")),
        ] {
            assert!(!with(name, value.clone()), "{name}: {value}");
        }
    }
}
