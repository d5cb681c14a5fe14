//! Every route of a router is in the document, and the other way round.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use http::{Method, StatusCode};
use skillhub_tests::in_process::InProcess;

use crate::description::{Description, filled};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// Methods of the document by path.
fn documented() -> BTreeMap<&'static str, BTreeSet<String>> {
    let mut paths = BTreeMap::<_, BTreeSet<_>>::new();
    for (method, path) in skillhub_openapi::operations() {
        assert!(paths.entry(path).or_default().insert(method.to_string()), "{method} {path} is there twice");
    }
    paths
}

/// The function whose routes are other people's protocols: each has a description of its own, and none belongs to our API.
const OTHER_PROTOCOLS: &str = "compat";

/// The paths that the sources give to routers: axum does not tell which routes a router has.
fn routed() -> BTreeSet<String> {
    let functions = fs::read_dir(format!("{ROOT}/functions")).unwrap().map(|entry| entry.unwrap().path());
    let functions = functions.filter(|path| !path.ends_with(OTHER_PROTOCOLS)).map(|path| path.join("src"));
    let sources = functions.chain([Path::new(ROOT).join("shared/web/src")]);
    let files = sources.flat_map(|folder| fs::read_dir(folder).unwrap()).map(|entry| entry.unwrap().path());
    let texts: Vec<_> = files.filter(|file| file.is_file()).map(|file| fs::read_to_string(file).unwrap()).collect();
    let routes = texts.iter().flat_map(|text| text.split(".route(").skip(1)).map(|rest| rest.trim_start());
    routes.map(|rest| rest.strip_prefix('"').unwrap().split('"').next().unwrap().to_owned()).collect()
}

#[test]
fn every_path_of_a_router_is_documented_and_the_other_way_round() {
    let documented: BTreeSet<_> = documented().into_keys().map(str::to_owned).collect();
    assert_eq!(routed(), documented);
}

#[tokio::test]
async fn a_method_is_allowed_if_and_only_if_it_is_documented() {
    let registry = InProcess::start().await;
    let description = Description::read();
    for (path, methods) in documented() {
        let mut allowed = methods.clone();
        if methods.contains("GET") {
            // RFC 9110, 9.3.2: the same without the content.
            allowed.insert(String::from("HEAD"));
        }
        for method in ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "BREW"] {
            let answer = registry.send(Some(&registry.owner), method, &filled(path), "").await;
            assert_eq!(answer.status != StatusCode::METHOD_NOT_ALLOWED, allowed.contains(method), "{method} {path}");
            if methods.contains(method) {
                description.demand(&method.parse::<Method>().unwrap(), path, &answer);
            } else if allowed.contains(method) {
                assert!(answer.body.is_empty(), "{method} {path}: {answer:?}");
            } else {
                let told: BTreeSet<_> = answer.headers["allow"].split(',').map(str::to_owned).collect();
                assert_eq!(told, allowed, "{method} {path}");
                assert!(method == "HEAD" || answer.code() == "method_not_allowed", "{method} {path}: {answer:?}");
            }
        }
    }
}

#[tokio::test]
async fn what_is_served_is_the_document() {
    let registry = InProcess::start().await;
    let answer = registry.send(None, "GET", "/openapi.json", "").await;
    assert_eq!(answer.body, skillhub_openapi::text().unwrap());
}
