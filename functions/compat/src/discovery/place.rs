//! What an address stands for.

use serde::Deserialize;
use skillhub_protocol::{Coordinate, InvalidValue, Namespace, Selector};

/// Where an index is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Place {
    /// At `/@ns`.
    Namespace(Namespace),
    /// At `/@ns/slug`, `/@ns/slug@1.2.0` or `/@ns/slug@tag`.
    Skill(Coordinate),
}

/// A place, and what is asked for below it.
#[derive(Debug, Deserialize)]
#[serde(try_from = "Segments")]
pub(super) struct Asked {
    pub(super) place: Place,
    pub(super) file: String,
}

/// The decoded segments of a path: `@` and `%40` are the same here, and any of them may hold anything.
#[derive(Debug, Deserialize)]
struct Segments {
    owner: String,
    skill: Option<String>,
    file: String,
}

impl TryFrom<Segments> for Asked {
    type Error = InvalidValue;

    fn try_from(segments: Segments) -> Result<Self, InvalidValue> {
        let namespace: Namespace = segments.owner.parse()?;
        let place = match segments.skill {
            None => Place::Namespace(namespace),
            Some(skill) => Place::Skill(format!("{namespace}/{skill}").parse()?),
        };
        Ok(Self { place, file: segments.file })
    }
}

impl Place {
    /// Whether the place means one version for ever.
    pub(super) fn is_pinned(&self) -> bool {
        matches!(self, Self::Skill(coordinate) if matches!(coordinate.selector(), Selector::Version(_)))
    }

    /// The namespace.
    pub(super) fn namespace(&self) -> &Namespace {
        match self {
            Self::Namespace(namespace) => namespace,
            Self::Skill(coordinate) => coordinate.namespace(),
        }
    }

    /// The coordinate of the skill with this slug, if it is here: in the version that the place is pinned to.
    pub(super) fn skill(&self, slug: &str) -> Option<Coordinate> {
        match self {
            Self::Namespace(namespace) => Coordinate::new(namespace.clone(), slug.parse().ok()?, Selector::Latest).ok(),
            Self::Skill(coordinate) => Some(coordinate.clone()).filter(|coordinate| coordinate.slug().as_str() == slug),
        }
    }
}
