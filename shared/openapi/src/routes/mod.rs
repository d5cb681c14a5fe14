//! The operations, one file for each function that serves them.

mod detail;
mod download;
mod list;
mod manage;
mod publish;

use http::Method;
use utoipa::openapi::schema::{ObjectBuilder, Type};

use crate::operation::Operation;

/// All of them, in the order of this project's documentation.
pub(crate) fn all() -> Vec<Operation> {
    let functions = [list::operations(), detail::operations(), download::operations(), publish::operations()];
    functions.into_iter().flatten().chain(manage::operations()).chain([health()]).collect()
}

/// What every function has.
fn health() -> Operation {
    let text = ObjectBuilder::new().schema_type(Type::String).enum_values(Some(["ok\n"]));
    let health = Operation::new(Method::GET, "/healthz", "health", "registry", "Whether the function answers");
    health.open().answers_as(200, "It does.", "text/plain", text, &[])
}
