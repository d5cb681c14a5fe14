//! Events as AWS sends them, recorded, for the functions of a deployed registry; and what they have logged and counted.

use serde_json::{Map, Value, json};

use super::super::templates::{Resource, Templates, each, text};
use super::script::{demands, script};
use super::watch::Watch;
use super::{Cloud, Stack};

/// Sends everything that is recorded in `xtask/src/infra/events`, in a registry that has published this skill.
///
/// # Errors
/// What does not hold.
pub(super) fn demand(stack: &Stack<'_>, token: &str, slug: &str) -> Result<(), String> {
    let mut events = script(stack, token, "events.py")?;
    events.args([stack.output("BucketName")?, &own_alarms(stack.prefix()?)?.to_string(), slug]);
    // In an account, the programs of this machine have no role.
    let watch = match stack.cloud() {
        Cloud::Emulator(_) => Some(Watch::start(stack)?),
        Cloud::Account(_) => None,
    };
    if let Some(watch) = &watch {
        events.arg(watch.url()).arg(stack.cloud().folder());
    }
    let held = demands(&mut events, &mut Vec::new())?;
    println!("{held} demands on what events lead to, on metrics and on logs");
    Ok(())
}

/// The alarms on metrics of our own, as a registry of this name has them.
fn own_alarms(name: &str) -> Result<Value, String> {
    let templates = Templates::read()?;
    let own = templates.of_kind("AWS::CloudWatch::Alarm").filter(|alarm| alarm.property("/Namespace") == "skillhub");
    let told = |alarm: Resource<'_>| {
        let value = |dimension: &Value| json!(text(&dimension["Value"]).replace("${Name}", name));
        let dimensions = each(alarm.property("/Dimensions")).into_iter();
        let dimensions: Map<String, Value> = dimensions.map(|d| (text(&d["Name"]), value(d))).collect();
        json!({
            "name": alarm.name,
            "namespace": alarm.property("/Namespace"),
            "metric": alarm.property("/MetricName"),
            "dimensions": dimensions,
        })
    };
    Ok(own.map(told).collect())
}
