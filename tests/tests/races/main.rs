//! Races and faults of publishing, one named test for each row of the design, and what must hold after any of them.
//!
//! The registry runs in the test's process, behind the fault proxy; the test delivers the events and moves the clock, so each
//! schedule is the same every time. After each, `settled` checks every invariant on table and bucket.
//!
//! | row | race or fault | test |
//! |---|---|---|
//! | R1 | a URL replayed after validation | `uploads::r01` |
//! | R2 | an upload swapped between reading and publishing | `uploads::r02`; one read: `calls.rs`, `validating` |
//! | R3 | other bytes than declared | `uploads::r03` |
//! | R4 | more bytes than declared | `uploads::r04` |
//! | R5 | events twice, functions retried | `events::r05` |
//! | R6 | events early, late, out of order, wrong | `events::r06` |
//! | R7 | events lost | `events::r07` |
//! | R8 | the validator dies at any step | `validators::r08`; `kill_points` |
//! | R9 | a validator acts after its lease | `validators::r09` |
//! | R10 | two publishers, one version | `publishers::r10` |
//! | R11 | two versions of one skill at once | `publishers::r11` |
//! | R12 | two sessions, one new slug | `publishers::r12` |
//! | R14 | cancel against validate | `publishers::r14` |
//! | R15 | bytes for a session that has ended | `uploads::r15` |
//! | R16 | clean-up against promotion | `validators::r16`; in every test: nothing below `packages/` is deleted |
//! | R17 | an orphan in the way of a republish | `validators::r17` |
//! | R18 | pointer before bytes | `readers::r18` |
//! | R19 | list and detail disagree | `readers::r19` |
//! | R20 | the validator triggers itself | `uploads::r20`; the filter: `infra/local`, `run.rs` |
//! | R21 | a transaction cancelled for mixed reasons | `transactions::r21` |
//! | R22 | a poison session | `events::r22` |
//! | R23 | the request to open repeated | `transactions::r23` |
//! | R26 | clocks apart | `validators::r26` |
//! | R27 | a session past its time | `events::r27` |
//! | R28 | a client blocks its own retry | `publishers::r28` |
//! | all | any of these together | `schedules` |

mod events;
mod proxy;
mod publishers;
mod readers;
mod schedules;
mod transactions;
mod uploads;
mod validators;

use std::time::Duration;

use skillhub_package::{Limits, canonical, read, sha256};
use skillhub_protocol::{Sha256, UploadSession};
use skillhub_tests::skill::Skill;

/// Longer than a lease.
const LEASE: Duration = Duration::from_secs(91);
/// Longer than a session waits for bytes.
const SESSION: Duration = Duration::from_secs(60 * 60 + 1);

/// The digest of what the registry makes of a skill.
fn artifact(skill: &Skill) -> Sha256 {
    sha256(&canonical(&read(&skill.archive(), &Limits::default()).unwrap()).bytes)
}

/// `@global/name@version` of a skill, with its artifact.
fn entry(skill: &Skill) -> (String, Sha256) {
    (format!("@global/{}@{}", skill.name, skill.version), artifact(skill))
}

/// The codes of what the validator found.
fn codes(session: &UploadSession) -> Vec<&str> {
    session.findings.iter().map(|finding| finding.code.as_str()).collect()
}
