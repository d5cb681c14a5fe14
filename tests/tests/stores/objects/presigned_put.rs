//! A presigned PUT: it lets its holder store exactly the declared bytes, once, for a while.

use std::time::Duration;

use aws_sdk_s3::presigning::PresignedRequest;

use super::{BODY, Bucket, OTHER, TOO_OLD, sha256, signed};
use crate::probe::{Probe, Seen, Verdict, ok, probes};
use crate::wire::Request;

pub(super) const PROBES: &[Probe<Bucket>] = probes![
    upload: "an upload as signed is accepted and visible to the next GET",
    upload_longer: "an upload of more bytes than signed is refused with 403, and nothing is visible",
    upload_shorter: "an upload of fewer bytes than signed is refused with 403, and nothing is visible",
    upload_other_bytes: "an upload of other bytes of the same length is refused with 400, and nothing is visible",
    upload_without_checksum: "an upload without the signed checksum is refused with 403, and nothing is visible",
    upload_other_checksum: "an upload with another checksum, that of its bytes, is refused with 403, and nothing is visible",
    upload_without_condition: "an upload without the signed `If-None-Match` is refused with 403, and nothing is visible",
    upload_other_type: "an upload with another content type than signed is refused with 403, and nothing is visible",
    upload_without_length: "an upload in chunks, without the signed length, is refused, and nothing is visible",
    upload_twice: "a second upload with the same URL is 412, whatever its bytes, and the first stays",
    upload_after_delete: "once the object is deleted, the same URL works again: what is deleted must not come back by itself",
    upload_other_key: "an upload to another key is refused with 403, and nothing is visible",
    upload_other_method: "the URL of an upload neither reads nor deletes",
    upload_forged: "an upload with a wrong signature is refused with 403, and nothing is visible",
    upload_wrong_secret: "an upload that is signed with another secret is refused with 403, and nothing is visible",
    upload_expired: "an upload after its time is refused with 403, and nothing is visible",
    upload_refused_in_the_middle: "a refusal reaches a client that sends 8 MiB without looking for an answer",
    upload_longer_life: "a longer life in the URL is refused with 403, and nothing is visible",
];

/// What the registry signs for an upload of [`BODY`].
async fn presigned(bucket: &Bucket, ago: Duration) -> Result<PresignedRequest, Seen> {
    let put = bucket.client.put_object().bucket(&bucket.name).key(bucket.key("a"));
    let put = put.content_length(BODY.len() as i64).content_type("application/zip").if_none_match("*");
    ok("signing", put.checksum_sha256(sha256(BODY)).presigned(signed(ago)).await)
}

/// Demands that an upload that differs from what was signed gets this status, and that nothing is visible then.
async fn nothing_comes_of(
    bucket: &Bucket,
    body: &[u8],
    status: u16,
    change: impl FnOnce(Request) -> Request,
) -> Verdict {
    let put = Request::new(&presigned(bucket, Duration::ZERO).await?, body);
    let answer = bucket.wire.send(change(put)).await?;
    bucket.is_free("after the upload", &bucket.key("a")).await?;
    answer.status("the upload", status)
}

async fn upload(bucket: Bucket) -> Verdict {
    let put = Request::new(&presigned(&bucket, Duration::ZERO).await?, BODY);
    bucket.wire.send(put).await?.status("the upload", 200)?;
    bucket.holds("after it", &bucket.key("a"), BODY).await
}

async fn upload_longer(bucket: Bucket) -> Verdict {
    nothing_comes_of(&bucket, &[BODY, b"!"].concat(), 403, |put| put).await
}

async fn upload_shorter(bucket: Bucket) -> Verdict {
    nothing_comes_of(&bucket, &BODY[1..], 403, |put| put).await
}

async fn upload_other_bytes(bucket: Bucket) -> Verdict {
    nothing_comes_of(&bucket, OTHER, 400, |put| put).await
}

async fn upload_without_checksum(bucket: Bucket) -> Verdict {
    nothing_comes_of(&bucket, OTHER, 403, |put| put.header("x-amz-checksum-sha256", None)).await
}

async fn upload_other_checksum(bucket: Bucket) -> Verdict {
    let checksum = sha256(OTHER);
    nothing_comes_of(&bucket, OTHER, 403, |put| put.header("x-amz-checksum-sha256", Some(&checksum))).await
}

