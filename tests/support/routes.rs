//! The routes of all functions as one list, so that a test can ask for a row about each of them.

use presence_api::Route;

/// A route of whichever function.
pub type AnyRoute = Route<()>;

/// Every route of every function.
pub fn routes() -> Vec<AnyRoute> {
    let users = presence_users::ROUTES.iter().map(any);
    users.chain(presence_categories::ROUTES.iter().map(any)).chain(presence_reviews::ROUTES.iter().map(any)).collect()
}

/// The route with the name.
///
/// # Panics
/// When there is none.
pub fn route(name: &str) -> AnyRoute {
    routes().into_iter().find(|route| route.name == name).expect("a route of this name")
}

/// The route's path below `/api/v2`, of this user or this category where it names one.
pub fn path_of(route: &AnyRoute, user: &str, category: &str) -> String {
    route.path.trim_start_matches("/api/v2").replace("{user_id}", user).replace("{categoryId}", category)
}

fn any<Operation>(route: &Route<Operation>) -> AnyRoute {
    let Route { method, path, name, body, .. } = *route;
    Route { method, path, name, operation: (), body }
}
