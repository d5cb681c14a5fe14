//! What must hold once nothing is under way any more, read from table and bucket: I1 to I9 as far as a state shows them.
//!
//! One item of a publish without the others, a digest that is not its object's, an upload that outlived its session, a change
//! without its audit record: each ends the test with the key that it stands at.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use http::Request;
use skillhub_package::sha256;
use skillhub_protocol::{Release, Sha256, SkillId, UploadId, UploadState, VersionId, VersionState};
use skillhub_store::{
    Audience, AuditItem, FingerprintItem, ObjectKey, Objects, SessionItem, SkillItem, SlugItem, VersionItem,
    VersionNumberItem, release_key,
};
use skillhub_web::Clock;

use crate::raw_table::{RawTable, Row};
use crate::wire::Wire;

/// What is there, for what a test expects besides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settled {
    /// `@namespace/slug@version` of every version, with the digest of its artifact.
    pub versions: BTreeMap<String, Sha256>,
    /// How each session has ended.
    pub sessions: BTreeMap<UploadId, UploadState>,
}

/// Checks all of it.
///
/// # Panics
/// If something does not hold.
pub async fn check(table: &RawTable, objects: &Objects, wire: &Wire) -> Settled {
    let rows = Rows(table.scan().await.unwrap());
    let versions = rows.check_versions();
    let sessions = rows.check_sessions();
    for (skill, id, version) in &versions {
        check_object(objects, wire, skill, id, version).await;
    }
    for session in &sessions {
        assert!(!objects.staging_exists(&session.id).await.unwrap(), "I6: the upload of {session:?} is still there");
    }
    let named = |(skill, _, version): &(SkillId, VersionId, VersionItem)| {
        // Two namespaces may have the same slug.
        let namespace = rows.get(&format!("S#{skill}"), "#META").read::<SkillItem>().namespace;
        (format!("{namespace}/{}@{}", version.slug, version.version), version.artifact_sha256)
    };
    let count = versions.len();
    let versions: BTreeMap<_, _> = versions.iter().map(named).collect();
    assert_eq!(versions.len(), count, "I3: a version exists twice");
    rows.check_audit(&versions);
    Settled { versions, sessions: sessions.into_iter().map(|session| (session.id, session.state)).collect() }
}

struct Rows(Vec<Row>);

impl Rows {
    fn get(&self, pk: &str, sk: &str) -> &Row {
        self.0.iter().find(|row| row.pk == pk && row.sk == sk).unwrap_or_else(|| panic!("{pk} {sk} is missing"))
    }

    fn below<'a>(&'a self, pk: &str, sk: &'a str) -> impl Iterator<Item = &'a Row> {
        let pk = pk.to_owned();
        self.0.iter().filter(move |row| row.pk == pk && row.sk.starts_with(sk))
    }

    /// Every item of every skill, and nothing besides.
    fn check_versions(&self) -> Vec<(SkillId, VersionId, VersionItem)> {
        let mut all = Vec::new();
        let partitions: BTreeSet<_> =
            self.0.iter().map(|row| row.pk.as_str()).filter(|pk| pk.starts_with("S#")).collect();
        for pk in &partitions {
            let skill: SkillItem = self.get(pk, "#META").read();
            let versions: Vec<(VersionId, VersionItem)> =
                self.below(pk, "V#").map(|row| (row.sk[2..].parse().unwrap(), row.read())).collect();
            for (id, version) in &versions {
                self.check_version(pk, id, version);
            }
            for kind in ["#BODY#", "VN#"] {
                assert_eq!(self.below(pk, kind).count(), versions.len(), "{pk} {kind}: one for each version");
            }
            self.check_skill(&skill, &versions);
            self.check_fingerprints(&skill, &versions);
            all.extend(versions.into_iter().map(|(id, version)| (skill.id.clone(), id, version)));
        }
        let slugs = self.0.iter().filter(|row| row.pk.starts_with("G#")).count();
        assert_eq!(slugs, partitions.len(), "one slug for each skill");
        let skills = partitions.iter().map(|pk| self.get(pk, "#META").read::<SkillItem>());
        let listed = skills.filter(|skill| skill.current.is_some()).count();
        for (prefix, each) in [("L#", 2), ("Q#", 1)] {
            let entries = self.0.iter().filter(|row| row.pk.starts_with(prefix)).count();
            assert_eq!(entries, each * listed, "{prefix}: {each} for each skill with an available version");
        }
        all
    }

