//! After the table was restored to an earlier time: the numbers of versions that were published since are taken again.
//!
//! Asked for by an operator, who calls the function with `{"rebuild": {}}`, and with what it answers, until it answers `null`.

use serde::{Deserialize, Serialize};
use skillhub_store::{ObjectKey, StoreError};
use skillhub_validate::Validator;

/// How many artifacts one run looks at; also the most that one batch of reads takes.
const PAGE: i32 = 100;

/// Where a run begins, and what the runs before it have done.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Rebuild {
    /// The artifact after which it goes on.
    pub after: Option<String>,
    /// Numbers that were free and are taken again.
    pub retaken: u64,
    /// Artifacts without a version that say no origin: an operator's to look at.
    pub unknown: u64,
}

/// One run over a page of artifacts. Gives the next run, and whether there is one.
///
/// # Errors
/// If a store fails; the same run can be repeated.
pub async fn rebuild(validator: &Validator, mut run: Rebuild) -> Result<(Rebuild, bool), StoreError> {
    let (table, objects) = (&validator.table, &validator.objects);
    let page = objects.list(ObjectKey::PACKAGES_PREFIX, run.after.as_deref(), PAGE).await?;
    let artifacts: Vec<_> = page.objects.iter().filter_map(|stored| ObjectKey::parse_package(&stored.key)).collect();
    for artifact in table.without_version(&artifacts).await? {
        match objects.origin(&artifact).await? {
            Some(origin) => run.retaken += u64::from(table.retake_number(&artifact, &origin).await?),
            None => run.unknown += 1,
        }
    }
    run.after = page.objects.last().map(|stored| stored.key.clone());
    tracing::info!(?run, more = page.more, "rebuild");
    Ok((run, page.more))
}
