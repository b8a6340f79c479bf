//! Operations of the API: their descriptions, parameters, bodies and responses.

mod businesses;
mod categories;
mod feed;
mod keys;
mod reviews;
mod users;
mod webhooks;

use crate::examples::{Example, examples};
use crate::parameters::Parameter;

/// Statuses of every operation, besides 200 and 400.
const COMMON_STATUSES: [u16; 6] = [401, 413, 429, 431, 500, 503];

/// Description of an operation.
#[derive(Clone)]
pub struct Operation {
    /// Name of the route.
    pub name: &'static str,
    /// Parameters of the path and of the query string.
    pub parameters: Vec<Parameter>,
    /// Examples of requests with their responses.
    pub examples: Vec<Example>,
    pub(crate) tag: &'static str,
    pub(crate) summary: &'static str,
    pub(crate) description: &'static str,
    /// Body of the request.
    pub(crate) body: Option<BodyDescription>,
    /// Body of the response with status 200.
    pub(crate) success: BodyDescription,
    /// Causes of status 400.
    pub(crate) invalid: &'static str,
    /// Causes of status 403. `None` for operations that every caller may use.
    pub(crate) forbidden: Option<&'static str>,
    /// Statuses of this operation besides the common ones.
    pub(crate) extra_statuses: &'static [u16],
}

/// Schema of a body by its name, and its description.
#[derive(Clone, Copy)]
pub(crate) struct BodyDescription {
    pub(crate) schema: &'static str,
    pub(crate) description: &'static str,
}

const fn body(schema: &'static str, description: &'static str) -> BodyDescription {
    BodyDescription { schema, description }
}

/// Returns an operation that changes nothing and that every caller may use, without its name and its texts.
const fn operation(tag: &'static str) -> Operation {
    Operation {
        name: "",
        parameters: Vec::new(),
        examples: Vec::new(),
        tag,
        summary: "",
        description: "",
        body: None,
        success: body("", ""),
        invalid: "A parameter is unknown, or its value is not allowed.",
        forbidden: None,
        extra_statuses: &[],
    }
}

impl Operation {
    /// True if the operation changes something, so that it takes an `Idempotency-Key`.
    pub fn takes_idempotency_key(&self) -> bool {
        self.extra_statuses.contains(&422)
    }

    /// True if answers have a tag, by which clients ask if they are still current.
    pub(crate) fn has_tag(&self) -> bool {
        self.extra_statuses.contains(&304)
    }

    /// Returns all statuses of the operation, in ascending order.
    pub fn statuses(&self) -> Vec<u16> {
        let forbidden = self.forbidden.map(|_| 403);
        let mut statuses: Vec<u16> = [200, 400]
            .into_iter()
            .chain(forbidden)
            .chain(COMMON_STATUSES)
            .chain(self.extra_statuses.iter().copied())
            .collect();
        statuses.sort_unstable();
        // An invitation is 429 for two reasons.
        statuses.dedup();
        statuses
    }
}

/// Returns all operations, with their examples, in the order of the documentation.
///
/// # Panics
/// Panics if an example names no operation.
pub fn operations() -> Vec<Operation> {
    let mut operations: Vec<Operation> = users::operations()
        .into_iter()
        .chain(keys::operations())
        .chain(categories::operations())
        .chain(businesses::operations())
        .chain(reviews::operations())
        .chain(feed::operations())
        .chain(webhooks::operations())
        .collect();
    for example in examples() {
        let operation = operations.iter_mut().find(|operation| operation.name == example.operation);
        let operation = operation.unwrap_or_else(|| panic!("no operation has the name {}", example.operation));
        operation.examples.push(example);
    }
    operations
}
