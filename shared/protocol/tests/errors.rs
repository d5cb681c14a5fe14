//! Exact texts of refusals: what a person reads.

use serde_json::{Value, json};
use skillhub_protocol::{CanonicalSlug, Coordinate, HttpsUrl, Kind, Manifest, OpenUpload, Release, UploadSession};

type Change = fn(&mut Value);

fn manifest(change: impl FnOnce(&mut Value)) -> Value {
    let file = |path: &str| json!({ "path": path, "sizeBytes": 1, "sha256": "a".repeat(64) });
    let mut manifest = json!({
        "schemaVersion": 1, "slug": "a", "name": "A", "description": "D", "version": "1.0.0",
        "files": [file("SKILL.md"), file("b.md"), file("c.md")],
    });
    change(&mut manifest);
    manifest
}

#[test]
fn a_manifest_that_is_refused_says_where_what_and_which_kind() {
    let cases: [(Change, &str, Kind); 9] = [
        (
            |m| m["schemaVersion"] = json!(2),
            "manifest.schemaVersion: must be 1, got 2: a newer client is needed",
            Kind::UnsupportedSchemaVersion,
        ),
        (|m| m["schemaVersion"] = json!("1"), "manifest.schemaVersion: must be the number 1", Kind::Type),
        (|m| drop(m.as_object_mut().unwrap().remove("slug")), "manifest.slug: is missing", Kind::Missing),
        (|m| m["name"] = json!(7), "manifest.name: must be a string", Kind::Type),
        (
            |m| m["files"][2]["sha256"] = json!("x"),
            "manifest.files[2].sha256: must be 64 lowercase hex digits",
            Kind::Value,
        ),
        (
            |m| m["files"][1]["sizeBytes"] = json!(1.5),
            "manifest.files[1].sizeBytes: must be an integer from 0 to 9007199254740991",
            Kind::Value,
        ),
        (
            |m| m["files"][1]["path"] = json!("../x"),
            "manifest.files[1].path: must be a relative path without empty, \".\" or \"..\" segments",
            Kind::Value,
        ),
        (
            |m| m["files"][1]["path"] = json!("d.md"),
            "manifest.files[2].path: must come after \"d.md\": files are in ascending order of UTF-16 units",
            Kind::Order,
        ),
        (|m| m["files"] = json!([]), "manifest.files: must list SKILL.md at the root of the package", Kind::Missing),
    ];
    for (change, text, kind) in cases {
        let error = Manifest::from_value(&manifest(change)).unwrap_err();
        assert_eq!((error.to_string().as_str(), error.kind()), (text, kind));
    }
}

#[test]
fn a_coordinate_that_is_refused_says_why() {
    let cases = [
        ("@team", "must be @namespace/slug, with a slash after the namespace"),
        ("@Team/x", "must be \"@\" and a kebab-case handle of 1-64 characters, such as @my-team"),
        ("@team/a--b", "must have a slug without \"--\", which separates namespace and slug"),
        ("@team/x@v1.0", "must name a version such as 1.2.0 (without \"v\") or a tag such as beta after the \"@\""),
        ("x@1.0", "must be a semver version such as 1.2.0, without \"v\" and without build metadata"),
        ("global--x", "must not spell the namespace \"global\": write the slug alone"),
        ("a--b--c", "must have a slug without \"--\", which separates namespace and slug"),
        (
            "con",
            "must not be a device name of Windows (con, prn, aux, nul, com1-com9, lpt1-lpt9) (the slug is \"con\")",
        ),
    ];
    for (text, why) in cases {
        assert_eq!(text.parse::<Coordinate>().unwrap_err().to_string(), why, "{text}");
    }
    assert!("a--b--c".parse::<CanonicalSlug>().is_err());
}

#[test]
fn an_open_request_has_paths_of_its_own_fields() {
    let request = |change: Change| {
        let package = json!({ "sizeBytes": 1, "sha256": "a".repeat(64) });
        let mut request = json!({ "namespace": "@global", "package": package, "manifest": manifest(|_| {}) });
        change(&mut request);
        OpenUpload::from_json(&request.to_string())
    };
    assert!(request(|_| {}).is_ok());
    let cases: [(Change, &str); 6] = [
        (|r| *r = json!([]), "request"),
        (|r| r["namespace"] = json!("global"), "namespace"),
        (|r| r["package"]["sizeBytes"] = json!(0), "package.sizeBytes"),
        (|r| r["tags"] = json!(["beta", "Beta"]), "tags[1]"),
        (|r| r["manifest"]["slug"] = json!("A"), "manifest.slug"),
        (|r| drop(r.as_object_mut().unwrap().remove("manifest")), "manifest"),
    ];
    for (change, path) in cases {
        assert_eq!(request(change).unwrap_err().path(), path);
    }
}

#[test]
fn only_versions_that_never_tie_are_releases() {
    for (text, next) in [("1.2.3", "1.2.4"), ("0.1.0-rc.1", "0.1.0")] {
        assert_eq!(text.parse::<Release>().unwrap().next_patch().unwrap().to_string(), next);
    }
    for text in ["v1.0.0", "1.0", "1.0.0+build", "01.0.0", "latest", "", &format!("1.0.0-{}", "a".repeat(60))] {
        assert!(text.parse::<Release>().is_err(), "{text}");
    }
}

#[test]
fn an_upload_session_of_another_schema_needs_a_newer_client() {
    let error = UploadSession::from_json(r#"{"schemaVersion":2}"#).unwrap_err();
    assert_eq!((error.path(), error.kind()), ("response.schemaVersion", Kind::UnsupportedSchemaVersion));
}

#[test]
fn a_url_is_sent_on_as_it_came() {
    let url = format!("https://h/{}", "é".repeat(4000));
    let parsed: HttpsUrl = url.parse().unwrap();
    assert_eq!(serde_json::from_str::<HttpsUrl>(&serde_json::to_string(&parsed).unwrap()).unwrap(), parsed);
    assert_eq!(format!("{parsed:?}"), parsed.to_string());
    assert_eq!("https://u:p@h:1/a?b#c".parse::<HttpsUrl>().unwrap().to_string(), "https://h:1/a?(redacted)");
}
