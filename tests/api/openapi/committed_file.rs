//! Committed description, compared with the functions and with itself.

use std::collections::BTreeSet;
use std::path::Path;

use presence_tests::routes;
use serde_json::Value;

use super::description::Description;

#[test]
fn the_committed_description_is_the_one_that_the_functions_have() {
    assert!(
        presence_docs::openapi_json() == presence_categories::OPENAPI,
        "the file is stale: `cargo openapi` writes it"
    );
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
            let content = &response["content"]["application/json"];
            assert!(content["schema"].is_object(), "{status} of {}", route.name);
            assert!(
                content["examples"].as_object().is_some_and(|examples| !examples.is_empty()),
                "{status} of {}",
                route.name
            );
            assert!(response["headers"]["x-request-id"].is_object(), "{status} of {}", route.name);
        }
    }
}

#[test]
fn every_reference_exists() {
    let description = Description::read();
    let mut references = Vec::new();
    collect(&description.json, &mut references);
    assert!(references.len() > 50);
    for reference in references {
        assert!(description.json.pointer(reference.trim_start_matches('#')).is_some(), "{reference}");
    }
}

// Requests cannot find a parameter that is missing in both the description and the tests, so this test reads the sources.
#[test]
fn every_name_that_the_functions_read_is_described() {
    let description = Description::read();
    let mut described: BTreeSet<String> = BTreeSet::new();
    for schema in ["NewUser", "UserChange"] {
        let properties =
            description.json["components"]["schemas"][schema]["properties"].as_object().expect("properties");
        described.extend(properties.keys().cloned());
    }
    for route in routes() {
        let parameters = description.operation(route.name)["parameters"].as_array().cloned().unwrap_or_default();
        described.extend(parameters.iter().map(|parameter| parameter["name"].as_str().expect("a name").to_owned()));
    }
    let functions = Path::new(env!("CARGO_MANIFEST_DIR")).join("../functions");
    let mut read: BTreeSet<String> = ["users", "categories", "reviews"]
        .iter()
        .flat_map(|function| std::fs::read_dir(functions.join(function).join("src")).expect("sources"))
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
