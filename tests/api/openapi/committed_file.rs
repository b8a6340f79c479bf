//! Committed description, compared with the functions and with itself.

use std::collections::BTreeSet;
use std::path::Path;

use presence_tests::routes;
use serde_json::Value;

use super::description::Description;

#[test]
fn the_committed_description_is_the_one_that_the_functions_have() {
    let is_current = presence_docs::openapi_json() == presence_categories::OPENAPI;
    assert!(is_current, "the file is stale: `cargo openapi` writes it");
}

#[test]
fn every_route_is_an_operation_and_every_operation_a_route() {
    let description = Description::read();
    let mut described: Vec<(String, String, String)> = Vec::new();
    for (path, item) in description.json["paths"].as_object().expect("paths") {
        for (method, operation) in item.as_object().expect("operations") {
            let id = operation["operationId"].as_str().expect("an id");
            described.push((method.to_uppercase(), path.clone(), id.to_owned()));
        }
    }
    let mut expected: Vec<_> = routes()
        .into_iter()
        .map(|route| (route.method.to_owned(), route.path.to_owned(), route.name.to_owned()))
        .collect();
    described.sort();
    expected.sort();
    assert_eq!(described, expected);
}

#[test]
fn every_operation_has_texts_and_every_answer_a_schema_an_example_and_an_id() {
    let description = Description::read();
    for route in routes() {
        let operation = description.operation(route.name);
        for text in ["summary", "description"] {
            assert!(operation[text].as_str().is_some_and(|text| text.len() > 10), "{} of {}", text, route.name);
        }
        for status in operation["responses"].as_object().expect("responses").keys() {
            let response = description.response(route.name, status.parse().expect("a status")).expect("an answer");
            let what = format!("{status} of {}", route.name);
            // A client that has the answer gets none, and the gateway knows no id of the service.
            assert_eq!(response["content"].is_object(), status != "304", "{what}");
            assert_eq!(response["headers"]["x-request-id"].is_object(), status != "431", "{what}");
            for content in response["content"].as_object().into_iter().flat_map(|content| content.values()) {
                assert!(content["schema"].is_object(), "{what}");
                let examples = content["examples"].as_object();
                assert!(examples.is_some_and(|examples| !examples.is_empty()), "{what}");
            }
        }
    }
}

#[test]
fn every_reference_exists_and_every_component_is_used() {
    for document in documents() {
        let mut references = Vec::new();
        collect(&document, &mut references);
        assert!(references.len() > 50);
        for reference in &references {
            assert!(document.pointer(reference.trim_start_matches('#')).is_some(), "{reference}");
        }
        // Security schemes are used by their names.
        for kind in ["schemas", "responses"] {
            for name in document["components"][kind].as_object().expect("components").keys() {
                let reference = format!("#/components/{kind}/{name}");
                assert!(references.contains(&reference), "nothing refers to {reference}");
            }
        }
    }
}

// Generated clients call the first server unless they are told otherwise.
#[test]
fn the_first_server_is_the_local_stack_with_an_absolute_url() {
    for document in documents() {
        let server = document["servers"][0].as_object().expect("a server");
        assert_eq!(server["url"], "http://127.0.0.1:3000");
        assert!(!server.contains_key("variables"));
    }
}

// `maxItems` counts duplicates and blank items, and the functions do not.
#[test]
fn no_list_of_a_request_is_bounded_by_a_count_that_the_functions_do_not_make() {
    for document in documents() {
        assert!(!document.to_string().contains("\"maxItems\""));
    }
}

/// Returns the description in both versions of `OpenAPI`.
fn documents() -> [Value; 2] {
    [Description::read().json, serde_json::from_str(&presence_categories::openapi_3_0()).expect("JSON")]
}

// Requests cannot find a parameter that is missing in both the description and the tests, so this test reads the sources.
#[test]
fn every_name_that_the_functions_read_is_described() {
    let description = Description::read();
    let mut described: BTreeSet<String> = BTreeSet::new();
    for route in routes() {
        let body = &description.operation(route.name)["requestBody"]["content"]["application/json"]["schema"]["$ref"];
        let schema = body.as_str().and_then(|reference| description.json.pointer(reference.trim_start_matches('#')));
        described.extend(
            schema.iter().filter_map(|schema| schema["properties"].as_object()).flat_map(|it| it.keys().cloned()),
        );
        let parameters = description.operation(route.name)["parameters"].as_array().cloned().unwrap_or_default();
        described.extend(parameters.iter().map(|parameter| parameter["name"].as_str().expect("a name").to_owned()));
    }
    let functions = Path::new(env!("CARGO_MANIFEST_DIR")).join("../functions");
    let mut read: BTreeSet<String> =
        ["users/src", "users/src/keys", "categories/src", "reviews/src", "feed/src", "feed/src/webhooks"]
            .iter()
            .flat_map(|folder| std::fs::read_dir(functions.join(folder)).expect("sources"))
            .filter_map(|entry| std::fs::read_to_string(entry.expect("an entry").path()).ok())
            .flat_map(|source| names_read(&source))
            .collect();
    // `Fields` reads the parameters of a page for all functions.
    let fields = std::fs::read_to_string(functions.join("../shared/api/src/fields.rs")).expect("a source");
    read.extend(names_read(&fields.replace("self.", "fields.")));
    assert!(read.len() > 25, "{read:?}");
    assert_eq!(read.difference(&described).collect::<Vec<_>>(), Vec::<&String>::new());
}

/// Returns the names in `fields.required("email", …)` and similar calls.
fn names_read(source: &str) -> Vec<String> {
    let calls = source.split("fields.").skip(1).filter_map(|call| call.split_once("(\""));
    let direct = calls.filter(|(method, _)| method.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'));
    direct.filter_map(|(_, rest)| rest.split('"').next()).map(str::to_owned).collect()
}

/// Collects all `$ref`s of a value.
fn collect(value: &Value, references: &mut Vec<String>) {
    match value {
        Value::Object(object) => {
            references.extend(object.get("$ref").and_then(Value::as_str).map(str::to_owned));
            object.values().for_each(|value| collect(value, references));
        }
        Value::Array(values) => values.iter().for_each(|value| collect(value, references)),
        _ => {}
    }
}
