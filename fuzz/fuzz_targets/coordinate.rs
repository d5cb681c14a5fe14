//! Names of skills: coordinates and canonical slugs.
#![no_main]

use libfuzzer_sys::fuzz_target;
use skillhub_protocol::{CanonicalSlug, Coordinate};

fuzz_target!(|text: &str| {
    if let Ok(coordinate) = text.parse::<Coordinate>() {
        assert_eq!(coordinate.to_string().parse(), Ok(coordinate.clone()));
        let canonical = coordinate.to_canonical();
        assert_eq!(canonical.to_string().parse(), Ok(canonical.clone()));
        assert_eq!(canonical.with(coordinate.selector().clone()), coordinate);
    }
    if let Ok(canonical) = text.parse::<CanonicalSlug>() {
        assert_eq!(canonical.to_string(), text);
        assert_eq!(text.parse::<Coordinate>().map(|coordinate| coordinate.to_canonical()), Ok(canonical));
    }
});
