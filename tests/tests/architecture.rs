//! The direction of dependencies, read from Cargo: see ARCHITECTURE.md.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, PackageId};

/// For each crate of the workspace, the other crates of the workspace that it may depend on.
const ARROWS: [(&str, &[&str]); 16] = [
    ("protocol", &[]),
    ("package", &["protocol"]),
    ("store", &["protocol"]),
    ("web", &["protocol", "store"]),
    // The document that `manage` serves; written beforehand, so no function has this below it.
    ("openapi", &["protocol"]),
    ("list", &["protocol", "store", "web"]),
    ("detail", &["protocol", "store", "web"]),
    ("download", &["protocol", "store", "web"]),
    ("publish", &["protocol", "store", "web"]),
    ("manage", &["protocol", "store", "web"]),
    // It makes packages of what other clients send.
    ("compat", &["protocol", "package", "store", "web"]),
    // The bootstraps share logging and the clock with the HTTP functions.
    ("validate", &["protocol", "package", "store", "web"]),
    ("sweep", &["protocol", "package", "store", "validate", "web"]),
    ("cli", &["protocol", "package"]),
    // What is measured is below its measurements alone, which are development dependencies.
    ("bench", &[]),
    (
        "local",
        &[
            "protocol", "package", "store", "web", "list", "detail", "download", "publish", "manage", "compat",
            "validate", "sweep", "cli",
        ],
    ),
];

/// What no crate of the left may have anywhere below it.
const FORBIDDEN: [(&[&str], &[&str]); 5] = [
    // Pure: no AWS, no async runtime, no network, no randomness, no clock but the caller's.
    (
        &["protocol", "package"],
        &["aws-", "tokio", "futures", "hyper", "axum", "ureq", "rustls", "rand", "lambda", "async-"],
    ),
    (&["cli"], &["aws-", "tokio", "hyper", "axum", "lambda", "skillhub-store", "skillhub-web"]),
    // They call the stores and nobody else: an issuer's keys are fetched by the sweeper.
    (&["web", "list", "detail", "download", "publish", "manage", "compat"], &["ureq", "reqwest"]),
    // The embedded stores are for local mode alone.
    (
        &["list", "detail", "download", "publish", "manage", "compat", "validate", "sweep"],
        &["s3s", "dynoxide", "rusqlite", "rcgen"],
    ),
    (&["list", "detail", "download", "publish", "manage", "compat", "validate", "sweep", "cli"], &["utoipa"]),
];

/// The platform that the functions run on; other platforms' parts of dependencies do not count.
const PLATFORM: &str = "x86_64-unknown-linux-gnu";

fn metadata() -> Metadata {
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.toml");
    let mut command = MetadataCommand::new();
    command.manifest_path(manifest);
    command
        .other_options([String::from("--offline"), String::from("--filter-platform"), String::from(PLATFORM)])
        .exec()
        .unwrap()
}

/// Normal dependencies of every package, as Cargo resolves them.
fn graph(metadata: &Metadata) -> BTreeMap<&PackageId, BTreeSet<&PackageId>> {
    let nodes = &metadata.resolve.as_ref().unwrap().nodes;
    let normal = |dep: &&cargo_metadata::NodeDep| dep.dep_kinds.iter().any(|kind| kind.kind == DependencyKind::Normal);
    nodes.iter().map(|node| (&node.id, node.deps.iter().filter(normal).map(|dep| &dep.pkg).collect())).collect()
}

#[test]
fn dependencies_between_our_crates_point_one_way() {
    let metadata = metadata();
    let graph = graph(&metadata);
    let ours = metadata.workspace_packages();
    let name = |id: &PackageId| metadata[id].name.to_string();
    for (krate, allowed) in ARROWS {
        let package = ours.iter().find(|p| p.name.as_str() == format!("skillhub-{krate}")).unwrap();
        let used = graph[&package.id].iter().filter_map(|id| name(id).strip_prefix("skillhub-").map(str::to_owned));
        for used in used {
            assert!(allowed.contains(&used.as_str()), "{krate} must not depend on {used}");
        }
    }
    let known: BTreeSet<_> = ARROWS.iter().map(|(krate, _)| format!("skillhub-{krate}")).collect();
    let tools = ["skillhub-tests", "xtask"];
    let unknown = ours.iter().map(|p| p.name.to_string()).find(|n| !known.contains(n) && !tools.contains(&n.as_str()));
    assert_eq!(unknown, None, "a new crate needs its place in ARROWS");
}

/// The names of everything that a crate builds when it is built alone. `cargo metadata` would give the features of the whole
/// workspace instead.
fn tree_of(krate: &str) -> BTreeSet<String> {
    let mut tree = Command::new(env!("CARGO"));
    tree.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).args(["tree", "--offline", "--edges", "normal"]);
    tree.args(["--prefix", "none", "--target", PLATFORM, "--package", &format!("skillhub-{krate}")]);
    let output = tree.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().filter_map(|line| line.split(' ').next().map(str::to_owned)).collect()
}

#[test]
fn nothing_below_a_crate_breaks_its_promise() {
    for (crates, forbidden) in FORBIDDEN {
        for krate in crates {
            let tree = tree_of(krate);
            assert!(tree.contains("serde"), "{krate}: {tree:?}");
            let broken = tree.iter().find(|name| forbidden.iter().any(|bad| name.starts_with(bad)));
            assert_eq!(broken, None, "{krate} must not have it below");
        }
    }
}

#[test]
fn only_the_store_names_the_aws_sdk() {
    let metadata = metadata();
    for package in metadata.workspace_packages() {
        let uses =
            |dep: &&cargo_metadata::Dependency| dep.kind == DependencyKind::Normal && dep.name.starts_with("aws-");
        let sdk = package.dependencies.iter().find(uses);
        assert!(sdk.is_none() || package.name.as_str() == "skillhub-store", "{} names {:?}", package.name, sdk);
    }
}

#[test]
fn only_the_tests_enable_fail_points_and_no_crate_by_default() {
    const FEATURE: &str = "fail-points";
    let metadata = metadata();
    for package in metadata.workspace_packages() {
        let name = package.name.as_str();
        let enabled = package.dependencies.iter().filter(|dep| dep.features.iter().any(|f| f == FEATURE));
        for dep in enabled {
            // A crate may be its own development dependency: the program that its tests run.
            let tests = name == "skillhub-tests" || dep.name == name;
            let allowed = tests && dep.kind == DependencyKind::Development;
            assert!(allowed, "{name} enables {FEATURE} of {}", dep.name);
        }
        let passed_on = package.features.values().flatten().find(|feature| feature.contains(FEATURE));
        assert_eq!(passed_on, None, "{name} enables {FEATURE} through a feature of its own");
    }
    let store = metadata.workspace_packages().into_iter().find(|p| p.name.as_str() == "skillhub-store").unwrap();
    assert!(store.features.contains_key(FEATURE), "the feature has another name now: correct this test");
}
