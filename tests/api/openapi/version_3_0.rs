//! Description in OpenAPI 3.0: it says what the one in 3.1 says, with the keywords of 3.0.

use serde_json::{Value, json};

use super::description::Description;

/// Keywords of the schemas. Each means the same in 3.0; a new one may need a conversion.
const KEYWORDS: [&str; 21] = [
    "$ref",
    "additionalProperties",
    "allOf",
    "default",
    "description",
    "enum",
    "format",
    "items",
    "maxLength",
    "maxProperties",
    "maximum",
    "minLength",
    "minProperties",
    "minimum",
    "nullable",
    "pattern",
    "oneOf",
    "properties",
    "required",
    "type",
    "writeOnly",
];

fn read() -> Value {
    serde_json::from_str(&presence_categories::openapi_3_0()).expect("JSON")
}

#[test]
fn every_schema_has_only_keywords_of_3_0() {
    let document = read();
    let mut schemas: Vec<&Value> = document["components"]["schemas"].as_object().expect("schemas").values().collect();
    collect_inline_schemas(&document, &mut schemas);
    assert!(schemas.len() > 100, "{}", schemas.len());
    while let Some(schema) = schemas.pop() {
        let members = schema.as_object().unwrap_or_else(|| panic!("{schema} is no object"));
        for (name, member) in members {
            assert!(KEYWORDS.contains(&name.as_str()), "{name} in {schema}");
            match name.as_str() {
                "properties" => schemas.extend(member.as_object().expect("properties").values()),
                "allOf" | "oneOf" => schemas.extend(member.as_array().expect("schemas")),
                "items" => schemas.push(member),
                "additionalProperties" => assert!(member.is_boolean(), "{schema}"),
                "type" => assert!(member.is_string(), "{schema}"),
                "nullable" => assert!(*member == true && members["type"].is_string(), "{schema}"),
                "$ref" => assert_eq!(members.len(), 1, "{schema}"),
                _ => {}
            }
        }
    }
}

/// Finds the schemas of parameters, headers, bodies and answers.
fn collect_inline_schemas<'a>(value: &'a Value, schemas: &mut Vec<&'a Value>) {
    match value {
        Value::Object(members) => {
            schemas.extend(members.get("schema"));
            let others = members.iter().filter(|(name, _)| !["schema", "schemas", "examples"].contains(&name.as_str()));
            others.for_each(|(_, member)| collect_inline_schemas(member, schemas));
        }
        Value::Array(items) => items.iter().for_each(|item| collect_inline_schemas(item, schemas)),
        _ => {}
    }
}

#[test]
fn both_versions_say_the_same_but_for_errors() {
    let (mut new, old) = (Description::read().json, read());
    assert_eq!((&new["openapi"], &old["openapi"]), (&json!("3.1.0"), &json!("3.0.3")));
    new["openapi"] = old["openapi"].clone();
    // The gateway answers it, in an envelope of its own: tools for 3.0 take one for each operation.
    remove(&mut new["components"]["responses"], "HeadTooLarge");
    for operation in new["paths"].as_object_mut().expect("paths").values_mut().flat_map(members_mut) {
        operation["responses"].as_object_mut().expect("responses").remove("431");
    }
    let errors = ["InvalidError", "AuthenticationError", "AuthorizationError"];
    for name in errors.into_iter().chain(["GatewayError", "Choice", "FieldError", "FieldErrors"]) {
        remove(&mut new["components"]["schemas"], name);
    }
    new["components"]["schemas"]["Error"] = old["components"]["schemas"]["Error"].clone();
    let text = errors.into_iter().fold(new.to_string(), |text, name| {
        text.replace(&format!("#/components/schemas/{name}\""), "#/components/schemas/Error\"")
    });
    assert_eq!(undo(&old), serde_json::from_str::<Value>(&text).expect("JSON"));
}

fn members_mut(value: &mut Value) -> impl Iterator<Item = &mut Value> {
    value.as_object_mut().expect("an object").values_mut()
}

/// Removes a member, which must be there.
fn remove(object: &mut Value, name: &str) -> Value {
    object.as_object_mut().and_then(|members| members.remove(name)).unwrap_or_else(|| panic!("{name} is missing"))
}

/// Returns a part of the description with the keywords of 3.1.
fn undo(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let mut undone = Value::Object(members.iter().map(|(name, member)| (name.clone(), undo(member))).collect());
            if members.contains_key("nullable") {
                remove(&mut undone, "nullable");
                undone["type"] = json!([members["type"], "null"]);
            }
            if members.contains_key("allOf") {
                let reference = remove(&mut undone, "allOf");
                assert_eq!(reference.as_array().map(Vec::len), Some(1), "{value}");
                undone["$ref"] = reference[0]["$ref"].clone();
            }
            undone
        }
        Value::Array(items) => items.iter().map(undo).collect(),
        other => other.clone(),
    }
}

#[test]
fn the_schema_of_all_errors_has_the_members_of_each() {
    let (new, old) = (Description::read().json, read());
    let [new, old] = [&new, &old].map(|document| &document["components"]["schemas"]);
    let properties = |schema: &Value| schema["properties"]["errors"]["properties"].clone();
    let mut expected = new["Error"].clone();
    let errors = &mut expected["properties"]["errors"];
    remove(errors, "required");
    for bound in ["minProperties", "maxProperties"] {
        errors[bound] = json!(1);
    }
    errors["properties"] = properties(&new["InvalidError"]);
    for (schema, member) in [("AuthenticationError", "authentication"), ("AuthorizationError", "authorization")] {
        errors["properties"][member] = properties(&new[schema])[member].clone();
    }
    for keyword in ["if", "then", "else"] {
        remove(&mut errors["properties"]["json"], keyword);
    }
    assert_eq!(old["Error"], expected);
}
