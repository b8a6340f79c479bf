//! Users function: one file for each operation.

mod app;
mod create;
mod delete;
mod get;
pub mod invitation;
mod invite;
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
use presence_api::{Answer, AuthenticatedRequest, Route, serve};

pub use app::App;

/// Operation of the function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// Get the calling user.
    Me,
    /// Search users.
    Search,
    /// Count users by status.
    Stats,
    /// Get one user.
    Get,
    /// Create a user.
    Create,
    /// Update a user.
    Update,
    /// Delete a user.
    Delete,
    /// Send a new invitation.
    Invite,
}

const fn route(
    method: &'static str,
    path: &'static str,
    name: &'static str,
    operation: Operation,
    body: presence_api::Body,
) -> Route<Operation> {
    Route { method, path, name, operation, body, deprecations: &[] }
}

/// Table of the routes: method, path, name, operation and body.
#[rustfmt::skip]
pub const ROUTES: [Route<Operation>; 8] = [
    route("GET", "/api/v2/user/me", "get_me", Operation::Me, presence_api::Body::Ignored),
    route("GET", "/api/v2/user/search", "search_users", Operation::Search, presence_api::Body::Ignored),
    route("GET", "/api/v2/user/stats", "get_user_stats", Operation::Stats, presence_api::Body::Ignored),
    route("GET", "/api/v2/user/{user_id}", "get_user", Operation::Get, presence_api::Body::Ignored),
    route("POST", "/api/v2/user", "create_user", Operation::Create, presence_api::Body::Json),
    route("POST", "/api/v2/user/{user_id}", "update_user", Operation::Update, presence_api::Body::Json),
    route("DELETE", "/api/v2/user/{user_id}", "delete_user", Operation::Delete, presence_api::Body::Ignored),
    route("POST", "/api/v2/user/{user_id}/invite", "invite_user", Operation::Invite, presence_api::Body::Ignored),
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
    Ok(Box::pin(serve(&app.authenticator, &ROUTES, request, |operation, request| {
        dispatch(Arc::clone(&app), operation, request)
    }))
    .await)
}

async fn dispatch(
    app: Arc<App>,
    operation: Operation,
    request: AuthenticatedRequest,
) -> Result<Answer, presence_domain::error::Error> {
    match operation {
        Operation::Me => me::run(&app, &request).await,
        Operation::Search => search::run(&app, &request).await,
        Operation::Stats => stats::run(&app, &request).await,
        Operation::Get => get::run(&app, &request).await,
        Operation::Create => create::run(&app, &request).await,
        Operation::Update => update::run(&app, &request).await,
        Operation::Delete => delete::run(&app, &request).await,
        Operation::Invite => invite::run(&app, &request).await,
    }
}
