//! Random histories. Everything in one comes from its seed.

use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use skillhub_protocol::{Role, Scope, VersionState};

use super::op::{Bytes, Life, ListFilter, Op, Pause, Read, Request, Schedule, Turn};
use super::words::{
    Caller, Content, Grant, Name, Number, Person, QUERIES, SLUGS, Select, Slot, Space, TAGS, TokenSlot, one_in, pick,
    role,
};

/// Operations that a history plans. Some find nothing that they could be done to and are left out; the run ends after
/// [`OPERATIONS`](super::OPERATIONS) of the others.
const PLANNED: usize = 64;

/// Makes a history.
pub fn generate(seed: u64) -> Schedule {
    let mut generator = Generator { rng: StdRng::seed_from_u64(seed), slots: 0, tokens: 0, waiting: Vec::new() };
    let one_in = pick(&mut generator.rng, &[None, Some(60), Some(25), Some(12)]);
    let mut schedule = Schedule { seed, one_in, turns: Vec::new() };
    while schedule.operations() < PLANNED {
        let room = PLANNED - schedule.operations();
        let ops = generator.turn(room);
        schedule.turns.push(Turn { ops, fault_seed: generator.rng.random() });
    }
    schedule
}

struct Generator {
    rng: StdRng,
    slots: u8,
    tokens: u8,
    /// What belongs to an upload that was begun.
    waiting: Vec<Op>,
}

impl Generator {
    fn turn(&mut self, room: usize) -> Vec<Op> {
        if !one_in(&mut self.rng, 4) || room < 2 {
            return vec![self.op()];
        }
        let size = self.rng.random_range(2..=room.min(4));
        if one_in(&mut self.rng, 3) && self.slots > 0 {
            // Validators of the same uploads, perhaps while their claims end.
            return (0..size).map(|_| self.validation()).collect();
        }
        (0..size).map(|_| self.together()).collect()
    }

    fn op(&mut self) -> Op {
        // An upload that was begun goes on more often than not.
        if !self.waiting.is_empty() && !one_in(&mut self.rng, 3) {
            let next = if one_in(&mut self.rng, 4) { self.rng.random_range(0..self.waiting.len()) } else { 0 };
            return self.waiting.remove(next);
        }
        match self.rng.random_range(0..100) {
            0..30 => self.open(),
            30..36 => Op::Event(self.slot()),
            36..39 => Op::Upload(self.slot(), self.bytes()),
            39..41 => Op::Cancel(self.caller(), self.slot()),
            41..46 => Op::Sweep,
            46..49 => Op::Advance(if one_in(&mut self.rng, 3) { Pause::Session } else { Pause::Lease }),
            49..72 => self.change(),
            _ => Op::Read(self.caller(), self.read()),
        }
    }

    /// Something that is one moment, or a few.
    fn together(&mut self) -> Op {
        loop {
            let op = self.op();
            let several = match &op {
                Op::Advance(_) => true,
                // A list on one page is; on several pages it is as many.
                Op::Read(_, read) => matches!(read, Read::List(_, 0..100) | Read::Audit(_) | Read::Members(_)),
                _ => false,
            };
            if !several {
                return op;
            }
        }
    }

    fn validation(&mut self) -> Op {
        match self.rng.random_range(0..10) {
            0..5 => Op::Event(self.slot()),
            5..7 => Op::Sweep,
            7 => Op::Upload(self.slot(), Bytes::Declared),
            _ => Op::Advance(Pause::Lease),
        }
    }

    /// Opens a session; bytes and event are to follow.
    fn open(&mut self) -> Op {
        let slot = Slot(self.slots);
        self.slots = self.slots.saturating_add(1);
        let name = self.name();
        let scopes = [None, None, None, None, Some(Scope::Public), Some(Scope::Organization), Some(Scope::Personal)];
        let request = Request {
            name,
            number: self.number(),
            content: pick(
                &mut self.rng,
                &[Content::A, Content::A, Content::A, Content::B, Content::B, Content::C, Content::Bad],
            ),
            scope: pick(&mut self.rng, &scopes),
            tags: if one_in(&mut self.rng, 4) { vec![pick(&mut self.rng, &TAGS)] } else { Vec::new() },
        };
        let key = one_in(&mut self.rng, 8).then(|| pick(&mut self.rng, &[0, 1]));
        let caller = self.publisher(name.space);
        let bytes = self.bytes();
        self.waiting.push(Op::Upload(slot, bytes));
        // Events come twice, or not at all.
        let events = pick(&mut self.rng, &[1, 1, 1, 1, 2, 2, 0]);
        self.waiting.extend((0..events).map(|_| Op::Event(slot)));
        Op::Open(caller, slot, request, key)
    }

