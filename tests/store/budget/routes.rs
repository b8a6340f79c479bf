//! The table of the data model: a row for every route.

use std::ops::RangeInclusive;

use presence_tests::{Cast, Reply, World, address, logs};
use presence_users::{Operation, ROUTES};
use serde_json::json;

use super::warm;

/// What one operation may cost with a warm key and a warm directory.
struct Budget {
    operation: Operation,
    /// One after the other, the key's included.
    waves: u64,
    calls: RangeInclusive<u64>,
    /// Those of the bodies on a page come on top.
    read_units: Option<f64>,
}

#[rustfmt::skip]
const BUDGETS: [Budget; 8] = [
    Budget { operation: Operation::Me, waves: 2, calls: 2..=2, read_units: Some(2.0) },
    Budget { operation: Operation::Get, waves: 2, calls: 2..=2, read_units: Some(2.0) },
    Budget { operation: Operation::Search, waves: 2, calls: 2..=2, read_units: Some(2.0) },
    Budget { operation: Operation::Stats, waves: 2, calls: 2..=2, read_units: Some(2.0) },
    Budget { operation: Operation::Create, waves: 3, calls: 3..=5, read_units: None },
    Budget { operation: Operation::Update, waves: 3, calls: 3..=5, read_units: None },
    Budget { operation: Operation::Delete, waves: 3, calls: 3..=5, read_units: None },
    Budget { operation: Operation::Invite, waves: 3, calls: 3..=5, read_units: None },
];

#[tokio::test(flavor = "multi_thread")]
async fn every_route_has_a_budget_and_keeps_it() {
    let (world, cast) = warm().await;
    assert_eq!(world.get("/user/search", &cast.admin_1.key).await.status, 200);
    for route in ROUTES {
        let budget = BUDGETS.iter().find(|budget| budget.operation == route.operation);
        let budget = budget.unwrap_or_else(|| panic!("{} has no row in the budget", route.name));
        let reply = ask(&world, &cast, route.operation).await;
        let (line, spent) = (logs::of_request(reply.header("x-request-id")), reply.cost());
        assert_eq!((reply.status, &line["operation"]), (200, &json!(route.name)), "{}", reply.text);
        assert_eq!(spent.waves, budget.waves, "waves of {}", route.name);
        assert!(budget.calls.contains(&spent.calls), "{} calls of {}", spent.calls, route.name);
        assert!(
            budget.read_units.is_none() || budget.read_units == Some(spent.read_units),
            "{spent:?} of {}",
            route.name
        );
        assert_eq!(spent.write_units > 0.0, budget.read_units.is_none(), "only a change writes: {}", route.name);
    }
}

async fn ask(world: &World, cast: &Cast, operation: Operation) -> Reply {
    let key = &cast.admin_1.key;
    match operation {
        Operation::Me => world.get("/user/me", key).await,
        Operation::Get => world.get(&format!("/user/{}", cast.manager_1.id), key).await,
        Operation::Search => world.get("/user/search?display_business_ids=False", key).await,
        Operation::Stats => world.get("/user/stats", key).await,
        Operation::Create => {
            let names =
                json!({"email": address("new"), "first_name": "Ada", "last_name": "L", "business_ids": ["b1-1"]});
            world.post("/user", key, &names).await
        }
        Operation::Update => {
            let change = json!({"last_name": "King", "business_ids": ["b1-2"]});
            world.post(&format!("/user/{}", cast.manager_1.id), key, &change).await
        }
        Operation::Delete => world.delete(&format!("/user/{}", cast.other_manager_1.id), key).await,
        Operation::Invite => world.invite(&cast.invited_1.id, key).await,
    }
}
