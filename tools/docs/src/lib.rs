//! The description of the API, in OpenAPI 3.1. The shapes of answers are those of the types that the functions send; bounds
//! and choices are the domain's constants; paths and methods are the functions' routes. The examples are requests with
//! their answers, which the tests send.

mod answers;
mod assembly;
mod bodies;
mod errors;
mod examples;
mod operations;
mod parameters;
mod values;

use presence_api::Route;

pub use examples::Example;
pub use operations::{Operation, operations};
pub use parameters::Parameter;

/// The whole description.
pub use assembly::document;

/// The description as it is committed.
///
/// # Panics
/// When a route is not described, or what is described is no route.
pub fn text() -> String {
    let mut text = document().to_pretty_json().expect("the description has text keys and finite numbers");
    text.push('\n');
    text
}

/// Method, path and name of every route of every function, those of a function in its own order.
pub fn routes() -> Vec<(&'static str, &'static str, &'static str)> {
    fn all<Operation>(routes: &[Route<Operation>]) -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
        routes.iter().map(|route| (route.method, route.path, route.name))
    }
    all(&presence_users::ROUTES)
        .chain(all(&presence_categories::ROUTES))
        .chain(all(&presence_reviews::ROUTES))
        .collect()
}
