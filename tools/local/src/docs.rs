//! The page with the description of the API, where calls can be tried: Swagger UI, out of this program, so that nothing is
//! fetched from elsewhere.

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
pub(crate) const DOCS: &str = "/docs";

const PAGE: &str = include_str!("../pages/docs.html");
/// Where the page has the keys: as JSON, which nothing in a key needs to be escaped for.
const KEYS: &str = "{{keys}}";

/// The routes of the page and of what it is made of. It offers these keys: they are printed on the terminal as well.
pub(crate) fn router(keys: &DemoKeys) -> Router {
    let page = PAGE.replace(KEYS, &serde_json::json!(keys).to_string());
    Router::new().route(DOCS, get(|| async { Html(page) })).route(&format!("{DOCS}/{{file}}"), get(file))
}

/// A file of Swagger UI.
async fn file(Path(name): Path<String>) -> Response {
    // The page configures itself; what the library would fill in is not asked for.
    match utoipa_swagger_ui::serve(&name, Arc::new(Config::from(""))) {
        Ok(Some(file)) => ([(CONTENT_TYPE, file.content_type)], file.bytes.into_owned()).into_response(),
        Ok(None) | Err(_) => StatusCode::NOT_FOUND.into_response(),
    }
}
