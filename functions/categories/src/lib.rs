//! The categories function: one file for each operation.

mod app;
mod get;
#[cfg(feature = "openapi")]
pub mod openapi;
mod search;
mod wire;

use std::convert::Infallible;
use std::sync::Arc;

use lambda_http::http::Response;
use lambda_http::{Body, Request};
use presence_api::{Answer, Input, Route, serve_document, serve_for_any_principal};
use presence_domain::error::Error;

pub use app::App;

/// What the function can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// Search categories.
    Search,
    /// Get one category.
    Get,
}

const fn route(path: &'static str, name: &'static str, operation: Operation) -> Route<Operation> {
    Route { method: "GET", path, name, operation, body: presence_api::Body::Ignored }
}

/// Every route of the function.
pub const ROUTES: [Route<Operation>; 2] = [
    route("/api/v2/category/search", "search_categories", Operation::Search),
    route("/api/v2/category/{categoryId}", "get_category", Operation::Get),
];

/// Gateway routes that lead here too, so that unknown paths and methods get an answer of ours: also those that no function
/// has, since this is the function with the fewest rights.
pub const CATCH_ALL: [&str; 4] =
    ["ANY /api/v2/category", "ANY /api/v2/category/{proxy+}", "ANY /api/v2", "ANY /api/v2/{proxy+}"];

/// Gateway routes of documents, which take no key.
pub const DOCUMENTS: [&str; 1] = ["GET /api/v2/openapi.json"];

/// The description of the API, in OpenAPI 3.1: of all functions, served by this one.
pub const OPENAPI: &str = include_str!("../../../shared/docs/openapi.json");

const OPENAPI_PATH: &str = "/api/v2/openapi.json";

/// Serves one request. The version of the directory is read beside the key: one wave for a warm function.
pub async fn handle(app: Arc<App>, request: Request) -> Result<Response<Body>, Infallible> {
    if presence_api::is_for(OPENAPI_PATH, &request) {
        return Ok(serve_document(&request, "get_openapi", OPENAPI));
    }
    // On the heap: the SDK's futures are large.
    Ok(Box::pin(serve_for_any_principal(&app.authenticator, &ROUTES, request, |operation, input| {
        dispatch(Arc::clone(&app), operation, input)
    }))
    .await)
}

async fn dispatch(app: Arc<App>, operation: Operation, input: Arc<Input>) -> Result<Answer, Error> {
    let head = app.categories.get_head().await?;
    let directory = app.categories.get_directory(head).await?;
    match operation {
        Operation::Search => search::run(&directory, &input),
        Operation::Get => get::run(&directory, &input),
    }
}
