//! Writing and deleting.

use std::time::Duration;

use aws_sdk_s3::types::ChecksumMode;
use tokio::task::JoinSet;

use super::{BODY, Bucket, OTHER, TAKEN, large, sha256, signed};
use crate::probe::{Probe, Refusal, Seen, Verdict, demand, ok, probes, refused, same, same_text};
use crate::wire::Request;

pub(super) const PROBES: &[Probe<Bucket>] = probes![
    put_if_absent: "a second PUT with `If-None-Match: *` is 412, and the first body stays",
    put_if_absent_racers: "of 16 PUTs at once with `If-None-Match: *` one wins; the others get 412 or 409; the body is the winner's",
    put_if_absent_after_delete: "after a DELETE, a PUT with `If-None-Match: *` is accepted again",
    checksum_right: "a PUT with the right SHA-256 is accepted, and HEAD gives digest and length",
    checksum_wrong: "a PUT with a wrong SHA-256 is refused with 400 `BadDigest`, and nothing is visible",
    checksum_wrong_over_object: "a PUT with a wrong SHA-256 leaves the object that was there",
    overwrite: "an overwrite is visible to the next GET",
    overwrite_racers: "of 16 overwrites at once one wins whole: a GET gives the bytes of one of them",
    readers_of_overwrites: "a GET during overwrites gives one of the bodies whole, never a mixture or nothing",
    delete: "a deleted object is gone for the next GET",
    delete_twice: "a DELETE of what is not there is a success",
    large_body: "11 MiB come back as they were sent, and so does a range in their middle",
    cut_upload: "an upload whose connection is closed in the middle leaves nothing visible, and its key free",
    content_type: "the content type of a PUT comes back",
    package_key: "`packages/<id>/<id>/<64 hex digits>.zip` is a key",
    wrong_secret: "a request that is signed with another secret is refused with 403",
];

async fn put_if_absent(bucket: Bucket) -> Verdict {
    let key = bucket.key("a");
    ok("the first PUT", bucket.put_if_absent(&key, BODY).send().await)?;
    refused("the second PUT", &bucket.put_if_absent(&key, OTHER).send().await, TAKEN)?;
    bucket.holds("after it", &key, BODY).await
}

async fn put_if_absent_racers(bucket: Bucket) -> Verdict {
    for round in 0..4 {
        let key = bucket.key(&round.to_string());
        let mut racers = JoinSet::new();
        for racer in 0..16 {
            let body = format!("racer {racer}").into_bytes();
            let put = bucket.put_if_absent(&key, &body);
            racers.spawn(async move { (body, put.send().await) });
        }
        let outcomes = racers.join_all().await;
        let winners: Vec<_> = outcomes.iter().filter(|(_, outcome)| outcome.is_ok()).collect();
        for (_, outcome) in &outcomes {
            // S3 says 409 while another conditional PUT is under way.
            let Err(Refusal(seen)) = outcome.as_ref().map_err(Refusal::from) else { continue };
            demand(seen == TAKEN || seen == "409 ConditionalRequestConflict", || format!("a loser gets {seen}"))?;
        }
        match winners.as_slice() {
            [(body, _)] => bucket.holds("after the race", &key, body).await?,
            [] => return Err(Seen("nobody won".to_owned())),
            _ => return Err(Seen("more than one won".to_owned())),
        }
    }
    Ok(())
}

async fn put_if_absent_after_delete(bucket: Bucket) -> Verdict {
    let key = bucket.key("a");
    ok("the first PUT", bucket.put_if_absent(&key, BODY).send().await)?;
    ok("DELETE", bucket.delete(&key).send().await)?;
    ok("the PUT after it", bucket.put_if_absent(&key, OTHER).send().await)?;
    bucket.holds("after it", &key, OTHER).await
}

async fn checksum_right(bucket: Bucket) -> Verdict {
    let (key, checksum) = (bucket.key("a"), sha256(BODY));
    ok("PUT", bucket.put_if_absent(&key, BODY).checksum_sha256(&checksum).send().await)?;
    bucket.holds("after it", &key, BODY).await?;
    let head = ok("HEAD", bucket.head(&key).checksum_mode(ChecksumMode::Enabled).send().await)?;
    same_text("the SHA-256 in HEAD", head.checksum_sha256(), &checksum)?;
    same("the length in HEAD", head.content_length().unwrap_or(-1), BODY.len() as i64)
}

async fn checksum_wrong(bucket: Bucket) -> Verdict {
    let key = bucket.key("a");
    let put = bucket.put(&key, BODY).checksum_sha256(sha256(OTHER)).send().await;
    bucket.is_free("after the refusal", &key).await?;
    refused("PUT", &put, "400 BadDigest")
}

async fn checksum_wrong_over_object(bucket: Bucket) -> Verdict {
    let key = bucket.key("a");
    bucket.store(&key, BODY).await?;
    let put = bucket.put(&key, OTHER).checksum_sha256(sha256(BODY)).send().await;
    demand(put.is_err(), || "the PUT is accepted".to_owned())?;
    bucket.holds("after the refusal", &key, BODY).await
}

