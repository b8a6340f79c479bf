//! Parameters and fields: those in the description are accepted, all others refused.

use std::collections::BTreeSet;

use presence_docs::{Operation, operations};
use presence_domain::suggestion::OTHER_NAMES;
use presence_local::Options;
use presence_tests::{Reply, TestStack, long_timeouts, route};
use serde_json::{Value, json};

use super::description::Description;

const UNKNOWN: &str = "is not a parameter of this operation";
const UNKNOWN_FIELD: &str = "is not a field of this operation";

/// Names that no operation has. The tests also try the names of other operations.
const UNKNOWN_NAMES: [&str; 4] = ["limit", "offset", "sort", "Page"];

/// Number of unknown names in one request: the service suggests a name for so many of them only.
const NAMES_AT_ONCE: usize = 16;

/// Returns the name that the error of an unknown name suggests; `None` if it suggests none.
///
/// # Panics
/// Panics if the error is another one.
fn suggested(error: &Value) -> Option<String> {
    let text = error.as_str().unwrap_or_else(|| panic!("{error} is no error of an unknown name"));
    if [UNKNOWN, UNKNOWN_FIELD].contains(&text) {
        return None;
    }
    let hint = text.strip_prefix(UNKNOWN).or_else(|| text.strip_prefix(UNKNOWN_FIELD));
    let name = hint.and_then(|hint| hint.strip_prefix("; did you mean \"")).and_then(|hint| hint.strip_suffix("\"?"));
    Some(name.unwrap_or_else(|| panic!("{text} is no error of an unknown name")).to_owned())
}

#[test]
fn every_name_that_stands_for_names_of_other_apis_is_in_the_description() {
    let description = Description::read();
    let fields = ["UserCreation", "UserChange", "WebhookCreation"].into_iter().flat_map(|schema| {
        description.json["components"]["schemas"][schema]["properties"].as_object().expect("fields").keys().cloned()
    });
    let described = operations();
    let parameters = described.iter().flat_map(|operation| &operation.parameters);
    let known: BTreeSet<String> = parameters.map(|parameter| parameter.name.to_owned()).chain(fields).collect();
    for name in OTHER_NAMES.iter().flat_map(|(ours, _)| *ours) {
        assert!(known.contains(*name), "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn only_described_parameters_and_fields_are_accepted() {
    let stack = TestStack::with(Options { sample: true, ..long_timeouts() }).await;
    assert_only_described_parameters_are_accepted(&stack).await;
    assert_required_parameters_are_required(&stack).await;
    assert_only_described_fields_are_accepted(&stack).await;
    assert_blank_texts_are_described(&stack).await;
}

/// Calls the operation with these parameters, and with an empty object if it takes a body.
async fn call(stack: &TestStack, operation: &Operation, query: &[(&str, &str)]) -> Reply {
    let role = if operation.name == "report_reply_outcome" { "PROVIDER" } else { "ORG_ADMIN" };
    let route = route(operation.name);
    let mut path = route.path.trim_start_matches("/api/v2").to_owned();
    for parameter in operation.parameters.iter().filter(|parameter| parameter.in_path) {
        path = path.replace(&format!("{{{}}}", parameter.name), parameter.example);
    }
    let request = stack.request(route.method, &path).header("x-api-key", &stack.local.keys()[role]).query(query);
    let request =
        if takes_body(operation) { request.header("content-type", "application/json").body("{}") } else { request };
    presence_tests::send(request).await
}

fn takes_body(operation: &Operation) -> bool {
    route(operation.name).body == presence_api::Body::Json
}

/// Returns the required parameters with their examples.
fn required(operation: &Operation) -> Vec<(&'static str, &'static str)> {
    let required = operation.parameters.iter().filter(|parameter| parameter.is_required && !parameter.in_path);
    required.map(|parameter| (parameter.name, parameter.example)).collect()
}

/// Returns the error of a field in a 400.
fn field_error(reply: &Reply, name: &str) -> Value {
    reply.json()["errors"]["json"][name].clone()
}

async fn assert_only_described_parameters_are_accepted(stack: &TestStack) {
    let description = Description::read();
    // Fields of bodies and answers are tried too: a filter by one of them may exist without a description.
    let fields = ["UserCreation", "UserChange", "User", "Category", "Review"]
        .into_iter()
        .flat_map(|schema| {
            description.json["components"]["schemas"][schema]["properties"].as_object().expect("fields").keys()
        })
        .map(String::as_str)
        .filter(|name| *name != "api_key");
    let described = operations();
    let parameters = described.iter().flat_map(|operation| &operation.parameters).map(|parameter| parameter.name);
    let all: BTreeSet<&str> = parameters.chain(fields).chain(UNKNOWN_NAMES).collect();
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
            let reply = call(stack, &operation, &query).await;
            assert_eq!(reply.status, 200, "{} of {}: {}", parameter.name, operation.name, reply.text);
        }
        let unknown: Vec<_> = all.difference(&described).map(|name| (*name, "1")).collect();
        for unknown in unknown.chunks(NAMES_AT_ONCE) {
            let query = [&required(&operation)[..], unknown].concat();
            let reply = call(stack, &operation, &query).await;
            assert_eq!(reply.status, 400, "{unknown:?} of {}", operation.name);
            for (name, _) in unknown {
                let suggested = suggested(&field_error(&reply, name));
                let is_described = |name: &str| described.contains(name) || name == "api_key";
                assert!(suggested.as_deref().is_none_or(is_described), "{name} of {}: {suggested:?}", operation.name);
            }
        }
    }
}

