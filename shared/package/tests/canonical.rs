//! One tree, one archive.

mod support;

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use skillhub_package::pack::{self, SourceFile};
use skillhub_package::{Canonical, Contents, Limits, Method, canonical, read, sha256, verify};
use skillhub_protocol::Manifest;
use support::{Entry, SKILL_MD, archive, contents, source};
use unicode_normalization::UnicodeNormalization;

fn golden() -> Contents {
    let text = "All work and no play makes a dull skill.\n".repeat(500);
    contents(&[
        ("SKILL.md", SKILL_MD.as_bytes()),
        ("scripts/run.sh", b"#!/bin/sh\necho hello\n"),
        ("references/\u{fb01}.md", text.as_bytes()),
        ("references/\u{1f600}.md", b""),
    ])
}

fn manifest(contents: &Contents) -> Manifest {
    let parse = "a".parse().unwrap();
    contents.manifest(parse, "a".parse().unwrap(), "b".parse().unwrap(), "1.0.0".parse().unwrap()).unwrap()
}

#[test]
fn golden_bytes() {
    let Canonical { bytes, .. } = canonical(&golden());
    // Another digest means another archive for every published package: see the pin of the compressor.
    assert_eq!(
        (bytes.len(), sha256(&bytes).to_string().as_str()),
        (690, "a44fdf5ca6adef30370c6004b3648406e08b9fce5b4d16b092f8c3c37f5eb87b")
    );
}

#[test]
fn entries_are_in_manifest_order_with_modes_from_the_content() {
    let Canonical { bytes, .. } = canonical(&golden());
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(bytes)).unwrap();
    let seen: Vec<_> = (0..archive.len())
        .map(|i| {
            let file = archive.by_index(i).unwrap();
            (file.name().unwrap().into_owned(), file.unix_mode(), file.last_modified().unwrap().to_string())
        })
        .collect();
    let expected = [
        ("SKILL.md", 0o100_644),
        ("references/\u{1f600}.md", 0o100_644),
        ("references/\u{fb01}.md", 0o100_644),
        ("scripts/run.sh", 0o100_755),
    ];
    let expected = expected.map(|(name, mode)| (name.to_owned(), Some(mode), "1980-01-01 00:00:00".to_owned()));
    assert_eq!(seen, expected);
}

#[test]
fn a_single_file_is_one_range() {
    let contents = golden();
    let Canonical { bytes, locations } = canonical(&contents);
    for (file, location) in contents.files().iter().zip(&locations) {
        let start = location.offset as usize;
        let range = &bytes[start..start + location.compressed_bytes as usize];
        let mut data = Vec::new();
        match location.method {
            Method::Stored => data.extend(range),
            Method::Deflated => {
                std::io::copy(&mut flate2::bufread::DeflateDecoder::new(range), &mut data).map(drop).unwrap();
            }
        }
        assert_eq!(data, file.data(), "{}", file.path());
    }
    assert_eq!(locations.len(), contents.files().len());
}

#[test]
fn verify_names_every_difference() {
    let one = contents(&[("SKILL.md", b"1"), ("a.md", b"a"), ("b.md", b"b"), ("c.md", b"c")]);
    let other = contents(&[("SKILL.md", b"1"), ("a.md", b"x"), ("b.md", b"bb"), ("d.md", b"d")]);
    let findings = verify(&other, &manifest(&one)).unwrap_err();
    let seen: Vec<_> = findings.iter().map(|f| (f.path.as_str(), f.code.as_str())).collect();
    let expected =
        ["manifest.files", "manifest.files[1].sha256", "manifest.files[2].sizeBytes", "manifest.files[3].path"];
    assert_eq!(seen, expected.map(|path| (path, "manifest_mismatch")));
    assert!(findings[0].message.contains("\"d.md\"") && findings[3].message.contains("\"c.md\""));
    for digest in [sha256(b"a"), sha256(b"x")] {
        assert!(findings[1].message.contains(&digest.to_string()));
    }
}

/// Trees with few names, so that folders are shared, and with characters on both sides of the surrogates.
fn tree() -> impl Strategy<Value = Vec<SourceFile>> {
    let name = prop::sample::select(vec!["a", "b", "é", "\u{fb01}", "\u{1f600}", "中", "z-1"]);
    let path = prop::collection::vec(name, 1..4).prop_map(|names| format!("{}.md", names.join("/")));
    let data = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..200),
        (any::<u8>(), 0_usize..5000).prop_map(|(byte, len)| vec![byte; len]),
        Just(b"#!/bin/sh\n".to_vec()),
    ];
    prop::collection::btree_map(path, data, 0..12).prop_map(|files| {
        let skill_md = source("SKILL.md", SKILL_MD);
        std::iter::once(skill_md).chain(files.into_iter().map(|(path, data)| source(&path, data))).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 256,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(0x5eed_0002),
        ..ProptestConfig::default()
    })]

    #[test]
    fn packed_then_read_is_the_same_package(files in tree()) {
        let packed = pack::from_files(files).unwrap().contents;
        let archive = canonical(&packed).bytes;
        let again = read(&archive, &Limits::default()).unwrap();
        prop_assert_eq!(&again, &packed);
        prop_assert_eq!(&canonical(&again).bytes, &archive);

        let declared = manifest(&packed);
        prop_assert!(verify(&again, &declared).is_ok());
        prop_assert_eq!(Manifest::from_json(&declared.to_json()).unwrap(), manifest(&again));

        let leniently = pack::from_zip(&archive, &Limits::default()).unwrap();
        prop_assert!(leniently.left_out.is_empty());
        prop_assert_eq!(leniently.contents, packed);
    }

    #[test]
    fn equal_trees_have_equal_bytes_wherever_they_come_from((files, order) in tree().prop_flat_map(|files| {
        (Just(files.clone()), Just(files).prop_shuffle())
    })) {
        let bytes = canonical(&pack::from_files(files).unwrap().contents).bytes;
        let entries: Vec<_> = order.iter().enumerate().map(|(i, file)| {
            let entry = if i % 2 == 0 { Entry::stored } else { Entry::deflated };
            entry(&file.path, &file.data).with(|entry| {
                entry.made_by = [20, 3 << 8 | 20, 19 << 8 | 63][i % 3];
                entry.mode = [0, 0o100_600, 0o100_755][i % 3];
                entry.extra = b"UT\x05\0\x01\0\0\0\0".into();
            })
        }).collect();
        prop_assert_eq!(&canonical(&read(&archive(&entries), &Limits::default()).unwrap()).bytes, &bytes);

        let decomposed = order.into_iter().map(|file| source(&file.path.nfd().to_string(), file.data)).collect();
        prop_assert_eq!(canonical(&pack::from_files(decomposed).unwrap().contents).bytes, bytes);
    }
}
