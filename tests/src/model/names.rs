//! What the registry's ids, digests and handles mean in a history.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use skillhub_package::{Declared, Policy, canonical, check, sha256};
use skillhub_protocol::{OrganizationId, Scope, Sha256, SkillId, TokenId, UploadId, VersionId};
use skillhub_store::{NamespaceId, PrincipalId, SessionItem, TokenSecret};

use super::op::Request;
use super::words::{Content, NUMBERS, Name, Number, Person, SLUGS, Slot, Space, TokenSlot};
use crate::skill::Skill;

/// The two directions between the history's names and the registry's.
#[derive(Debug, Default)]
pub(super) struct Names {
    pub(super) people: BTreeMap<PrincipalId, Person>,
    pub(super) organization: Option<OrganizationId>,
    pub(super) skills: BTreeMap<Name, SkillId>,
    pub(super) versions: BTreeMap<(Name, Number), VersionId>,
    pub(super) slots: BTreeMap<UploadId, Slot>,
    pub(super) uploads: BTreeMap<Slot, UploadId>,
    /// What the session in a slot is to carry.
    pub(super) packages: BTreeMap<Slot, (&'static str, Content)>,
    pub(super) tokens: BTreeMap<TokenSlot, TokenId>,
    pub(super) secrets: BTreeMap<TokenSlot, (Person, TokenSecret)>,
}

impl Names {
    pub(super) fn new(people: BTreeMap<PrincipalId, Person>) -> Self {
        Self { people, ..Self::default() }
    }

    /// Gives a session its place, if it has none.
    pub(super) fn place(&mut self, id: &UploadId, slot: Slot) {
        self.slots.entry(id.clone()).or_insert(slot);
        self.uploads.entry(slot).or_insert_with(|| id.clone());
    }

    /// The place of the session that a slot means: that of another, if its own opening was answered with that one.
    pub(super) fn primary(&self, slot: Slot) -> Option<Slot> {
        self.slots.get(self.uploads.get(&slot)?).copied()
    }

    pub(super) fn slot(&self, id: &UploadId) -> Result<Slot, String> {
        self.slots.get(id).copied().ok_or_else(|| format!("nobody has opened {id}"))
    }

    pub(super) fn person(&self, id: &PrincipalId) -> Result<Person, String> {
        self.people.get(id).copied().ok_or_else(|| format!("nobody is {}", id.as_str()))
    }

    pub(super) fn space_of(&self, id: &NamespaceId) -> Result<Space, String> {
        if *id == NamespaceId::global() {
            return Ok(Space::Global);
        }
        let own = id.person().map(|principal| self.person(&principal).map(Space::Own));
        own.unwrap_or(Ok(Space::Team))
    }

    pub(super) fn token(&self, id: &str) -> Option<TokenSlot> {
        self.tokens.iter().find(|(_, token)| token.as_str() == id).map(|(slot, _)| *slot)
    }

    pub(super) fn content(slug: &str, artifact: Sha256) -> Result<Content, String> {
        let found = PACKAGES.iter().find(|((of, _), package)| *of == slug && package.artifact == Some(artifact));
        found.map(|((_, content), _)| *content).ok_or_else(|| format!("nothing of {slug} has the digest {artifact}"))
    }

    /// What a session was opened for, as the table has it.
    pub(super) fn request_of(&self, session: &SessionItem) -> Result<(Person, Name, Number, Content), String> {
        let name = Name { space: self.space_of(&session.namespace_id)?, slug: slug(session.slug.as_str())? };
        let number = number(&session.version.to_string())?;
        let is = |content: &Content| package(name.slug, *content).sha256 == session.package_sha256;
        let content = Content::ALL.into_iter().find(is).ok_or("an upload of unknown content")?;
        Ok((self.person(&session.principal)?, name, number, content))
    }
}

pub(super) fn space(handle: &str) -> Result<Space, String> {
    Space::all().find(|space| space.to_string() == handle).ok_or_else(|| format!("no namespace is called {handle}"))
}

pub(super) fn slug(text: &str) -> Result<&'static str, String> {
    SLUGS.into_iter().find(|slug| *slug == text).ok_or_else(|| format!("no slug is {text}"))
}

pub(super) fn number(text: &str) -> Result<Number, String> {
    let place = NUMBERS.iter().position(|number| *number == text).and_then(|place| u8::try_from(place).ok());
    place.map(Number).ok_or_else(|| format!("no version is {text}"))
}

/// A package of a history.
pub(super) struct Package {
    /// The skill as its manifest declares it.
    skill: Skill,
    /// The upload.
    pub(super) archive: Vec<u8>,
    sha256: Sha256,
    /// What is published of it, if it is good.
    artifact: Option<Sha256>,
}

static PACKAGES: LazyLock<BTreeMap<(&str, Content), Package>> = LazyLock::new(|| {
    let names = SLUGS.into_iter().flat_map(|slug| Content::ALL.map(|content| (slug, content)));
    names.map(|(slug, content)| ((slug, content), pack(slug, content))).collect()
});

fn pack(slug: &str, content: Content) -> Package {
    let skill = Skill::new(slug, &format!("content {content}"));
    let mut packed = skill.clone();
    if content == Content::Bad {
        packed.files[1].1.push(b'!');
    }
    let archive = packed.archive();
    let report = check(&archive, &Declared { slug, scope: Scope::Public }, &Policy::default());
    let good = report.package.filter(|_| content != Content::Bad);
    let artifact = good.map(|package| sha256(&canonical(&package.contents).bytes));
    Package { skill, sha256: sha256(&archive), archive, artifact }
}

/// The package of this content.
pub(super) fn package(slug: &'static str, content: Content) -> &'static Package {
    &PACKAGES[&(slug, content)]
}

/// The body of a request that opens an upload.
pub(super) fn open_body(request: &Request) -> String {
    let Package { skill, archive, .. } = package(request.name.slug, request.content);
    let manifest = skill.clone().version(request.number.as_str()).manifest();
    let mut body = crate::skill::open_request(&manifest, archive);
    body["namespace"] = request.name.space.to_string().into();
    body["tags"] = request.tags.clone().into();
    if let Some(scope) = request.scope {
        body["scope"] = scope.as_str().into();
    }
    body.to_string()
}
