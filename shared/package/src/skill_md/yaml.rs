//! YAML as one tree: no anchors, aliases, merge keys or tags, no key twice, bounded depth, YAML 1.2 booleans.

use std::collections::HashMap;

use serde_json::{Map, Number, Value};
use serde_saphyr::budget::BudgetBreach;
use serde_saphyr::granit_parser::{self, ErrorKind, Event, Marker, Parser, Tag};
use serde_saphyr::{DuplicateKeyPolicy, Error, Location, MergeKeyPolicy, NonFiniteFloatPolicy, Options, Spanned};
use skillhub_protocol::Finding;

use super::hint;
use super::node::Node;
use crate::content::place::Place;
use crate::findings::quote;

/// How deep lists and mappings may nest.
const MAX_DEPTH: usize = 32;
/// How many keys, values, lists and mappings there may be.
const MAX_NODES: usize = 10_000;
/// The line of the file on which the frontmatter begins.
pub(super) const FIRST_LINE: u32 = 2;

/// The fields of a frontmatter, and where their keys are.
pub(super) struct Fields {
    pub(super) values: Map<String, Value>,
    pub(super) places: HashMap<String, Place>,
}

/// Parses a frontmatter.
///
/// # Errors
/// The first fault.
pub(super) fn parse(yaml: &str) -> Result<Fields, Finding> {
    let node = serde_saphyr::from_str_with_options(yaml, options()).map_err(|e| fault(&e));
    let fields = match (refuse(yaml), node) {
        (Ok(()), node) => node.and_then(|node| fields(yaml, node)),
        (Err(refused), Err(fault)) if (fault.line, fault.column) < (refused.line, refused.column) => Err(fault),
        (Err(refused), _) => Err(refused),
    };
    fields.map_err(|finding| hint::for_line(yaml, finding))
}

fn options() -> Options {
    serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_depth: MAX_DEPTH,
            max_nodes: MAX_NODES,
            max_aliases: 0,
        },
        duplicate_keys: DuplicateKeyPolicy::Error,
        merge_keys: MergeKeyPolicy::Error,
        strict_booleans: true,
        underscored_numbers_as_strings: true,
        null_as_string: true,
        non_finite_float_policy: NonFiniteFloatPolicy::PassThrough,
        with_snippet: false,
    }
}

/// Refuses what the tree does not show: anchors, aliases, tags and directives. Faults of syntax are told from here, too.
fn refuse(yaml: &str) -> Result<(), Finding> {
    let options = granit_parser::options! {
        disallow_directives: true,
        emit_anchor_events: true,
        emit_unresolved_aliases: true,
    };
    for event in Parser::new_from_str_with_options(yaml, options) {
        let (event, span) = event.map_err(|e| match e.kind() {
            ErrorKind::RecursionLimitExceeded => too_deep(marked(*e.marker())),
            _ => invalid(marked(*e.marker()), &e.info()),
        })?;
        if let Some((code, what)) = unwanted(&event) {
            return Err(forbidden(code, marked(span.tag_start().unwrap_or(span.start)), &what));
        }
    }
    Ok(())
}

/// What is refused, with its code. A known alias has an anchor before it.
fn unwanted(event: &Event<'_>) -> Option<(&'static str, String)> {
    match event {
        Event::Anchor(_, name) => Some(("yaml_anchor", format!("the anchor `&{name}`"))),
        Event::UnresolvedAlias(name) => Some(("yaml_anchor", format!("the alias `*{name}`"))),
        other => other.tag().map(|tag| ("yaml_tag", format!("the tag `{}`", Tag::original(tag)))),
    }
}

fn fault(error: &Error) -> Finding {
    let location = error.location().unwrap_or(Location::UNKNOWN);
    let place = in_file(location.line(), location.column());
    match error {
        Error::DuplicateMappingKey { key, .. } => duplicate(place, key.as_deref().unwrap_or_default()),
        Error::MergeKeyNotAllowed { .. } => forbidden("yaml_anchor", place, "a merge key"),
        Error::UnknownAnchor { .. } => forbidden("yaml_anchor", place, "an alias"),
        Error::Budget { breach: BudgetBreach::Depth { .. }, .. } => too_deep(place),
        Error::Budget { breach: BudgetBreach::Nodes { .. }, .. } => {
            finding("frontmatter_too_large", place, format!("has more than {MAX_NODES} keys and values"))
        }
        Error::MultipleDocuments { .. } => invalid(place, "it must be one document, but another follows"),
        Error::ExternalMessage { msg, .. } => invalid(place, msg),
        Error::Unexpected { .. } => invalid(place, "keys must be text"),
        other => invalid(place, &other.to_string()),
    }
}

