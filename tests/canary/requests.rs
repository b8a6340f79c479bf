//! Successes and client errors of every operation.

use presence_store::schema;
use presence_tests::logs::NAME_CANARY;
use presence_tests::{Fixtures, Reply, TestStack, address, routes, send};
use serde_json::json;

use super::leaks::logged;
use super::{assert_logged, body, call, create_target_of, key_for, seed};

#[tokio::test(flavor = "multi_thread")]
async fn success_and_refusal_of_every_operation_leak_nothing() {
    let (stack, fixtures) = Fixtures::start().await;
    let (admin, manager) = (&fixtures.admin_1.key, &fixtures.manager_1.key);
    let gone = stack.issue_key(&fixtures.other_manager_1.id).await;
    assert_eq!(stack.delete(&format!("/user/{}", fixtures.other_manager_1.id), admin).await.status, 200);
    seed(&stack, &fixtures).await;
    let bad = format!("{NAME_CANARY}={}", address("x"));
    for route in routes() {
        let (id, admin) = (create_target_of(&route, &stack, &fixtures).await, key_for(&fixtures, &route));
        assert_logged(&call(&stack, &gone, &id, &route, "").await, route.name, 401);
        assert_logged(&call(&stack, "pk_canary-pass", &id, &route, "").await, route.name, 401);
        assert_logged(&call(&stack, admin, &id, &route, &bad).await, route.name, 400);
        let is_of_keys = route.path.contains("/keys");
        if is_of_keys || matches!(route.name, "create_user" | "update_user" | "delete_user" | "invite_user") {
            assert_logged(&call(&stack, manager, &id, &route, "").await, route.name, 403);
        }
        if route.path.contains("{user_id}") {
            assert_logged(&call(&stack, &fixtures.admin_2.key, &id, &route, "").await, route.name, 404);
        }
        assert_logged(&call(&stack, admin, &id, &route, "").await, route.name, 200);
        if route.name == "invite_user" {
            assert_logged(&call(&stack, admin, &id, &route, "").await, route.name, 429);
        }
    }
    let foreign = stack.get(&format!("/user/search?org_id=2&query={NAME_CANARY}"), admin).await;
    assert_logged(&foreign, "search_users", 403);
    assert_trail_has_no_canary(&stack).await;
}

/// Asserts that no record of the audit trail has what must not be logged.
async fn assert_trail_has_no_canary(stack: &TestStack) {
    let items = stack.items(&stack.stores().database.name(&schema::AUDIT)).await;
    assert!(items.iter().any(|item| item.contains("password")), "a password was set: {items:?}");
    let capture = logged("info", || {
        for item in &items {
            tracing::info!(item, "record");
        }
    });
    assert_eq!((capture.leaks(), capture.lines()), (Vec::new(), items.len()));
}

#[tokio::test(flavor = "multi_thread")]
async fn malformed_requests_and_invalid_values_leak_nothing() {
    let (stack, fixtures) = Fixtures::start().await;
    let key = &fixtures.admin_1.key;
    let create = "create_user";
    let secret = body("ada").to_string();
    let raw = |text: String, media: &'static str| {
        let request = stack.request("POST", "/user").header("x-api-key", key).header("content-type", media);
        send(request.body(text))
    };
    let json = "application/json";
    assert_logged(&raw(secret[..secret.len() / 2].to_owned(), json).await, create, 400);
    assert_logged(&raw(format!("[{secret}]"), json).await, create, 400);
    assert_logged(&raw(secret.replacen('{', "{\"email\": \"canary-mail\", ", 1), json).await, create, 400);
    assert_logged(&raw(secret.clone(), "text/plain").await, create, 415);
    assert_logged(&raw(secret.repeat(1_000), json).await, create, 413);
    let twice = json!({"api_key": fixtures.admin_2.key});
    assert_logged(&stack.post("/user", key, &twice).await, create, 400);
    assert_logged(&stack.get(&format!("/user/me?api_key={key}%zz"), "").await, "get_me", 400);
    assert_logged(&stack.get(&format!("/user/{NAME_CANARY}/{}", address("x")), key).await, "none", 404);
    assert_logged(&stack.get(&format!("/user/{NAME_CANARY}"), key).await, "get_user", 404);
    let category = format!("/category/{}?lang=GB", address("x"));
    assert_logged(&stack.get(&category, key).await, "get_category", 404);
    for filter in ["update_date__gte", "state", "partner__in", "rating"] {
        let path = format!("/reviews?{filter}={NAME_CANARY}");
        assert_logged(&stack.get(&path, key).await, "search_reviews", 400);
    }
    for parameter in ["group_by", "business_city=lyon&page", NAME_CANARY] {
        let path = format!("/reviews/stats?{parameter}={NAME_CANARY}");
        assert_logged(&stack.get(&path, key).await, "get_review_stats", 400);
    }
    let city = format!("/reviews/stats?group_by=city&business_city={NAME_CANARY}");
    assert_logged(&stack.get(&city, key).await, "get_review_stats", 200);
    assert_logged(&stack.get("/user?query=canary-name", key).await, "none", 405);

    for (field, value) in [("email", "canary-mail"), ("first_name", "canary-name\u{7}"), ("role", "canary-name")] {
        let mut wrong = body("ada");
        wrong[field] = json!(value);
        assert_logged(&stack.post("/user", key, &wrong).await, create, 400);
        let path = format!("/user/{}", fixtures.manager_1.id);
        assert_logged(&stack.post(&path, key, &wrong).await, "update_user", 400);
    }
    let mut taken = body("ada");
    taken["email"] = json!(fixtures.admin_2.email);
    let refused: Reply = stack.post("/user", key, &taken).await;
    assert_logged(&refused, create, 400);
    assert!(refused.text.contains(&fixtures.admin_2.email), "the caller is told, the log is not");
}
