//! From a checked package to a version: bytes first, pointer last.

use std::time::Duration;

use rand::{Rng, RngExt};
use skillhub_package::{Method, sha256};
use skillhub_protocol::{Finding, SkillId};
use skillhub_store::{
    BodyExtra, Decision, FileSpan, ObjectKey, Publication, SessionItem, Situation, StoreError, Verdict, VersionBody,
};

use crate::judge::Checked;
use crate::{Judgement, Validator};

/// Pauses between attempts at a transaction that was in another's way: full jitter between these.
const PAUSE_MS: std::ops::Range<u64> = 20..2000;

impl Validator {
    /// Publishes, or finds out why not. Reads and decides again as often as the situation changes, until the lease ends.
    pub(crate) async fn promote(
        &self,
        session: &SessionItem,
        mut situation: Situation,
        checked: Checked,
        rng: &mut (impl Rng + Send),
    ) -> Result<Judgement, StoreError> {
        let mut session = session.clone();
        let artifact = checked.canonical.bytes.clone();
        let artifact_sha256 = sha256(&artifact);
        let body = body(&situation, &checked);
        let mut pause = PAUSE_MS.start;
        while session.lease_until.is_some_and(|end| (self.clock)() < end) {
            match situation.decide(&session, (self.clock)()) {
                Decision::Publish => {}
                Decision::AlreadyPublished(published) => {
                    let (findings, now) = (&checked.warnings, (self.clock)());
                    let ours = self.table.end_as_published(&session, &published, findings, now).await?;
                    return Ok(if ours { Judgement::Published } else { Judgement::ClaimLost });
                }
                Decision::Adopt(skill) => {
                    if !self.adopt(&mut session, skill).await? {
                        return Ok(Judgement::ClaimLost);
                    }
                    situation = self.table.situation(&session).await?;
                    continue;
                }
                refused => return Ok(Judgement::Rejected(vec![refusal(&refused, &session)])),
            }
            let (Some(skill_id), Some(version_id), Some(published_at)) =
                (&session.skill_id, &session.version_id, session.published_at)
            else {
                return Ok(Judgement::ClaimLost);
            };
            let key =
                ObjectKey::Package { skill: skill_id.clone(), version: version_id.clone(), artifact: artifact_sha256 };
            self.objects.put_artifact(&key, artifact_sha256, artifact.clone()).await?;
            let publication = Publication {
                session: &session,
                skill_id,
                version_id,
                published_at,
                situation: &situation,
                body: &body,
                artifact_sha256,
                artifact_bytes: artifact.len() as u64,
                findings: &checked.warnings,
            };
            match self.table.publish(&publication, (self.clock)(), rng.random()).await? {
                Verdict::Published => return Ok(Judgement::Published),
                Verdict::ClaimLost => return Ok(Judgement::ClaimLost),
                Verdict::Changed => {}
                Verdict::Busy => {
                    tokio::time::sleep(Duration::from_millis(rng.random_range(0..=pause))).await;
                    pause = (pause * 2).min(PAUSE_MS.end);
                }
            }
            situation = self.table.situation(&session).await?;
        }
        Ok(Judgement::ClaimLost)
    }

    async fn adopt(&self, session: &mut SessionItem, skill: SkillId) -> Result<bool, StoreError> {
        let ours = self.table.adopt_skill(session, &skill).await?;
        session.skill_id = Some(skill);
        Ok(ours)
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
