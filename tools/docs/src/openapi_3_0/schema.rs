//! Conversion of a schema from JSON Schema 2020-12, as in OpenAPI 3.1, to OpenAPI 3.0.

use serde_json::Value;

use crate::json::{Json, Members};

/// Keywords that 3.0 does not have. Without them, a schema accepts more.
const NEW_KEYWORDS: [&str; 19] = [
    "$anchor",
    "$comment",
    "$defs",
    "$id",
    "$schema",
    "contains",
    "contentSchema",
    "dependentRequired",
    "dependentSchemas",
    "else",
    "if",
    "maxContains",
    "minContains",
    "patternProperties",
    "prefixItems",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
];
/// Keywords about numbers.
const NUMBER_KEYWORDS: [&str; 5] = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];
/// Keywords about texts.
const TEXT_KEYWORDS: [&str; 3] = ["minLength", "maxLength", "pattern"];
/// Keywords about arrays.
const ARRAY_KEYWORDS: [&str; 4] = ["items", "minItems", "maxItems", "uniqueItems"];
/// Keywords about objects.
const OBJECT_KEYWORDS: [&str; 5] = ["properties", "required", "additionalProperties", "minProperties", "maxProperties"];
/// Formats of numbers. All others are formats of texts.
const NUMBER_FORMATS: [&str; 4] = ["int32", "int64", "float", "double"];

/// Converts a schema and all schemas inside.
pub(super) fn convert(schema: &mut Json) {
    let Json::Object(members) = schema else {
        convert_boolean(schema);
        return;
    };
    convert_inner_schemas(members);
    if members.contains_key("$ref") {
        wrap_reference(members);
        return;
    }
    members.retain(|name, _| !NEW_KEYWORDS.contains(&name.as_str()));
    convert_constant(members);
    convert_examples(members);
    convert_content(members);
    for (new, bound) in [("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")] {
        convert_exclusive_bound(members, new, bound);
    }
    convert_null_alternatives(members);
    convert_types(members);
}

