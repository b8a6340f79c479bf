//! Calls, round trips and capacity units of each operation: the table of the data model, and the exact cost of every variant.
//!
//! Units of a write: twice the kilobytes of each item of the table, once those of each entry of an index that changes (twice
//! where its key does: out and in again).

mod categories;
mod reads;
mod routes;
mod writes;

use presence_tests::Cost;
use presence_tests::{Fixtures, Reply, TestStack};

/// Starts a stack whose first administrator, provider and manager have warm keys: keys that were used in this hour.
async fn warm() -> (TestStack, Fixtures) {
    let (stack, fixtures) = Fixtures::counting_waves().await;
    for person in [&fixtures.provider, &fixtures.admin_1, &fixtures.manager_1] {
        assert_eq!(stack.get("/user/me", &person.key).await.status, 200);
    }
    (stack, fixtures)
}

/// Cost of a request that only reads.
fn reading(calls: u64, waves: u64, read_units: f64) -> Cost {
    Cost { calls, waves, read_units, write_units: 0.0 }
}

/// Asserts the status and the cost of an answer.
#[track_caller]
fn assert_costs(what: &str, reply: &Reply, status: u16, cost: Cost) {
    assert_eq!((reply.status, reply.cost()), (status, cost), "{what}: {}", reply.text);
}
