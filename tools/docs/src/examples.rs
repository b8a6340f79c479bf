//! Examples of requests with their responses, on the sample data of the local stack. The tests send each of them.

use serde::Deserialize;
use serde_json::Value;

const FILES: [&str; 7] = [
    include_str!("../examples/users.json"),
    include_str!("../examples/keys.json"),
    include_str!("../examples/categories.json"),
    include_str!("../examples/reviews.json"),
    include_str!("../examples/businesses.json"),
    include_str!("../examples/feed.json"),
    include_str!("../examples/webhooks.json"),
];

/// Example of a request with its response. The tests send a file's examples in order, so later ones see earlier changes.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Example {
    /// Name of the route.
    pub operation: String,
    /// Name of the example: one word, unique in its operation.
    pub name: String,
    /// Summary of the case that the example shows.
    pub summary: String,
    /// Role of the caller: the demo user of this role.
    pub role: String,
    /// Method and target, relative to `/api/v2`.
    pub request: String,
    /// Body of the request.
    pub body: Option<Value>,
    /// Status of the response.
    pub status: u16,
    /// Body of the response.
    pub answer: Value,
}

/// Returns all examples.
///
/// # Panics
/// Panics if a file is not a list of examples.
pub(crate) fn examples() -> Vec<Example> {
    FILES.iter().flat_map(|file| serde_json::from_str::<Vec<Example>>(file).expect("a list of examples")).collect()
}
