//! The categories function: one file for each operation.

mod get;
mod search;
mod wire;

use std::convert::Infallible;
use std::sync::Arc;

use lambda_http::http::Response;
use lambda_http::{Body, Request};
use presence::app::App;
use presence::error::Error;
use presence::http::{self, Answer, Input, Route, serve_anyone};

/// What the function can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// Search categories.
    Search,
    /// Get one category.
    Get,
}

const fn route(path: &'static str, name: &'static str, operation: Operation) -> Route<Operation> {
    Route { method: "GET", path, name, operation, body: http::Body::Ignored }
}

/// Every route of the function.
pub const ROUTES: [Route<Operation>; 2] = [
    route("/api/v2/category/search", "search_categories", Operation::Search),
    route("/api/v2/category/{categoryId}", "get_category", Operation::Get),
];

/// Gateway routes that lead here too, so that unknown paths and methods get an answer of ours.
pub const CATCH_ALL: [&str; 2] = ["ANY /api/v2/category", "ANY /api/v2/category/{proxy+}"];

/// Serves one request. The version of the directory is read beside the key: one wave for a warm function.
pub async fn handle(app: Arc<App>, request: Request) -> Result<Response<Body>, Infallible> {
    // On the heap: the SDK's futures are large.
    Ok(Box::pin(serve_anyone(app, &ROUTES, request, act)).await)
}

async fn act(app: Arc<App>, operation: Operation, input: Arc<Input>) -> Result<Answer, Error> {
    let head = app.store.category_head().await?;
    let directory = app.store.category_directory(head).await?;
    match operation {
        Operation::Search => search::run(&directory, &input),
        Operation::Get => get::run(&directory, &input),
    }
}
