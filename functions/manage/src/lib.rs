//! What happens to skills after their publication, and who may do what.
//!
//! | routes | who |
//! |---|---|
//! | `PUT`, `DELETE /api/skills/{skillId}/tags/{tag}` | owners of the namespace, maintainers of the skill |
//! | `POST /api/skills/{skillId}/versions/{versionId}/yank`, `…/unyank` | the same |
//! | `POST …/block` | owners of the namespace, owners of `@global` |
//! | `PATCH /api/skills/{skillId}` | owners of the namespace |
//! | `GET`, `PUT`, `DELETE /api/skills/{skillId}/maintainers[/{handle}]` | members may read, owners may change |
//! | `POST /api/namespaces` | everybody who is known |
//! | `GET /api/namespaces/{namespace}` | its members |
//! | `PUT`, `DELETE /api/namespaces/{namespace}/members/{handle}` | its owners; everybody may leave |
//! | `GET /api/namespaces/{namespace}/audit` | its owners |
//! | `POST`, `GET`, `DELETE /api/tokens[/{tokenId}]` | everybody, their own |
//! | `GET /api/whoami` | everybody who is known |
//! | `GET /openapi.json` | everybody |
//!
//! Every change is one transaction that holds its audit record and demands the caller's role and token once more. A change
//! that has happened already is success and writes nothing. What the caller may not know of is 404, what it may not do is 403.

mod maintainers;
mod members;
mod namespaces;
mod openapi;
mod skills;
mod tags;
mod tokens;
mod versions;
mod whoami;

use axum::Router;
use axum::routing::{delete, get, patch, post, put};
use skillhub_web::Registry;

/// The routes of this function.
pub fn router(registry: Registry) -> Router {
    Router::new()
        .route("/api/whoami", get(whoami::whoami))
        .route("/api/skills/{skillId}", patch(skills::change))
        .route("/api/skills/{skillId}/tags/{tag}", put(tags::put).delete(tags::delete))
        .route("/api/skills/{skillId}/maintainers", get(maintainers::list))
        .route("/api/skills/{skillId}/maintainers/{handle}", put(maintainers::put).delete(maintainers::delete))
        .route("/api/skills/{skillId}/versions/{versionId}/yank", post(versions::yank))
        .route("/api/skills/{skillId}/versions/{versionId}/unyank", post(versions::unyank))
        .route("/api/skills/{skillId}/versions/{versionId}/block", post(versions::block))
        .route("/api/namespaces", post(namespaces::create))
        .route("/api/namespaces/{namespace}", get(namespaces::show))
        .route("/api/namespaces/{namespace}/audit", get(namespaces::audit))
        .route("/api/namespaces/{namespace}/members/{handle}", put(members::put).delete(members::delete))
        .route("/api/tokens", get(tokens::list).post(tokens::create))
        .route("/api/tokens/{tokenId}", delete(tokens::revoke))
        .route("/openapi.json", get(openapi::document))
        .with_state(registry)
}
