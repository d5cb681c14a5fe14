//! From a checked package to a version: bytes first, pointer last.

use rand::{Rng, RngExt};
use skillhub_package::{Method, sha256};
use skillhub_protocol::{Finding, PublishedVersion, Sha256, SkillId};
use skillhub_store::{
    BodyExtra, Decision, Fenced, FileSpan, ObjectKey, Origin, Publication, SessionItem, Situation, StoreError,
    VersionBody, fail_point,
};

use crate::fingerprint::fingerprints;
use crate::judge::Checked;
use crate::pause::Pause;
use crate::{Judgement, Validator};

/// Everything that a publication is made of, but for the situation, which may change.
struct Candidate {
    session: SessionItem,
    artifact: Vec<u8>,
    /// Where the artifact is in the store already.
    stored: Option<ObjectKey>,
    artifact_sha256: Sha256,
    body: VersionBody,
    fingerprints: Vec<Sha256>,
    warnings: Vec<Finding>,
}

impl Validator {
    /// Publishes, or finds out why not. Reads and decides again as often as the situation changes, until the lease ends.
    pub(crate) async fn promote(
        &self,
        session: &SessionItem,
        mut situation: Situation,
        checked: Checked,
        rng: &mut (impl Rng + Send),
    ) -> Result<Judgement, StoreError> {
        let mut candidate = Candidate::new(session, &situation, checked);
        let mut pause = Pause::default();
        while self.holds(session) {
            let written = match situation.decide(&candidate.session, self.clock.now()) {
                Decision::Publish => self.publish(&mut candidate, &situation, rng.random()).await,
                Decision::AlreadyPublished(published) => self.join(&candidate, &published).await,
                Decision::Adopt(skill) => self.adopt(&mut candidate, skill).await,
                refused => return Ok(Judgement::Rejected(vec![refusal(&refused, &candidate.session)])),
            };
            match self.settled(session, written).await {
                Ok(Fenced::Done) => return Ok(Judgement::Published),
                Ok(Fenced::ClaimLost) => return Ok(Judgement::ClaimLost),
                Ok(Fenced::Changed) => {}
                Ok(Fenced::Busy) => pause.wait(rng).await,
                Err(error) => pause.after(error, rng).await?,
            }
            situation = self.table.situation(&candidate.session).await?;
        }
        Ok(Judgement::ClaimLost)
    }

    /// Bytes first, pointer last.
    async fn publish(
        &self,
        candidate: &mut Candidate,
        situation: &Situation,
        random: u64,
    ) -> Result<Fenced, StoreError> {
        let session = &candidate.session;
        let (Some(skill_id), Some(version_id), Some(published_at)) =
            (&session.skill_id, &session.version_id, session.published_at)
        else {
            return Ok(Fenced::ClaimLost);
        };
        let artifact = candidate.artifact_sha256;
        let key = ObjectKey::Package { skill: skill_id.clone(), version: version_id.clone(), artifact };
        if candidate.stored.as_ref() != Some(&key) {
            let (bytes, origin) = (candidate.artifact.clone(), Origin::of(session, published_at));
            self.objects.put_artifact(&key, artifact, bytes, Some(&origin)).await?;
            candidate.stored = Some(key);
            fail_point("promote.stored");
        }
        let publication = Publication {
            session,
            skill_id,
            version_id,
            published_at,
            situation,
            body: &candidate.body,
            fingerprints: &candidate.fingerprints,
            artifact_sha256: artifact,
            artifact_bytes: candidate.artifact.len() as u64,
            findings: &candidate.warnings,
        };
        let written = self.table.publish(&publication, self.clock.now(), random).await;
        fail_point("promote.committed");
        written
    }

    /// The same content has the number already: this session ends with its ids.
    async fn join(&self, candidate: &Candidate, published: &PublishedVersion) -> Result<Fenced, StoreError> {
        let (session, warnings) = (&candidate.session, &candidate.warnings);
        let written = self.table.end_as_published(session, published, warnings, self.clock.now()).await?;
        fail_point("promote.joined");
        Ok(written)
    }

    /// The slug is another skill's: this session goes on under its id.
    async fn adopt(&self, candidate: &mut Candidate, skill: SkillId) -> Result<Fenced, StoreError> {
        let written = self.table.adopt_skill(&candidate.session, &skill).await?;
        fail_point("promote.adopted");
        if written != Fenced::Done {
            return Ok(written);
        }
        candidate.session.skill_id = Some(skill);
        Ok(Fenced::Changed)
    }
}

impl Candidate {
    fn new(session: &SessionItem, situation: &Situation, checked: Checked) -> Self {
        let body = body(situation, &checked);
        let fingerprints = fingerprints(situation.manifest.files());
        let (artifact, warnings) = (checked.canonical.bytes, checked.warnings);
        let artifact_sha256 = sha256(&artifact);
        Self { session: session.clone(), artifact, stored: None, artifact_sha256, body, fingerprints, warnings }
    }
}

fn body(situation: &Situation, checked: &Checked) -> VersionBody {
    let span = |location: &skillhub_package::FileLocation| FileSpan {
        offset: location.offset,
        bytes: location.compressed_bytes,
        deflated: location.method == Method::Deflated,
    };
    VersionBody {
        manifest_json: situation.manifest.to_json(),
        extra: BodyExtra {
            frontmatter: checked.package.skill_md.frontmatter.clone(),
            files: checked.canonical.locations.iter().map(span).collect(),
        },
    }
}

fn refusal(decision: &Decision, session: &SessionItem) -> Finding {
    let name = format!("{}/{}", session.namespace, session.slug);
    match decision {
        Decision::NotPermitted => {
            let message = format!("the opener of this upload may not publish to {name} any more");
            Finding::error("forbidden", "namespace", message)
        }
        Decision::TooManyTags => Finding::error("tag_invalid", "tags", format!("{name} would have more than 10 tags"))
            .hint("remove a tag that is not needed any more"),
        _ => {
            let message = format!("{name}@{} exists with other content", session.version);
            Finding::error("version_exists", "manifest.version", message).hint("publish under a new version number")
        }
    }
}
