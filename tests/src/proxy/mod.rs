//! A proxy between the SDK and the stores. It records every call, and does to some of them what networks and stores do:
//! refuse, fail after the work is done, break off, come late. What it does is planned, call by call or from a seed.

mod call;
mod fault;
mod permission;
mod plan;
mod serve;
mod units;

pub use call::{Answered, Call, Operation};
pub use fault::Fault;
pub use permission::Permission;
pub use plan::{Chaos, Held, Moment, Which, every, nth};

use std::collections::BTreeMap;
use std::net::Ipv4Addr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use http::Uri;
use http::uri::Scheme;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::wire::{Wire, WireError};
use plan::{Action, Plan};
use serve::Upstream;

/// The two stores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Store {
    Table,
    Objects,
}

/// A running proxy for both stores, with one log. Dropping it ends it.
pub struct Proxy {
    /// Where DynamoDB is, for the SDK.
    pub dynamodb_url: String,
    /// Where the object store is, for the SDK: plain HTTP.
    pub objects_url: String,
    log: Arc<Log>,
    listeners: [JoinHandle<()>; 2],
}

impl Proxy {
    /// Starts one on free ports of 127.0.0.1, in front of stores at these addresses.
    ///
    /// # Errors
    /// If there is no port, an address is none, or `ca_pem` is no certificate.
    pub async fn start(dynamodb_url: &str, objects_url: &str, ca_pem: &str) -> Result<Self, WireError> {
        let log = Arc::new(Log::default());
        let wire = Wire::trusting(ca_pem)?;
        let (dynamodb_url, table) = listen(Store::Table, dynamodb_url, &wire, &log).await?;
        let (objects_url, objects) = listen(Store::Objects, objects_url, &wire, &log).await?;
        Ok(Self { dynamodb_url, objects_url, log, listeners: [table, objects] })
    }

    /// Every attempt at a call since the last time that this was asked, in order of arrival.
    pub fn take_attempts(&self) -> Vec<Call> {
        std::mem::take(&mut lock(&self.log.calls).kept).into_values().collect()
    }

    /// The same, but each call once, however often the SDK has tried.
    pub fn take_calls(&self) -> Vec<Call> {
        self.take_attempts().into_iter().filter(|call| call.attempt == 1).collect()
    }

    /// From now on the table is asked what every call consumes: see [`Call::units`].
    pub fn count_units(&self) {
        self.log.units.store(true, Ordering::Relaxed);
    }

    /// Lets a fault happen to these calls.
    pub fn inject(&self, which: Which, fault: Fault) {
        self.log.plan().inject(which, fault);
    }

    /// Holds up the first such call.
    pub fn hold(&self, which: Which, moment: Moment) -> Held {
        self.log.plan().hold(which, moment)
    }

    /// Lets faults happen at random.
    pub fn rain(&self, chaos: Chaos) {
        self.log.plan().rain(chaos);
    }

    /// Waits until no call is under way, also none that the SDK has given up. A call that is held is under way.
    pub async fn idle(&self) {
        let mut under_way = self.log.under_way.subscribe();
        // The sender lives as long as this.
        let _ = under_way.wait_for(|calls| *calls == 0).await;
    }

    /// The key of every object that the SDK has ever asked to be deleted.
    pub fn deletions(&self) -> Vec<String> {
        lock(&self.log.deletions).clone()
    }

    /// Plans nothing any more. A call that is held already stays held.
    pub fn clear(&self) {
        self.log.plan().clear();
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.listeners.iter().for_each(JoinHandle::abort);
    }
}

async fn listen(store: Store, url: &str, wire: &Wire, log: &Arc<Log>) -> Result<(String, JoinHandle<()>), WireError> {
    let url: Uri = url.parse()?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let address = listener.local_addr()?;
    let upstream = Upstream {
        store,
        scheme: url.scheme().cloned().unwrap_or(Scheme::HTTP),
        authority: url.authority().cloned().ok_or("the address must be absolute")?,
        wire: wire.clone(),
        log: log.clone(),
    };
    let serving = tokio::spawn(async move {
        // Without it every call fails, and the test says so.
        let _ended = serve::serve(listener, upstream).await;
    });
    Ok((format!("http://{address}"), serving))
}

/// What has passed, and what is planned.
#[derive(Debug, Default)]
struct Log {
    calls: Mutex<Calls>,
    plan: Mutex<Plan>,
    deletions: Mutex<Vec<String>>,
    under_way: watch::Sender<usize>,
    units: AtomicBool,
}

/// Attempts under their numbers, in order.
#[derive(Debug, Default)]
struct Calls {
    next: usize,
    kept: BTreeMap<usize, Call>,
}

impl Log {
    /// Notes an attempt, and says what happens to it.
    fn arrive(&self, mut call: Call) -> (usize, Option<Action>) {
        let action = self.plan().decide(&call);
        if let Some(Action::Fault(fault)) = &action {
            call.fault = Some(*fault);
        }
        if call.operation == Operation::DeleteObject {
            lock(&self.deletions).extend(call.targets.iter().cloned());
        }
        let mut calls = lock(&self.calls);
        let number = calls.next;
        calls.next += 1;
        calls.kept.insert(number, call);
        (number, action)
    }

    /// Completes what was noted; nothing, if that was taken already.
    fn complete(&self, number: usize, change: impl FnOnce(&mut Call)) {
        if let Some(call) = lock(&self.calls).kept.get_mut(&number) {
            change(call);
        }
    }

    fn plan(&self) -> MutexGuard<'_, Plan> {
        lock(&self.plan)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
