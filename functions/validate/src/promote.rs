//! From a checked package to a version: bytes first, pointer last.

use std::time::Duration;

use rand::{Rng, RngExt};
use skillhub_package::{Method, sha256};
use skillhub_protocol::{Finding, PublishedVersion, Sha256, UploadState};
use skillhub_store::{
    BodyExtra, Decision, FileSpan, ObjectKey, Publication, SessionItem, Situation, StoreError, Verdict, VersionBody,
};

use crate::judge::Checked;
use crate::{Judgement, Validator};

/// Pauses between attempts at a transaction that was in another's way: full jitter between these.
const PAUSE_MS: std::ops::Range<u64> = 20..2000;

/// Everything that a publication is made of, but for the situation, which may change.
struct Candidate {
    session: SessionItem,
    artifact: Vec<u8>,
    /// Where the artifact is in the store already.
    stored: Option<ObjectKey>,
    artifact_sha256: Sha256,
    body: VersionBody,
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
        let mut pause = PAUSE_MS.start;
        while session.lease_until.is_some_and(|end| self.clock.now() < end) {
            match situation.decide(&candidate.session, self.clock.now()) {
                Decision::Publish => match self.publish(&mut candidate, &situation, rng.random()).await? {
                    Verdict::Published => return Ok(Judgement::Published),
                    Verdict::ClaimLost => return Ok(Judgement::ClaimLost),
                    Verdict::Changed => {}
                    Verdict::Busy => {
                        tokio::time::sleep(Duration::from_millis(rng.random_range(0..=pause))).await;
                        pause = (pause * 2).min(PAUSE_MS.end);
                    }
                },
                Decision::AlreadyPublished(published) => return self.join(&candidate, &published).await,
                Decision::Adopt(skill) => {
                    if !self.table.adopt_skill(&candidate.session, &skill).await? {
                        return Ok(Judgement::ClaimLost);
                    }
                    candidate.session.skill_id = Some(skill);
                }
                refused => return Ok(Judgement::Rejected(vec![refusal(&refused, &candidate.session)])),
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
    ) -> Result<Verdict, StoreError> {
        let session = &candidate.session;
        let (Some(skill_id), Some(version_id), Some(published_at)) =
            (&session.skill_id, &session.version_id, session.published_at)
        else {
            return Ok(Verdict::ClaimLost);
        };
        let artifact = candidate.artifact_sha256;
        let key = ObjectKey::Package { skill: skill_id.clone(), version: version_id.clone(), artifact };
        if candidate.stored.as_ref() != Some(&key) {
            self.objects.put_artifact(&key, artifact, candidate.artifact.clone()).await?;
            candidate.stored = Some(key);
        }
        let publication = Publication {
            session,
            skill_id,
            version_id,
            published_at,
            situation,
            body: &candidate.body,
            artifact_sha256: artifact,
            artifact_bytes: candidate.artifact.len() as u64,
            findings: &candidate.warnings,
        };
        match self.table.publish(&publication, self.clock.now(), random).await {
            Err(error) if error.is_transient() => self.settle(session, error).await,
            settled => settled,
        }
    }

    /// The same content has the number already: this session ends with its ids.
    async fn join(&self, candidate: &Candidate, published: &PublishedVersion) -> Result<Judgement, StoreError> {
        let (session, warnings) = (&candidate.session, &candidate.warnings);
        let ours = self.table.end_as_published(session, published, warnings, self.clock.now()).await?;
        Ok(if ours { Judgement::Published } else { Judgement::ClaimLost })
    }

    /// A transaction whose answer did not come may have happened: the session tells.
    async fn settle(&self, session: &SessionItem, error: StoreError) -> Result<Verdict, StoreError> {
        match self.table.session(&session.id).await? {
            Some(now) if now.attempt == session.attempt && now.state == UploadState::Published => {
                Ok(Verdict::Published)
            }
            Some(now) if now.attempt != session.attempt || now.state.is_terminal() => Ok(Verdict::ClaimLost),
            _ => Err(error),
        }
    }
}

impl Candidate {
    fn new(session: &SessionItem, situation: &Situation, checked: Checked) -> Self {
        let body = body(situation, &checked);
        let artifact = checked.canonical.bytes;
        let artifact_sha256 = sha256(&artifact);
        Self { session: session.clone(), artifact, stored: None, artifact_sha256, body, warnings: checked.warnings }
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
