//! Marks of what is to be removed: clients have a year, and the description says the same as the headers.

use presence_docs::operations;
use presence_tests::routes;
use serde_json::Value;

use super::description::Description;

#[test]
fn every_mark_names_a_described_part_leaves_clients_a_year_and_is_in_the_description() {
    let description = Description::read();
    let operations = operations();
    for route in routes() {
        let operation = operations.iter().find(|operation| operation.name == route.name).expect("a description");
        for mark in route.deprecations {
            assert!(mark.gives_enough_notice(), "{mark:?} of {}", route.name);
            let is_described = |name: &str| operation.parameters.iter().any(|parameter| parameter.name == name);
            assert!(mark.name.is_none_or(is_described), "{mark:?} of {}", route.name);
        }
        let described = &description.json["paths"][route.path][route.method.to_lowercase()];
        assert_eq!(described["operationId"], route.name);
        let is_marked = |name: Option<&str>| route.deprecations.iter().any(|mark| mark.name == name);
        assert_eq!(described["deprecated"] == true, is_marked(None), "{}", route.name);
        for parameter in described["parameters"].as_array().into_iter().flatten() {
            let name = parameter["name"].as_str();
            assert_eq!(parameter["deprecated"] == Value::Bool(true), is_marked(name), "{name:?} of {}", route.name);
        }
    }
}
