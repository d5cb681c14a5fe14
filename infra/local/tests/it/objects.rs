//! The object store as the SDK sees it.

use std::io::{Seek as _, SeekFrom, Write as _};

use aws_sdk_s3::types::{ChecksumMode, MetadataDirective};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

use crate::support::{BUCKET, Fixture, code};

fn sha256(bytes: &[u8]) -> String {
    STANDARD.encode(Sha256::digest(bytes))
}

#[tokio::test]
async fn any_key_is_a_key_of_its_own() {
    let long = "k".repeat(900);
    let deep = "d/".repeat(400);
    let keys = [
        "../x",
        "../../etc/passwd",
        "x",
        "a",
        "a/b",
        "a/b/",
        "a//b",
        "/lead",
        ".",
        "..",
        "CON",
        "A",
        "with space+plus%2Bpercent",
        "ключ/名前/🦀",
        "quo\"te&<tag>'",
        "?query#fragment",
        &long,
        &deep,
    ];
    let fixture = Fixture::start().await;
    fixture.s3.create_bucket().bucket("other").send().await.unwrap();
    for key in keys {
        fixture.put(key, key.as_bytes()).await;
    }
    let fixture = fixture.reopen().await;
    assert_eq!(fixture.stores.report().objects, keys.len());
    for key in keys {
        assert_eq!(fixture.get(key).await.as_deref(), Ok(key.as_bytes()), "{key}");
    }

    let mut sorted: Vec<_> = keys.map(str::to_owned).into();
    sorted.sort_unstable();
    let mut listed = Vec::new();
    let mut pages = fixture.s3.list_objects_v2().bucket(BUCKET).max_keys(5).into_paginator().send();
    while let Some(page) = pages.next().await {
        listed.extend(page.unwrap().contents.unwrap_or_default().into_iter().map(|object| object.key.unwrap()));
    }
    assert_eq!(listed, sorted);
    let other = fixture.s3.list_objects_v2().bucket("other").send().await.unwrap();
    assert_eq!(other.key_count(), Some(0));

    for key in keys {
        fixture.s3.delete_object().bucket(BUCKET).key(key).send().await.unwrap();
        assert_eq!(fixture.get(key).await, Err("NoSuchKey".to_owned()), "{key}");
    }
    assert_eq!(fixture.object_files().len(), 0);
    fixture.stop().await;
}

#[tokio::test]
async fn keys_that_no_listing_can_show_are_refused() {
    let fixture = Fixture::start().await;
    for key in ["a\u{1}b", "a\nb", "a\u{7f}", "a\u{85}b", "a\u{ffff}"] {
        let put = fixture.s3.put_object().bucket(BUCKET).key(key).body(b"x".to_vec().into()).send().await;
        assert_eq!(put.map_err(code).unwrap_err(), "InvalidArgument", "{key:?}");
    }
    let too_long = "k".repeat(1025);
    let put = fixture.s3.put_object().bucket(BUCKET).key(too_long).body(b"x".to_vec().into()).send().await;
    assert_eq!(put.map_err(code).unwrap_err(), "KeyTooLongError");
    fixture.stop().await;
}

#[tokio::test]
async fn of_sixteen_racers_exactly_one_creates_the_object() {
    let fixture = Fixture::start().await;
    for round in 0..4 {
        let key = format!("race/{round}");
        let mut racers = tokio::task::JoinSet::new();
        for racer in 0..16 {
            let put = fixture.s3.put_object().bucket(BUCKET).key(&key).if_none_match("*");
            let put = put.body(format!("racer {racer}").into_bytes().into());
            racers.spawn(async move { (racer, put.send().await.map(|_| ()).map_err(code)) });
        }
        let outcomes = racers.join_all().await;
        let winners: Vec<_> = outcomes.iter().filter(|(_, outcome)| outcome.is_ok()).collect();
        let losers = outcomes.iter().filter(|(_, outcome)| *outcome == Err("PreconditionFailed".to_owned())).count();
        assert_eq!((winners.len(), losers), (1, 15), "{outcomes:?}");
        assert_eq!(fixture.get(&key).await.unwrap(), format!("racer {}", winners[0].0).into_bytes());
    }
    fixture.stop().await;
}

