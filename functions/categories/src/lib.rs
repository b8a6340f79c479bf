//! Categories function: one file for each operation.

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
use presence_api::{Answer, Document, Input, Route, serve_for_any_principal};
use presence_domain::error::Error;

pub use app::App;

/// Operation of the function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// Search categories.
    Search,
    /// Get one category.
    Get,
}

const fn route(path: &'static str, name: &'static str, operation: Operation) -> Route<Operation> {
    Route { method: "GET", path, name, operation, body: presence_api::Body::Ignored, deprecations: &[] }
}

/// Routes of the function.
pub const ROUTES: [Route<Operation>; 2] = [
    route("/api/v2/category/search", "search_categories", Operation::Search),
    route("/api/v2/category/{categoryId}", "get_category", Operation::Get),
];

/// Gateway routes for unknown paths and methods, so that the service answers them and not the gateway. This function also has the paths
/// of no function, because it has the fewest rights.
pub const CATCH_ALL: [&str; 4] =
    ["ANY /api/v2/category", "ANY /api/v2/category/{proxy+}", "ANY /api/v2", "ANY /api/v2/{proxy+}"];

/// Gateway routes of documents, which need no key.
pub const DOCUMENTS: [&str; 1] = ["GET /api/v2/openapi.json"];

/// Description of the API of all functions, in OpenAPI 3.1.
pub const OPENAPI: &str = include_str!("../../../shared/docs/openapi.json");

/// The same description in OpenAPI 3.0, for tools that do not read 3.1.
pub const OPENAPI_3_0: &str = include_str!("../../../shared/docs/openapi-3.0.json");

/// Path of each document. A document without a gateway route of its own comes through [`CATCH_ALL`].
static DOCUMENTS_BY_PATH: [(&str, Document); 2] = [
    ("/api/v2/openapi.json", Document::new("get_openapi", OPENAPI)),
    ("/api/v2/openapi-3.0.json", Document::new("get_openapi_3_0", OPENAPI_3_0)),
];

/// Serves one request. The head of the directory is read while the key is verified, so that a warm function needs one wave.
pub async fn handle(app: Arc<App>, request: Request) -> Result<Response<Body>, Infallible> {
    let document = DOCUMENTS_BY_PATH.iter().find(|(path, _)| presence_api::is_for(path, &request));
    if let Some((_, document)) = document {
        return Ok(document.serve(&request));
    }
    // The SDK's futures are large: on the heap, moving them costs nothing.
    Ok(Box::pin(serve_for_any_principal(&app.authenticator, &ROUTES, request, |operation, input| {
        dispatch(Arc::clone(&app), operation, input)
    }))
    .await)
}

async fn dispatch(app: Arc<App>, operation: Operation, input: Arc<Input>) -> Result<Answer, Error> {
    let head = app.categories.get_head().await?;
    // A cold function answers without reading the directory, and a warm one without writing its JSON.
    if let Some(answer) = input.not_modified(&input.entity_tag(head.version())) {
        return Ok(answer);
    }
    let directory = app.categories.get_directory(head).await?;
    let answer = match operation {
        Operation::Search => search::run(&directory, &input),
        Operation::Get => get::run(&directory, &input),
    }?;
    Ok(answer.tagged(&input.entity_tag(directory.version()), &input))
}
