//! Which calls something happens to.

use std::time::Duration;

use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use tokio::sync::oneshot;

use super::call::{Call, Operation};
use super::fault::Fault;

/// Chooses calls: of one operation, by their number from now on, perhaps only those on certain keys.
#[derive(Debug, Clone)]
pub struct Which {
    operation: Operation,
    prefix: String,
    nth: Option<usize>,
    retries: bool,
}

/// The `n`th call of this operation from now on, counted from 1; its first attempt alone.
pub fn nth(operation: Operation, n: usize) -> Which {
    Which { operation, prefix: String::new(), nth: Some(n), retries: false }
}

/// Every call of this operation from now on, with all its attempts.
pub fn every(operation: Operation) -> Which {
    Which { operation, prefix: String::new(), nth: None, retries: true }
}

impl Which {
    /// Only calls that touch something whose key begins so; others are not counted.
    #[must_use]
    pub fn on(self, prefix: impl Into<String>) -> Self {
        Self { prefix: prefix.into(), ..self }
    }

    /// The SDK's repetitions of the call too.
    #[must_use]
    pub fn and_retries(self) -> Self {
        Self { retries: true, ..self }
    }
}

/// Faults at random, all from one seed.
#[derive(Debug, Clone)]
pub struct Chaos {
    /// The seed.
    pub seed: u64,
    /// One in so many attempts is hit.
    pub one_in: u32,
    /// What may happen, each as likely as the others.
    pub faults: Vec<Fault>,
}

/// When a call is held up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// Before it is carried out.
    Before,
    /// After it was carried out, before the answer goes out.
    After,
}

/// What happens to a call.
#[derive(Debug)]
pub(super) enum Action {
    Fault(Fault),
    Hold(Moment, Gate),
}

/// The proxy's side of a held call.
#[derive(Debug)]
pub(super) struct Gate {
    reached: oneshot::Sender<()>,
    opened: oneshot::Receiver<()>,
}

impl Gate {
    /// Says that the call is here, and waits.
    pub(super) async fn wait(self) {
        // The test may be past both.
        let _ = self.reached.send(());
        let _ = self.opened.await;
    }
}

/// A call that waits to be let through. Dropping this lets it through, too.
#[derive(Debug)]
pub struct Held {
    reached: oneshot::Receiver<()>,
    open: oneshot::Sender<()>,
}

impl Held {
    pub(super) fn new() -> (Self, Gate) {
        let (reaching, reached) = oneshot::channel();
        let (open, opened) = oneshot::channel();
        (Self { reached, open }, Gate { reached: reaching, opened })
    }

    /// Waits until the call is there.
    ///
    /// # Panics
    /// If it does not come within a minute, or the proxy ends first.
    pub async fn reached(&mut self) {
        let reached = tokio::time::timeout(Duration::from_secs(60), &mut self.reached).await;
        reached.expect("the call comes within a minute").expect("the call comes before the proxy ends");
    }

    /// Lets it through.
    pub fn open(self) {
        // The call may have been given up.
        let _ = self.open.send(());
    }
}

/// What is planned.
#[derive(Debug, Default)]
pub(super) struct Plan {
    rules: Vec<Rule>,
    chaos: Option<(Chaos, StdRng)>,
}

#[derive(Debug)]
struct Rule {
    which: Which,
    seen: usize,
    /// The call that was hit, for its repetitions.
    invocation: Option<String>,
    action: Planned,
}

#[derive(Debug)]
enum Planned {
    Fault(Fault),
    /// Taken by the one call that is held.
    Hold(Option<(Moment, Gate)>),
}

impl Plan {
    pub(super) fn inject(&mut self, which: Which, fault: Fault) {
        self.rules.push(Rule { which, seen: 0, invocation: None, action: Planned::Fault(fault) });
    }

    pub(super) fn hold(&mut self, which: Which, moment: Moment) -> Held {
        let (held, gate) = Held::new();
        let action = Planned::Hold(Some((moment, gate)));
        self.rules.push(Rule { which, seen: 0, invocation: None, action });
        held
    }

    pub(super) fn rain(&mut self, chaos: Chaos) {
        let rng = StdRng::seed_from_u64(chaos.seed);
        self.chaos = Some((chaos, rng));
    }

    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// What happens to this call. All rules count it; the first that hits decides.
    pub(super) fn decide(&mut self, call: &Call) -> Option<Action> {
        let mut decided = None;
        for rule in &mut self.rules {
            let hit = rule.hits(call);
            if hit && decided.is_none() {
                decided = match &mut rule.action {
                    Planned::Fault(fault) => Some(Action::Fault(*fault)),
                    Planned::Hold(gate) => gate.take().map(|(moment, gate)| Action::Hold(moment, gate)),
                };
            }
        }
        decided.or_else(|| self.by_chance(call).map(Action::Fault))
    }

    fn by_chance(&mut self, call: &Call) -> Option<Fault> {
        let (chaos, rng) = self.chaos.as_mut()?;
        // Two draws a call, whatever comes of them: what one call meets does not depend on what the others are.
        let (hit, which) = (rng.random_range(0..chaos.one_in) == 0, rng.random_range(0..chaos.faults.len()));
        chaos.faults.get(which).copied().filter(|fault| hit && fault.applies_to(call.operation))
    }
}

impl Rule {
    fn hits(&mut self, call: &Call) -> bool {
        let Which { operation, prefix, nth, retries } = &self.which;
        if call.operation != *operation || !(prefix.is_empty() || call.touches(prefix)) {
            return false;
        }
        if call.attempt > 1 {
            return *retries && (nth.is_none() || self.invocation.as_ref() == Some(&call.invocation));
        }
        self.seen += 1;
        let hit = nth.is_none_or(|nth| nth == self.seen);
        if hit {
            self.invocation = Some(call.invocation.clone());
        }
        hit
    }
}
