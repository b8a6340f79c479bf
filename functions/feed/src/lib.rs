//! Feed function: the events of an organisation, one file for each operation.

mod app;
mod events;
#[cfg(feature = "openapi")]
pub mod openapi;
mod org;
mod wire;

use std::convert::Infallible;
use std::sync::Arc;

use lambda_http::http::Response;
use lambda_http::{Body, Request};
use presence_api::Body::Ignored;
use presence_api::{Answer, Handler, Operation, Route, serve};

pub use app::App;

use events::ListEvents;

const fn route<O>(path: &'static str, name: &'static str) -> Route<Handler<App>>
where
    O: Operation<App = App, Outcome = Answer>,
{
    Route { method: "GET", path, name, operation: Handler::read::<O>(), body: Ignored, deprecations: &[] }
}

/// Table of routes.
pub const ROUTES: [Route<Handler<App>>; 1] = [route::<ListEvents>("/api/v2/events", "list_events")];

/// Gateway routes of unknown paths and methods, so that the function answers them and not the gateway.
pub const CATCH_ALL: [&str; 2] = ["ANY /api/v2/events", "ANY /api/v2/events/{proxy+}"];

/// Serves one request.
pub async fn handle(app: Arc<App>, request: Request) -> Result<Response<Body>, Infallible> {
    // On the heap, because the SDK's futures are large.
    Ok(Box::pin(serve(&app, &app.authenticator, &ROUTES, request)).await)
}
