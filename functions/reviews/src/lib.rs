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
use presence_api::{Answer, Handler, Operation, Route, serve};
use presence_domain::access::{Action, Principal, Target, authorize};
use presence_domain::error::Error;
use presence_domain::ids::OrgId;

pub use app::App;

use businesses::SearchBusinesses;
use get::Get;
use search::Search;
use stats::Stats;

const fn route<O>(path: &'static str, name: &'static str) -> Route<Handler<App>>
where
    O: Operation<App = App, Outcome = Answer>,
{
    Route {
        method: "GET",
        path,
        name,
        operation: Handler::read::<O>(),
        body: presence_api::Body::Ignored,
        deprecations: &[],
    }
}

/// Table of routes. All operations read.
pub const ROUTES: [Route<Handler<App>>; 4] = [
    route::<Search>("/api/v2/reviews", "search_reviews"),
    route::<Stats>("/api/v2/reviews/stats", "get_review_stats"),
    route::<Get>("/api/v2/reviews/{review_id}", "get_review"),
    route::<SearchBusinesses>("/api/v2/business/search", "search_businesses"),
];

/// Gateway routes of unknown paths and methods, so that the function answers them and not the gateway.
pub const CATCH_ALL: [&str; 4] =
    ["ANY /api/v2/reviews", "ANY /api/v2/reviews/{proxy+}", "ANY /api/v2/business", "ANY /api/v2/business/{proxy+}"];

/// Serves one request.
pub async fn handle(app: Arc<App>, request: Request) -> Result<Response<Body>, Infallible> {
    // On the heap, because the SDK's futures are large.
    Ok(Box::pin(serve(&app, &app.authenticator, &ROUTES, request)).await)
}

/// Checks that a caller may read the reviews of an organisation; `None` is all organisations, which a caller without one reads.
fn authorize_reading(caller: &Principal, org_id: Option<OrgId>) -> Result<(), Error> {
    authorize(caller, Action::ReadReviews, Target::in_org(org_id, caller.role))
}