/// Converts `true`, which accepts everything, and `false`, which accepts nothing.
fn convert_boolean(schema: &mut Json) {
    match schema {
        Json::Scalar(Value::Bool(true)) => *schema = Json::parse("{}"),
        Json::Scalar(Value::Bool(false)) => *schema = Json::parse(r#"{"not": {}}"#),
        _ => {}
    }
}

fn convert_inner_schemas(members: &mut Members) {
    for (name, member) in members {
        match name.as_str() {
            "properties" | "anyOf" | "oneOf" | "allOf" => member.children_mut().for_each(convert),
            "items" | "not" => convert(member),
            // `true` and `false` are the same in 3.0.
            "additionalProperties" if matches!(member, Json::Object(_)) => convert(member),
            _ => {}
        }
    }
}

/// Moves a reference into `allOf` if it has other members: 3.0 ignores members beside a reference.
fn wrap_reference(members: &mut Members) {
    if members.len() == 1 {
        return;
    }
    let reference = members.shift_remove_entry("$ref");
    members.retain(|name, _| !NEW_KEYWORDS.contains(&name.as_str()));
    members.insert("allOf".to_owned(), Json::Array(vec![Json::Object(reference.into_iter().collect())]));
}

fn convert_constant(members: &mut Members) {
    if let Some(constant) = members.shift_remove("const") {
        members.insert("enum".to_owned(), Json::Array(vec![constant]));
    }
}

/// Keeps the first example: 3.0 has one.
fn convert_examples(members: &mut Members) {
    if let Some(Json::Array(examples)) = members.shift_remove("examples")
        && let Some(first) = examples.into_iter().next()
    {
        members.entry("example".to_owned()).or_insert(first);
    }
}

/// Converts the encoding of a text to a format: `byte` for base64, `binary` for bytes.
fn convert_content(members: &mut Members) {
    let media_type = members.shift_remove("contentMediaType");
    let encoding = members.shift_remove("contentEncoding");
    let format = match encoding.as_ref().and_then(Json::as_str) {
        Some("base64") => "byte",
        None if media_type.as_ref().and_then(Json::as_str) == Some("application/octet-stream") => "binary",
        _ => return,
    };
    members.entry("format".to_owned()).or_insert(Json::text(format));
}

/// Converts a number that is not allowed itself to a bound and the note that it is not allowed. Of two bounds, the closer one stays.
fn convert_exclusive_bound(members: &mut Members, exclusive: &str, bound: &str) {
    let Some(Json::Scalar(Value::Number(limit))) = members.shift_remove(exclusive) else { return };
    let is_outside = |other: &Json| match other {
        Json::Scalar(Value::Number(other)) if bound == "minimum" => other.as_f64() > limit.as_f64(),
        Json::Scalar(Value::Number(other)) => other.as_f64() < limit.as_f64(),
        _ => false,
    };
    if !members.get(bound).is_some_and(is_outside) {
        members.insert(bound.to_owned(), Json::Scalar(Value::Number(limit)));
        members.insert(exclusive.to_owned(), Json::Scalar(Value::Bool(true)));
    }
}

/// Removes null from the alternatives, and makes the others nullable. A single alternative takes the place of the schema's own.
fn convert_null_alternatives(members: &mut Members) {
    for name in ["anyOf", "oneOf"] {
        let Some(Json::Array(alternatives)) = members.get_mut(name) else { continue };
        let count = alternatives.len();
        alternatives.retain(|alternative| !is_null(alternative));
        if alternatives.len() < count {
            alternatives.iter_mut().for_each(make_nullable);
        }
    }
}

/// True if the converted schema accepts null alone.
fn is_null(schema: &Json) -> bool {
    let members = schema.as_object();
    members.is_some_and(|members| members.get("enum") == Some(&Json::Array(vec![Json::Scalar(Value::Null)])))
}

/// Makes a converted schema accept null. A reference is moved into `allOf`, beside which `nullable` has an effect.
fn make_nullable(schema: &mut Json) {
    let Json::Object(members) = schema else { return };
    members.insert("nullable".to_owned(), Json::Scalar(Value::Bool(true)));
    if members.contains_key("$ref") {
        wrap_reference(members);
    }
    if let Some(Json::Array(values)) = members.get_mut("enum")
        && !values.contains(&Json::Scalar(Value::Null))
    {
        values.push(Json::Scalar(Value::Null));
    }
}

/// Converts a list of types. Null becomes `nullable`. Of several other types, each becomes an alternative with its own keywords.
fn convert_types(members: &mut Members) {
    let types: Vec<String> = match members.get("type") {
        Some(Json::Array(types)) => types.iter().filter_map(Json::as_str).map(str::to_owned).collect(),
        Some(kind) if kind.as_str() == Some("null") => vec!["null".to_owned()],
        _ => return,
    };
    let is_nullable = types.iter().any(|kind| kind == "null");
    let others: Vec<&String> = types.iter().filter(|kind| *kind != "null").collect();
    let position = members.get_index_of("type").unwrap_or_default();
    members.shift_remove("type");
    match others.as_slice() {
        // 3.0 has no type of null.
        [] => {
            members.insert("nullable".to_owned(), Json::Scalar(Value::Bool(true)));
            members.insert("enum".to_owned(), Json::Array(vec![Json::Scalar(Value::Null)]));
        }
        [kind] => {
            members.shift_insert(position, "type".to_owned(), Json::text(kind));
            if is_nullable {
                members.shift_insert(position + 1, "nullable".to_owned(), Json::Scalar(Value::Bool(true)));
            }
        }
        kinds => {
            let alternatives = kinds.iter().map(|kind| take_alternative(members, kind, is_nullable)).collect();
            let keywords =
                [&NUMBER_KEYWORDS[..], &TEXT_KEYWORDS, &ARRAY_KEYWORDS, &OBJECT_KEYWORDS, &["format"]].concat();
            members.retain(|name, _| !keywords.contains(&name.as_str()));
            members.shift_insert(position.min(members.len()), "anyOf".to_owned(), Json::Array(alternatives));
        }
    }
}

/// Returns the alternative of one type, with the keywords that concern it.
fn take_alternative(members: &Members, kind: &str, is_nullable: bool) -> Json {
    let keywords: &[&str] = match kind {
        "integer" | "number" => &NUMBER_KEYWORDS,
        "string" => &TEXT_KEYWORDS,
        "array" => &ARRAY_KEYWORDS,
        "object" => &OBJECT_KEYWORDS,
        _ => &[],
    };
    let mut alternative = Members::new();
    alternative.insert("type".to_owned(), Json::text(kind));
    if is_nullable {
        alternative.insert("nullable".to_owned(), Json::Scalar(Value::Bool(true)));
    }
    for (name, value) in members {
        let has_format = name == "format" && is_format_of(value.as_str().unwrap_or_default(), kind);
        if has_format || keywords.contains(&name.as_str()) {
            alternative.insert(name.clone(), value.clone());
        }
    }
    Json::Object(alternative)
}

fn is_format_of(format: &str, kind: &str) -> bool {
    if NUMBER_FORMATS.contains(&format) { matches!(kind, "integer" | "number") } else { kind == "string" }
}
