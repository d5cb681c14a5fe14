//! Listing, which no request of a user does: clean-up and operators do.

use super::{BODY, Bucket};
use crate::probe::{Probe, Seen, Verdict, demand, ok, probes, same_list};

pub(super) const PROBES: &[Probe<Bucket>] = probes![
    list_pages: "a listing in pages gives every key once, in the order of its bytes",
    list_prefix: "a listing gives only keys with the prefix, and nothing for a prefix without keys",
    list_after_changes: "a listing sees a PUT and a DELETE that were answered before it",
];

/// Every key with a prefix, in pages.
async fn list(bucket: &Bucket, prefix: &str, page_size: i32) -> Result<Vec<String>, Seen> {
    let mut keys = Vec::new();
    let mut token = None;
    for _ in 0..100 {
        let list = bucket.client.list_objects_v2().bucket(&bucket.name).prefix(prefix).max_keys(page_size);
        let page = ok("a listing", list.set_continuation_token(token).send().await)?;
        let size = page.contents().len();
        demand(i32::try_from(size).is_ok_and(|size| size <= page_size), || format!("a page of {size} keys"))?;
        keys.extend(page.contents().iter().filter_map(|object| object.key().map(str::to_owned)));
        token = page.next_continuation_token().map(str::to_owned);
        if token.is_none() {
            return Ok(keys);
        }
    }
    Err(Seen("the listing does not end".to_owned()))
}

/// Stores objects with the shape of packages' keys, not in the order of the keys; gives the keys in order.
async fn packages(bucket: &Bucket) -> Result<Vec<String>, Seen> {
    let mut keys = Vec::new();
    for skill in ["cb0", "ca9", "c0z"] {
        for version in ["v9", "va"] {
            for digest in ["ff", "00"] {
                keys.push(bucket.key(&format!("packages/{skill}/{version}/{digest}.zip")));
            }
        }
    }
    for key in &keys {
        bucket.store(key, BODY).await?;
    }
    keys.sort_unstable();
    Ok(keys)
}

async fn list_pages(bucket: Bucket) -> Verdict {
    let keys = packages(&bucket).await?;
    for page_size in [5, 12, 1000] {
        same_list("keys", &list(&bucket, &bucket.key(""), page_size).await?, &keys)?;
    }
    Ok(())
}

async fn list_prefix(bucket: Bucket) -> Verdict {
    let keys = packages(&bucket).await?;
    let prefix = bucket.key("packages/ca9/v");
    let wanted: Vec<_> = keys.iter().filter(|key| key.starts_with(&prefix)).collect();
    same_list("keys", &list(&bucket, &prefix, 3).await?, &wanted)?;
    same_list("keys of no prefix", &list(&bucket, &bucket.key("packages/cc"), 4).await?, &[""; 0])
}

async fn list_after_changes(bucket: Bucket) -> Verdict {
    let (a, b) = (bucket.key("a"), bucket.key("b"));
    for round in 0..2 {
        bucket.store(&a, BODY).await?;
        bucket.store(&b, BODY).await?;
        let when = format!("keys after the PUTs of round {round}");
        same_list(&when, &list(&bucket, &bucket.key(""), 10).await?, &[&a, &b])?;
        ok("DELETE", bucket.delete(&a).send().await)?;
        let when = format!("keys after the DELETE of round {round}");
        same_list(&when, &list(&bucket, &bucket.key(""), 10).await?, &[&b])?;
    }
    Ok(())
}
