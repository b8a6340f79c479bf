//! Table of the data model: a budget for every route of every function.

use std::ops::RangeInclusive;

use presence_tests::{Fixtures, Reply, SEEDED_REVIEW, TestStack, address, logs, routes};
use serde_json::json;

use super::warm;
use crate::api::categories::{DIRECTORY, load, parse};
use crate::api::reviews::fixtures::seed;

/// Cost that an operation may have with a cached principal and a directory in memory.
struct Budget {
    route: &'static str,
    /// Round trips, with that of the key.
    waves: RangeInclusive<u64>,
    calls: RangeInclusive<u64>,
    /// Read units; none for an operation that writes.
    read_units: Option<RangeInclusive<f64>>,
}

#[rustfmt::skip]
const BUDGETS: [Budget; 34] = [
    Budget { route: "get_me", waves: 1..=1, calls: 2..=2, read_units: Some(2.0..=2.0) },
    Budget { route: "get_user", waves: 1..=1, calls: 2..=2, read_units: Some(2.0..=2.0) },
    Budget { route: "search_users", waves: 1..=1, calls: 2..=2, read_units: Some(2.0..=2.0) },
    Budget { route: "get_user_stats", waves: 1..=1, calls: 2..=2, read_units: Some(2.0..=2.0) },
    Budget { route: "create_user", waves: 3..=3, calls: 3..=5, read_units: None },
    Budget { route: "update_user", waves: 3..=3, calls: 3..=5, read_units: None },
    Budget { route: "delete_user", waves: 3..=3, calls: 3..=5, read_units: None },
    Budget { route: "invite_user", waves: 3..=3, calls: 3..=5, read_units: None },
    // The keys are read after their owner. Up to three keys cost at most 5 units, and each further one a unit more. ministack counts none.
    Budget { route: "list_keys", waves: 2..=2, calls: 3..=3, read_units: Some(2.0..=5.0) },
    Budget { route: "create_key", waves: 4..=4, calls: 4..=4, read_units: None },
    Budget { route: "rotate_key", waves: 4..=4, calls: 4..=4, read_units: None },
    Budget { route: "revoke_key", waves: 4..=4, calls: 4..=4, read_units: None },
    Budget { route: "search_categories", waves: 1..=1, calls: 2..=2, read_units: Some(2.0..=2.0) },
    Budget { route: "get_category", waves: 1..=1, calls: 2..=2, read_units: Some(2.0..=2.0) },
    // The key, and what any search by organisation or city is bounded by.
    Budget { route: "search_reviews", waves: 1..=4, calls: 2..=1 + 15, read_units: Some(2.0..=1.0 + 30.0) },
    Budget { route: "search_businesses", waves: 1..=1, calls: 2..=2, read_units: Some(2.0..=2.0) },
    Budget { route: "get_review", waves: 1..=1, calls: 2..=2, read_units: Some(2.0..=2.0) },
    // The reply goes on from one row to the next. A process that has not written there reads the lane and the place, too.
    Budget { route: "set_review_state", waves: 3..=5, calls: 3..=6, read_units: None },
    Budget { route: "get_reply", waves: 1..=1, calls: 2..=2, read_units: Some(2.0..=2.0) },
    Budget { route: "put_reply", waves: 3..=3, calls: 3..=4, read_units: None },
    Budget { route: "delete_reply", waves: 3..=3, calls: 3..=4, read_units: None },
    Budget { route: "report_reply_outcome", waves: 3..=3, calls: 3..=4, read_units: None },
    // The key, the head, and half a unit or more for the events.
    Budget { route: "list_events", waves: 1..=1, calls: 3..=3, read_units: Some(2.0..=6.0) },
    Budget { route: "list_webhooks", waves: 1..=1, calls: 2..=2, read_units: Some(2.0..=2.0) },
    Budget { route: "get_webhook", waves: 1..=1, calls: 2..=2, read_units: Some(2.0..=2.0) },
    Budget { route: "list_deliveries", waves: 2..=2, calls: 3..=3, read_units: Some(2.5..=2.5) },
    Budget { route: "create_webhook", waves: 4..=4, calls: 4..=4, read_units: None },
    Budget { route: "update_webhook", waves: 3..=3, calls: 3..=3, read_units: None },
    Budget { route: "rotate_webhook", waves: 3..=3, calls: 3..=3, read_units: None },
    Budget { route: "enable_webhook", waves: 3..=3, calls: 3..=3, read_units: None },
    Budget { route: "test_webhook", waves: 2..=2, calls: 2..=2, read_units: Some(2.0..=2.0) },
    Budget { route: "replay_webhook", waves: 5..=5, calls: 6..=6, read_units: None },
    Budget { route: "delete_webhook", waves: 3..=3, calls: 3..=3, read_units: None },
    Budget { route: "get_review_stats", waves: 1..=3, calls: 2..=1 + 15, read_units: Some(2.0..=1.0 + 30.0) },
];

