//! What is described may be given, and nothing else: parameters and fields are read one by one, and described one by one.

use std::collections::BTreeSet;

use presence_docs::{Operation, operations};
use presence_local::Options;
use presence_tests::{Reply, TestStack, long_timeouts, route};
use serde_json::{Value, json};

use super::description::Description;

const UNKNOWN: &str = "is not a parameter of this operation";

/// Names that are part of no operation, besides those that are part of others.
const STRAY: [&str; 4] = ["limit", "offset", "sort", "Page"];

#[tokio::test(flavor = "multi_thread")]
async fn what_is_described_may_be_given_and_nothing_else() {
    let stack = TestStack::with(Options { sample: true, ..long_timeouts() }).await;
    every_described_parameter_is_taken_and_every_other_one_refused(&stack).await;
    what_is_described_as_required_is_required(&stack).await;
    every_described_field_is_taken_and_every_other_one_refused(&stack).await;
}

/// Sends the operation with these parameters, a body of no fields where it takes one.
async fn ask(stack: &TestStack, operation: &Operation, query: &[(&str, &str)]) -> Reply {
    let route = route(operation.name);
    let mut path = route.path.trim_start_matches("/api/v2").to_owned();
    for parameter in operation.parameters.iter().filter(|parameter| parameter.in_path) {
        path = path.replace(&format!("{{{}}}", parameter.name), parameter.example);
    }
    let request = stack.request(route.method, &path).header("x-api-key", &stack.local.keys()["ORG_ADMIN"]).query(query);
    let request =
        if takes_body(operation) { request.header("content-type", "application/json").body("{}") } else { request };
    presence_tests::send(request).await
}

fn takes_body(operation: &Operation) -> bool {
    route(operation.name).body == presence_api::Body::Json
}

/// The parameters without which there is no answer.
fn required(operation: &Operation) -> Vec<(&'static str, &'static str)> {
    let required = operation.parameters.iter().filter(|parameter| parameter.is_required && !parameter.in_path);
    required.map(|parameter| (parameter.name, parameter.example)).collect()
}

/// The texts of the fields that a 400 names.
fn complaint(reply: &Reply, name: &str) -> Value {
    reply.json()["errors"]["json"][name].clone()
}

async fn every_described_parameter_is_taken_and_every_other_one_refused(stack: &TestStack) {
    let description = Description::read();
    // Fields of bodies and answers too: a filter by one of them may be read, and not described.
    let fields = ["NewUser", "UserChange", "User", "Category", "Review"]
        .into_iter()
        .flat_map(|schema| {
            description.json["components"]["schemas"][schema]["properties"].as_object().expect("fields").keys()
        })
        .map(String::as_str)
        .filter(|name| *name != "api_key");
    let described = operations();
    let parameters = described.iter().flat_map(|operation| &operation.parameters).map(|parameter| parameter.name);
    let all: BTreeSet<&str> = parameters.chain(fields).chain(STRAY).collect();
    for operation in operations() {
        let described: BTreeSet<&str> = operation
            .parameters
            .iter()
            .filter(|parameter| !parameter.in_path)
            .map(|parameter| parameter.name)
            .collect();
        for parameter in operation.parameters.iter().filter(|parameter| described.contains(parameter.name)) {
            let mut query = required(&operation);
            query.retain(|(name, _)| *name != parameter.name);
            query.push((parameter.name, parameter.example));
            let reply = ask(stack, &operation, &query).await;
            assert_eq!(reply.status, 200, "{} of {}: {}", parameter.name, operation.name, reply.text);
        }
        for name in all.difference(&described) {
            let query = [required(&operation), vec![(name, "1")]].concat();
            let reply = ask(stack, &operation, &query).await;
            assert_eq!((reply.status, complaint(&reply, name)), (400, json!(UNKNOWN)), "{name} of {}", operation.name);
        }
    }
}

async fn what_is_described_as_required_is_required(stack: &TestStack) {
    for operation in operations() {
        for (name, _) in required(&operation) {
            let query: Vec<_> = required(&operation).into_iter().filter(|(other, _)| *other != name).collect();
            let reply = ask(stack, &operation, &query).await;
            assert_eq!(
                (reply.status, complaint(&reply, name)),
                (400, json!("is required")),
                "{name} of {}",
                operation.name
            );
        }
    }
    let description = Description::read();
    let fields = description.json["components"]["schemas"]["NewUser"]["required"].as_array().expect("fields").clone();
    let reply = stack.post("/user", &stack.local.keys()["ORG_ADMIN"], &json!({})).await;
    let missing: serde_json::Map<_, _> =
        fields.iter().map(|field| (field.as_str().expect("a name").to_owned(), json!("is required"))).collect();
    assert_eq!(reply.json(), json!({"errors": {"json": missing}}));
}

async fn every_described_field_is_taken_and_every_other_one_refused(stack: &TestStack) {
    let description = Description::read();
    let schemas = &description.json["components"]["schemas"];
    let names = |schema: &str| -> BTreeSet<String> {
        schemas[schema]["properties"].as_object().expect("properties").keys().cloned().collect()
    };
    let all: BTreeSet<String> =
        ["NewUser", "UserChange", "User"].into_iter().flat_map(names).chain(STRAY.map(str::to_owned)).collect();
    let key = &stack.local.keys()["PROVIDER"];
    for (path, schema) in [("/user", "NewUser"), ("/user/1006", "UserChange")] {
        // A value that no field can have tells the fields that are read from those that are not.
        let body: Value = all.iter().filter(|name| *name != "api_key").map(|name| (name.clone(), json!({}))).collect();
        let reply = stack.post(path, key, &body).await;
        assert_eq!(reply.status, 400);
        for name in all.iter().filter(|name| *name != "api_key") {
            let is_unknown = complaint(&reply, name) == UNKNOWN;
            assert_eq!(is_unknown, !names(schema).contains(name), "{name} of {schema}: {}", complaint(&reply, name));
        }
        assert!(names(schema).contains("api_key"));
    }
}
