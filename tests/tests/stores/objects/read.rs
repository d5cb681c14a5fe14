//! Reading.

use super::{BODY, Bucket, MISSING};
use crate::probe::{Probe, Verdict, ok, probes, refused, same, same_text};

pub(super) const PROBES: &[Probe<Bucket>] = probes![
    get_missing: "GET of a missing key is 404 `NoSuchKey` for one who may list",
    head_missing: "HEAD of a missing key is 404 for one who may list",
    get_missing_bucket: "GET in a missing bucket is 404 `NoSuchBucket`, never a missing key",
    get_length: "GET tells the length",
    range_first: "a range from the first byte on is 206 with these bytes",
    range_middle: "a range in the middle is 206 with these bytes",
    range_over_the_end: "a range that goes past the end is cut to the end",
    range_beyond_the_end: "a range that begins past the end is 416 `InvalidRange`",
];

/// Reads a range of ten digits.
async fn range(bucket: &Bucket, range: &str, bytes: &str, place: &str) -> Verdict {
    let key = bucket.key("digits");
    bucket.store(&key, b"0123456789").await?;
    let got = ok("GET", bucket.get(&key).range(range).send().await)?;
    same_text("content-range", got.content_range(), place)?;
    let body = got.body.collect().await.map(|body| body.to_vec()).unwrap_or_default();
    same("the bytes", String::from_utf8_lossy(&body).as_ref(), bytes)
}

async fn get_missing(bucket: Bucket) -> Verdict {
    refused("GET", &bucket.get(&bucket.key("a")).send().await, MISSING)
}

async fn head_missing(bucket: Bucket) -> Verdict {
    refused("HEAD", &bucket.head(&bucket.key("a")).send().await, "404 NotFound")
}

async fn get_missing_bucket(bucket: Bucket) -> Verdict {
    let get = bucket.get("a").bucket(format!("{}-absent", bucket.name));
    refused("GET", &get.send().await, "404 NoSuchBucket")
}

async fn get_length(bucket: Bucket) -> Verdict {
    let key = bucket.key("a");
    bucket.store(&key, BODY).await?;
    let got = ok("GET", bucket.get(&key).send().await)?;
    same("content-length", got.content_length().unwrap_or(-1), BODY.len() as i64)
}

async fn range_first(bucket: Bucket) -> Verdict {
    range(&bucket, "bytes=0-3", "0123", "bytes 0-3/10").await
}

async fn range_middle(bucket: Bucket) -> Verdict {
    range(&bucket, "bytes=4-6", "456", "bytes 4-6/10").await
}

async fn range_over_the_end(bucket: Bucket) -> Verdict {
    range(&bucket, "bytes=8-99", "89", "bytes 8-9/10").await
}

async fn range_beyond_the_end(bucket: Bucket) -> Verdict {
    let key = bucket.key("digits");
    bucket.store(&key, b"0123456789").await?;
    refused("GET", &bucket.get(&key).range("bytes=10-12").send().await, "416 InvalidRange")
}
