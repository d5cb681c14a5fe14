//! What was once not explained, and is.

use skillhub_protocol::Role;

use super::*;
use crate::model::op::{Pause, Request};
use crate::model::words::{Caller, Content, Number, Person, SLUGS, Space};
use crate::model::world::{Session, session_fact};

/// Sessions of the administrator with their uploads, claimed so often already, in the last claim's time.
fn claimed(attempt: u32, requests: impl IntoIterator<Item = Request>) -> World {
    let mut world = World::default();
    for (slot, request) in (0..).map(Slot).zip(requests) {
        let (by, person, state) = (Caller::Main(Person::Admin), Person::Admin, UploadState::Validating);
        let session = Session { by, person, request, state, attempt, lease: 90, until: 3600, code: None };
        world.sessions.insert(slot, session);
        world.staged.insert(slot, Bytes::Declared);
    }
    world.members.insert((Space::Global, Person::Admin), Role::Owner);
    world
}

fn request(slug: usize, number: u8, content: Content) -> Request {
    let name = Name { space: Space::Global, slug: SLUGS[slug] };
    Request { name, number: Number(number), content, scope: None, tags: vec!["beta"] }
}

/// What was done by itself, and went well.
fn passed(op: Op) -> Happened {
    Happened { op, answer: Answer::done(200) }
}

/// Histories of seed 1096 and its like: time passes between a claim and its verdict.
#[test]
fn a_verdict_whose_claim_has_ended_meanwhile_is_left_to_the_next_claim() {
    for (attempt, content) in [(0, Content::Bad), (4, Content::Bad), (5, Content::A)] {
        let pause = || passed(Op::Advance(Pause::Lease));
        let event = || passed(Op::Event(Slot(0)));
        let later = explain(&[claimed(attempt, [request(0, 0, content)])], &[pause()], false, None).unwrap();
        let states = |turn: &[Happened]| -> BTreeSet<_> {
            let worlds = explain(&later, turn, false, None).unwrap();
            worlds.iter().map(|world| world.sessions[&Slot(0)].fact(Slot(0))).collect()
        };
        let alone = states(&[event()]);
        let left = format!("session 0 VALIDATING attempt {} -", attempt + 1);
        assert!(!alone.contains(&left), "{alone:?}");
        let beside_a_pause = states(&[event(), pause()]);
        assert!(beside_a_pause.contains(&left) && beside_a_pause.is_superset(&alone), "{beside_a_pause:?}");
    }
}

/// A history of seed 1909: between two sessions of a skill there is one of another skill.
#[test]
fn a_sweep_looks_at_the_sessions_of_a_skill_in_any_order() {
    let requests = [request(0, 0, Content::A), request(1, 0, Content::A), request(0, 1, Content::B)];
    let before = explain(&[claimed(0, requests)], &[passed(Op::Advance(Pause::Lease))], false, None).unwrap();
    let facts = [0, 1, 2].map(|slot| session_fact(Slot(slot), UploadState::Published, 1, None));
    let after = explain(&before, &[passed(Op::Sweep)], false, Some(&facts)).unwrap();
    let tagged: BTreeSet<_> =
        after.iter().map(|world| world.skills[&request(0, 0, Content::A).name].tags["beta"]).collect();
    assert_eq!(tagged, BTreeSet::from([Number(0), Number(1)]));
}

/// A history of seed 1837: three sweeps beside an event came to more states than may be looked at.
#[test]
fn sweeps_at_once_are_not_told_apart() {
    let requests = [(0, 0), (1, 0)].map(|(slug, number)| request(slug, number, Content::A));
    let before = explain(&[claimed(0, requests)], &[passed(Op::Advance(Pause::Lease))], false, None).unwrap();
    let turn = [Op::Sweep, Op::Sweep, Op::Sweep, Op::Event(Slot(0))].map(passed);
    assert!(explain(&before, &turn, false, None).is_ok());
}
