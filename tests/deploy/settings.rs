//! Settings that the templates must have: `settings.yaml` beside this file has them, each with its rule.

use serde_json::Value;

use super::template::{TEMPLATE, read};

/// Key under which the reader of templates puts what `!only` marks.
const ONLY: &str = "Fn::only";

/// Returns where a document differs from what it should have.
fn differences(path: &str, expected: &Value, actual: &Value) -> Vec<String> {
    match (expected, actual) {
        (Value::Object(members), _) if members.contains_key(ONLY) => {
            let members = &members[ONLY];
            let known = members.as_object().expect("an object");
            let others = actual.as_object().into_iter().flatten().filter(|(name, _)| !known.contains_key(*name));
            let others = others.map(|(name, _)| format!("{path}/{name} is not expected"));
            others.chain(differences(path, members, actual)).collect()
        }
        (Value::Object(members), Value::Object(_)) => {
            let of =
                |(name, expected): (&String, &Value)| differences(&format!("{path}/{name}"), expected, &actual[name]);
            members.iter().flat_map(of).collect()
        }
        (Value::Array(items), Value::Array(others)) if items.len() == others.len() => {
            let pairs = items.iter().zip(others).enumerate();
            pairs.flat_map(|(index, (item, other))| differences(&format!("{path}/{index}"), item, other)).collect()
        }
        _ if expected == actual => Vec::new(),
        _ => vec![format!("{path} is {actual} instead of {expected}")],
    }
}

/// Returns where the templates differ from a rule.
fn violations(rule: &Value) -> Vec<String> {
    let expected = &rule["has"];
    if let Some(kind) = rule["every"].as_str() {
        let resources: Vec<_> = TEMPLATE.of_type(kind).collect();
        assert!(!resources.is_empty(), "a resource of type {kind}");
        return resources.iter().flat_map(|one| differences(one.name, expected, one.document)).collect();
    }
    let path = rule["in"].as_str();
    differences("", expected, &path.map_or_else(|| TEMPLATE.at(&[]).clone(), read))
}

#[test]
fn the_templates_have_every_setting_that_a_rule_demands() {
    let rules = read("tests/deploy/settings.yaml");
    let rules = rules.as_array().expect("rules");
    let failures = rules.iter().flat_map(|rule| {
        let title = rule["rule"].as_str().expect("a title");
        violations(rule).into_iter().map(move |violation| format!("{title}: {violation}"))
    });
    assert_eq!(failures.collect::<Vec<_>>(), Vec::<String>::new());
}

#[test]
fn another_value_a_member_too_many_and_an_item_too_few_are_found() {
    let expected = super::template::parse("{ a: 1, b: !only { c: [x, y] }, d: null }");
    let found = |actual: &str| differences("", &expected, &super::template::parse(actual));
    assert_eq!(found("{ a: 1, b: { c: [x, y] }, e: 5 }"), Vec::<String>::new());
    assert_eq!(found("{ a: 2, b: { c: [x, y] } }"), ["/a is 2 instead of 1"]);
    assert_eq!(found("{ a: 1, b: { c: [x, y], f: 1 } }"), ["/b/f is not expected"]);
    assert_eq!(found("{ a: 1, b: { c: [x] } }"), [r#"/b/c is ["x"] instead of ["x","y"]"#]);
    assert_eq!(found("{ a: 1, b: { c: [x, y] }, d: 1 }"), ["/d is 1 instead of null"]);
    assert_eq!(found("{ a: 1 }").len(), 1, "a missing object");
}
