//! What each operation does, takes and answers.

mod categories;
mod reviews;
mod users;

use crate::examples::{Example, examples};
use crate::parameters::Parameter;

/// Statuses that every operation may answer, besides 200 and 400.
const COMMON: [u16; 4] = [401, 413, 500, 503];

/// An operation of the API, described.
#[derive(Clone)]
pub struct Operation {
    /// The name of its route.
    pub name: &'static str,
    /// Its parameters, in the path and in the query string.
    pub parameters: Vec<Parameter>,
    /// The examples of its requests, with their answers.
    pub examples: Vec<Example>,
    pub(crate) tag: &'static str,
    pub(crate) summary: &'static str,
    pub(crate) words: &'static str,
    /// Schema and words of the body that it takes.
    pub(crate) body: Option<(&'static str, &'static str)>,
    /// Schema and words of the answer of success.
    pub(crate) answer: (&'static str, &'static str),
    /// What may be refused with 400, in words.
    pub(crate) invalid: &'static str,
    /// What may be refused with 403, in words; nothing for operations that are allowed to everyone.
    pub(crate) forbidden: Option<&'static str>,
    /// Statuses besides those that every operation may answer.
    refusals: &'static [u16],
}

impl Operation {
    /// Every status that it may answer, in order.
    pub fn statuses(&self) -> Vec<u16> {
        let forbidden = self.forbidden.map(|_| 403);
        let mut statuses: Vec<u16> =
            [200, 400].into_iter().chain(forbidden).chain(COMMON).chain(self.refusals.iter().copied()).collect();
        statuses.sort_unstable();
        statuses
    }
}

/// Every operation, those of one function in the order in which they are read best.
///
/// # Panics
/// When an example is not one of an operation.
pub fn operations() -> Vec<Operation> {
    let mut operations: Vec<Operation> =
        users::operations().into_iter().chain(categories::operations()).chain(reviews::operations()).collect();
    for example in examples() {
        let operation = operations.iter_mut().find(|operation| operation.name == example.operation);
        operation.unwrap_or_else(|| panic!("no operation is called {}", example.operation)).examples.push(example);
    }
    operations
}
