//! Items that have outlived their time to live, in stores that leave them.

use skillhub_store::{StoreError, Walk, WalkItem};
use skillhub_validate::Validator;

/// How many items one run looks at.
const PAGE: i32 = 200;

/// Says how many it removed.
pub(crate) async fn sweep(validator: &Validator) -> Result<usize, StoreError> {
    let (table, now) = (&validator.table, validator.clock.now());
    let walk = table.walk(Walk::Items).await?;
    let (removed, after) = table.remove_expired(now, walk.after.as_deref(), PAGE).await?;
    if after != walk.after {
        table.put_walk(Walk::Items, &WalkItem { after, ..walk }).await?;
    }
    Ok(removed)
}
