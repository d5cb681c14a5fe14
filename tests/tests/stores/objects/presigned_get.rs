//! A presigned GET: it lets its holder read one object as an attachment, for a while.

use std::time::Duration;

use super::{BODY, Bucket, OTHER, TOO_OLD, signed};
use crate::probe::{Probe, Seen, Verdict, demand, ok, probes};
use crate::wire::Request;

pub(super) const PROBES: &[Probe<Bucket>] = probes![
    download: "a download needs no header of its own and gives the bytes",
    download_overrides: "a download has the signed `response-content-type` and `response-content-disposition`",
    download_range: "a range of a download needs no signature",
    download_missing: "a download of a missing key is 404",
    download_other_override: "another content type or disposition in the URL is refused with 403",
    download_dropped_override: "a URL without its signed disposition is refused with 403",
    download_added_override: "a URL with an override that is not signed is refused with 403",
    download_longer_life: "a longer life in the URL is refused with 403",
    download_other_key: "the URL of another key is refused with 403",
    download_other_method: "the URL of a download neither writes nor deletes",
    download_forged: "a wrong signature is refused with 403",
    download_wrong_secret: "a URL that is signed with another secret is refused with 403",
    download_expired: "a download after its time is refused with 403",
];

const DISPOSITION: &str = "attachment; filename=\"hello.zip\"";

/// Stores an object, and gives what the registry signs for a download of it.
async fn stored_and_signed(bucket: &Bucket, ago: Duration) -> Result<Request, Seen> {
    bucket.store(&bucket.key("a"), BODY).await?;
    presigned(bucket, ago).await
}

async fn presigned(bucket: &Bucket, ago: Duration) -> Result<Request, Seen> {
    let get = bucket.get(&bucket.key("a")).response_content_type("application/zip");
    let get = ok("signing", get.response_content_disposition(DISPOSITION).presigned(signed(ago)).await)?;
    demand(get.headers().next().is_none(), || "headers are signed".to_owned())?;
    Ok(Request::new(&get, b""))
}

/// Demands that a download with another URL than the signed one is refused, and gives no bytes of the object.
async fn refused_with(bucket: &Bucket, what: &str, change: impl FnOnce(Request) -> Request) -> Verdict {
    let get = change(stored_and_signed(bucket, Duration::ZERO).await?);
    let answer = bucket.wire.send(get).await?;
    demand(answer.body != BODY, || format!("{what}: the bytes are given out"))?;
    answer.status(what, 403)
}

async fn download(bucket: Bucket) -> Verdict {
    let get = stored_and_signed(&bucket, Duration::ZERO).await?;
    let answer = bucket.wire.send(get).await?;
    answer.status("the download", 200)?;
    demand(answer.body == BODY, || "other bytes".to_owned())
}

async fn download_overrides(bucket: Bucket) -> Verdict {
    let get = stored_and_signed(&bucket, Duration::ZERO).await?;
    let answer = bucket.wire.send(get).await?;
    answer.header("content-type", "application/zip")?;
    answer.header("content-disposition", DISPOSITION)
}

async fn download_range(bucket: Bucket) -> Verdict {
    let get = stored_and_signed(&bucket, Duration::ZERO).await?;
    let answer = bucket.wire.send(get.header("range", Some("bytes=4-7"))).await?;
    answer.status("the download", 206)?;
    demand(answer.body == BODY[4..8], || "other bytes".to_owned())
}

async fn download_missing(bucket: Bucket) -> Verdict {
    let get = presigned(&bucket, Duration::ZERO).await?;
    bucket.wire.send(get).await?.status("the download", 404)
}

async fn download_other_override(bucket: Bucket) -> Verdict {
    refused_with(&bucket, "another disposition", |get| get.url("attachment", "inline")).await?;
    refused_with(&bucket, "another type", |get| get.url("application%2Fzip", "text%2Fhtml")).await
}

async fn download_dropped_override(bucket: Bucket) -> Verdict {
    refused_with(&bucket, "no disposition", |get| get.url("response-content-disposition", "x-nothing")).await
}

async fn download_added_override(bucket: Bucket) -> Verdict {
    let added = "response-content-encoding=gzip&X-Amz-Expires";
    refused_with(&bucket, "another override", |get| get.url("X-Amz-Expires", added)).await
}

async fn download_longer_life(bucket: Bucket) -> Verdict {
    refused_with(&bucket, "a longer life", |get| get.url("X-Amz-Expires=60", "X-Amz-Expires=600")).await
}

async fn download_other_key(bucket: Bucket) -> Verdict {
    bucket.store(&bucket.key("b"), OTHER).await?;
    let get = stored_and_signed(&bucket, Duration::ZERO).await?;
    let answer = bucket.wire.send(get.url(&bucket.key("a?"), &bucket.key("b?"))).await?;
    demand(answer.body != OTHER, || "the bytes of the other key are given out".to_owned())?;
    answer.status("another key", 403)
}

async fn download_other_method(bucket: Bucket) -> Verdict {
    let get = stored_and_signed(&bucket, Duration::ZERO).await?;
    bucket.wire.send(get.clone().method("DELETE")).await?.status("DELETE", 403)?;
    bucket.wire.send(get.method("PUT")).await?.status("PUT", 403)?;
    bucket.holds("after it", &bucket.key("a"), BODY).await
}

async fn download_forged(bucket: Bucket) -> Verdict {
    refused_with(&bucket, "a wrong signature", Request::forged).await
}

async fn download_wrong_secret(bucket: Bucket) -> Verdict {
    bucket.store(&bucket.key("a"), BODY).await?;
    let get = presigned(&bucket.with_wrong_secret(), Duration::ZERO).await?;
    bucket.wire.send(get).await?.status("another secret", 403)
}

async fn download_expired(bucket: Bucket) -> Verdict {
    let get = stored_and_signed(&bucket, TOO_OLD).await?;
    bucket.wire.send(get).await?.status("the download", 403)
}
