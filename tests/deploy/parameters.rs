//! The table of the parameters in deploy.md, compared with the template.

use serde_json::Value;

use super::template::{main_template, root};

/// Returns the rows of the table: name and default of each parameter, as the page writes them.
fn documented() -> Vec<(String, String)> {
    let page = std::fs::read_to_string(root().join("shared/docs/deploy.md")).expect("the operator's guide");
    let (_, section) = page.split_once("\n## Parameters\n").expect("a section");
    let table = section.split("\n## ").next().expect("its text");
    let rows = table.lines().filter_map(|line| line.strip_prefix("| `"));
    rows.map(|row| {
        let (name, rest) = row.split_once("` | ").expect("a name");
        let (default, _) = rest.split_once(" | ").expect("a default");
        (name.to_owned(), default.to_owned())
    })
    .collect()
}

/// Returns a default as the page writes it.
fn as_documented(default: &Value) -> String {
    match default {
        Value::Null => "none".to_owned(),
        Value::String(text) if text.is_empty() => "empty".to_owned(),
        Value::String(text) => format!("`{text}`"),
        other => format!("`{other}`"),
    }
}

#[test]
fn each_parameter_is_in_the_operators_guide_with_its_default_and_no_other_is() {
    let template = main_template();
    let parameters = template["Parameters"].as_object().expect("parameters").iter();
    let mut declared: Vec<_> = parameters.map(|(name, one)| (name.clone(), as_documented(&one["Default"]))).collect();
    let mut documented = documented();
    declared.sort();
    documented.sort();
    assert_eq!(documented, declared);
}

#[test]
fn each_parameter_is_in_a_group_of_the_console() {
    let template = main_template();
    let groups = &template["Metadata"]["AWS::CloudFormation::Interface"]["ParameterGroups"];
    let groups = groups.as_array().expect("groups").iter();
    let mut grouped: Vec<_> = groups.flat_map(|group| group["Parameters"].as_array().expect("names")).collect();
    grouped.sort_by_key(|name| name.as_str());
    let mut declared: Vec<_> = template["Parameters"].as_object().expect("parameters").keys().collect();
    declared.sort();
    assert_eq!(grouped, declared);
}
