//! Reviews function: reviews and their businesses, one file for each operation.

mod app;
mod businesses;
mod filter;
mod get;
#[cfg(feature = "openapi")]
pub mod openapi;
mod search;
mod stats;
mod wire;

use std::convert::Infallible;
use std::sync::Arc;

use lambda_http::http::Response;
use lambda_http::{Body, Request};
use presence_api::{Answer, AuthenticatedRequest, Route, serve};
use presence_domain::access::{Action, Principal, Target, authorize};
use presence_domain::error::Error;
use presence_domain::ids::OrgId;

pub use app::App;

/// Operation of the function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// Search of reviews.
    Search,
    /// Statistics of reviews.
    Stats,
    /// Get one review.
    Get,
    /// Search of businesses.
    SearchBusinesses,
}

const fn route(path: &'static str, name: &'static str, operation: Operation) -> Route<Operation> {
    Route { method: "GET", path, name, operation, body: presence_api::Body::Ignored, deprecations: &[] }
}

/// Table of routes: path, name and operation. All of them read.
pub const ROUTES: [Route<Operation>; 4] = [
    route("/api/v2/reviews", "search_reviews", Operation::Search),
    route("/api/v2/reviews/stats", "get_review_stats", Operation::Stats),
    route("/api/v2/reviews/{review_id}", "get_review", Operation::Get),
    route("/api/v2/business/search", "search_businesses", Operation::SearchBusinesses),
];

/// Gateway routes of unknown paths and methods, so that the function answers them and not the gateway.
pub const CATCH_ALL: [&str; 4] =
    ["ANY /api/v2/reviews", "ANY /api/v2/reviews/{proxy+}", "ANY /api/v2/business", "ANY /api/v2/business/{proxy+}"];

/// Serves one request.
pub async fn handle(app: Arc<App>, request: Request) -> Result<Response<Body>, Infallible> {
    // On the heap, because the SDK's futures are large.
    Ok(Box::pin(serve(&app.authenticator, &ROUTES, request, |operation, request| {
        dispatch(Arc::clone(&app), operation, request)
    }))
    .await)
}

async fn dispatch(app: Arc<App>, operation: Operation, request: AuthenticatedRequest) -> Result<Answer, Error> {
    match operation {
        Operation::Search => search::run(&app, &request).await,
        Operation::Get => get::run(&app, &request).await,
        Operation::Stats => stats::run(&app, &request).await,
        Operation::SearchBusinesses => businesses::run(&app, &request).await,
    }
}

/// Checks that a caller may read the reviews of an organisation; `None` is all organisations, which a caller without one reads.
fn authorize_reading(caller: &Principal, org_id: Option<OrgId>) -> Result<(), Error> {
    authorize(caller, Action::ReadReviews, Target { user_id: None, org_id, role: caller.role })
}
