//! Stacks inside the main one: their parameters are those that the main one passes, and their resources join its own.
//!
//! A reference to a parameter of a nested stack becomes what the main stack passes for it. So the other tests see one template.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::template::{TEMPLATE, main_template, read, root};

/// Largest template in bytes that `CloudFormation` accepts in a request, as operators check one by hand, without a detour through S3.
const LARGEST: u64 = 51_200;
/// The same for a template in S3, where `sam deploy` and `ops restore plan` put each one. The main template needs it: the routes of the
/// API cannot be in another stack, since SAM writes them into the API itself, and tables stay where their data are.
const LARGEST_IN_S3: u64 = 1_000_000;

/// Nested stacks whose resources were never part of another one, so that they may hold data.
const BORN_NESTED: [&str; 4] = ["IngestStack", "EventsStack", "WebhooksStack", "RepliesStack"];

/// Returns the path of the template of a nested stack, or `None` for another resource.
fn location(resource: &Value) -> Option<&str> {
    (resource["Type"] == "AWS::CloudFormation::Stack")
        .then(|| resource["Properties"]["TemplateURL"].as_str().expect("the path of a template"))
}

/// Returns the template with the resources of all nested stacks, which stay in it themselves, and the values of their outputs.
pub(super) fn with_nested_stacks(mut template: Value) -> Value {
    let mut outputs = Vec::new();
    for (stack, resource) in fields(&template["Resources"]).clone() {
        let Some(path) = location(&resource) else { continue };
        let nested = with_arguments(&read(path), fields(&resource["Properties"]["Parameters"]));
        outputs.push((stack, nested["Outputs"].clone()));
        for section in ["Conditions", "Resources"] {
            for (name, value) in nested[section].as_object().into_iter().flatten() {
                let before = template[section].as_object_mut().expect("a section").insert(name.clone(), value.clone());
                // A condition may stand in both, if it says the same.
                let is_the_same = |before| section == "Conditions" && before == *value;
                assert!(before.is_none_or(is_the_same), "{name} is in two stacks");
            }
        }
    }
    outputs.iter().fold(template, |template, (stack, outputs)| with_outputs(&template, stack, outputs))
}

/// Returns a value with those of the outputs of a nested stack in place of references to them.
fn with_outputs(value: &Value, stack: &str, outputs: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(|item| with_outputs(item, stack, outputs)).collect(),
        Value::Object(object) => match value["Fn::GetAtt"][1].as_str().and_then(|name| name.strip_prefix("Outputs.")) {
            Some(name) if value["Fn::GetAtt"][0] == stack => outputs[name]["Value"].clone(),
            _ if value["Fn::Sub"].is_string() => {
                let text = value["Fn::Sub"].as_str().unwrap_or_default();
                json!({ "Fn::Sub": text_with_outputs(text, stack, outputs) })
            }
            _ => object.iter().map(|(name, value)| (name.clone(), with_outputs(value, stack, outputs))).collect(),
        },
        other => other.clone(),
    }
}

fn text_with_outputs(text: &str, stack: &str, outputs: &Value) -> String {
    outputs.as_object().into_iter().flatten().fold(text.to_owned(), |text, (name, output)| {
        text.replace(&format!("${{{stack}.Outputs.{name}}}"), &as_text(&output["Value"]))
    })
}

fn fields(value: &Value) -> &Map<String, Value> {
    value.as_object().unwrap_or_else(|| panic!("an object: {value}"))
}

/// Returns a value of a nested stack with what the main stack passes in place of its parameters.
fn with_arguments(value: &Value, passed: &Map<String, Value>) -> Value {
    match value {
        Value::Array(items) => items.iter().map(|item| with_arguments(item, passed)).collect(),
        Value::Object(object) => match (value["Ref"].as_str(), value["Fn::Sub"].as_str()) {
            (Some(name), _) => passed.get(name).unwrap_or(value).clone(),
            (_, Some(text)) => json!({ "Fn::Sub": text_with_arguments(text, passed) }),
            _ => object.iter().map(|(name, value)| (name.clone(), with_arguments(value, passed))).collect(),
        },
        other => other.clone(),
    }
}

fn text_with_arguments(text: &str, passed: &Map<String, Value>) -> String {
    passed
        .iter()
        .fold(text.to_owned(), |text, (name, argument)| text.replace(&format!("${{{name}}}"), &as_text(argument)))
}

/// Returns an argument in the form that it has inside an `Fn::Sub`. Of a choice, that is the branch of a stack without the parameter.
fn as_text(argument: &Value) -> String {
    if let Some(choice) = argument["Fn::If"].as_array() {
        return as_text(&choice[2]);
    }
    if let Some(name) = argument["Ref"].as_str() {
        return format!("${{{name}}}");
    }
    if let Some(attribute) = argument["Fn::GetAtt"].as_array() {
        return format!("${{{}.{}}}", attribute[0].as_str().expect("a name"), attribute[1].as_str().expect("a name"));
    }
    if let Some(parts) = argument["Fn::Sub"][1].as_object() {
        return text_with_arguments(argument["Fn::Sub"][0].as_str().expect("a text"), parts);
    }
    argument["Fn::Sub"].as_str().or(argument.as_str()).unwrap_or_default().to_owned()
}

