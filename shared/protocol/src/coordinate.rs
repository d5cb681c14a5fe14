//! How people and other clients name a skill.

use std::fmt;
use std::str::FromStr;

use crate::error::InvalidValue;
use crate::namespace::Namespace;
use crate::newtype::serde_as_text;
use crate::slug::{Slug, is_kebab_case};
use crate::version::{Release, Tag};

/// `[@namespace/]slug[@version or @tag]`. No namespace means `@global`, no selector means the current version.
///
/// Reading also takes the canonical spelling `namespace--slug[@…]`; slugs in a coordinate have no `--` of their own, so the two
/// cannot be confused. Writing always gives the full form `@namespace/slug[@…]`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Coordinate {
    namespace: Namespace,
    slug: Slug,
    selector: Selector,
}

/// Which version a [`Coordinate`] means.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Selector {
    /// The current version: nothing, or `@latest`.
    Latest,
    /// Exactly this version.
    Version(Release),
    /// The version that a tag points to.
    Tag(Tag),
}

/// The single-word spelling of (namespace, slug) that ClawHub clients use: `slug` for `@global`, `namespace--slug` otherwise.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CanonicalSlug {
    namespace: Namespace,
    slug: Slug,
}

impl Coordinate {
    /// A coordinate from its parts.
    ///
    /// # Errors
    /// If the slug has a double hyphen, which no published slug has.
    pub fn new(namespace: Namespace, slug: Slug, selector: Selector) -> Result<Self, InvalidValue> {
        if !is_kebab_case(slug.as_str()) {
            return Err(InvalidValue::new("must have a slug without \"--\", which separates namespace and slug"));
        }
        Ok(Self { namespace, slug, selector })
    }

    /// The namespace.
    pub fn namespace(&self) -> &Namespace {
        &self.namespace
    }

    /// The slug.
    pub fn slug(&self) -> &Slug {
        &self.slug
    }

    /// Which version.
    pub fn selector(&self) -> &Selector {
        &self.selector
    }

    /// The canonical slug; the selector is not part of it.
    pub fn to_canonical(&self) -> CanonicalSlug {
        CanonicalSlug { namespace: self.namespace.clone(), slug: self.slug.clone() }
    }
}

impl CanonicalSlug {
    /// The namespace.
    pub fn namespace(&self) -> &Namespace {
        &self.namespace
    }

    /// The slug.
    pub fn slug(&self) -> &Slug {
        &self.slug
    }

    /// The coordinate with this selector.
    pub fn with(self, selector: Selector) -> Coordinate {
        Coordinate { namespace: self.namespace, slug: self.slug, selector }
    }
}

impl FromStr for CanonicalSlug {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (namespace, slug) = match text.split_once("--") {
            None => (Namespace::global(), text),
            Some((handle, slug)) => (Namespace::from_handle(handle)?, slug),
        };
        if text.contains("--") && namespace.is_global() {
            return Err(InvalidValue::new("must not spell the namespace \"global\": write the slug alone"));
        }
        Ok(Self { namespace, slug: parse_slug(slug)? })
    }
}

impl fmt::Display for CanonicalSlug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.namespace.is_global() {
            write!(f, "{}--", self.namespace.handle())?;
        }
        fmt::Display::fmt(&self.slug, f)
    }
}

fn parse_slug(text: &str) -> Result<Slug, InvalidValue> {
    let slug: Slug = text.parse().map_err(|fault| InvalidValue(format!("{fault} (the slug is {text:?})").into()))?;
    if is_kebab_case(slug.as_str()) {
        Ok(slug)
    } else {
        Err(InvalidValue::new("must have a slug without \"--\", which separates namespace and slug"))
    }
}

impl FromStr for Coordinate {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let Some(scoped) = text.strip_prefix('@') else {
            let (name, selector) = split_selector(text);
            return Ok(name.parse::<CanonicalSlug>()?.with(parse_selector(selector)?));
        };
        let Some((handle, rest)) = scoped.split_once('/') else {
            return Err(InvalidValue::new("must be @namespace/slug, with a slash after the namespace"));
        };
        let (slug, selector) = split_selector(rest);
        Ok(Self {
            namespace: Namespace::from_handle(handle)?,
            slug: parse_slug(slug)?,
            selector: parse_selector(selector)?,
        })
    }
}

fn split_selector(text: &str) -> (&str, Option<&str>) {
    match text.split_once('@') {
        Some((name, selector)) => (name, Some(selector)),
        None => (text, None),
    }
}

fn parse_selector(selector: Option<&str>) -> Result<Selector, InvalidValue> {
    match selector {
        None | Some(Tag::LATEST) => Ok(Selector::Latest),
        // A tag begins with a letter and a version with a digit: no text is both.
        Some(text) if text.starts_with(|c: char| c.is_ascii_digit()) => Ok(Selector::Version(text.parse()?)),
        Some(text) => match text.parse() {
            Ok(tag) => Ok(Selector::Tag(tag)),
            Err(_) => Err(InvalidValue::new(
                "must name a version such as 1.2.0 (without \"v\") or a tag such as beta after the \"@\"",
            )),
        },
    }
}

impl fmt::Display for Coordinate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.namespace, self.slug)?;
        match &self.selector {
            Selector::Latest => Ok(()),
            Selector::Version(version) => write!(f, "@{version}"),
            Selector::Tag(tag) => write!(f, "@{tag}"),
        }
    }
}

serde_as_text!(Coordinate);
serde_as_text!(CanonicalSlug);
