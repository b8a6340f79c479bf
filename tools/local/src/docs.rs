//! API documentation page: Swagger UI with the OpenAPI description.
//!
//! Swagger UI is compiled into this program, so the page loads nothing from the internet.

use std::sync::Arc;

use axum::Router;
use axum::extract::Path;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{Html, IntoResponse as _, Response};
use axum::routing::get;
use utoipa_swagger_ui::Config;

use crate::sample::DemoKeys;

/// Path of the page.
pub(crate) const DOCS_PATH: &str = "/docs";

const PAGE: &str = include_str!("../pages/docs.html");
/// Placeholder of the keys in the page. They are inserted as JSON; no character of a key needs escaping in HTML.
const KEYS_PLACEHOLDER: &str = "{{keys}}";

/// Builds the routes of the page and of its files. The page offers these keys for trying calls.
pub(crate) fn router(keys: &DemoKeys) -> Router {
    let page = PAGE.replace(KEYS_PLACEHOLDER, &serde_json::json!(keys).to_string());
    Router::new()
        .route(DOCS_PATH, get(|| async { Html(page) }))
        .route(&format!("{DOCS_PATH}/{{file}}"), get(swagger_file))
}

/// Serves a file of Swagger UI.
async fn swagger_file(Path(name): Path<String>) -> Response {
    // The page has its own configuration, so that of the library is empty.
    match utoipa_swagger_ui::serve(&name, Arc::new(Config::from(""))) {
        Ok(Some(file)) => ([(CONTENT_TYPE, file.content_type)], file.bytes.into_owned()).into_response(),
        Ok(None) | Err(_) => StatusCode::NOT_FOUND.into_response(),
    }
}