/// Returns the names that the values under `Ref` and in `Fn::Sub` refer to, without attributes.
fn references(value: &Value) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    match value {
        Value::Array(items) => found.extend(items.iter().flat_map(references)),
        Value::Object(object) => {
            found.extend(value["Ref"].as_str().map(str::to_owned));
            let text = value["Fn::Sub"].as_str().or(value["Fn::Sub"][0].as_str()).unwrap_or_default();
            let names = text.split("${").skip(1).filter_map(|part| part.split(['}', '.']).next());
            found.extend(names.map(str::to_owned));
            found.extend(object.values().flat_map(references));
        }
        _ => {}
    }
    found
}

/// Returns the nested stacks of the main template: logical name, arguments, template.
fn nested_stacks() -> Vec<(String, Value, Value)> {
    let main = main_template();
    let stacks = fields(&main["Resources"]).iter();
    let stacks = stacks.filter_map(|(name, one)| Some((name, one, read(location(one)?))));
    stacks.map(|(name, one, nested)| (name.clone(), one["Properties"]["Parameters"].clone(), nested)).collect()
}

fn names(value: &Value) -> BTreeSet<String> {
    fields(value).keys().cloned().collect()
}

#[test]
fn each_nested_stack_declares_uses_and_is_passed_the_same_parameters() {
    let stacks = nested_stacks();
    assert!(!stacks.is_empty());
    for (name, arguments, nested) in stacks {
        let declared = names(&nested["Parameters"]);
        assert_eq!(names(&arguments), declared, "parameters of {name}");
        let used = references(&json!([nested["Resources"], nested["Conditions"], nested["Outputs"]]));
        let unused: Vec<_> = declared.difference(&used).collect();
        assert!(unused.is_empty(), "{name} does not use {unused:?}");
        // Its own name is that of the main stack with a random end, which no name of an alarm should have.
        assert!(!used.contains("AWS::StackName"), "{name}");
    }
}

#[test]
fn each_output_of_a_nested_stack_is_used_and_each_used_one_exists() {
    let text = main_template().to_string();
    for (name, _, nested) in nested_stacks() {
        let start = format!(r#"["{name}","Outputs."#);
        let used = text.split(&start).skip(1).filter_map(|part| part.split('"').next()).map(str::to_owned);
        let declared = nested["Outputs"].as_object().into_iter().flat_map(|outputs| outputs.keys().cloned());
        assert_eq!(used.collect::<BTreeSet<_>>(), declared.collect(), "{name}");
    }
}

#[test]
fn every_template_is_small_enough_for_cloudformation() {
    let stacks = std::fs::read_dir(root().join("shared/stacks")).expect("a folder");
    let stacks = stacks.map(|file| file.expect("a file").path());
    let stacks = stacks.filter(|path| path.extension().is_some_and(|ending| ending == "yaml"));
    let limits = stacks.map(|path| (path, LARGEST)).chain([(root().join("template.yaml"), LARGEST_IN_S3)]);
    for (path, largest) in limits {
        let size = path.metadata().expect("a file").len();
        assert!(size < largest, "{}: {size} bytes", path.display());
    }
}

#[test]
fn nested_stacks_hold_no_data_except_those_that_never_gave_theirs_away() {
    for (name, _, nested) in nested_stacks().into_iter().filter(|(name, ..)| !BORN_NESTED.contains(&name.as_str())) {
        for (resource, document) in fields(&nested["Resources"]) {
            // A resource that moves into another stack is made again there, and its data stay behind.
            let kind = document["Type"].as_str().expect("a type");
            let holds_data = ["DynamoDB", "SQS", "SNS", "Logs::LogGroup"].iter().any(|service| kind.contains(service));
            assert!(!holds_data, "{name}: {resource}");
        }
    }
}

#[test]
fn a_parameter_of_a_nested_stack_becomes_what_the_main_stack_passes() {
    let passed = json!({ "A": { "Ref": "Table" }, "B": { "Fn::GetAtt": ["Queue", "Name"] }, "C": { "Fn::If": ["Is", "z", { "Fn::Sub": "x/${Y}" }] } });
    let value = json!([{ "Ref": "A" }, { "Ref": "Own" }, { "Fn::Sub": "${A} ${B} ${C} ${Own.Arn}" }]);
    let expected =
        json!([{ "Ref": "Table" }, { "Ref": "Own" }, { "Fn::Sub": "${Table} ${Queue.Name} x/${Y} ${Own.Arn}" }]);
    assert_eq!(with_arguments(&value, fields(&passed)), expected);
    assert_eq!(references(&value), ["A", "B", "C", "Own"].map(str::to_owned).into());
    assert!(TEMPLATE.of_type("AWS::CloudWatch::Alarm").count() > 0);
}
