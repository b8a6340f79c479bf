//! Categories function: one file for each operation.

mod app;
mod get;
pub mod json;
#[cfg(feature = "openapi")]
pub mod openapi;
mod openapi_3_0;
mod search;
mod wire;

use std::convert::Infallible;
use std::sync::Arc;

use lambda_http::http::Response;
use lambda_http::{Body, Request};
use presence_api::{Answer, Document, Handler, Input, Route, serve};
use presence_domain::category::CategoryDirectory;
use presence_domain::error::Error;

pub use app::App;

/// Function that answers from a directory that has been read.
type Answering = fn(&CategoryDirectory, &Input) -> Result<Answer, Error>;

/// Routes of the function. The head of the directory is read while the key is verified, so that a warm function needs one round trip.
pub const ROUTES: [Route<Handler<App>>; 2] = [
    Route::for_any_principal("/api/v2/category/search", "search_categories", |app, input| {
        Box::pin(run(app, input, search::answer))
    }),
    Route::for_any_principal("/api/v2/category/{categoryId}", "get_category", |app, input| {
        Box::pin(run(app, input, get::answer))
    }),
];

/// Gateway routes for unknown paths and methods, so that the service answers them and not the gateway. This function also has the paths
/// of no function, because it has the fewest rights.
pub const CATCH_ALL: [&str; 4] =
    ["ANY /api/v2/category", "ANY /api/v2/category/{proxy+}", "ANY /api/v2", "ANY /api/v2/{proxy+}"];

/// Gateway routes of documents, which need no key.
pub const DOCUMENTS: [&str; 1] = ["GET /api/v2/openapi.json"];

/// Description of the API of all functions, in OpenAPI 3.1.
pub const OPENAPI: &str = include_str!("../../../shared/docs/openapi.json");

/// Returns the same description in OpenAPI 3.0, for tools that do not read 3.1. The conversion takes some milliseconds: few clients
/// ask for it, and a warm function has the answer.
pub fn openapi_3_0() -> String {
    openapi_3_0::convert(OPENAPI)
}

/// Path of each document. A document without a gateway route of its own comes through [`CATCH_ALL`].
static DOCUMENTS_BY_PATH: [(&str, Document); 2] = [
    ("/api/v2/openapi.json", Document::new("get_openapi", || OPENAPI.into())),
    ("/api/v2/openapi-3.0.json", Document::new("get_openapi_3_0", || openapi_3_0().into())),
];

/// Serves one request.
pub async fn handle(app: Arc<App>, request: Request) -> Result<Response<Body>, Infallible> {
    let document = DOCUMENTS_BY_PATH.iter().find(|(path, _)| presence_api::is_for(path, &request));
    if let Some((_, document)) = document {
        return Ok(document.serve(&request));
    }
    // The SDK's futures are large: on the heap, moving them costs nothing.
    Ok(Box::pin(serve(&app, &app.authenticator, &ROUTES, request)).await)
}

async fn run(app: Arc<App>, input: Arc<Input>, answer: Answering) -> Result<Answer, Error> {
    let head = app.categories.get_head().await?;
    // A cold function answers without reading the directory, and a warm one without writing its JSON.
    if let Some(answer) = input.not_modified(&input.entity_tag(head.version())) {
        return Ok(answer);
    }
    let directory = app.categories.get_directory(head).await?;
    Ok(answer(&directory, &input)?.tagged(&input.entity_tag(directory.version()), &input))
}