#[tokio::test]
async fn a_put_that_is_refused_changes_nothing() {
    let fixture = Fixture::start().await;
    fixture.put("kept", b"old").await;
    let head = fixture.s3.head_object().bucket(BUCKET).key("kept").send().await.unwrap();
    let put = || fixture.s3.put_object().bucket(BUCKET).key("kept").body(b"new".to_vec().into());
    let refused = [
        (put().checksum_sha256(sha256(b"other")), "BadDigest"),
        (put().checksum_crc32("AAAAAA=="), "BadDigest"),
        (put().content_md5("rL0Y20zC+Fzt72VPzMSk2A=="), "BadDigest"),
        (put().checksum_sha256("no digest"), "BadDigest"),
        (put().if_none_match("*"), "PreconditionFailed"),
        (put().if_match("\"00000000000000000000000000000000\""), "PreconditionFailed"),
        (put().tagging("a=b"), "NotImplemented"),
        (put().key("absent").if_match("*"), "NoSuchKey"),
        (put().bucket("absent-bucket"), "NoSuchBucket"),
    ];
    for (put, expected) in refused {
        assert_eq!(put.send().await.map_err(code).unwrap_err(), expected);
        assert_eq!(fixture.get("kept").await.unwrap(), b"old");
    }
    assert_eq!(fixture.object_files().len(), 1, "a temporary file was left");

    let replaced = put().if_match(head.e_tag().unwrap()).checksum_sha256(sha256(b"new")).send().await;
    assert!(replaced.is_ok(), "{replaced:?}");
    assert_eq!(fixture.get("kept").await.unwrap(), b"new");
    fixture.stop().await;
}

#[tokio::test]
async fn a_large_body_and_what_describes_it_come_back_after_a_restart() {
    let body: Vec<u8> = (0..11u32 << 18).flat_map(u32::to_le_bytes).collect();
    let fixture = Fixture::start().await;
    let put = fixture.s3.put_object().bucket(BUCKET).key("large").body(body.clone().into());
    let put = put.content_type("application/zip").cache_control("no-store").content_disposition("inline");
    let put = put.metadata("origin", "here").send().await.unwrap();

    let fixture = fixture.reopen().await;
    let get = fixture.s3.get_object().bucket(BUCKET).key("large").checksum_mode(ChecksumMode::Enabled);
    let got = get.send().await.unwrap();
    assert_eq!(got.e_tag(), put.e_tag());
    assert_eq!(got.content_type(), Some("application/zip"));
    assert_eq!(got.cache_control(), Some("no-store"));
    assert_eq!(got.content_disposition(), Some("inline"));
    assert_eq!(got.content_encoding(), None);
    assert_eq!(got.metadata().unwrap().get("origin").map(String::as_str), Some("here"));
    assert_eq!(got.checksum_sha256(), Some(sha256(&body).as_str()));
    assert_eq!(got.content_length(), Some(11 << 20));
    assert!(got.body.collect().await.unwrap().into_bytes() == body);
    fixture.stop().await;
}

#[tokio::test]
async fn a_range_answers_the_bytes_asked_for() {
    let fixture = Fixture::start().await;
    fixture.put("digits", b"0123456789").await;
    fixture.put("empty", b"").await;
    let cases = [
        ("digits", "bytes=0-0", Ok(("0", "bytes 0-0/10"))),
        ("digits", "bytes=2-5", Ok(("2345", "bytes 2-5/10"))),
        ("digits", "bytes=7-", Ok(("789", "bytes 7-9/10"))),
        ("digits", "bytes=-4", Ok(("6789", "bytes 6-9/10"))),
        ("digits", "bytes=-99", Ok(("0123456789", "bytes 0-9/10"))),
        ("digits", "bytes=8-99", Ok(("89", "bytes 8-9/10"))),
        ("digits", "bytes=10-", Err("InvalidRange")),
        ("digits", "bytes=-0", Err("InvalidRange")),
        ("empty", "bytes=0-0", Err("InvalidRange")),
        ("empty", "bytes=-1", Err("InvalidRange")),
    ];
    for (key, range, expected) in cases {
        let got = fixture.s3.get_object().bucket(BUCKET).key(key).range(range).send().await;
        match (got, expected) {
            (Ok(got), Ok((bytes, content_range))) => {
                assert_eq!(got.content_range(), Some(content_range), "{range}");
                assert_eq!(got.body.collect().await.unwrap().into_bytes(), bytes.as_bytes(), "{range}");
            }
            (Err(error), Err(expected)) => assert_eq!(code(error), expected, "{key} {range}"),
            (got, _) => panic!("{key} {range}: {got:?}"),
        }
    }
    assert_eq!(fixture.get("empty").await.unwrap(), b"");
    fixture.stop().await;
}

