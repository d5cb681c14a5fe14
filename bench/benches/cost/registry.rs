//! The registry that the operations are carried out on, and what their calls consume.

use std::time::Duration;

use serde_json::{Value, json};
use skillhub_bench::CountedCall;
use skillhub_protocol::{PublishedVersion, UploadId};
use skillhub_store::Settings;
use skillhub_tests::in_process::{Answer, InProcess};
use skillhub_tests::proxy::{Call, Operation};
use skillhub_tests::skill::Skill;

/// Skills besides those that are looked at: more than a page.
const OTHERS: usize = 55;
/// Files of a skill.
const FILES: usize = 10;
/// Characters of a description.
const DESCRIPTION: usize = 200;

/// A registry with more skills than a page shows.
pub(crate) struct Counted {
    registry: InProcess,
    /// The one that is read.
    pub(crate) published: PublishedVersion,
}

/// An upload that waits to be validated.
pub(crate) struct Upload {
    id: UploadId,
    event: aws_lambda_events::event::s3::S3Event,
    /// Bytes of the package.
    pub(crate) bytes: usize,
}

impl Counted {
    pub(crate) async fn start() -> Self {
        let registry = InProcess::start_set(|settings| settings.write_rate = Settings::DEFAULT_WRITE_RATE).await;
        registry.proxy.count_units();
        let published = registry.publish(&skill("first")).await.published.unwrap();
        for n in 0..OTHERS {
            registry.publish(&skill(&format!("other-{n}"))).await;
        }
        Self { registry, published }
    }

    /// What an anonymous reading consumes.
    pub(crate) async fn reading(&self, path: &str) -> Vec<CountedCall> {
        self.registry.proxy.take_attempts();
        let answer = self.registry.send(None, "GET", path, "").await;
        assert!(answer.status.is_success(), "{path}: {answer:?}");
        self.take()
    }

    /// Lets an hour pass at once.
    pub(crate) fn pause(&self) {
        self.registry.clock.advance(Duration::from_secs(3600));
    }

    /// What a request of the owner consumes: its authentication, its allowance, and the rest.
    pub(crate) async fn known(&self, method: &str, path: &str, body: &Value) -> (Parts, Answer) {
        self.registry.proxy.take_attempts();
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let answer = self.registry.send(Some(&self.registry.owner), method, path, &body).await;
        assert!(answer.status.is_success(), "{method} {path}: {answer:?}");
        (Parts::of(self.take()), answer)
    }

    /// Opens the upload of a new skill, and uploads it.
    pub(crate) async fn upload(&self, name: &str) -> (Parts, Upload) {
        let skill = skill(name);
        let (parts, answer) = self.known("POST", "/api/uploads", &skill.request()).await;
        let (id, archive) = (answer.session().id, skill.archive());
        let event = self.registry.place(&id, &archive).await;
        (parts, Upload { id, event, bytes: archive.len() })
    }

    /// What the validator consumes.
    pub(crate) async fn validating(&self, upload: &Upload) -> Vec<CountedCall> {
        self.registry.proxy.take_attempts();
        self.registry.deliver(&upload.event).await.unwrap();
        self.take()
    }

    /// What a look for the verdict consumes.
    pub(crate) async fn look(&self, upload: &Upload) -> Parts {
        self.known("GET", &format!("/api/uploads/{}", upload.id), &json!(null)).await.0
    }

    fn take(&self) -> Vec<CountedCall> {
        self.registry.proxy.take_attempts().iter().map(counted).collect()
    }
}

/// What a request of a known caller consumes.
pub(crate) struct Parts {
    pub(crate) authentication: Vec<CountedCall>,
    pub(crate) allowance: Vec<CountedCall>,
    pub(crate) rest: Vec<CountedCall>,
}

impl Parts {
    /// The first two calls are the read of the token and the query of the memberships; then those of the rate of writing.
    fn of(mut calls: Vec<CountedCall>) -> Self {
        let authentication = calls.drain(..2).collect();
        let writes = calls.iter().take_while(|call| call.call == "UpdateItem RL").count();
        let allowance = calls.drain(..writes).collect();
        Self { authentication, allowance, rest: calls }
    }
}

/// What a call consumes. A store that does not say it counts nothing right, so that ends the measurement.
fn counted(call: &Call) -> CountedCall {
    let text = call.to_string();
    if call.operation.is_on_objects() {
        return CountedCall { call: text, units: 0.0, bytes: call.bytes_in + call.answer.map_or(0, |a| a.bytes_out) };
    }
    let refused = call.operation == Operation::UpdateItem && call.answer.is_some_and(|answer| answer.status == 400);
    // A refused update of a small item is billed like one that is carried out; the store says nothing of it.
    let units = if refused { 1.0 } else { call.units.unwrap_or_else(|| panic!("{text} has consumed nothing")) };
    CountedCall { call: text, units, bytes: call.item_bytes }
}

/// A skill of ten files, as large as many are.
fn skill(name: &str) -> Skill {
    let seed: String = format!("{name} of the things that it was made for, step by step, ").repeat(5);
    let mut skill = Skill::new(name, &seed[..DESCRIPTION - "Says  when asked.".len()]);
    for n in skill.files.len()..FILES {
        let text = format!("# Part {n}\n\n{}", "Something to read, and then something to do.\n".repeat(10 * n));
        skill.files.push((format!("references/part-{n}.md"), text.into_bytes()));
    }
    skill.files.sort();
    skill
}
