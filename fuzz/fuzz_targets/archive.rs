//! The strict reader and the check of a registry.
#![no_main]

use libfuzzer_sys::fuzz_target;
use skillhub_package::{Declared, Limits, MAX_FINDINGS, Policy, canonical, check, read, verify};
use skillhub_protocol::{Finding, Scope};

fuzz_target!(|archive: &[u8]| {
    let report = check(archive, &Declared { slug: "a", scope: Scope::Public }, &Policy::default());
    assert_eq!(report.package.is_none(), report.findings.iter().any(Finding::is_error));
    assert!(report.findings.len() <= MAX_FINDINGS);

    let Ok(contents) = read(archive, &Limits::default()) else {
        return assert!(report.package.is_none(), "published, but not to be installed");
    };
    let once = canonical(&contents);
    let again = read(&once.bytes, &Limits::default()).expect("a canonical archive is sound");
    assert_eq!(again, contents);
    assert_eq!(canonical(&again), once);

    let Some(package) = report.package else { return };
    assert_eq!(package.contents, contents);
    let (name, description) = (package.skill_md.name, package.skill_md.description);
    let (slug, version) = ("a".parse().expect("a slug"), "1.0.0".parse().expect("a version"));
    let manifest = contents.manifest(slug, name, description, version).expect("what is published has a manifest");
    assert!(verify(&again, &manifest).is_ok());
});
