//! What the registry needs of its two stores, probed from outside: see docs/stores.md.
//!
//! Without variables the embedded stores are probed; the variables of [`target`] name others.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a test that reports on the terminal")]

mod differences;
mod objects;
mod probe;
mod report;
mod table;
mod target;
mod wire;

use differences::Listed;
use report::Report;
use target::Target;

#[tokio::test(flavor = "multi_thread")]
async fn the_stores_behave_as_the_registry_needs_but_for_the_listed_differences() {
    let target = Target::from_env().await;
    let (objects, events, table) = tokio::join!(
        probe::run_all("S3", objects::probes(), target.bucket.as_ref()),
        probe::run_all("S3 events", objects::event::PROBES.iter(), target.events.as_ref()),
        probe::run_all("DynamoDB", table::probes(), target.table.as_ref()),
    );
    let listed = Listed::kept();
    let report = Report::new(&target.server, [objects, events, table].concat(), &listed);
    report.print();
    report.write_if_asked();
    target.end().await;
    let problems = report.problems(&listed);
    assert!(problems.is_empty(), "{} of {}:\n{}", problems.len(), report.server, problems.join("\n"));
}