async fn upload_without_condition(bucket: Bucket) -> Verdict {
    nothing_comes_of(&bucket, BODY, 403, |put| put.header("if-none-match", None)).await
}

async fn upload_other_type(bucket: Bucket) -> Verdict {
    nothing_comes_of(&bucket, BODY, 403, |put| put.header("content-type", Some("text/html"))).await
}

async fn upload_without_length(bucket: Bucket) -> Verdict {
    let put = Request::new(&presigned(&bucket, Duration::ZERO).await?, BODY);
    let answer = bucket.wire.send_chunked(put).await?;
    bucket.is_free("after the upload", &bucket.key("a")).await?;
    answer.refused("the upload")
}

async fn upload_twice(bucket: Bucket) -> Verdict {
    let put = presigned(&bucket, Duration::ZERO).await?;
    bucket.wire.send(Request::new(&put, BODY)).await?.status("the first upload", 200)?;
    bucket.wire.send(Request::new(&put, BODY)).await?.status("the second upload", 412)?;
    let other = bucket.wire.send(Request::new(&put, OTHER)).await?;
    bucket.holds("after an upload of other bytes", &bucket.key("a"), BODY).await?;
    other.refused("an upload of other bytes")
}

async fn upload_after_delete(bucket: Bucket) -> Verdict {
    let put = presigned(&bucket, Duration::ZERO).await?;
    bucket.wire.send(Request::new(&put, BODY)).await?.status("the first upload", 200)?;
    ok("DELETE", bucket.delete(&bucket.key("a")).send().await)?;
    bucket.is_free("after DELETE", &bucket.key("a")).await?;
    bucket.wire.send(Request::new(&put, BODY)).await?.status("the upload after it", 200)
}

async fn upload_other_key(bucket: Bucket) -> Verdict {
    let (from, to) = (bucket.key("a?"), bucket.key("b?"));
    nothing_comes_of(&bucket, BODY, 403, |put| put.url(&from, &to)).await?;
    bucket.is_free("after the upload", &bucket.key("b")).await
}

async fn upload_other_method(bucket: Bucket) -> Verdict {
    bucket.store(&bucket.key("a"), BODY).await?;
    let put = Request::new(&presigned(&bucket, Duration::ZERO).await?, b"");
    bucket.wire.send(put.clone().method("GET")).await?.status("GET", 403)?;
    bucket.wire.send(put.method("DELETE")).await?.status("DELETE", 403)?;
    bucket.holds("after it", &bucket.key("a"), BODY).await
}

async fn upload_forged(bucket: Bucket) -> Verdict {
    nothing_comes_of(&bucket, BODY, 403, Request::forged).await
}

async fn upload_wrong_secret(bucket: Bucket) -> Verdict {
    let put = Request::new(&presigned(&bucket.with_wrong_secret(), Duration::ZERO).await?, BODY);
    let answer = bucket.wire.send(put).await?;
    bucket.is_free("after the upload", &bucket.key("a")).await?;
    answer.status("the upload", 403)
}

async fn upload_expired(bucket: Bucket) -> Verdict {
    let put = Request::new(&presigned(&bucket, TOO_OLD).await?, BODY);
    let answer = bucket.wire.send(put).await?;
    bucket.is_free("after the upload", &bucket.key("a")).await?;
    answer.status("the upload", 403)
}

async fn upload_longer_life(bucket: Bucket) -> Verdict {
    nothing_comes_of(&bucket, BODY, 403, |put| put.url("X-Amz-Expires=60", "X-Amz-Expires=600")).await
}

async fn upload_refused_in_the_middle(bucket: Bucket) -> Verdict {
    let (key, body) = (bucket.key("a"), vec![0; 8 << 20]);
    bucket.store(&key, BODY).await?;
    let put = bucket.put_if_absent(&key, b"").content_length(8 << 20).checksum_sha256(sha256(&body));
    let put = Request::new(&ok("signing", put.presigned(signed(Duration::ZERO)).await)?, &body);
    bucket.wire.send(put.clone()).await?.status("an upload where something is", 412)?;
    bucket.wire.send(put.forged()).await?.status("an upload with a wrong signature", 403)?;
    bucket.holds("after it", &key, BODY).await
}
