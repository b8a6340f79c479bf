//! Kind of the error and names of the bad fields in the line of a request.

use presence_tests::{Fixtures, Reply, address, send};
use serde_json::{Value, json};

use super::line;

#[track_caller]
fn assert_error(reply: &Reply, status: u16, kind: &str, fields: Option<&str>) {
    assert_eq!(reply.status, status, "{}", reply.text);
    let line = line(reply);
    assert_eq!((&line["error"], &line["bad_fields"]), (&json!(kind), &json!(fields)), "{line}");
}

#[tokio::test(flavor = "multi_thread")]
async fn line_has_the_names_of_bad_fields_but_none_that_the_client_chose() {
    let (stack, fixtures) = Fixtures::start().await;
    let key = &fixtures.admin_1.key;
    let body = json!({"email": "x", "first_name": "Ada", "phone": 7, "canary-name": 1, "pk_secret": 2});
    let created = stack.post("/user", key, &body).await;
    assert_error(&created, 400, "invalid", Some("email,last_name,phone,unknown"));
    let searched = stack.get("/reviews?rating=9&canary-name=1", key).await;
    assert_error(&searched, 400, "invalid", Some("rating,unknown"));
    let strict = stack.post("/user?canary-name=1", key, &json!({})).await;
    assert_error(&strict, 400, "invalid", Some("email,first_name,last_name,unknown"));
    assert_error(&stack.get("/user/me?canary-name=%zz", key).await, 400, "invalid", Some("unknown"));
}

#[tokio::test(flavor = "multi_thread")]
async fn line_counts_the_parameters_that_have_the_names_of_other_clients() {
    let (stack, fixtures) = Fixtures::start().await;
    let key = &fixtures.admin_1.key;
    for (query, expected) in
        [("rating__in=1,2&state=treated", Value::Null), ("rating__in[]=1&rating__in[]=2&state__in=treated", json!(2))]
    {
        let reply = stack.get(&format!("/reviews?{query}"), key).await;
        assert_eq!((reply.status, &line(&reply)["other_names"]), (200, &expected), "{query}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn line_has_the_kind_of_every_refusal_and_none_for_a_success() {
    let (stack, fixtures) = Fixtures::start().await;
    let key = &fixtures.admin_1.key;
    let user = |id: &str| format!("/user/{id}");
    assert_eq!(line(&stack.get("/user/me", key).await)["error"], Value::Null);
    assert_error(&stack.get("/user/me", "").await, 401, "unauthenticated", None);
    assert_error(&stack.get(&user("7"), key).await, 404, "not_found", None);
    assert_error(&stack.get("/user/a/b/c", key).await, 404, "not_found", None);
    assert_error(&stack.delete("/user/search", key).await, 405, "method_not_allowed", None);
    assert_error(&stack.post("/openapi.json", key, &json!({})).await, 405, "method_not_allowed", None);
    assert_error(&stack.delete(&user(&fixtures.admin_1.id), &fixtures.manager_1.key).await, 403, "forbidden", None);
    let large = json!({"email": "x".repeat(200_000)});
    assert_error(&stack.post("/user", key, &large).await, 413, "body_too_large", None);
    let request = stack.request("POST", "/user").header("x-api-key", key).header("content-type", "text/plain");
    assert_error(&send(request.body("x")).await, 415, "unsupported_media_type", None);
    assert_error(&stack.get("/user/me?a=1&%zz=2", key).await, 400, "invalid", None);
    let guest = json!({"email": address("guest"), "first_name": "Zoë", "last_name": "Roy", "status": "invited"});
    let guest = stack.post("/user", key, &guest).await.json()["id"].as_str().expect("an id").to_owned();
    assert_error(&stack.invite(&guest, key).await, 429, "too_soon", None);
}