async fn overwrite(bucket: Bucket) -> Verdict {
    let key = bucket.key("a");
    for round in 0..8 {
        let body = format!("round {round}");
        bucket.store(&key, body.as_bytes()).await?;
        bucket.holds("after an overwrite", &key, body.as_bytes()).await?;
    }
    Ok(())
}

/// Overwrites an object 16 times at once, each time with one byte, many times.
fn overwrites(bucket: &Bucket, key: &str) -> JoinSet<Verdict> {
    let mut racers = JoinSet::new();
    for racer in 0..16u8 {
        let put = bucket.put(key, &[racer; 100_000]);
        racers.spawn(async move { ok("an overwrite", put.send().await).map(drop) });
    }
    racers
}

/// Demands that an object is what one of [`overwrites`] has written.
async fn is_whole(bucket: &Bucket, key: &str) -> Verdict {
    let seen = bucket.read(key).await?;
    let whole = seen.len() == 100_000 && seen.iter().all(|byte| Some(byte) == seen.first());
    demand(whole, || "the object is a mixture".to_owned())
}

async fn overwrite_racers(bucket: Bucket) -> Verdict {
    let key = bucket.key("a");
    overwrites(&bucket, &key).join_all().await.into_iter().collect::<Verdict>()?;
    is_whole(&bucket, &key).await
}

async fn readers_of_overwrites(bucket: Bucket) -> Verdict {
    let key = bucket.key("a");
    bucket.store(&key, &[0; 100_000]).await?;
    let mut racers = overwrites(&bucket, &key);
    for _ in 0..16 {
        let (bucket, key) = (bucket.clone(), key.clone());
        racers.spawn(async move { is_whole(&bucket, &key).await });
    }
    racers.join_all().await.into_iter().collect()
}

async fn delete(bucket: Bucket) -> Verdict {
    let key = bucket.key("a");
    bucket.store(&key, BODY).await?;
    ok("DELETE", bucket.delete(&key).send().await)?;
    bucket.is_free("after DELETE", &key).await
}

async fn delete_twice(bucket: Bucket) -> Verdict {
    let key = bucket.key("a");
    ok("DELETE of what never was", bucket.delete(&key).send().await)?;
    bucket.store(&key, BODY).await?;
    ok("the first DELETE", bucket.delete(&key).send().await)?;
    ok("the second DELETE", bucket.delete(&key).send().await).map(drop)
}

async fn large_body(bucket: Bucket) -> Verdict {
    let key = bucket.key("a");
    let body = large();
    ok("PUT", bucket.put_if_absent(&key, &body).checksum_sha256(sha256(&body)).send().await)?;
    bucket.holds("after it", &key, &body).await?;
    let got = ok("a range", bucket.get(&key).range("bytes=5000001-9000000").send().await)?;
    let part = got.body.collect().await.map(|body| body.to_vec()).unwrap_or_default();
    demand(part == body[5_000_001..9_000_001], || "the range has other bytes".to_owned())
}

async fn cut_upload(bucket: Bucket) -> Verdict {
    let key = bucket.key("a");
    let body = [7; 300_000];
    let put = bucket.put_if_absent(&key, &body).content_length(body.len() as i64).checksum_sha256(sha256(&body));
    let put = ok("signing", put.presigned(signed(Duration::ZERO)).await)?;
    for sent in [0, 1, 200_000] {
        bucket.wire.cut(Request::new(&put, &body), sent).await;
        bucket.is_free("after the cut", &key).await?;
    }
    bucket.wire.send(Request::new(&put, &body)).await?.status("a whole upload after the cut", 200)?;
    bucket.holds("after a whole upload", &key, &body).await
}

async fn content_type(bucket: Bucket) -> Verdict {
    let key = bucket.key("a");
    ok("PUT", bucket.put(&key, BODY).content_type("application/zip").send().await)?;
    let got = ok("GET", bucket.get(&key).send().await)?;
    same_text("content type", got.content_type(), "application/zip")
}

async fn package_key(bucket: Bucket) -> Verdict {
    let key = format!("packages/c{0}/v{0}/{1}.zip", "0".repeat(24), "ab".repeat(32));
    ok("PUT", bucket.put_if_absent(&key, BODY).send().await)?;
    bucket.holds("after it", &key, BODY).await
}

async fn wrong_secret(bucket: Bucket) -> Verdict {
    let key = bucket.key("a");
    bucket.store(&key, BODY).await?;
    let stranger = bucket.with_wrong_secret();
    refused("GET", &stranger.get(&key).send().await, "403 SignatureDoesNotMatch")?;
    refused("PUT", &stranger.put(&key, OTHER).send().await, "403 SignatureDoesNotMatch")?;
    bucket.holds("after it", &key, BODY).await
}