#[tokio::test]
async fn conditional_reads_and_copies() {
    let fixture = Fixture::start().await;
    let put = fixture.s3.put_object().bucket(BUCKET).key("a").content_type("text/x").body(b"body".to_vec().into());
    let etag = put.send().await.unwrap().e_tag.unwrap();
    let get = || fixture.s3.get_object().bucket(BUCKET).key("a");
    assert!(get().if_match(&etag).send().await.is_ok());
    assert_eq!(get().if_match("\"other\"").send().await.map_err(code).unwrap_err(), "PreconditionFailed");
    let unchanged = get().if_none_match(&etag).send().await.unwrap_err();
    assert_eq!(unchanged.raw_response().unwrap().status().as_u16(), 304);

    let copy = |to: &str| fixture.s3.copy_object().bucket(BUCKET).key(to).copy_source(format!("{BUCKET}/a"));
    copy("b").send().await.unwrap();
    copy("c").metadata_directive(MetadataDirective::Replace).content_type("text/y").send().await.unwrap();
    for (key, content_type) in [("b", "text/x"), ("c", "text/y")] {
        let got = fixture.s3.get_object().bucket(BUCKET).key(key).send().await.unwrap();
        assert_eq!((got.content_type(), got.e_tag()), (Some(content_type), Some(etag.as_str())));
    }
    let absent = fixture.s3.copy_object().bucket(BUCKET).key("d").copy_source(format!("{BUCKET}/absent"));
    assert_eq!(absent.send().await.map_err(code).unwrap_err(), "NoSuchKey");
    let stale = copy("d").copy_source_if_match("\"other\"").send().await;
    assert_eq!(stale.map_err(code).unwrap_err(), "PreconditionFailed");
    fixture.stop().await;
}

#[tokio::test]
async fn a_listing_with_a_delimiter_folds_folders() {
    let fixture = Fixture::start().await;
    for key in ["a", "d/1", "d/2", "d/e/3", "f", "x y/ü"] {
        fixture.put(key, b"").await;
    }
    let mut entries = Vec::new();
    let list = fixture.s3.list_objects_v2().bucket(BUCKET).delimiter("/").max_keys(1);
    let mut pages = list.clone().into_paginator().send();
    while let Some(page) = pages.next().await {
        let page = page.unwrap();
        assert_eq!(page.key_count(), Some(1));
        entries.extend(page.contents().iter().map(|object| object.key().unwrap().to_owned()));
        entries.extend(page.common_prefixes().iter().map(|common| common.prefix().unwrap().to_owned()));
    }
    assert_eq!(entries, ["a", "d/", "f", "x y/"]);

    let encoded = list.encoding_type(aws_sdk_s3::types::EncodingType::Url).delimiter("").prefix("x").send().await;
    assert_eq!(encoded.unwrap().contents()[0].key(), Some("x+y/%C3%BC"));
    let forged = fixture.s3.list_objects_v2().bucket(BUCKET).continuation_token("zz").send().await;
    assert_eq!(forged.map_err(code).unwrap_err(), "InvalidArgument");
    fixture.stop().await;
}

#[tokio::test]
async fn a_damaged_file_is_never_served_as_if_it_were_whole() {
    let fixture = Fixture::start().await;
    for key in ["body", "footer", "truncated", "sound"] {
        fixture.put(key, &[b'x'; 300_000]).await;
    }
    let files = fixture.object_files();
    let named = |key: &str| {
        let text = format!("\"key\":\"{key}\"");
        let holds = |path: &&std::path::PathBuf| String::from_utf8_lossy(&std::fs::read(path).unwrap()).contains(&text);
        files.iter().find(holds).unwrap()
    };
    let open = |key| std::fs::OpenOptions::new().write(true).open(named(key)).unwrap();
    let (mut body, mut footer, truncated) = (open("body"), open("footer"), open("truncated"));
    body.seek(SeekFrom::Start(1000)).unwrap();
    body.write_all(b"y").unwrap();
    footer.seek(SeekFrom::End(-60)).unwrap();
    footer.write_all(b"y").unwrap();
    truncated.set_len(299_000).unwrap();

    for key in ["body", "footer", "truncated"] {
        assert!(fixture.get(key).await.is_err(), "{key}");
    }
    let fixture = fixture.reopen().await;
    assert_eq!((fixture.stores.report().objects, fixture.stores.report().damaged.len()), (2, 2));
    assert!(fixture.stores.report().damaged.iter().all(|path| path.is_file()));
    assert!(fixture.get("body").await.is_err());
    assert_eq!(fixture.get("footer").await, Err("NoSuchKey".to_owned()));
    assert_eq!(fixture.get("sound").await.unwrap().len(), 300_000);
    fixture.put("footer", b"again").await;
    assert_eq!(fixture.get("footer").await.unwrap(), b"again");
    fixture.stop().await;
}
