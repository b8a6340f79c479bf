//! Canaries in every place from which the line of a request takes a field: ids, names of fields, paths and keys.

use presence_domain::invitation::ActivationToken;
use presence_tests::logs::{self, NAME_CANARY, PASSWORD_CANARY};
use presence_tests::{Fixtures, Reply, address, send};
use serde_json::{Value, json};

use super::assert_logged;

/// Returns the line of the request with this answer.
fn line(reply: &Reply) -> Value {
    logs::request_line(reply.header("x-request-id"))
}

#[tokio::test(flavor = "multi_thread")]
async fn ids_that_a_client_sends_leak_no_secret() {
    let (stack, fixtures) = Fixtures::start().await;
    let key = &fixtures.admin_1.key;
    let token = ActivationToken::generate();
    let ids = [key.clone(), key.to_uppercase(), format!("a.{key}"), address("ada"), token.expose().to_owned()];
    for id in &ids {
        for name in ["x-client-request-id", "x-amzn-trace-id", "x-request-id", "x-amzn-requestid", "apigw-requestid"] {
            let value = if name == "x-amzn-trace-id" { format!("Root={id};Sampled=1") } else { id.clone() };
            let reply = send(stack.request("GET", "/user/me").header("x-api-key", key).header(name, value)).await;
            assert_logged(&reply, "get_me", 200);
            let line = line(&reply);
            assert!(!line.to_string().to_lowercase().contains(&id.to_lowercase()), "{name}: {line}");
            assert_eq!(line["client_request_id"], Value::Null, "{name}");
        }
    }
    assert_eq!(logs::leaks(), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn names_of_fields_that_a_client_chooses_are_unknown() {
    let (stack, fixtures) = Fixtures::start().await;
    let key = &fixtures.admin_1.key;
    let secrets = [key.clone(), address("ada"), format!("{PASSWORD_CANARY}-1"), NAME_CANARY.to_owned()];
    for secret in &secrets {
        let query = stack.request("GET", "/user/me").query(&[(secret, "1")]).header("x-api-key", key);
        let in_query = send(query).await;
        let in_body = stack.post("/user", key, &json!({ secret: 1, "email": address("b") })).await;
        let twice = format!("{{{secret:?}: 1, {secret:?}: 2}}");
        let request =
            stack.request("POST", "/user").header("x-api-key", key).header("content-type", "application/json");
        for (reply, operation) in
            [(in_query, "get_me"), (in_body, "create_user"), (send(request.body(twice)).await, "create_user")]
        {
            assert_logged(&reply, operation, 400);
            assert!(line(&reply)["bad_fields"].as_str().is_some_and(|names| names.ends_with("unknown")), "{operation}");
        }
    }
    assert_eq!(logs::leaks(), Vec::<String>::new());
}
