//! What must hold for every value, tried on many.

use proptest::prelude::*;
use skillhub_protocol::{
    CanonicalSlug, Coordinate, ListResponse, Manifest, Namespace, PackagePath, Release, Sha256, Slug, Tag, UtcMillis,
    Version, is_kebab_case, text,
};

/// A tiny alphabet, so that hyphens meet and names collide.
fn kebab() -> impl Strategy<Value = String> {
    "[a-b0]{1,3}(-[a-b1]{1,2}){0,3}".prop_filter("no device name", |text| text.parse::<Slug>().is_ok())
}

fn selector() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        Just(String::from("@latest")),
        "@[a-z][a-z0-9-]{0,5}",
        "@[0-9]{1,3}\\.[0-9]{1,2}\\.(0|[1-9][0-9]?)(-[a-z][a-z0-9]{0,3}(\\.(0|[1-9]))?)?",
    ]
}

/// From the first to the last millisecond of the years 0 to 9999, often near the ends.
fn millis() -> impl Strategy<Value = i64> {
    let (first, last, day) = (-62_167_219_200_000_i64, 253_402_300_799_999, 86_400_000);
    prop_oneof![first..=last, first..=first + 2 * day, last - 2 * day..=last, Just(first), Just(last)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn canonical_slugs_and_pairs_map_to_each_other_and_back(handle in kebab(), slug in kebab()) {
        let coordinate: Coordinate = format!("@{handle}/{slug}").parse().unwrap();
        let canonical = coordinate.to_canonical().to_string();
        let back: CanonicalSlug = canonical.parse().unwrap();
        prop_assert_eq!((back.namespace().handle(), back.slug().as_str()), (handle.as_str(), slug.as_str()));
        prop_assert_eq!(back.to_string(), canonical.clone());
        prop_assert_eq!(canonical.parse::<Coordinate>().unwrap(), coordinate);
    }

    #[test]
    fn no_two_pairs_have_one_canonical_slug(a in (kebab(), kebab()), b in (kebab(), kebab())) {
        let canonical = |(handle, slug): &(String, String)| {
            format!("@{handle}/{slug}").parse::<Coordinate>().unwrap().to_canonical().to_string()
        };
        prop_assert_eq!(a == b, canonical(&a) == canonical(&b));
    }

    #[test]
    fn a_coordinate_reads_as_it_is_written(handle in kebab(), slug in kebab(), selector in selector()) {
        if let Ok(coordinate) = format!("@{handle}/{slug}{selector}").parse::<Coordinate>() {
            prop_assert_eq!(coordinate.to_string().parse::<Coordinate>().unwrap(), coordinate);
        }
    }

    #[test]
    fn nothing_but_a_coordinate_is_one_and_nothing_panics(text in "[@a-b/\\-.0-9A ~é]{0,12}") {
        if let Ok(coordinate) = text.parse::<Coordinate>() {
            prop_assert!(is_kebab_case(coordinate.namespace().handle()) && is_kebab_case(coordinate.slug().as_str()));
            prop_assert_eq!(coordinate.to_string().parse::<Coordinate>().unwrap(), coordinate);
        }
    }

    #[test]
    fn order_of_texts_is_that_of_their_utf16_units(a in "\\PC{0,4}", b in "\\PC{0,4}") {
        let units = |text: &str| text.encode_utf16().collect::<Vec<_>>();
        prop_assert_eq!(text::cmp_utf16(&a, &b), units(&a).cmp(&units(&b)));
        prop_assert_eq!(text::utf16_len(&a), units(&a).len());
    }

    #[test]
    fn times_read_as_they_are_written(millis in millis()) {
        let time = UtcMillis::from_epoch_millis(millis).unwrap();
        prop_assert_eq!(time.to_string().len(), 24);
        prop_assert_eq!(time.to_string().parse::<UtcMillis>().unwrap(), time);
    }

    #[test]
    fn digests_read_as_they_are_written(bytes in any::<[u8; 32]>()) {
        let digest = Sha256::from_bytes(bytes);
        prop_assert_eq!(digest.to_string().parse::<Sha256>().unwrap(), digest);
    }

    #[test]
    fn parsers_answer_to_any_text(text in "\\PC{0,40}") {
        let _ = (text.parse::<Slug>(), text.parse::<PackagePath>(), text.parse::<UtcMillis>(), text.parse::<Sha256>());
        let _ = (text.parse::<Tag>(), text.parse::<Release>(), text.parse::<Version>(), text.parse::<Namespace>());
        let _ = (Manifest::from_json(&text), ListResponse::from_json(&text));
    }
}
