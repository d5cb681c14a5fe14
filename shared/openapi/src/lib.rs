#![doc = include_str!("../README.md")]

mod operation;
mod problems;
mod routes;

use std::collections::BTreeMap;

use serde_json::Value;
use utoipa::ToSchema as _;
use utoipa::openapi::extensions::Extensions;
use utoipa::openapi::header::{Header, HeaderBuilder};
use utoipa::openapi::path::{PathItem, Paths};
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::tag::TagBuilder;
use utoipa::openapi::{Components, Info, OpenApi, RefOr};

use crate::operation::{Operation, REQUEST_ID};

/// The name of the security scheme.
pub(crate) const BEARER: &str = "bearer";

/// The groups of operations, as the document shows them.
const TAGS: [(&str, &str); 5] = [
    ("skills", "What there is, and how to get it."),
    ("publishing", "Upload sessions: one attempt to publish one version."),
    ("management", "What happens to skills after their publication."),
    ("people", "Namespaces, their members, API tokens."),
    ("registry", "The registry itself."),
];

/// The document.
pub fn document() -> OpenApi {
    let mut paths = Paths::new();
    let mut components = Components::new();
    components.schemas.insert(String::from("Problem"), <skillhub_protocol::Problem as utoipa::PartialSchema>::schema());
    let mut schemas = Vec::new();
    skillhub_protocol::Problem::schemas(&mut schemas);
    for operation in routes::all() {
        let built = operation.build();
        let item = PathItem::new(built.method, built.operation);
        match paths.paths.get_mut(built.path) {
            Some(known) => known.merge_operations(item),
            None => drop(paths.paths.insert(built.path.to_owned(), item)),
        }
        schemas.extend(built.schemas);
        components.responses.extend(built.problems);
    }
    components.schemas.extend(schemas);
    components.headers = headers();
    components.add_security_scheme(BEARER, security_scheme());
    let mut document = OpenApi::new(info(), paths);
    document.components = Some(components);
    document.tags =
        Some(TAGS.map(|(name, about)| TagBuilder::new().name(name).description(Some(about)).build()).into());
    document
}

/// The document as JSON text, ready to be written into a file.
///
/// # Errors
/// If the document cannot be written as JSON.
pub fn text() -> serde_json::Result<String> {
    let mut value = serde_json::to_value(document())?;
    in_words_of_json(&mut value);
    serde_json::to_string_pretty(&value).map(|text| text + "\n")
}

/// The documentation of the types speaks of Rust, and links to items of the crate.
fn in_words_of_json(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            if let Some(Value::String(text)) = fields.get_mut("description") {
                *text = text.replace("[`", "`").replace("`]", "`").replace("`None`", "`null`");
            }
            fields.values_mut().for_each(in_words_of_json);
        }
        Value::Array(items) => items.iter_mut().for_each(in_words_of_json),
        _ => {}
    }
}

fn info() -> Info {
    let mut info = Info::new("skillhub", env!("CARGO_PKG_VERSION"));
    info.description = Some(String::from(
        "A registry for agent skills. Errors are RFC 9457 problems with a stable `code`; docs/api.md of the source says \
         what each code means and what to do. Unknown fields and unknown parameters of the query are ignored. Lengths \
         are in UTF-16 units, as JavaScript counts them: where a text has characters beyond U+FFFF, `maxLength` is an \
         upper bound.",
    ));
    info
}

fn security_scheme() -> SecurityScheme {
    let about = "An API token (`sk_…`, made with POST /api/tokens). The names in a requirement are scopes: `read` to read, \
                 `publish` for uploads, `manage` for every other change. Where a token is optional, a registry that allows \
                 anonymous reading answers without one, and others answer 401.";
    SecurityScheme::Http(HttpBuilder::new().scheme(HttpAuthScheme::Bearer).description(Some(about)).build())
}

/// The headers of answers. `Location` is not always known; the others are always there where an answer names them.
fn headers() -> BTreeMap<String, RefOr<Header>> {
    let text = || ObjectBuilder::new().schema_type(Type::String);
    let seconds = ObjectBuilder::new().schema_type(Type::Integer).minimum(Some(1));
    let named = [
        (REQUEST_ID, always(text().min_length(Some(1)), "Names this request in the registry's log.")),
        ("Retry-After", always(seconds, "Seconds to wait before the next try.")),
        ("Location", header(text().pattern(Some("^/api/uploads/")), "The upload session that is meant.").build()),
        ("WWW-Authenticate", always(text().enum_values(Some(["Bearer"])), "How to authenticate.")),
        ("Cache-Control", always(text(), "Who may keep the answer, and how long.")),
    ];
    named.map(|(name, header)| (name.to_owned(), RefOr::T(header))).into()
}

fn header(schema: ObjectBuilder, about: &str) -> HeaderBuilder {
    HeaderBuilder::new().schema(Some(schema)).description(Some(about))
}

/// The type lacks a field for `required`.
fn always(schema: ObjectBuilder, about: &str) -> Header {
    header(schema, about).extensions(Some(Extensions::from_iter([("required", true)]))).build()
}

/// The operations in the order of the document: method and path, such as `("get", "/api/skills")`.
pub fn operations() -> Vec<(http::Method, &'static str)> {
    routes::all().iter().map(Operation::place).collect()
}