    fn change(&mut self) -> Op {
        let (name, caller) = (self.name(), self.caller());
        let owner = self.manager(name.space);
        match self.rng.random_range(0..20) {
            0..5 => {
                let to = pick(
                    &mut self.rng,
                    &[VersionState::Yanked, VersionState::Yanked, VersionState::Available, VersionState::Blocked],
                );
                Op::State(owner, name, self.number(), to)
            }
            5..8 => Op::MoveTag(owner, name, pick(&mut self.rng, &TAGS), self.number()),
            8 => Op::RemoveTag(owner, name, pick(&mut self.rng, &TAGS)),
            9..11 => {
                let scopes = [Scope::Public, Scope::Organization, Scope::Personal];
                Op::Scope(owner, name, pick(&mut self.rng, &scopes))
            }
            11..13 => Op::AddMaintainer(owner, name, self.person()),
            13 => Op::RemoveMaintainer(owner, name, self.person()),
            14..16 => {
                let space = pick(&mut self.rng, &[Space::Global, Space::Team, Space::Team, Space::Own(Person::Maker)]);
                Op::SetMember(self.manager(space), space, self.person(), role(&mut self.rng))
            }
            16 => {
                let space = pick(&mut self.rng, &[Space::Global, Space::Team]);
                let by = if one_in(&mut self.rng, 3) { caller } else { self.manager(space) };
                Op::RemoveMember(by, space, self.person())
            }
            17..19 => {
                let slot = TokenSlot(self.tokens);
                self.tokens = self.tokens.saturating_add(1);
                let life = if one_in(&mut self.rng, 3) { Life::Short } else { Life::Unbounded };
                let grant = pick(&mut self.rng, &[Grant::All, Grant::All, Grant::Read, Grant::Publish]);
                Op::CreateToken(caller, slot, grant, life)
            }
            _ => Op::RevokeToken(caller, self.token()),
        }
    }

    fn read(&mut self) -> Read {
        let (name, number) = (self.name(), self.number());
        let rng = &mut self.rng;
        match rng.random_range(0..24) {
            0..4 => {
                let filter = ListFilter {
                    scope: pick(
                        rng,
                        &[None, None, Some(Scope::Public), Some(Scope::Organization), Some(Scope::Personal)],
                    ),
                    space: pick(rng, &[None, None, None, Some(name.space)]),
                    team: one_in(rng, 8),
                };
                Read::List(filter, pick(rng, &[1, 2, 100]))
            }
            4..6 => Read::Search(pick(rng, &QUERIES)),
            6..8 => Read::Detail(name),
            8..10 => Read::Versions(name, pick(rng, &[1, 2, 100])),
            10 => Read::Version(name, number),
            11 => Read::Tags(name),
            12 => Read::Maintainers(name),
            13..16 => {
                let select = [Select::Latest, Select::Number(number), Select::Tag(pick(rng, &TAGS))];
                Read::Resolve(name, pick(rng, &select))
            }
            16..18 => Read::Download(name, number),
            18 => Read::OwnSessions,
            19 => Read::WhoAmI,
            20 => Read::Members(pick(rng, &[Space::Global, Space::Team, Space::Own(Person::Maker)])),
            21 => Read::Audit(pick(rng, &[Space::Global, Space::Team, Space::Own(Person::Maker)])),
            22 => Read::Tokens,
            _ => Read::Session(self.slot()),
        }
    }

    fn name(&mut self) -> Name {
        Name { space: pick(&mut self.rng, &Space::SHELVES), slug: pick(&mut self.rng, &[SLUGS[0], SLUGS[0], SLUGS[1]]) }
    }

    fn number(&mut self) -> Number {
        Number(pick(&mut self.rng, &[0, 0, 1, 2, 3]))
    }

    fn bytes(&mut self) -> Bytes {
        pick(
            &mut self.rng,
            &[
                Bytes::Declared,
                Bytes::Declared,
                Bytes::Declared,
                Bytes::Declared,
                Bytes::Declared,
                Bytes::Declared,
                Bytes::Others,
                Bytes::More,
            ],
        )
    }

    /// One of the last few sessions.
    fn slot(&mut self) -> Slot {
        let back = self.rng.random_range(1..=4_u8);
        Slot(self.slots.saturating_sub(back.min(self.slots)))
    }

    fn token(&mut self) -> TokenSlot {
        TokenSlot(self.rng.random_range(0..self.tokens.max(1)))
    }

    fn person(&mut self) -> Person {
        pick(&mut self.rng, &Person::ALL)
    }

    fn caller(&mut self) -> Caller {
        if one_in(&mut self.rng, 9) {
            return Caller::Anonymous;
        }
        let person = self.person();
        self.with(person)
    }

    /// Somebody, sometimes with another token than the main one.
    fn with(&mut self, person: Person) -> Caller {
        if self.tokens > 0 && one_in(&mut self.rng, 4) {
            Caller::With(person, self.token())
        } else {
            Caller::Main(person)
        }
    }

    /// Somebody who may publish there, or used to, or not.
    fn publisher(&mut self, space: Space) -> Caller {
        let owner = owner(space);
        let person = pick(&mut self.rng, &[owner, Person::Maker, Person::Maker, Person::Second, Person::Second]);
        let person = if one_in(&mut self.rng, 12) { self.person() } else { person };
        self.with(person)
    }

    fn manager(&mut self, space: Space) -> Caller {
        let person = pick(&mut self.rng, &[owner(space), owner(space), owner(space), Person::Maker, Person::Second]);
        let person = if one_in(&mut self.rng, 6) { self.person() } else { person };
        self.with(person)
    }
}

fn owner(space: Space) -> Person {
    match space {
        Space::Global => Person::Admin,
        Space::Team => Person::Lead,
        Space::Own(person) => person,
    }
}

/// How the histories begin: two publishers in both shared namespaces, and a reader.
pub(super) fn prologue() -> Vec<Op> {
    let set = |owner, space, person, role| Op::SetMember(Caller::Main(owner), space, person, role);
    vec![
        set(Person::Admin, Space::Global, Person::Maker, Role::Publisher),
        set(Person::Admin, Space::Global, Person::Second, Role::Publisher),
        set(Person::Lead, Space::Team, Person::Maker, Role::Publisher),
        set(Person::Lead, Space::Team, Person::Second, Role::Publisher),
        set(Person::Lead, Space::Team, Person::Reader, Role::Reader),
    ]
}
