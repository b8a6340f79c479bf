//! OpenAPI description of the API, in version 3.1.
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

use presence_api::{Deprecation, Route};
use presence_categories::json::Json;

pub use examples::Example;
pub use operations::{Operation, operations};
pub use parameters::Parameter;

/// Route of an operation.
struct RouteInfo {
    method: &'static str,
    path: &'static str,
    name: &'static str,
    deprecations: &'static [Deprecation],
}

/// Returns the description as the text of `shared/docs/openapi.json`, with the keywords that the crate which assembles it does not
/// know.
///
/// # Panics
/// Panics if a route has no description, or a description has no route.
pub fn openapi_json() -> String {
    let text = assembly::document().to_json().expect("the document has text keys and finite numbers");
    let mut document = Json::parse(&text);
    let Json::Object(rule) = Json::parse(errors::REQUEST_ERROR_RULE) else { unreachable!("the rule is an object") };
    document.members_mut(errors::REQUEST_ERROR).expect("a 400 has the member").extend(rule);
    document.to_pretty_text()
}

/// Returns the routes of all functions.
fn routes() -> Vec<RouteInfo> {
    let users = presence_users::ROUTES.iter().map(route_info);
    let categories = presence_categories::ROUTES.iter().map(route_info);
    let reviews = presence_reviews::ROUTES.iter().map(route_info);
    let feed = presence_feed::ROUTES.iter().map(route_info);
    users.chain(categories).chain(reviews).chain(feed).collect()
}

fn route_info<Operation>(route: &Route<Operation>) -> RouteInfo {
    RouteInfo { method: route.method, path: route.path, name: route.name, deprecations: route.deprecations }
}
