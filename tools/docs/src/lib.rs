//! OpenAPI 3.1 description of the API.
//!
//! Response shapes come from the types that the functions serialize, bounds and choices from the domain's constants, paths and
//! methods from the functions' routes. Tests send the examples and compare the responses.

mod assembly;
mod errors;
mod examples;
mod operations;
mod parameters;
mod request_bodies;
mod response_schemas;
mod values;

use presence_api::Route;

pub use assembly::document;
pub use examples::Example;
pub use operations::{Operation, operations};
pub use parameters::Parameter;

/// Route of an operation.
struct RouteInfo {
    method: &'static str,
    path: &'static str,
    name: &'static str,
}

/// Returns the description as the text of `shared/docs/openapi.json`.
///
/// # Panics
/// Panics if a route has no description, or a description has no route.
pub fn openapi_json() -> String {
    let mut text = document().to_pretty_json().expect("the document has text keys and finite numbers");
    text.push('\n');
    text
}

/// Returns the routes of all functions.
fn routes() -> Vec<RouteInfo> {
    let users = presence_users::ROUTES.iter().map(route_info);
    let categories = presence_categories::ROUTES.iter().map(route_info);
    let reviews = presence_reviews::ROUTES.iter().map(route_info);
    users.chain(categories).chain(reviews).collect()
}

fn route_info<Operation>(route: &Route<Operation>) -> RouteInfo {
    RouteInfo { method: route.method, path: route.path, name: route.name }
}