    fn check_version(&self, pk: &str, id: &VersionId, version: &VersionItem) {
        self.get(pk, &format!("#BODY#{id}"));
        let number: VersionNumberItem = self.get(pk, &format!("VN#{}", release_key(&version.version))).read();
        assert_eq!(
            (&number.version_id, number.artifact_sha256, number.artifact_bytes, number.state),
            (id, version.artifact_sha256, version.artifact_bytes, version.state),
            "I3: {pk} {}",
            version.version
        );
    }

    /// What a content is known by leads to a version of the skill that has this content.
    fn check_fingerprints(&self, skill: &SkillItem, versions: &[(VersionId, VersionItem)]) {
        for row in self.0.iter().filter(|row| row.pk == format!("F#{}", skill.id)) {
            let known: FingerprintItem = row.read();
            let same = versions.iter().find(|(_, version)| version.version == known.version);
            assert_eq!(same.map(|(_, version)| version.artifact_sha256), Some(known.artifact_sha256), "{row:?}");
        }
    }

    /// I5, and that what readers are shown is what the skill says.
    fn check_skill(&self, skill: &SkillItem, versions: &[(VersionId, VersionItem)]) {
        let rank = |release: &Release| (!release.is_prerelease(), release.clone());
        let available = versions.iter().filter(|(_, version)| version.state == VersionState::Available);
        let highest = available.max_by_key(|(_, version)| rank(&version.version));
        let current = skill.current.as_ref().map(|current| (&current.id, current.artifact_sha256));
        assert_eq!(current, highest.map(|(id, version)| (id, version.artifact_sha256)), "I5: {skill:?}");

        let slug: SlugItem = self.get(&format!("G#{}", skill.namespace_id.as_str()), skill.slug.as_str()).read();
        assert_eq!((&slug.skill_id, &slug.audience), (&skill.id, &skill.audience));
        for (id, version) in versions {
            assert_eq!(version.audience, skill.audience, "I7: {id} of {skill:?}");
        }
        self.check_listing(skill);
        let tags: BTreeSet<_> =
            self.below(&format!("S#{}", skill.id), "T#").map(|row| row.sk[2..].to_owned()).collect();
        assert_eq!(tags, skill.tags.iter().map(|t| t.tag.to_string()).collect(), "{}", skill.id);
        for tag in &skill.tags {
            let version = versions.iter().find(|(id, _)| *id == tag.version_id).map(|(_, version)| version);
            let version = version.filter(|version| version.state == VersionState::Available);
            let version = version.unwrap_or_else(|| panic!("a tag means an available version: {tag:?}"));
            let told = &self.get(&format!("S#{}", skill.id), &format!("T#{}", tag.tag)).attributes;
            assert_eq!(told["version_id"], tag.version_id.as_str());
            assert_eq!((&told["version"], &tag.version), (&version.version.to_string().into(), &version.version));
            assert_eq!(told["artifact_sha256"], version.artifact_sha256.to_string());
            assert_eq!(told["artifact_bytes"], version.artifact_bytes);
        }
    }

