//! Reviews function: reviews and their businesses, one file for each operation.

mod act;
mod app;
mod businesses;
mod filter;
mod get;
#[cfg(feature = "openapi")]
pub mod openapi;
mod reply;
mod search;
mod set_state;
mod stats;
mod wire;

use std::convert::Infallible;
use std::sync::Arc;

use lambda_http::http::Response;
use lambda_http::{Body, Request};
use presence_api::Body::{Ignored, Json};
use presence_api::{Handler, Route, serve};
use presence_domain::access::{Action, Principal, Target, authorize};
use presence_domain::error::Error;
use presence_domain::ids::OrgId;

pub use app::App;

use businesses::SearchBusinesses;
use get::Get;
use reply::{DeleteReply, GetReply, PutReply, ReportOutcome};
use search::Search;
use set_state::SetState;
use stats::Stats;

/// Table of routes.
pub const ROUTES: [Route<Handler<App>>; 9] = [
    Route::read::<Search>("/api/v2/reviews", "search_reviews"),
    Route::read::<Stats>("/api/v2/reviews/stats", "get_review_stats"),
    Route::read::<Get>("/api/v2/reviews/{review_id}", "get_review"),
    Route::change::<SetState>("PUT", "/api/v2/reviews/{review_id}", "set_review_state", Json),
    Route::read::<GetReply>("/api/v2/reviews/{review_id}/reply", "get_reply"),
    Route::change::<PutReply>("PUT", "/api/v2/reviews/{review_id}/reply", "put_reply", Json),
    Route::change::<DeleteReply>("DELETE", "/api/v2/reviews/{review_id}/reply", "delete_reply", Ignored),
    Route::change::<ReportOutcome>("POST", "/api/v2/reviews/{review_id}/reply/outcome", "report_reply_outcome", Json),
    Route::read::<SearchBusinesses>("/api/v2/business/search", "search_businesses"),
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