/// Asserts that the schemas of texts admit a blank where the API takes it. Choices do not: a generated client would offer it.
async fn assert_blank_texts_are_described(stack: &TestStack) {
    let description = Description::read();
    for operation in operations() {
        for parameter in operation.parameters.iter().filter(|parameter| !parameter.in_path && !parameter.is_required) {
            let schema = description.parameter_schema(operation.name, parameter.name);
            if schema["type"] == "string" && schema["enum"].is_null() {
                let query = [required(&operation), vec![(parameter.name, "")]].concat();
                let status = call(stack, &operation, &query).await.status;
                let found = (status, description.admits(schema, &json!("")));
                assert_eq!(found, (200, true), "{} of {}", parameter.name, operation.name);
            }
        }
    }
    for (operation, path, body, status) in [
        ("create_webhook", "/webhooks", json!({"url": "https://example.com", "label": ""}), 200),
        ("create_webhook", "/webhooks", json!({"url": "https://example.com", "label": "\u{7} "}), 200),
        ("update_user", "/user/1006", json!({"phone": ""}), 200),
        ("create_key", "/user/1003/keys", json!({"label": "a", "expires_at": ""}), 400),
        ("create_key", "/user/1003/keys", json!({"label": ""}), 400),
    ] {
        let reply = stack.post(path, &stack.local.keys()["ORG_ADMIN"], &body).await;
        let is_described = description.objection_to_body(operation, &body).is_none();
        assert_eq!((reply.status, is_described), (status, status == 200), "{body}: {}", reply.text);
    }
}

async fn assert_required_parameters_are_required(stack: &TestStack) {
    for operation in operations() {
        for (name, _) in required(&operation) {
            let query: Vec<_> = required(&operation).into_iter().filter(|(other, _)| *other != name).collect();
            let reply = call(stack, &operation, &query).await;
            assert_eq!(
                (reply.status, field_error(&reply, name)),
                (400, json!("is required")),
                "{name} of {}",
                operation.name
            );
        }
    }
    let description = Description::read();
    let fields =
        description.json["components"]["schemas"]["UserCreation"]["required"].as_array().expect("fields").clone();
    let reply = stack.post("/user", &stack.local.keys()["ORG_ADMIN"], &json!({})).await;
    let missing: serde_json::Map<_, _> =
        fields.iter().map(|field| (field.as_str().expect("a name").to_owned(), json!("is required"))).collect();
    assert_eq!(reply.json(), json!({"errors": {"json": missing}}));
}

async fn assert_only_described_fields_are_accepted(stack: &TestStack) {
    let description = Description::read();
    let schemas = &description.json["components"]["schemas"];
    let names = |schema: &str| -> BTreeSet<String> {
        schemas[schema]["properties"].as_object().expect("properties").keys().cloned().collect()
    };
    let bodies = [
        ("/user", "UserCreation"),
        ("/user/1006", "UserChange"),
        ("/user/1006/keys", "KeyCreation"),
        ("/reviews/190n40rnpsx7/reply/outcome", "OutcomeReport"),
        ("/webhooks", "WebhookCreation"),
    ];
    let all: BTreeSet<String> = bodies
        .iter()
        .map(|(_, schema)| *schema)
        .chain(["User"])
        .flat_map(names)
        .chain(UNKNOWN_NAMES.map(str::to_owned))
        .collect();
    let key = &stack.local.keys()["PROVIDER"];
    for (path, schema) in bodies {
        // No field accepts an object, so known and unknown fields get different errors.
        let body: Value = all.iter().filter(|name| *name != "api_key").map(|name| (name.clone(), json!({}))).collect();
        let reply = stack.post(path, key, &body).await;
        assert_eq!(reply.status, 400);
        for name in all.iter().filter(|name| *name != "api_key") {
            let error = field_error(&reply, name);
            let is_unknown =
                error.as_str().is_some_and(|text| text.starts_with(UNKNOWN) || text.starts_with(UNKNOWN_FIELD));
            assert_eq!(is_unknown, !names(schema).contains(name), "{name} of {schema}: {error}");
            let suggested = if is_unknown { suggested(&error) } else { None };
            assert!(suggested.is_none_or(|meant| names(schema).contains(&meant)), "{name} of {schema}: {error}");
        }
        assert!(names(schema).contains("api_key"));
    }
}