    /// I7: what readers are shown stands where its audience looks, and nowhere else.
    fn check_listing(&self, skill: &SkillItem) {
        let Some(summary) = skill.summary() else { return };
        let summary = serde_json::to_string(&summary).unwrap();
        let entries: Vec<_> =
            self.0.iter().filter(|row| row.pk.starts_with("L#") && row.sk == skill.id.as_str()).collect();
        assert!(entries.iter().all(|entry| entry.attributes["summary"] == summary), "{entries:?} {summary}");
        let namespace = skill.namespace_id.as_str();
        let (list, search) = match &skill.audience {
            Audience::Public => (String::from("L#P#0"), String::from("Q#P")),
            Audience::Organization { .. } => (format!("L#O#{namespace}"), format!("Q#O#{namespace}")),
            Audience::Personal(person) => (format!("L#U#{}", person.as_str()), format!("Q#U#{}", person.as_str())),
        };
        let mut found: Vec<_> = entries.iter().map(|entry| entry.pk.clone()).collect();
        found.sort();
        let mut expected = vec![list, format!("L#N#{namespace}#{}", skill.audience.scope())];
        expected.sort();
        assert_eq!(found, expected, "{}", skill.id);
        self.get(&search, &format!("{}#{}", skill.slug, skill.id));
    }

    /// Every session has ended, as a whole; none that ended otherwise has left a version.
    fn check_sessions(&self) -> Vec<SessionItem> {
        let sessions = self.0.iter().filter(|row| row.pk.starts_with("U#") && row.sk == "#");
        let check = |row: &Row| {
            let session: SessionItem = row.read();
            assert!(session.state.is_terminal(), "not at its end: {session:?}");
            for gone in ["x", "xs", "lease_until"] {
                assert_eq!(row.attributes.get(gone), None, "{} keeps {gone}", row.pk);
            }
            self.get(&row.pk, "M");
            let own = (format!("P#{}", session.principal.as_str()), format!("U#{}", session.id));
            assert!(!self.0.iter().any(|row| (&row.pk, &row.sk) == (&own.0, &own.1)), "{own:?} is still there");
            self.check_published(&session);
            session
        };
        sessions.map(check).collect()
    }

    fn check_published(&self, session: &SessionItem) {
        let Some(published) = &session.published else {
            assert_ne!(session.state, UploadState::Published, "{session:?}");
            let version = session.version_id.as_ref().map(|id| format!("V#{id}"));
            let visible = version.is_some_and(|sk| self.0.iter().any(|row| row.sk == sk));
            return assert!(!visible, "I4: {session:?} has a version");
        };
        assert_eq!(session.state, UploadState::Published, "{session:?}");
        let pk = format!("S#{}", published.skill_id);
        let version: VersionItem = self.get(&pk, &format!("V#{}", published.version_id)).read();
        let digests = (version.artifact_sha256, version.artifact_bytes);
        assert_eq!(digests, (published.artifact_sha256, published.artifact_size_bytes), "I1: {session:?}");
    }

    /// I9: one record for each version, and none besides.
    fn check_audit(&self, versions: &BTreeMap<String, Sha256>) {
        let audit = self.0.iter().filter(|row| row.pk.starts_with("A#")).map(Row::read::<AuditItem>);
        let published = audit.filter(|record| record.action == "publish");
        let mut records: Vec<_> = published.map(|record| (record.subject, record.detail)).collect();
        records.sort();
        let expected: Vec<_> = versions.iter().map(|(name, digest)| (name.clone(), digest.to_string())).collect();
        assert_eq!(records, expected, "I9");
    }
}

/// I1 and I2: the bytes are there, and they are those of the digest.
async fn check_object(objects: &Objects, wire: &Wire, skill: &SkillId, id: &VersionId, version: &VersionItem) {
    let key = ObjectKey::Package { skill: skill.clone(), version: id.clone(), artifact: version.artifact_sha256 };
    let credential = objects.presign_download(&key, "x.zip", Clock::default().now()).await.unwrap();
    let answer = wire.send(Request::get(credential.url.expose()).body(Bytes::new()).unwrap()).await.unwrap();
    let found = (answer.status().as_u16(), sha256(answer.body()), answer.body().len() as u64);
    assert_eq!(found, (200, version.artifact_sha256, version.artifact_bytes), "I2: {key}");
}
