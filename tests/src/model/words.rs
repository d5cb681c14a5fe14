//! The alphabet of the histories: few names, so that they collide.

use std::fmt;

use rand::rngs::StdRng;
use rand::{RngExt as _, seq::IndexedRandom as _};
use skillhub_protocol::{Role, Scope, TokenScope};

/// Somebody with a token and a personal namespace.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Person {
    /// An owner of `@global`.
    Admin,
    /// An owner of `@team`.
    Lead,
    /// A publisher of `@team` and `@global`.
    Maker,
    /// Another one, who maintains nothing at first.
    Second,
    /// A reader of `@team`.
    Reader,
    /// A member of nothing.
    Stranger,
}

impl Person {
    /// All of them.
    pub const ALL: [Self; 6] = [Self::Admin, Self::Lead, Self::Maker, Self::Second, Self::Reader, Self::Stranger];

    /// The handle, without its `@`.
    pub fn handle(self) -> &'static str {
        match self {
            Self::Admin => "owner",
            Self::Lead => "lead",
            Self::Maker => "maker",
            Self::Second => "second",
            Self::Reader => "reader",
            Self::Stranger => "stranger",
        }
    }
}

impl fmt::Display for Person {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.handle())
    }
}

/// A namespace.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Space {
    /// `@global`.
    Global,
    /// `@team`, an organization.
    Team,
    /// Somebody's personal namespace.
    Own(Person),
}

impl Space {
    /// Those that skills are published to.
    pub const SHELVES: [Self; 3] = [Self::Global, Self::Team, Self::Own(Person::Maker)];

    /// Every one that there is.
    pub fn all() -> impl Iterator<Item = Self> {
        [Self::Global, Self::Team].into_iter().chain(Person::ALL.map(Self::Own))
    }

    /// The scope of a new skill, unless its publisher says otherwise.
    pub fn default_scope(self) -> Scope {
        match self {
            Self::Global => Scope::Public,
            Self::Team => Scope::Organization,
            Self::Own(_) => Scope::Personal,
        }
    }

    /// Whether its skills can have this scope.
    pub fn can_have(self, scope: Scope) -> bool {
        scope == Scope::Public || scope == self.default_scope()
    }
}

impl fmt::Display for Space {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Global => f.write_str("@global"),
            Self::Team => f.write_str("@team"),
            Self::Own(person) => write!(f, "@{person}"),
        }
    }
}

/// A skill's slug. One begins like the other.
pub const SLUGS: [&str; 2] = ["alpha", "alpha-two"];
/// The numbers of versions, in semver order; one is a pre-release.
pub const NUMBERS: [&str; 4] = ["1.0.0", "1.1.0", "2.0.0-rc.1", "2.0.0"];
/// Tags.
pub const TAGS: [&str; 2] = ["beta", "stable"];
/// What is searched for.
pub const QUERIES: [&str; 4] = ["alpha", "al", "alpha-two", "beta"];

/// A skill by its name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name {
    /// Its namespace.
    pub space: Space,
    /// Its slug.
    pub slug: &'static str,
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.space, self.slug)
    }
}

/// The number of a version: its place in [`NUMBERS`], so that the order is semver's.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Number(pub u8);

impl Number {
    /// All of them.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..).map(Self).take(NUMBERS.len())
    }

    /// As it is written.
    pub fn as_str(self) -> &'static str {
        NUMBERS[usize::from(self.0)]
    }

    /// Whether it is one of a pre-release.
    pub fn is_prerelease(self) -> bool {
        self.as_str().contains('-')
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What a package holds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "three that differ")]
pub enum Content {
    A,
    B,
    C,
    /// Something else than its manifest declares.
    Bad,
}

impl Content {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::A, Self::B, Self::C, Self::Bad];
}

impl fmt::Display for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::A => "A",
            Self::B => "B",
            Self::C => "C",
            Self::Bad => "bad",
        })
    }
}

/// Where a history keeps an upload session.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot(pub u8);

impl fmt::Display for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "session {}", self.0)
    }
}

/// Where a history keeps an API token.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TokenSlot(pub u8);

impl fmt::Display for TokenSlot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "token {}", self.0)
    }
}

/// Who makes a request, and with what.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Caller {
    /// Nobody in particular.
    Anonymous,
    /// Somebody, with the token that everybody has from the beginning and keeps.
    Main(Person),
    /// Somebody, with a token that was made in the history.
    With(Person, TokenSlot),
}

impl Caller {
    /// Who it is; `None` if nobody in particular.
    pub fn person(self) -> Option<Person> {
        match self {
            Self::Anonymous => None,
            Self::Main(person) | Self::With(person, _) => Some(person),
        }
    }
}

impl fmt::Display for Caller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Anonymous => f.write_str("anonymous"),
            Self::Main(person) => write!(f, "{person}"),
            Self::With(person, token) => write!(f, "{person} with {token}"),
        }
    }
}

/// What a token of a history may be used for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Grant {
    /// Everything.
    All,
    /// Reading.
    Read,
    /// Publishing.
    Publish,
}

impl Grant {
    /// The scopes.
    pub fn scopes(self) -> &'static [TokenScope] {
        match self {
            Self::All => &TokenScope::ALL,
            Self::Read => &[TokenScope::Read],
            Self::Publish => &[TokenScope::Publish],
        }
    }

    /// Whether one of the scopes is this.
    pub fn has(self, scope: TokenScope) -> bool {
        self.scopes().contains(&scope)
    }
}

impl fmt::Display for Grant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.scopes().iter().map(|scope| scope.as_str()).collect::<Vec<_>>().join(","))
    }
}

/// What a coordinate selects.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Select {
    /// The current version.
    Latest,
    /// A version by its number.
    Number(Number),
    /// A version by a tag.
    Tag(&'static str),
}

impl fmt::Display for Select {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Latest => f.write_str("latest"),
            Self::Number(number) => write!(f, "{number}"),
            Self::Tag(tag) => f.write_str(tag),
        }
    }
}

/// One of these, at random.
pub(super) fn pick<T: Copy>(rng: &mut StdRng, among: &[T]) -> T {
    *among.choose(rng).expect("something to choose from")
}

/// True, once in so many times.
pub(super) fn one_in(rng: &mut StdRng, n: u32) -> bool {
    rng.random_range(0..n) == 0
}

/// A role, at random.
pub(super) fn role(rng: &mut StdRng) -> Role {
    pick(rng, &[Role::Reader, Role::Publisher, Role::Publisher, Role::Owner])
}

/// A history is read by people.
macro_rules! debug_as_display {
    ($($name:ident),+) => {
        $(impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        })+
    };
}

debug_as_display!(Person, Space, Name, Number, Content, Slot, TokenSlot, Caller, Grant, Select);
