//! Users function: one file for each operation.

mod app;
mod create;
mod delete;
mod get;
pub mod invitation;
mod invite;
mod keys;
mod me;
#[cfg(feature = "openapi")]
pub mod openapi;
pub mod password_hashing;
mod search;
mod stats;
mod update;
mod wire;

use std::convert::Infallible;
use std::sync::Arc;

use lambda_http::http::Response;
use lambda_http::{Body, Request};
use presence_api::{Handler, Route, serve};

pub use app::App;

use create::Create;
use delete::Delete;
use get::Get;
use invite::Invite;
use keys::{CreateKey, ListKeys, RevokeKey, RotateKey};
use me::Me;
use search::Search;
use stats::Stats;
use update::Update;

const fn route(
    method: &'static str,
    path: &'static str,
    name: &'static str,
    operation: Handler<App>,
    body: presence_api::Body,
) -> Route<Handler<App>> {
    Route { method, path, name, operation, body, deprecations: &[] }
}

/// Table of the routes: method, path, name, operation and body.
#[rustfmt::skip]
pub const ROUTES: [Route<Handler<App>>; 12] = [
    route("GET", "/api/v2/user/me", "get_me", Handler::read::<Me>(), presence_api::Body::Ignored),
    route("GET", "/api/v2/user/search", "search_users", Handler::read::<Search>(), presence_api::Body::Ignored),
    route("GET", "/api/v2/user/stats", "get_user_stats", Handler::read::<Stats>(), presence_api::Body::Ignored),
    route("GET", "/api/v2/user/{user_id}", "get_user", Handler::read::<Get>(), presence_api::Body::Ignored),
    route("POST", "/api/v2/user", "create_user", Handler::change::<Create>(), presence_api::Body::Json),
    route("POST", "/api/v2/user/{user_id}", "update_user", Handler::change::<Update>(), presence_api::Body::Json),
    route("DELETE", "/api/v2/user/{user_id}", "delete_user", Handler::change::<Delete>(), presence_api::Body::Ignored),
    route("POST", "/api/v2/user/{user_id}/invite", "invite_user", Handler::change::<Invite>(), presence_api::Body::Ignored),
    route("GET", "/api/v2/user/{user_id}/keys", "list_keys", Handler::read::<ListKeys>(), presence_api::Body::Ignored),
    route("POST", "/api/v2/user/{user_id}/keys", "create_key", Handler::change::<CreateKey>(), presence_api::Body::Json),
    route("POST", "/api/v2/user/{user_id}/keys/{key_id}/rotate", "rotate_key", Handler::change::<RotateKey>(), presence_api::Body::Json),
    route("DELETE", "/api/v2/user/{user_id}/keys/{key_id}", "revoke_key", Handler::change::<RevokeKey>(), presence_api::Body::Ignored),
];

/// Gateway routes of the pages for people, which take no key. They take every method, so that this function answers each.
pub const PAGES: [&str; 1] = ["ANY /invitation"];

/// Gateway routes of all other paths and methods, so that this function answers unknown ones, too.
pub const CATCH_ALL: [&str; 2] = ["ANY /api/v2/user", "ANY /api/v2/user/{proxy+}"];

/// Serves one request.
pub async fn handle(app: Arc<App>, request: Request) -> Result<Response<Body>, Infallible> {
    if presence_api::is_for(invitation::PATH, &request) {
        return Ok(invitation::serve(&app, &request).await);
    }
    // On the heap: the SDK's futures are large.
    Ok(Box::pin(serve(&app, &app.authenticator, &ROUTES, request)).await)
}
