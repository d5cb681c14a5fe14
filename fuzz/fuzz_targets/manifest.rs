//! Manifests as JSON.
#![no_main]

use libfuzzer_sys::fuzz_target;
use skillhub_protocol::Manifest;

fuzz_target!(|text: &str| {
    match Manifest::from_json(text) {
        Ok(manifest) => {
            let json = manifest.to_json();
            let again = Manifest::from_json(&json).expect("what is written can be read");
            assert_eq!(again, manifest);
            assert_eq!(again.to_json(), json);
        }
        Err(fault) => assert!(fault.path().starts_with("manifest")),
    }
});
