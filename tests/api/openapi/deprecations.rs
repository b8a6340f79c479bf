//! Marks of what is to be removed: clients have a year, and the description says the same as the headers.

use std::path::Path;

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

#[test]
fn the_page_of_changes_lists_what_is_deprecated_now() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/docs/api.md");
    let page = std::fs::read_to_string(path).expect("the page is in the repository");
    let (_, section) = page.split_once("### Deprecated now\n").expect("the section");
    let (section, _) = section.split_once("\n### ").expect("its end");
    let mut marks = Vec::new();
    for route in routes() {
        marks.extend(route.deprecations.iter().map(|mark| (route, mark)));
    }
    assert_eq!(section.contains("Nothing."), marks.is_empty(), "{section}");
    for (route, mark) in marks {
        let row = |line: &&str| {
            [route.path, &mark.sunset_on.to_string(), mark.name.unwrap_or_default()]
                .iter()
                .all(|text| line.contains(text))
        };
        assert!(section.lines().any(|line| row(&line)), "{mark:?} of {}", route.name);
    }
}
