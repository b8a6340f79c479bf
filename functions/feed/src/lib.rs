//! Feed function: the events of an organisation, and its webhooks.

mod app;
mod events;
#[cfg(feature = "openapi")]
pub mod openapi;
mod org;
mod webhooks;
mod wire;

use std::convert::Infallible;
use std::sync::Arc;

use lambda_http::http::Response;
use lambda_http::{Body, Request};
use presence_api::Body::{Ignored, Json};
use presence_api::{Answer, ChangeAnswer, Handler, Operation, Route, serve};

pub use app::App;

use events::ListEvents;
use webhooks::{
    CreateWebhook, DeleteWebhook, EnableWebhook, GetWebhook, ListDeliveries, ListWebhooks, ReplayWebhook,
    RotateWebhook, TestWebhook, UpdateWebhook,
};

const fn route<O>(path: &'static str, name: &'static str) -> Route<Handler<App>>
where
    O: Operation<App = App, Outcome = Answer>,
{
    Route { method: "GET", path, name, operation: Handler::read::<O>(), body: Ignored, deprecations: &[] }
}

const fn change<O>(
    method: &'static str,
    path: &'static str,
    name: &'static str,
    body: presence_api::Body,
) -> Route<Handler<App>>
where
    O: Operation<App = App, Outcome = ChangeAnswer>,
{
    Route { method, path, name, operation: Handler::change::<O>(), body, deprecations: &[] }
}

/// Table of routes.
pub const ROUTES: [Route<Handler<App>>; 11] = [
    route::<ListEvents>("/api/v2/events", "list_events"),
    route::<ListWebhooks>("/api/v2/webhooks", "list_webhooks"),
    change::<CreateWebhook>("POST", "/api/v2/webhooks", "create_webhook", Json),
    route::<GetWebhook>("/api/v2/webhooks/{webhook_id}", "get_webhook"),
    change::<UpdateWebhook>("POST", "/api/v2/webhooks/{webhook_id}", "update_webhook", Json),
    change::<DeleteWebhook>("DELETE", "/api/v2/webhooks/{webhook_id}", "delete_webhook", Ignored),
    change::<RotateWebhook>("POST", "/api/v2/webhooks/{webhook_id}/rotate", "rotate_webhook", Ignored),
    change::<TestWebhook>("POST", "/api/v2/webhooks/{webhook_id}/test", "test_webhook", Ignored),
    change::<EnableWebhook>("POST", "/api/v2/webhooks/{webhook_id}/enable", "enable_webhook", Ignored),
    change::<ReplayWebhook>("POST", "/api/v2/webhooks/{webhook_id}/replay", "replay_webhook", Json),
    route::<ListDeliveries>("/api/v2/webhooks/{webhook_id}/deliveries", "list_deliveries"),
];

/// Gateway routes of unknown paths and methods, so that the function answers them and not the gateway.
pub const CATCH_ALL: [&str; 4] =
    ["ANY /api/v2/events", "ANY /api/v2/events/{proxy+}", "ANY /api/v2/webhooks", "ANY /api/v2/webhooks/{proxy+}"];

/// Serves one request.
pub async fn handle(app: Arc<App>, request: Request) -> Result<Response<Body>, Infallible> {
    // On the heap, because the SDK's futures are large.
    Ok(Box::pin(serve(&app, &app.authenticator, &ROUTES, request)).await)
}
