//! `docs/stores.md`.

use super::Results;

pub(super) fn render(_results: &[Results]) -> Result<String, String> {
    Ok(include_str!("page.md").to_owned())
}
