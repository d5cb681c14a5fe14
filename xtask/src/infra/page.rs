//! `infra/aws/RESOURCES.md`: what there is, for those who write it in another tool.

use std::fmt::Write as _;
use std::fs;

use super::folder;
use super::roles::{self, Grant, Role};
use super::templates::{Resource, Templates, text};

const HEAD: &str = "# What the templates make\n\n\
    Written by `cargo xtask infra --only resources --write`; for whoever uses CDK, Terraform or something else. Names in `${…}`\n\
    are parameters or other resources.\n";

/// Writes the page, or demands that it is as the templates say.
///
/// # Errors
/// If it is not.
pub(super) fn run(templates: &Templates, write: bool) -> Result<(), String> {
    let (page, path) = (render(templates)?, folder().join("RESOURCES.md"));
    if write {
        return fs::write(&path, page).map_err(|e| format!("{}: {e}", path.display()));
    }
    match fs::read_to_string(&path) {
        Ok(kept) if kept == page => Ok(()),
        _ => {
            Err("RESOURCES.md is out of date: `cargo xtask infra --only resources --write` writes it again".to_owned())
        }
    }
}

fn render(templates: &Templates) -> Result<String, String> {
    let mut page = String::from(HEAD);
    page += "\n## Resources\n\n| resource | type | called | file |\n|---|---|---|---|\n";
    for resource in templates.resources().filter(|resource| !is_many(resource)) {
        let Resource { file, name, .. } = resource;
        let _ = writeln!(page, "| {name} | `{}` | {} | {file} |", resource.kind(), code(&called(resource)));
    }
    page += "\n## Functions\n\n`provided.al2023`, handler `bootstrap`; the environment is that of `Globals` in template.yaml.\n\n";
    page += "| function | MB | s | at once | called by |\n|---|---|---|---|---|\n";
    for function in templates.of_kind("AWS::Lambda::Function") {
        let number = |pointer: &str| text(function.property(pointer));
        let name = function.name.trim_end_matches("Function");
        let at_once =
            if function.property("/ReservedConcurrentExecutions").is_null() { "" } else { "`${ValidatorConcurrency}`" };
        let _ = writeln!(
            page,
            "| {} | {} | {} | {at_once} | {} |",
            name.to_lowercase(),
            number("/MemorySize"),
            number("/Timeout"),
            caller(name)
        );
    }
    page += "\n## Roles\n\nBeside these, each writes to its own log group. *K*: only with a key of one's own.\n\n";
    page += "| function | may | on |\n|---|---|---|\n";
    roles::all(templates)?.iter().for_each(|role| page += &rows_of(role));
    page += "\n## Routes\n\n| route | function |\n|---|---|\n";
    for route in templates.of_kind("AWS::ApiGatewayV2::Route") {
        let function = text(route.property("/Target"));
        let function = function.trim_start_matches("integrations/${").trim_end_matches('}').to_lowercase();
        let _ = writeln!(page, "| `{}` | {function} |", text(route.property("/RouteKey")));
    }
    Ok(page)
}

/// What has a table of its own, or only connects two others.
fn is_many(resource: &Resource<'_>) -> bool {
    [
        "AWS::ApiGatewayV2::Route",
        "AWS::ApiGatewayV2::Integration",
        "AWS::Lambda::Permission",
        "AWS::CloudFormation::Stack",
    ]
    .contains(&resource.kind())
}

/// The name that it is given, if it is given one.
fn called(resource: Resource<'_>) -> String {
    let names = ["/FunctionName", "/BucketName", "/QueueName", "/LogGroupName", "/AlarmName", "/Name"];
    let given = names.iter().map(|pointer| resource.property(pointer)).find(|name| !name.is_null());
    given.map(text).unwrap_or_default()
}

fn code(name: &str) -> String {
    if name.is_empty() { String::new() } else { format!("`{name}`") }
}

fn caller(function: &str) -> &'static str {
    match function {
        "Validate" => "the bucket, for each object made under `staging/`; a third failure goes to `FailedEvents`",
        "Sweep" => "`EveryMinute`",
        _ => "the API",
    }
}

/// One row for each action.
fn rows_of(role: &Role) -> String {
    let mut rows = String::new();
    let mut grants: Vec<&Grant> = role.grants.iter().collect();
    grants.sort();
    for together in grants.chunk_by(|a, b| a.action == b.action && a.with_key == b.with_key) {
        let Some(first) = together.first() else { continue };
        let on: Vec<_> = together.iter().map(|grant| code(&grant.on)).collect();
        let key = if first.with_key { " *K*" } else { "" };
        let _ = writeln!(rows, "| {} | `{}`{key} | {} |", role.function, first.action, on.join(", "));
    }
    rows
}
