//! Which version shall be installed.

use skillhub_protocol::{Coordinate, Namespace, ResolveResponse, Selector, Sha256, SkillId, Slug, Version, VersionId};

use super::lockfile::LockedSkill;
use super::package::disagreement;
use crate::client::Client;
use crate::error::{Exit, Failure};

/// One version of one skill of one registry.
#[derive(Clone)]
pub(crate) struct Wanted {
    pub(crate) client: Client,
    /// What was asked for.
    pub(crate) coordinate: Coordinate,
    pub(crate) version: Version,
    pub(crate) sha256: Sha256,
    /// Where the registry has it, if it was asked.
    pub(super) place: Option<Place>,
}

/// What a registry says of a version besides its digest.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub(super) skill: SkillId,
    pub(super) version: VersionId,
    pub(super) size_bytes: u64,
}

impl Wanted {
    /// What `coordinate` means now.
    pub(crate) fn resolve(client: &Client, coordinate: &Coordinate) -> Result<Self, Failure> {
        let resolved = client.resolve(coordinate)?;
        let ResolveResponse { namespace, slug, skill_id, version_id, version, sha256, size_bytes } = resolved;
        let is_other_version = match coordinate.selector() {
            Selector::Version(release) => version != Version::from(release),
            _ => false,
        };
        if namespace != *coordinate.namespace() || slug != *coordinate.slug() || is_other_version {
            return Err(disagreement(format!("asked for {coordinate}, got {namespace}/{slug}@{version}")));
        }
        let place = Some(Place { skill: skill_id, version: version_id, size_bytes });
        Ok(Self { client: client.clone(), coordinate: coordinate.clone(), version, sha256, place })
    }

    /// What the lock file says; the registry is asked only if the package is not in the cache.
    pub(crate) fn locked(client: &Client, locked: &LockedSkill) -> Self {
        let LockedSkill { coordinate, version, sha256, .. } = locked.clone();
        Self { client: client.clone(), coordinate, version, sha256, place: None }
    }

    pub(crate) fn namespace(&self) -> &Namespace {
        self.coordinate.namespace()
    }

    pub(crate) fn slug(&self) -> &Slug {
        self.coordinate.slug()
    }

    /// What the lock file shall say.
    pub(super) fn to_locked(&self) -> LockedSkill {
        LockedSkill {
            coordinate: self.coordinate.clone(),
            version: self.version.clone(),
            sha256: self.sha256,
            registry: self.client.registry().clone(),
        }
    }

    /// Where the registry has it: asked for, if that was not done before.
    pub(super) fn place(&self) -> Result<Place, Failure> {
        if let Some(place) = &self.place {
            return Ok(place.clone());
        }
        let resolved = Self::resolve(&self.client, &self.to_locked().exact())?;
        if resolved.sha256 != self.sha256 {
            return Err(self.another_digest(resolved.sha256));
        }
        resolved.place.ok_or_else(|| disagreement(String::from("a version without a place")))
    }

    fn another_digest(&self, got: Sha256) -> Failure {
        let (namespace, slug, version) = (self.namespace(), self.slug(), &self.version);
        let message = format!("skillhub.lock and the registry mean different packages by {namespace}/{slug}@{version}");
        Failure::new(Exit::Refused, "digest_mismatch", message)
            .detail(format!("skillhub.lock: sha256 {}", self.sha256))
            .detail(format!("registry:      sha256 {got}"))
            .hint("published versions never change: find out which of the two is right before you go on")
    }
}
