//! YAML as one tree: no anchors, aliases, merge keys or tags, no key twice, bounded depth, YAML 1.2 booleans.

use std::borrow::Cow;
use std::collections::HashMap;

use granit_parser::{ErrorKind, Event, Marker, Parser, ScalarStyle, ScanError, Span, StrInput, Tag};
use serde_json::{Map, Value};
use skillhub_protocol::Finding;

use super::{hint, scalar};
use crate::content::place::{Place, narrow};
use crate::findings::quote;

/// How deep lists and mappings may nest.
const MAX_DEPTH: usize = 32;
/// Keys at this depth or above it are remembered with their places.
const PLACED_DEPTH: usize = 2;
/// The line of the file on which the frontmatter begins.
const FIRST_LINE: usize = 2;

/// A frontmatter and where its upper keys are.
pub(super) struct Tree {
    pub(super) value: Value,
    places: HashMap<String, Place>,
}

impl Tree {
    /// The place of a key, given as `metadata.author`.
    pub(super) fn place(&self, path: &str) -> Option<Place> {
        self.places.get(path).copied()
    }
}

/// Parses a frontmatter.
pub(super) fn parse(yaml: &str) -> Result<Tree, Finding> {
    let options = granit_parser::options! {
        disallow_directives: true,
        emit_unresolved_aliases: true,
        emit_anchor_events: true,
        flow_nesting_limit: MAX_DEPTH.saturating_add(1),
        block_nesting_limit: MAX_DEPTH.saturating_add(1),
    };
    let mut composer = Composer {
        yaml,
        parser: Parser::new_from_str_with_options(yaml, options),
        path: Vec::new(),
        places: HashMap::new(),
    };
    let value = composer.document()?;
    Ok(Tree { value, places: composer.places })
}

struct Composer<'a> {
    yaml: &'a str,
    parser: Parser<'a, StrInput<'a>>,
    /// The keys on the way to the node at hand.
    path: Vec<String>,
    places: HashMap<String, Place>,
}

impl<'a> Composer<'a> {
    fn document(&mut self) -> Result<Value, Finding> {
        let mut value = None;
        loop {
            let (event, span) = self.next()?;
            match event {
                Event::StreamEnd => return Ok(value.unwrap_or_else(|| Value::Object(Map::new()))),
                Event::StreamStart | Event::DocumentEnd => {}
                Event::DocumentStart(..) if value.is_some() => {
                    return Err(self.invalid(span.start, "must be one YAML document, but another follows"));
                }
                Event::DocumentStart(..) => {
                    let (event, span) = self.next()?;
                    // A document that is empty, or only comments.
                    let empty = matches!(&event, Event::Scalar(text, ScalarStyle::Plain, 0, None) if text.is_empty());
                    let node = self.node(event, span, 0)?;
                    value = Some(if empty { Value::Object(Map::new()) } else { node });
                }
                _ => return Err(self.invalid(span.start, "must be one YAML document")),
            }
        }
    }

    fn next(&mut self) -> Result<(Event<'a>, Span), Finding> {
        match self.parser.next_event() {
            Some(Ok((event, span))) => self.refuse_anchor(&event, span).map(|()| (event, span)),
            Some(Err(error)) => Err(self.scan_error(&error)),
            None => Ok((Event::StreamEnd, Span::default())),
        }
    }

    /// The event of an anchor follows that of its node, so every anchor comes by here.
    fn refuse_anchor(&self, event: &Event<'a>, span: Span) -> Result<(), Finding> {
        let what = match event {
            Event::Anchor(_, name) => format!("the anchor `&{name}`"),
            Event::Alias(_) => "an alias".to_owned(),
            Event::UnresolvedAlias(name) => format!("the alias `*{name}`"),
            _ => return Ok(()),
        };
        let message = format!("{what} is not allowed: write every value where it is used");
        let finding = self.finding("yaml_anchor", span.start, message);
        Err(hint::for_line(self.yaml, span.start.line(), finding))
    }

