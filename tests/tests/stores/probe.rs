//! A probe: one behaviour of a store, and the function that looks whether the store has it.

use std::fmt::{Debug, Display};
use std::pin::Pin;
use std::time::{Duration, Instant};

use aws_sdk_s3::config::http::HttpResponse;
use aws_sdk_s3::error::{ProvideErrorMetadata, SdkError};

/// How long one probe may take on a slow machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// One behaviour.
pub(crate) struct Probe<S: 'static> {
    /// The name of its function.
    pub(crate) id: &'static str,
    /// The behaviour, as a sentence.
    pub(crate) states: &'static str,
    /// Looks whether it holds.
    pub(crate) run: fn(S) -> Pin<Box<dyn Future<Output = Verdict> + Send>>,
}

/// A table of probes: the function of each, and the behaviour that it looks for.
macro_rules! probes {
    ($($name:ident: $states:literal,)+) => {
        &[$($crate::probe::Probe { id: stringify!($name), states: $states, run: |store| Box::pin($name(store)) },)+]
    };
}
pub(crate) use probes;

/// Whether a behaviour holds, or what was seen instead.
pub(crate) type Verdict = Result<(), Seen>;

/// What a store did instead. The text is the same in every run, so that it can be listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Seen(pub(crate) String);

/// A probe that was run, or for which the target has no store.
#[derive(Clone, Debug)]
pub(crate) struct Done {
    pub(crate) store: &'static str,
    pub(crate) id: &'static str,
    pub(crate) states: &'static str,
    pub(crate) verdict: Option<Verdict>,
    pub(crate) took: Duration,
}

/// What can be probed: each probe works in a part of its own.
pub(crate) trait Scoped: Send + 'static {
    /// The part for the probe `id`.
    fn scoped(&self, id: &'static str) -> Self;
}

/// Runs probes one after the other, if there is something to run them against.
pub(crate) async fn run_all<S: Scoped>(
    store: &'static str,
    probes: impl Iterator<Item = &'static Probe<S>>,
    target: Option<&S>,
) -> Vec<Done> {
    let mut done = Vec::new();
    for Probe { id, states, run } in probes {
        let start = Instant::now();
        let verdict = match target {
            Some(target) => Some(run_one(run(target.scoped(id))).await),
            None => None,
        };
        done.push(Done { store, id, states, verdict, took: start.elapsed() });
    }
    done
}

async fn run_one(probe: Pin<Box<dyn Future<Output = Verdict> + Send>>) -> Verdict {
    match tokio::time::timeout(PATIENCE, tokio::spawn(probe)).await {
        Ok(Ok(verdict)) => verdict,
        Ok(Err(panicked)) => Err(Seen(format!("the probe failed: {panicked}"))),
        Err(_) => Err(Seen(format!("no end within {} s", PATIENCE.as_secs()))),
    }
}

/// An answer of a store that is an error: status and code; a fault of the transport in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal(pub(crate) String);

impl<E: ProvideErrorMetadata + Debug> From<&SdkError<E, HttpResponse>> for Refusal {
    fn from(error: &SdkError<E, HttpResponse>) -> Self {
        let status = error.raw_response().map(|response| response.status().as_u16().to_string());
        let code = error.code().map(str::to_owned);
        let parts: Vec<String> = status.into_iter().chain(code).collect();
        Self(if parts.is_empty() { format!("{error:?}") } else { parts.join(" ") })
    }
}

/// The value of a call that must succeed.
pub(crate) fn ok<T, E: ProvideErrorMetadata + Debug>(
    what: &str,
    answer: Result<T, SdkError<E, HttpResponse>>,
) -> Result<T, Seen> {
    answer.map_err(|error| Seen(format!("{what}: {}", Refusal::from(&error).0)))
}

/// Demands that a call is refused with this status and code.
pub(crate) fn refused<T, E: ProvideErrorMetadata + Debug>(
    what: &str,
    answer: &Result<T, SdkError<E, HttpResponse>>,
    wanted: &str,
) -> Verdict {
    match answer.as_ref().map_err(Refusal::from) {
        Ok(_) => Err(Seen(format!("{what}: accepted, not {wanted}"))),
        Err(Refusal(seen)) if seen == wanted => Ok(()),
        Err(Refusal(seen)) => Err(Seen(format!("{what}: {seen}, not {wanted}"))),
    }
}

/// Demands that two values are the same.
pub(crate) fn same<T: PartialEq + Display>(what: &str, seen: T, wanted: T) -> Verdict {
    demand(seen == wanted, || format!("{what}: {seen}, not {wanted}"))
}

/// Demands that two optional texts are the same.
pub(crate) fn same_text(what: &str, seen: Option<&str>, wanted: &str) -> Verdict {
    same(what, seen.unwrap_or("nothing"), wanted)
}

/// Demands that two sequences are the same, and shows both.
pub(crate) fn same_list(what: &str, seen: &[impl AsRef<str>], wanted: &[impl AsRef<str>]) -> Verdict {
    let show = |list: Vec<&str>| if list.is_empty() { "nothing".to_owned() } else { list.join(" ") };
    same(what, show(seen.iter().map(AsRef::as_ref).collect()), show(wanted.iter().map(AsRef::as_ref).collect()))
}

/// Demands anything, and says what was seen instead.
pub(crate) fn demand(holds: bool, seen: impl FnOnce() -> String) -> Verdict {
    if holds { Ok(()) } else { Err(Seen(seen())) }
}
