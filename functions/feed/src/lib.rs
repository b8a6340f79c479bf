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
use presence_api::{Handler, Route, serve};

pub use app::App;

use events::ListEvents;
use webhooks::{
    CreateWebhook, DeleteWebhook, EnableWebhook, GetWebhook, ListDeliveries, ListWebhooks, ReplayWebhook,
    RotateWebhook, TestWebhook, UpdateWebhook,
};

/// Table of routes.
pub const ROUTES: [Route<Handler<App>>; 11] = [
    Route::read::<ListEvents>("/api/v2/events", "list_events"),
    Route::read::<ListWebhooks>("/api/v2/webhooks", "list_webhooks"),
    Route::change::<CreateWebhook>("POST", "/api/v2/webhooks", "create_webhook", Json),
    Route::read::<GetWebhook>("/api/v2/webhooks/{webhook_id}", "get_webhook"),
    Route::change::<UpdateWebhook>("POST", "/api/v2/webhooks/{webhook_id}", "update_webhook", Json),
    Route::change::<DeleteWebhook>("DELETE", "/api/v2/webhooks/{webhook_id}", "delete_webhook", Ignored),
    Route::change::<RotateWebhook>("POST", "/api/v2/webhooks/{webhook_id}/rotate", "rotate_webhook", Ignored),
    Route::change::<TestWebhook>("POST", "/api/v2/webhooks/{webhook_id}/test", "test_webhook", Ignored),
    Route::change::<EnableWebhook>("POST", "/api/v2/webhooks/{webhook_id}/enable", "enable_webhook", Ignored),
    Route::change::<ReplayWebhook>("POST", "/api/v2/webhooks/{webhook_id}/replay", "replay_webhook", Json),
    Route::read::<ListDeliveries>("/api/v2/webhooks/{webhook_id}/deliveries", "list_deliveries"),
];

/// Gateway routes of unknown paths and methods, so that the function answers them and not the gateway.
pub const CATCH_ALL: [&str; 4] =
    ["ANY /api/v2/events", "ANY /api/v2/events/{proxy+}", "ANY /api/v2/webhooks", "ANY /api/v2/webhooks/{proxy+}"];

/// Serves one request.
pub async fn handle(app: Arc<App>, request: Request) -> Result<Response<Body>, Infallible> {
    // On the heap, because the SDK's futures are large.
    Ok(Box::pin(serve(&app, &app.authenticator, &ROUTES, request)).await)
}
