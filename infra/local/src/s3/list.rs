//! One page of a listing.

use std::ops::Bound;

use s3s::{S3Result, s3_error};

use super::store::Keys;

/// What to list.
pub(crate) struct Query<'a> {
    /// Only keys that begin so.
    pub(crate) prefix: &'a str,
    /// Keys that hold this after the prefix are shown as one common prefix.
    pub(crate) delimiter: Option<&'a str>,
    /// Where to begin.
    pub(crate) from: Start<'a>,
    /// Objects and common prefixes together.
    pub(crate) limit: usize,
}

/// Where a listing begins.
#[derive(Clone, Copy)]
pub(crate) enum Start<'a> {
    /// At the first key.
    First,
    /// After this key.
    AfterKey(&'a str),
    /// After this key or common prefix, the last of the page before.
    AfterEntry(&'a str),
}

impl<'a> Start<'a> {
    /// A continuation token goes before `start-after`, as in S3.
    pub(crate) fn new(start_after: Option<&'a str>, last_entry: Option<&'a str>) -> Self {
        match (last_entry, start_after) {
            (Some(entry), _) => Self::AfterEntry(entry),
            (None, Some(key)) => Self::AfterKey(key),
            (None, None) => Self::First,
        }
    }
}

/// The last entry of the page that ended with this continuation token.
pub(crate) fn parse_token(token: &str) -> S3Result<String> {
    let entry = hex::decode(token).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    entry.ok_or_else(|| s3_error!(InvalidArgument, "the continuation token is not one of this store"))
}

/// A page.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Page {
    pub(crate) keys: Vec<String>,
    pub(crate) prefixes: Vec<String>,
    /// The last key or prefix of this page, if there is another page.
    pub(crate) next: Option<String>,
}

/// Lists the keys of a bucket.
pub(crate) fn list(keys: &Keys, query: &Query<'_>) -> Page {
    let mut page = Page::default();
    let mut last = None;
    for key in keys.range::<str, _>((lower_bound(query), Bound::Unbounded)) {
        let Some(rest) = key.strip_prefix(query.prefix) else {
            if key.as_str() < query.prefix { continue } else { break }
        };
        let common = common_prefix(query, rest);
        if common.as_deref().is_some_and(|common| seen(query, &page, common)) {
            continue;
        }
        if page.keys.len() + page.prefixes.len() >= query.limit {
            page.next = last;
            break;
        }
        last = Some(common.clone().unwrap_or_else(|| key.clone()));
        match common {
            Some(common) => page.prefixes.push(common),
            None => page.keys.push(key.clone()),
        }
    }
    page
}

fn lower_bound<'a>(query: &Query<'a>) -> Bound<&'a str> {
    match query.from {
        Start::AfterKey(key) | Start::AfterEntry(key) if key >= query.prefix => Bound::Excluded(key),
        _ => Bound::Included(query.prefix),
    }
}

fn common_prefix(query: &Query<'_>, rest: &str) -> Option<String> {
    let delimiter = query.delimiter.filter(|delimiter| !delimiter.is_empty())?;
    rest.split_once(delimiter).map(|(head, _)| format!("{}{head}{delimiter}", query.prefix))
}

fn seen(query: &Query<'_>, page: &Page, common: &str) -> bool {
    page.prefixes.last().is_some_and(|last| last == common)
        || matches!(query.from, Start::AfterEntry(entry) if common <= entry)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    /// What S3 documents, in the plainest way: filter, fold, sort.
    fn model(keys: &BTreeSet<String>, prefix: &str, delimiter: &str, after: &str) -> Vec<String> {
        let wanted = keys.iter().filter(|key| key.starts_with(prefix) && key.as_str() > after);
        let fold = |key: &String| match key[prefix.len()..].find(delimiter) {
            Some(at) if !delimiter.is_empty() => key[..prefix.len() + at + delimiter.len()].to_owned(),
            _ => key.clone(),
        };
        wanted.map(fold).collect::<BTreeSet<_>>().into_iter().collect()
    }

    proptest! {
        #[test]
        fn pages_of_any_size_add_up_to_the_whole_listing(
            keys in proptest::collection::btree_set("[ab/é]{1,4}", 0..20),
            prefix in "[ab/]{0,2}",
            delimiter in "/|b|",
            after in "[ab/]{0,2}",
            limit in 1..5usize,
        ) {
            let mut entries = Vec::new();
            let mut token: Option<String> = None;
            for _ in 0..=keys.len() {
                let from = Start::new(Some(&after), token.as_deref());
                let query = Query { prefix: &prefix, delimiter: Some(&delimiter), from, limit };
                let page = list(&keys, &query);
                let mut names = page.keys;
                names.extend(page.prefixes.iter().cloned());
                names.sort_unstable();
                prop_assert!(page.next.is_none() || (names.len() == limit && page.next.as_ref() == names.last()));
                entries.extend(names);
                token = page.next;
                if token.is_none() {
                    break;
                }
            }
            prop_assert_eq!(token, None);
            prop_assert_eq!(entries, model(&keys, &prefix, &delimiter, &after));
        }
    }
}
