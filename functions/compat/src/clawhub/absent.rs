//! What these clients can ask for and this registry does not have: said in words, before anything is looked at, so that the
//! answer says nothing of any skill.

use axum::response::{IntoResponse, Response};
use http::StatusCode;

use super::text::Refused;

fn absent(text: &str) -> Response {
    Refused::new(StatusCode::NOT_FOUND, text).into_response()
}

pub(crate) async fn rename() -> Response {
    absent("This registry does not rename skills: publish under the new slug, then delete the old one.")
}

pub(crate) async fn merge() -> Response {
    absent("This registry does not merge skills: publish the content where it belongs, then delete the other one.")
}

pub(crate) async fn transfer() -> Response {
    absent("This registry does not transfer skills: publish in the other namespace, then delete the old one.")
}

pub(crate) async fn verify() -> Response {
    absent(
        "This registry has no skill cards and no scans to verify. Every package is validated before it is published.",
    )
}

pub(crate) async fn report() -> Response {
    absent(
        "This registry takes no reports. Write to an owner of the namespace or to its operator: they can block a version.",
    )
}

pub(crate) async fn scan() -> Response {
    absent("This registry has no scans on demand. Every package is validated before it is published.")
}

pub(crate) async fn moderation() -> Response {
    absent("This registry keeps no moderation records.")
}

pub(crate) async fn packages() -> Response {
    absent("This registry holds skills only, no plugins and no other packages.")
}

pub(crate) async fn publishers() -> Response {
    absent("Namespaces are made with POST /api/namespaces of this registry.")
}

pub(crate) async fn route() -> Response {
    absent("This registry does not have this.")
}

pub(crate) async fn method() -> Response {
    Refused::new(StatusCode::METHOD_NOT_ALLOWED, "This registry does not have this.").into_response()
}