    fn node(&mut self, event: Event<'a>, span: Span, depth: usize) -> Result<Value, Finding> {
        self.refuse_tag(&event, span)?;
        match event {
            Event::Scalar(text, style, ..) => Ok(scalar::resolve(text, style)),
            Event::SequenceStart(..) => self.sequence(self.deeper(depth, span)?),
            Event::MappingStart(..) => self.mapping(self.deeper(depth, span)?),
            _ => Err(self.invalid(span.start, "a value is missing")),
        }
    }

    fn refuse_tag(&self, event: &Event<'a>, span: Span) -> Result<(), Finding> {
        let Some(tag) = event.tag() else { return Ok(()) };
        let marker = span.tag_start().unwrap_or(span.start);
        let message = format!("the tag `{}` is not allowed: only plain values are read", Tag::original(tag));
        Err(hint::for_line(self.yaml, marker.line(), self.finding("yaml_tag", marker, message)))
    }

    fn deeper(&self, depth: usize, span: Span) -> Result<usize, Finding> {
        let deeper = depth.saturating_add(1);
        if deeper <= MAX_DEPTH { Ok(deeper) } else { Err(self.too_deep(span.start)) }
    }

    fn sequence(&mut self, depth: usize) -> Result<Value, Finding> {
        let mut items = Vec::new();
        loop {
            match self.next()? {
                (Event::SequenceEnd, _) => return Ok(Value::Array(items)),
                (event, span) => items.push(self.node(event, span, depth)?),
            }
        }
    }

    fn mapping(&mut self, depth: usize) -> Result<Value, Finding> {
        let mut map = Map::new();
        loop {
            let (event, span) = self.next()?;
            if matches!(event, Event::MappingEnd) {
                return Ok(Value::Object(map));
            }
            let key = self.key(event, span)?;
            self.path.push(key.clone());
            if map.contains_key(&key) {
                let message = format!("the key {} is there twice", quote(&key));
                return Err(self.finding("yaml_duplicate_key", span.start, message).hint("remove one of them"));
            }
            if self.path.len() <= PLACED_DEPTH {
                self.places.insert(self.path.join("."), place(span.start));
            }
            let (event, span) = self.next()?;
            let value = self.node(event, span, depth)?;
            map.insert(key, value);
            self.path.pop();
        }
    }

    fn key(&mut self, event: Event<'a>, span: Span) -> Result<String, Finding> {
        self.refuse_tag(&event, span)?;
        match event {
            Event::Scalar(text, ScalarStyle::Plain, ..) if text == "<<" => Err(self.finding(
                "yaml_anchor",
                span.start,
                "merge keys are not allowed: write every value where it is used",
            )),
            Event::Scalar(text, ..) => Ok(Cow::into_owned(text)),
            _ => Err(self.invalid(span.start, "keys must be text")),
        }
    }

    fn scan_error(&self, error: &ScanError) -> Finding {
        match error.kind() {
            ErrorKind::RecursionLimitExceeded => self.too_deep(*error.marker()),
            _ => self.invalid(*error.marker(), &error.info()),
        }
    }

    fn invalid(&self, marker: Marker, message: &str) -> Finding {
        let finding = self.finding("yaml_invalid", marker, format!("is no valid YAML: {message}"));
        hint::for_line(self.yaml, marker.line(), finding)
    }

    fn too_deep(&self, marker: Marker) -> Finding {
        let message = format!("lists and mappings nest deeper than {MAX_DEPTH}");
        self.finding("yaml_too_deep", marker, message)
    }

    fn finding(&self, code: &str, marker: Marker, message: impl Into<String>) -> Finding {
        let mut path = String::from("skillMd.frontmatter");
        if code == "yaml_duplicate_key" {
            self.path.iter().for_each(|key| path.extend([".", key]));
        }
        place(marker).on(Finding::error(code, path, message))
    }
}

fn place(marker: Marker) -> Place {
    Place {
        line: narrow(marker.line().saturating_add(FIRST_LINE).saturating_sub(1)),
        column: narrow(marker.col().saturating_add(1)),
    }
}
