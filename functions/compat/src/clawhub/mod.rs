//! The API that ClawHub clients speak: versions 0.5 to 0.23 of `clawhub`, and `clawdhub` 0.3.
//!
//! What differs from our own API, because these clients demand it: refusals are plain text, times are numbers, a version has no
//! license, a pinned name `slug@1.2.0` stays one, and a handle sent as owner may be the caller's own and mean nothing. What does
//! not differ: who sees and may do what, the policy, the sessions, the validator.
//!
//! *Locating* a skill is 1 read of its slug and 1 of the skill, with the number of a pinned name in the same call; 1 more for a
//! tag, 1 more for a namespace other than `@global`. The caller's own handle is tried as a namespace first. Authentication and
//! rate are counted apart.
//!
//! | route below `/api/v1` | calls |
//! |---|---|
//! | `GET whoami`, `/.well-known/clawhub.json`, `clawdhub.json`, `POST /api/cli/telemetry/*` | none |
//! | `GET skills` | 1 query for each list that the caller sees; with `prefix` as `search` |
//! | `GET search` | 1 query for each list that the caller sees, 1 batch |
//! | `GET skills/{slug}`, `…/install` | locating; if nothing is there and the caller may publish there, at most 7 more |
//! | `GET skills/{slug}/versions` | locating, 1 query |
//! | `GET skills/{slug}/versions/{version}` | locating, 1 read of the number if it is not the current one, 1 of the manifest |
//! | `GET skills/{slug}/file` | the same with 1 batch instead, and 1 ranged read of the artifact |
//! | `GET resolve` | locating, 1 read, 2 for a content that is not known |
//! | `GET download` | locating, 1 read of the number if it is not the current one; answered by a redirect |
//! | `POST skills/-/upload-url` | 1 write |
//! | `POST skills/-/upload/{ticket}` | 1 read, 1 object written |
//! | `POST skills`, files by ticket | 1 batch, 1 object read a file; then as a form, with 1 transaction and 1 delete a file more |
//! | `POST skills`, a form | those of opening a session, 1 object written, 1 read of the session at each look for the verdict |
//! | `DELETE skills/{slug}`, `POST …/undelete` | locating, 1 query for 100 versions, 3 to 6 for each version that changes |
//! | `DELETE skills/{slug}/versions/{version}`, `POST …/restore` | locating, 1 read, 3 to 6 |
//! | `POST skills/{slug}/tags/{tag}` | locating, then those of moving a tag |
//! | `POST`, `DELETE stars/{slug}` | locating, 1 write |
//! | everything else | none: words that say what to do instead |

mod absent;
mod account;
mod download;
mod file;
mod listing;
mod name;
mod publish;
mod resolve;
mod skill;
mod stars;
mod tags;
mod text;
mod versions;
mod withdraw;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn_with_state;
use axum::routing::{any, delete, get, post};

use crate::App;

pub(crate) fn router(app: &App) -> Router<App> {
    reading()
        .merge(writing())
        .merge(without_support())
        .method_not_allowed_fallback(absent::method)
        .layer(from_fn_with_state(app.registry.clone(), text::tell_rate))
}

fn writing() -> Router<App> {
    Router::new()
        .route("/api/v1/skills", post(publish::publish))
        .route("/api/v1/skills/-/upload-url", post(publish::open_ticket))
        .route("/api/v1/skills/-/upload/{ticket}", post(publish::upload))
        .route("/api/v1/skills/{slug}", delete(withdraw::delete))
        .route("/api/v1/skills/{slug}/undelete", post(withdraw::undelete))
        .route("/api/v1/skills/{slug}/versions/{version}", delete(withdraw::delete_version))
        .route("/api/v1/skills/{slug}/versions/{version}/restore", post(withdraw::restore_version))
        .route("/api/v1/skills/{slug}/tags/{tag}", post(tags::tag))
        .route("/api/v1/stars/{slug}", post(stars::star).delete(stars::unstar))
        // Bodies are read piece by piece, each to its own limit.
        .layer(DefaultBodyLimit::disable())
}

fn reading() -> Router<App> {
    Router::new()
        .route("/.well-known/clawhub.json", get(account::well_known))
        .route("/.well-known/clawdhub.json", get(account::well_known))
        .route("/api/v1/whoami", get(account::whoami))
        .route("/api/v1/search", get(listing::search))
        .route("/api/v1/skills", get(listing::list))
        .route("/api/v1/skills/{slug}", get(skill::show))
        .route("/api/v1/skills/{slug}/install", get(skill::install))
        .route("/api/v1/skills/{slug}/versions", get(versions::list))
        .route("/api/v1/skills/{slug}/versions/{version}", get(versions::show))
        .route("/api/v1/skills/{slug}/file", get(file::file))
        .route("/api/v1/resolve", get(resolve::resolve))
        .route("/api/v1/download", get(download::download))
        .route("/api/cli/telemetry/{event}", post(account::telemetry))
}

/// What is answered with words only.
fn without_support() -> Router<App> {
    Router::new()
        .route("/cli/auth", get(account::no_login))
        .route("/api/cli/device/{step}", post(account::no_login))
        .route("/api/v1/skills/{slug}/rename", any(absent::rename))
        .route("/api/v1/skills/{slug}/merge", any(absent::merge))
        .route("/api/v1/skills/{slug}/transfer", any(absent::transfer))
        .route("/api/v1/skills/{slug}/transfer/{step}", any(absent::transfer))
        .route("/api/v1/transfers/{direction}", any(absent::transfer))
        .route("/api/v1/skills/{slug}/verify", any(absent::verify))
        .route("/api/v1/skills/{slug}/card", any(absent::verify))
        .route("/api/v1/skills/{slug}/report", any(absent::report))
        .route("/api/v1/skills/{slug}/moderation", any(absent::moderation))
        .route("/api/v1/skills/-/scan", any(absent::scan))
        .route("/api/v1/skills/-/scan/{*rest}", any(absent::scan))
        .route("/api/v1/packages", any(absent::packages))
        .route("/api/v1/packages/{*rest}", any(absent::packages))
        .route("/api/v1/code-plugins", any(absent::packages))
        .route("/api/v1/bundle-plugins", any(absent::packages))
        .route("/api/v1/publishers", any(absent::publishers))
        .route("/api/v1/{*rest}", any(absent::route))
        .route("/api/cli/{*rest}", any(absent::route))
}
