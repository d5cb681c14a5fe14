//! `GET /api/whoami`.

use axum::response::Response;
use http::StatusCode;
use skillhub_protocol::{Membership, WhoAmI};
use skillhub_store::MembershipItem;
use skillhub_web::{ApiError, Known, json};

pub(crate) async fn whoami(Known(caller): Known) -> Result<Response, ApiError> {
    let mut namespaces: Vec<_> = caller.memberships.iter().map(membership).collect();
    namespaces.sort_by(|a, b| a.namespace.cmp(&b.namespace));
    let handle = caller.handle().map_or_else(String::new, |namespace| namespace.handle().to_owned());
    json(StatusCode::OK, &WhoAmI { handle, namespaces })
}

fn membership(item: &MembershipItem) -> Membership {
    Membership { namespace: item.namespace.clone(), kind: item.kind, role: item.role }
}
