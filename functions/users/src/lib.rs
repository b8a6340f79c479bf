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
use presence_api::Body::{Ignored, Json};
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

/// Table of routes.
pub const ROUTES: [Route<Handler<App>>; 12] = [
    Route::read::<Me>("/api/v2/user/me", "get_me"),
    Route::read::<Search>("/api/v2/user/search", "search_users"),
    Route::read::<Stats>("/api/v2/user/stats", "get_user_stats"),
    Route::read::<Get>("/api/v2/user/{user_id}", "get_user"),
    Route::change::<Create>("POST", "/api/v2/user", "create_user", Json),
    Route::change::<Update>("POST", "/api/v2/user/{user_id}", "update_user", Json),
    Route::change::<Delete>("DELETE", "/api/v2/user/{user_id}", "delete_user", Ignored),
    Route::change::<Invite>("POST", "/api/v2/user/{user_id}/invite", "invite_user", Ignored),
    Route::read::<ListKeys>("/api/v2/user/{user_id}/keys", "list_keys"),
    Route::change::<CreateKey>("POST", "/api/v2/user/{user_id}/keys", "create_key", Json),
    Route::change::<RotateKey>("POST", "/api/v2/user/{user_id}/keys/{key_id}/rotate", "rotate_key", Json),
    Route::change::<RevokeKey>("DELETE", "/api/v2/user/{user_id}/keys/{key_id}", "revoke_key", Ignored),
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