fn duplicate(place: Place, key: &str) -> Finding {
    let mut finding = finding("yaml_duplicate_key", place, format!("the key {} is there twice", quote(key)));
    // Deeper down, only line and column tell which one it is.
    if place.column == 1 {
        finding.path.extend([".", key]);
    }
    finding.hint("remove one of them")
}

fn forbidden(code: &str, place: Place, what: &str) -> Finding {
    finding(code, place, format!("{what} is not allowed: write every value as it is, where it is used"))
}

fn invalid(place: Place, message: &str) -> Finding {
    finding("yaml_invalid", place, format!("is no valid YAML: {message}"))
}

fn too_deep(place: Place) -> Finding {
    finding("yaml_too_deep", place, format!("lists and mappings nest deeper than {MAX_DEPTH}"))
}

fn finding(code: &str, place: Place, message: String) -> Finding {
    place.on(Finding::error(code, "skillMd.frontmatter", message))
}

fn marked(marker: Marker) -> Place {
    in_file(marker.line(), marker.col().saturating_add(1))
}

/// The place in the file of a place in the frontmatter; its start for what has none.
fn in_file(line: impl TryInto<u32>, column: impl TryInto<u32>) -> Place {
    let (line, column) = (line.try_into().unwrap_or(u32::MAX), column.try_into().unwrap_or(u32::MAX));
    Place { line: line.saturating_sub(1).saturating_add(FIRST_LINE), column: column.max(1) }
}

fn fields(yaml: &str, node: Spanned<Node>) -> Result<Fields, Finding> {
    let entries = match node.value {
        Node::Mapping(entries) => entries,
        // Nothing at all, or only comments.
        Node::Scalar(Value::Null) if text(yaml, node.referenced).is_empty() => Vec::new(),
        _ => {
            let message = "the frontmatter must be a mapping, with a line such as `name: my-skill` for each field";
            return Err(finding("frontmatter_not_mapping", in_file(1_u32, 1_u32), message.to_owned()));
        }
    };
    let place = |key: &Spanned<String>| in_file(key.referenced.line(), key.referenced.column());
    let places = entries.iter().map(|(key, _)| (key.value.clone(), place(key))).collect();
    Ok(Fields { values: mapping(yaml, entries), places })
}

fn mapping(yaml: &str, entries: Vec<(Spanned<String>, Spanned<Node>)>) -> Map<String, Value> {
    entries.into_iter().map(|(key, node)| (key.value, value(yaml, node))).collect()
}

fn value(yaml: &str, node: Spanned<Node>) -> Value {
    match node.value {
        Node::Scalar(value) => value,
        Node::Float(float) => number(float, text(yaml, node.referenced)),
        Node::List(items) => items.into_iter().map(|item| value(yaml, item)).collect(),
        Node::Mapping(entries) => Value::Object(mapping(yaml, entries)),
    }
}

/// The number that `text` stands for. What JSON does not hold stays text: infinities, and integers beyond 64 bits.
fn number(float: f64, text: &str) -> Value {
    // With zeros before it, an integer comes as a float, too.
    let integer = text.parse::<i64>().ok().map(Number::from);
    let fraction = || Number::from_f64(float).filter(|_| text.contains(['.', 'e', 'E']));
    integer.or_else(fraction).map_or_else(|| text.into(), Value::Number)
}

/// The source of a value.
fn text(yaml: &str, location: Location) -> &str {
    let narrow = |number: Option<u64>| usize::try_from(number.unwrap_or_default()).unwrap_or_default();
    let (start, len) = (narrow(location.span().byte_offset()), narrow(location.span().byte_len()));
    yaml.get(start..start.saturating_add(len)).unwrap_or_default()
}
