//! Artifacts that no version points at, such as those of a validator that died between bytes and pointer. No running role may
//! delete there: they are counted, and some are named, for an operator.

use skillhub_store::{Count, ObjectKey, StoreError, Walk, WalkItem};
use skillhub_validate::Validator;

/// How many artifacts one run looks at; also the most that one batch of reads takes.
const PAGE: i32 = 100;
/// Younger artifacts may be on their way to a version, in milliseconds.
const AGE_MS: i64 = 60 * 60 * 1000;
/// How many are named.
const EXAMPLES: usize = 20;

/// Says how many the last whole walk has found.
pub(crate) async fn sweep(validator: &Validator) -> Result<u64, StoreError> {
    let (table, now) = (&validator.table, validator.clock.now());
    let mut walk = table.walk(Walk::Packages).await?;
    let page = validator.objects.list(ObjectKey::PACKAGES_PREFIX, walk.after.as_deref(), PAGE).await?;
    if page.objects.is_empty() && walk == WalkItem::default() {
        return Ok(0);
    }
    let old = page.objects.iter().filter(|stored| stored.at.plus_millis(AGE_MS) < now);
    let (mut artifacts, mut foreign) = (Vec::new(), Vec::new());
    for stored in old {
        match ObjectKey::parse_package(&stored.key) {
            Some(artifact) => artifacts.push(artifact),
            None => foreign.push(stored.key.clone()),
        }
    }
    let orphans = table.without_version(&artifacts).await?;
    let names = orphans.iter().map(ToString::to_string).chain(foreign);
    count(&mut walk.counted, page.objects.len(), names);
    walk.after = page.objects.last().filter(|_| page.more).map(|stored| stored.key.clone());
    if walk.after.is_none() {
        walk.last = std::mem::take(&mut walk.counted);
        if walk.last.orphans > 0 {
            tracing::warn!(orphans = walk.last.orphans, examples = ?walk.last.examples, "artifacts without a version");
        }
    }
    table.put_walk(Walk::Packages, &walk).await?;
    Ok(walk.last.orphans)
}

fn count(counted: &mut Count, seen: usize, orphans: impl Iterator<Item = String>) {
    counted.seen += seen as u64;
    for name in orphans {
        counted.orphans += 1;
        if counted.examples.len() < EXAMPLES {
            counted.examples.push(name);
        }
    }
}
