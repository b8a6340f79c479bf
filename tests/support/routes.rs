//! Routes of all functions in one list, so that a test can demand a case for each of them.

use presence_api::Route;

/// Route of any function.
pub type AnyRoute = Route<()>;

/// Returns the routes of all functions.
pub fn routes() -> Vec<AnyRoute> {
    let users = presence_users::ROUTES.iter().map(without_operation);
    users
        .chain(presence_categories::ROUTES.iter().map(without_operation))
        .chain(presence_reviews::ROUTES.iter().map(without_operation))
        .chain(presence_feed::ROUTES.iter().map(without_operation))
        .collect()
}

/// Returns the route of this name.
///
/// # Panics
/// Panics if there is none.
pub fn route(name: &str) -> AnyRoute {
    routes().into_iter().find(|route| route.name == name).expect("a route of this name")
}

/// Id of the review `a` of the fixtures of reviews. A review has it if these are stored.
pub const SEEDED_REVIEW: &str = "s9jkmzxh00kz";

/// Id of the webhook that [`TestStack::seed_webhook`](crate::TestStack::seed_webhook) stores.
pub const SEEDED_WEBHOOK: &str = "1-900000000000";

/// Returns the path below `/api/v2`, with the id of the user, of the category or of the seeded review in its place.
pub fn path_of(route: &AnyRoute, user: &str, category: &str) -> String {
    let path = route.path.trim_start_matches("/api/v2").replace("{user_id}", user);
    let path = path.replace("{key_id}", &no_key_of(user));
    path.replace("{categoryId}", category).replace("{review_id}", SEEDED_REVIEW).replace("{webhook_id}", SEEDED_WEBHOOK)
}

/// Returns the id of a key that the user does not have. It stands in the paths of [`path_of`].
pub fn no_key_of(user: &str) -> String {
    format!("{user}-000000000000")
}

/// Returns the route without its operation, whose type differs by function.
fn without_operation<Operation>(route: &Route<Operation>) -> AnyRoute {
    let Route { method, path, name, body, deprecations, .. } = *route;
    Route { method, path, name, operation: (), body, deprecations }
}