#[tokio::test(flavor = "multi_thread")]
async fn every_route_has_a_budget_and_keeps_it() {
    let (stack, fixtures) = warm().await;
    load(stack.stores(), parse(DIRECTORY)).await;
    seed(&stack).await;
    for path in ["/user/search", "/category/search?lang=GB", "/business/search", "/events"] {
        assert_eq!(stack.get(path, &fixtures.admin_1.key).await.status, 200);
    }
    for route in routes() {
        let budget = BUDGETS.iter().find(|budget| budget.route == route.name);
        let budget = budget.unwrap_or_else(|| panic!("{} has no row in the budget", route.name));
        let reply = ask(&stack, &fixtures, route.name).await;
        let (line, spent) = (logs::request_line(reply.header("x-request-id")), reply.cost());
        assert_eq!((reply.status, &line["operation"]), (200, &json!(route.name)), "{}", reply.text);
        assert!(budget.waves.contains(&spent.waves), "{} waves of {}", spent.waves, route.name);
        assert!(budget.calls.contains(&spent.calls), "{} calls of {}", spent.calls, route.name);
        assert!(
            budget.read_units.as_ref().is_none_or(|units| units.contains(&spent.read_units)),
            "{spent:?} of {}",
            route.name
        );
        assert_eq!(spent.write_units > 0.0, budget.read_units.is_none(), "only a change writes: {}", route.name);
    }
}

async fn ask(stack: &TestStack, fixtures: &Fixtures, route: &str) -> Reply {
    let key = &fixtures.admin_1.key;
    match route {
        "get_me" => stack.get("/user/me", key).await,
        "get_user" => stack.get(&format!("/user/{}", fixtures.manager_1.id), key).await,
        "search_users" => stack.get("/user/search?display_business_ids=False", key).await,
        "get_user_stats" => stack.get("/user/stats", key).await,
        "create_user" => {
            let names =
                json!({"email": address("new"), "first_name": "Ada", "last_name": "L", "business_ids": ["b1-1"]});
            stack.post("/user", key, &names).await
        }
        "update_user" => {
            let change = json!({"last_name": "King", "business_ids": ["b1-2"]});
            stack.post(&format!("/user/{}", fixtures.manager_1.id), key, &change).await
        }
        "delete_user" => stack.delete(&format!("/user/{}", fixtures.other_manager_1.id), key).await,
        "list_keys" => stack.get(&format!("/user/{}/keys", fixtures.manager_1.id), key).await,
        "create_key" => {
            stack.post(&format!("/user/{}/keys", fixtures.manager_1.id), key, &json!({"label": "till"})).await
        }
        "rotate_key" => {
            let path = format!(
                "/user/{0}/keys/{1}/rotate",
                fixtures.manager_1.id,
                stack.newest_key(&fixtures.manager_1.id).await
            );
            stack.post(&path, key, &json!({})).await
        }
        "revoke_key" => {
            let path =
                format!("/user/{0}/keys/{1}", fixtures.manager_1.id, stack.newest_key(&fixtures.manager_1.id).await);
            stack.delete(&path, key).await
        }
        "invite_user" => stack.invite(&fixtures.invited_1.id, key).await,
        "search_categories" => stack.get("/category/search?lang=GB", key).await,
        "get_category" => stack.get("/category/c-bank?lang=GB", key).await,
        "search_reviews" => stack.get("/reviews", key).await,
        "search_businesses" => stack.get("/business/search?query=shop", key).await,
        "get_review" => stack.get(&format!("/reviews/{SEEDED_REVIEW}"), key).await,
        "set_review_state" | "put_reply" | "get_reply" | "delete_reply" | "report_reply_outcome" => {
            act(stack, fixtures, route).await
        }
        "list_events" => stack.get("/events?limit=100", key).await,
        "list_webhooks" => stack.get("/webhooks", key).await,
        "create_webhook" => stack.post("/webhooks", key, &json!({"url": "https://example.com/"})).await,
        webhook if webhook.contains("webhook") || webhook == "list_deliveries" => {
            stack.seed_webhook().await;
            // The same replay at the same instant changes nothing.
            stack.clock.advance(jiff::SignedDuration::from_secs(1));
            let route = presence_tests::route(webhook);
            let path = presence_tests::path_of(&route, "", "");
            let body = if webhook == "replay_webhook" { json!({"after": "1-0"}) } else { json!({"label": "till"}) };
            let request = stack.request(route.method, &path).header("x-api-key", key);
            let has_body = route.body == presence_api::Body::Json;
            presence_tests::send(if has_body { request.json(&body) } else { request }).await
        }
        "get_review_stats" => stack.get("/reviews/stats?group_by=month", key).await,
        other => panic!("{other} has no request in the budget"),
    }
}

/// Sends a change of a review, or the read of its reply. A reply that a read or an outcome needs is made first.
async fn act(stack: &TestStack, fixtures: &Fixtures, route: &str) -> Reply {
    let send = async |key: &str, method: &str, path: &str, body: serde_json::Value| {
        let request = stack.request(method, &format!("/reviews/{SEEDED_REVIEW}{path}")).header("x-api-key", key);
        presence_tests::send(if body.is_null() { request } else { request.json(&body) }).await
    };
    let key = fixtures.admin_1.key.as_str();
    let put = async || send(key, "PUT", "/reply", json!({"content": "Merci"})).await;
    match route {
        "set_review_state" => send(key, "PUT", "", json!({"state": "not_treated"})).await,
        "put_reply" => put().await,
        "get_reply" => {
            put().await;
            send(key, "GET", "/reply", json!(null)).await
        }
        "delete_reply" => send(key, "DELETE", "/reply", json!(null)).await,
        _ => {
            assert_eq!(stack.get("/user/me", &fixtures.provider.key).await.status, 200, "a warm key");
            let version = put().await.json()["version"].clone();
            let report = json!({"version": version, "outcome": "published"});
            send(&fixtures.provider.key, "POST", "/reply/outcome", report).await
        }
    }
}
