//! What the API passes on, and what the functions are told.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;

use super::demands::{Demand, demand};
use super::templates::{Templates, text};
use crate::process::root;

/// What the function `compat` serves; its routes are not in the OpenAPI document, because others define them.
const COMPAT: [&str; 5] =
    ["ANY /api/v1/{path+}", "ANY /api/cli/{path+}", "ANY /.well-known/{path+}", "ANY /{namespace}/{path+}", "ANY /mcp"];

/// Settings that the template leaves alone: the table of AWS keeps its items' time to live by itself, and connections are made
/// at the start unless somebody measures without.
const LEFT_ALONE: [&str; 2] = ["SKILLHUB_SWEEP_EXPIRED", "SKILLHUB_WARM_UP"];

/// Where the functions read what an operator sets.
const READERS: [&str; 3] =
    ["shared/store/src/settings.rs", "functions/validate/src/operator.rs", "shared/web/src/lambda.rs"];

/// The routes are those that the functions serve, and every setting that can be set is set.
///
/// # Errors
/// If a file cannot be read.
pub(super) fn demands(templates: &Templates) -> Result<Vec<Demand>, String> {
    let wired: BTreeSet<_> =
        templates.of_kind("AWS::ApiGatewayV2::Route").map(|route| text(route.property("/RouteKey"))).collect();
    let served = served()?;
    let mut demands = Vec::new();
    demands.extend(served.difference(&wired).map(|route| demand(format!("{route} is passed on"), false)));
    demands.extend(wired.difference(&served).map(|route| demand(format!("{route} is served by nobody"), false)));
    demands.push(demand("every route is passed on, and no other", wired == served));

    let (known, set) = (known_settings()?, settings_of(templates));
    let expected: BTreeSet<_> = known.iter().filter(|name| !LEFT_ALONE.contains(&name.as_str())).cloned().collect();
    demands.extend(expected.difference(&set).map(|name| demand(format!("{name} is set"), false)));
    demands.extend(set.difference(&expected).map(|name| demand(format!("{name} is read by nobody"), false)));
    demands.push(demand("every setting is set, and no other", expected == set));
    Ok(demands)
}

/// `METHOD /path` of everything in the OpenAPI document, and of `compat`.
fn served() -> Result<BTreeSet<String>, String> {
    let path = root().join("docs/openapi.json");
    let text = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let document: Value = serde_json::from_str(&text).map_err(|e| format!("{}: {e}", path.display()))?;
    let mut routes: BTreeSet<String> = COMPAT.map(str::to_owned).into();
    for (path, operations) in document["paths"].as_object().into_iter().flatten() {
        let methods = operations.as_object().into_iter().flat_map(|operations| operations.keys());
        let methods = methods.filter(|method| ["get", "put", "post", "patch", "delete"].contains(&method.as_str()));
        routes.extend(methods.map(|method| format!("{} {path}", method.to_uppercase())));
    }
    Ok(routes)
}

/// Every `SKILLHUB_…` that a function reads.
fn known_settings() -> Result<BTreeSet<String>, String> {
    let mut names = BTreeSet::new();
    for reader in READERS {
        let path = root().join(reader);
        let text = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        // Tests may make names up.
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        let is_name = |text: &str| text.bytes().all(|b| b.is_ascii_uppercase() || b == b'_');
        let pieces = code.split('"').filter(|piece| piece.starts_with("SKILLHUB_") && is_name(piece));
        names.extend(pieces.map(str::to_owned));
    }
    Ok(names)
}

/// The environment of a function; all have the same.
fn settings_of(templates: &Templates) -> BTreeSet<String> {
    let functions = templates.of_kind("AWS::Lambda::Function");
    let variables = functions.filter_map(|function| function.property("/Environment/Variables").as_object());
    variables.flat_map(|variables| variables.keys().cloned()).collect()
}
