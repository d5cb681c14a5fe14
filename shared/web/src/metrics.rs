//! Metrics as CloudWatch takes them out of a log: each a line of JSON in the embedded metric format.
//!
//! They are `tracing` events of one target, so that whoever counts something needs no handle and local mode sees nothing of it.

use std::io::Write as _;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Map, Value, json};
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::Context;

/// The target of events that are metrics: a numeric field is a metric, called as the field; a text one is a dimension.
///
/// The names are ours and the texts come from closed lists (codes, kinds): nothing that a caller sends may stand there.
pub const METRICS: &str = "metrics";
/// Where CloudWatch shows them.
const NAMESPACE: &str = "skillhub";
/// The dimension that every metric has.
const FUNCTION: &str = "Function";

/// Writes metrics. Everything that is none is passed over.
pub(crate) struct MetricLines<W> {
    function: String,
    writer: W,
}

impl<W> MetricLines<W> {
    pub(crate) fn new(function: String, writer: W) -> Self {
        Self { function, writer }
    }
}

impl<S: Subscriber, W: for<'a> MakeWriter<'a> + 'static> Layer<S> for MetricLines<W> {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        if event.metadata().target() != METRICS {
            return;
        }
        let mut fields = Fields::default();
        event.record(&mut fields);
        let at = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64);
        let line = fields.line(&self.function, at) + "\n";
        // A metric that cannot be written is lost; the function goes on.
        let _lost = self.writer.make_writer().write_all(line.as_bytes());
    }
}

#[derive(Default)]
struct Fields {
    metrics: Vec<(&'static str, u64)>,
    dimensions: Vec<(&'static str, String)>,
}

impl Fields {
    /// The line, without its end.
    fn line(self, function: &str, at: u64) -> String {
        let names: Vec<_> = std::iter::once(FUNCTION).chain(self.dimensions.iter().map(|(name, _)| *name)).collect();
        let defined = |(name, _): &(&str, u64)| json!({ "Name": name, "Unit": unit(name) });
        let metrics: Vec<_> = self.metrics.iter().map(defined).collect();
        let directive = json!({ "Namespace": NAMESPACE, "Dimensions": [names], "Metrics": metrics });
        let mut line = Map::new();
        line.insert("_aws".to_owned(), json!({ "Timestamp": at, "CloudWatchMetrics": [directive] }));
        line.insert(FUNCTION.to_owned(), function.into());
        line.extend(self.dimensions.into_iter().map(|(name, value)| (name.to_owned(), value.into())));
        line.extend(self.metrics.into_iter().map(|(name, value)| (name.to_owned(), value.into())));
        Value::Object(line).to_string()
    }
}

/// Names end in their unit, unless they count.
fn unit(name: &str) -> &'static str {
    match name {
        _ if name.ends_with("Millis") => "Milliseconds",
        _ if name.ends_with("Seconds") => "Seconds",
        _ => "Count",
    }
}

impl Visit for Fields {
    fn record_u64(&mut self, field: &Field, value: u64) {
        self.metrics.push((field.name(), value));
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.metrics.push((field.name(), value.max(0).unsigned_abs()));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.dimensions.push((field.name(), value.to_owned()));
    }

    /// Messages and everything else: no metric.
    fn record_debug(&mut self, _: &Field, _: &dyn std::fmt::Debug) {}
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use tracing_subscriber::layer::SubscriberExt as _;

    use super::*;

    #[derive(Clone, Default)]
    struct Written(Arc<Mutex<Vec<u8>>>);

    impl std::io::Write for Written {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    /// What is written while `work` runs, line by line.
    fn lines(work: impl FnOnce()) -> Vec<Value> {
        let written = Written::default();
        let writer = written.clone();
        let subscriber = tracing_subscriber::registry().with(MetricLines::new("f".to_owned(), move || writer.clone()));
        tracing::subscriber::with_default(subscriber, work);
        let written = String::from_utf8(written.0.lock().unwrap().clone()).unwrap();
        written.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    #[test]
    fn a_metric_is_one_line_in_the_embedded_metric_format() {
        let found = lines(|| tracing::info!(target: METRICS, Rejected = 1, ValidationMillis = 12, Code = "zip_data"));
        let [line] = found.as_slice() else { panic!("{found:?}") };
        let directive = &line["_aws"]["CloudWatchMetrics"];
        let expected = json!([{
            "Namespace": "skillhub",
            "Dimensions": [["Function", "Code"]],
            "Metrics": [{ "Name": "Rejected", "Unit": "Count" }, { "Name": "ValidationMillis", "Unit": "Milliseconds" }],
        }]);
        assert_eq!(*directive, expected);
        // What the directive names stands beside it, and nothing else does.
        let mut names: Vec<_> = line.as_object().unwrap().keys().map(String::as_str).collect();
        names.sort_unstable();
        assert_eq!(names, ["Code", "Function", "Rejected", "ValidationMillis", "_aws"]);
        assert_eq!((&line["Function"], &line["Code"], &line["Rejected"]), (&json!("f"), &json!("zip_data"), &json!(1)));
        assert!(line["_aws"]["Timestamp"].as_u64().unwrap() > 1_600_000_000_000);
    }

    #[test]
    fn what_is_no_metric_is_not_written() {
        let found = lines(|| {
            tracing::info!(secret = "sk_canary", "request");
            tracing::info!(target: METRICS, Published = 1, "a message with sk_canary");
        });
        assert_eq!(found.len(), 1);
        assert!(!found[0].to_string().contains("canary"), "{found:?}");
    }
}
