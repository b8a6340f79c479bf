//! Page of the webhooks: makes, changes and tries them, and shows their deliveries. All of it comes from the API.

use axum::Router;
use serde_json::json;

use crate::local_only::same_origin_only;
use crate::page::Page;
use crate::sample::DemoKeys;

/// Path of the page.
pub(crate) const WEBHOOKS_PATH: &str = "/webhooks";

const BODY: &str = include_str!("../../pages/webhooks/page.html");
const FILES: [(&str, &str); 3] = [
    ("webhooks/webhooks.css", include_str!("../../pages/webhooks/webhooks.css")),
    ("webhooks/deliveries.js", include_str!("../../pages/webhooks/deliveries.js")),
    ("webhooks/webhooks.js", include_str!("../../pages/webhooks/webhooks.js")),
];

/// Builds the routes of the page and of its files. The page calls the API with these keys; no character of a key needs escaping in HTML.
pub(super) fn router(keys: &DemoKeys) -> Router {
    let body = format!("{BODY}<script type=\"application/json\" id=\"keys\">{}</script>\n", json!(keys));
    let page = Page { path: WEBHOOKS_PATH, title: "Webhooks", body: &body, files: &FILES };
    same_origin_only(page.router())
}
