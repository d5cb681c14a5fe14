//! Namespaces, and the record of what was done in them.

use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use serde::Deserialize;
use skillhub_protocol::{AuditResponse, CreateNamespace, Member, NamespaceResponse, Role};
use skillhub_store::{AuditCursor, Authenticated, ChangedBy, MembershipItem, NamespaceMembers};
use skillhub_web::{ApiError, Body, Handle, Known, Manager, Now, Params, PathParams, Registry, json, page_limit, rng};

const DEFAULT_LIMIT: usize = 50;
const MAX_LIMIT: usize = 100;

pub(crate) async fn create(
    State(registry): State<Registry>,
    Manager(caller): Manager,
    Now(now): Now,
    Body(body): Body,
) -> Result<Response, ApiError> {
    let request = CreateNamespace::from_json(&body)?;
    let by = ChangedBy { caller: &caller, now };
    let namespace = registry.table.create_namespace(by, &request, &mut rng()).await?;
    let handle = match request.kind {
        skillhub_protocol::NamespaceKind::Personal => Some(request.namespace),
        _ => caller.handle().cloned(),
    };
    let members = vec![Member { handle, role: Role::Owner }];
    json(StatusCode::CREATED, &wire(NamespaceMembers { namespace, members }))
}

pub(crate) async fn show(
    State(registry): State<Registry>,
    Known(caller): Known,
    PathParams(Handle(namespace)): PathParams<Handle>,
) -> Result<Response, ApiError> {
    let membership = membership(&caller, &namespace)?;
    let found = registry.table.namespace_members(&membership.namespace_id).await?;
    json(StatusCode::OK, &wire(found.ok_or_else(ApiError::not_found)?))
}

#[derive(Debug, Deserialize)]
pub(crate) struct AuditQuery {
    limit: Option<String>,
    cursor: Option<String>,
}

pub(crate) async fn audit(
    State(registry): State<Registry>,
    Known(caller): Known,
    PathParams(Handle(namespace)): PathParams<Handle>,
    Params(query): Params<AuditQuery>,
) -> Result<Response, ApiError> {
    let limit = page_limit(query.limit.as_deref(), DEFAULT_LIMIT, MAX_LIMIT)?;
    let cursor = query.cursor.map(|text| text.parse::<AuditCursor>()).transpose();
    let cursor = cursor.map_err(|e| ApiError::invalid("invalid_cursor", "cursor", e.to_string()))?;
    let membership = membership(&caller, &namespace)?;
    if membership.role != Role::Owner {
        return Err(ApiError::forbidden("Only owners of a namespace see its record."));
    }
    let page = registry.table.audit(&membership.namespace_id, cursor.as_ref(), limit).await?;
    let next_cursor = page.next.map(|cursor| cursor.to_string());
    json(StatusCode::OK, &AuditResponse { entries: page.entries, next_cursor })
}

/// A namespace that the caller belongs to; the others do not exist for it.
fn membership<'a>(
    caller: &'a Authenticated,
    namespace: &skillhub_protocol::Namespace,
) -> Result<&'a MembershipItem, ApiError> {
    caller.membership_by_handle(namespace).ok_or_else(ApiError::not_found)
}

fn wire(found: NamespaceMembers) -> NamespaceResponse {
    let NamespaceMembers { namespace, members } = found;
    NamespaceResponse {
        namespace: namespace.namespace,
        kind: namespace.kind,
        organization_id: namespace.organization_id,
        members,
    }
}
