//! Requests with their answers, on the sample data of the local stack. They are the examples of the description, and the tests
//! send each of them.

use serde::Deserialize;
use serde_json::Value;

const FILES: [&str; 3] = [
    include_str!("../examples/users.json"),
    include_str!("../examples/categories.json"),
    include_str!("../examples/reviews.json"),
];

/// A request and its answer. Those of a file are sent in their order: a change is seen by what follows.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Example {
    /// The name of its route.
    pub operation: String,
    /// What it is called: of one word, for machines.
    pub name: String,
    /// What it shows.
    pub summary: String,
    /// Whose key is sent: that of the sample's user of this role.
    pub role: String,
    /// Method and target, below `/api/v2`.
    pub request: String,
    /// The body that is sent.
    pub body: Option<Value>,
    /// The status that comes back.
    pub status: u16,
    /// The body that comes back.
    pub answer: Value,
}

/// All of them.
///
/// # Panics
/// When a file is not what this type says.
pub(crate) fn examples() -> Vec<Example> {
    FILES.iter().flat_map(|file| serde_json::from_str::<Vec<Example>>(file).expect("a list of examples")).collect()
}
