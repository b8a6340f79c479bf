//! Conversion of the description from OpenAPI 3.1 to 3.0.3, for tools that do not read 3.1.
//!
//! A schema of 3.0 accepts each value that its schema of 3.1 accepts. Rules that 3.0 cannot express are left out, so it may accept
//! more. All error responses have one schema. Only what the description has is converted: tests refuse anything else.

use serde_json::Value;

use crate::json::{Json, Members};

const VERSION: &str = "3.0.3";
/// Members with values of the API. They are no parts of the description.
const VALUES: [&str; 2] = ["example", "examples"];
/// Members that are left out wherever they are: keywords that 3.0 does not have, and the answer of the gateway, which has an envelope of
/// its own. So are the schemas of errors that only these refer to.
const LEFT_OUT: [&str; 9] =
    ["if", "then", "else", "431", "HeadTooLarge", "GatewayError", "Choice", "FieldError", "FieldErrors"];
/// Schema of all error responses. Some generators take one type of error for each operation (progenitor is one of them).
const ERROR: &str = "#/components/schemas/Error";
/// Schemas that become a part of it. The one of a 400 comes last, because its `json` accepts every other one.
const ERROR_PARTS: [&str; 3] = ["AuthenticationError", "AuthorizationError", "InvalidError"];

/// Converts a description.
pub(crate) fn convert(description: &str) -> String {
    let mut document = Json::parse(description);
    if let Json::Object(members) = &mut document {
        members.insert("openapi".to_owned(), Json::Scalar(VERSION.into()));
    }
    if let Some(schemas) = document.members_mut(&["components", "schemas"]) {
        unite_errors(schemas);
    }
    convert_part(&mut document);
    document.to_pretty_text()
}

/// Moves the members of all errors into one schema, in which each is optional and exactly one is there.
fn unite_errors(schemas: &mut Members) {
    let mut members = Members::new();
    for name in ERROR_PARTS {
        let mut part = schemas.shift_remove(name);
        let errors = part.as_mut().and_then(|part| part.members_mut(&["properties", "errors", "properties"]));
        members.extend(errors.into_iter().flat_map(std::mem::take));
    }
    let error = schemas.get_mut("Error").and_then(|error| error.members_mut(&["properties", "errors"]));
    let Some(errors) = error else { return };
    errors.shift_remove("required");
    errors.insert("properties".to_owned(), Json::Object(members));
    errors.insert("minProperties".to_owned(), Json::Scalar(1.into()));
    errors.insert("maxProperties".to_owned(), Json::Scalar(1.into()));
}

/// Converts a part of the description, with all parts inside.
fn convert_part(part: &mut Json) {
    match part {
        Json::Object(members) => {
            members.retain(|name, _| !LEFT_OUT.contains(&name.as_str()));
            convert_reference(members);
            convert_types(members);
            let parts = members.iter_mut().filter(|(name, _)| !VALUES.contains(&name.as_str()));
            parts.for_each(|(_, member)| convert_part(member));
        }
        Json::Array(items) => items.iter_mut().for_each(convert_part),
        Json::Scalar(_) => {}
    }
}

/// Names the schema of all errors in place of its parts. Moves a reference into `allOf` if it has other members: 3.0 ignores members
/// beside a reference.
fn convert_reference(members: &mut Members) {
    let Some(Json::Scalar(Value::String(reference))) = members.get_mut("$ref") else { return };
    if reference.rsplit('/').next().is_some_and(|name| ERROR_PARTS.contains(&name)) {
        ERROR.clone_into(reference);
    }
    if members.len() > 1 {
        let reference = members.shift_remove_entry("$ref").into_iter().collect();
        members.insert("allOf".to_owned(), Json::Array(vec![Json::Object(reference)]));
    }
}

/// Converts a type and null to the type and the note that null is allowed.
fn convert_types(members: &mut Members) {
    let Some((position, _, Json::Array(types))) = members.get_full("type") else { return };
    let Some(first) = types.first().cloned() else { return };
    members.insert("type".to_owned(), first);
    members.shift_insert(position + 1, "nullable".to_owned(), Json::Scalar(true.into()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_has_its_form_of_3_0_in_the_same_place_and_examples_stay() {
        let description = r##"{"openapi": "3.1.0", "info": {"license": {"name": "n", "url": "u"}},
            "paths": {"/b": {"get": {
                "parameters": [{"schema": {"type": ["string", "null"], "maxLength": 3}, "example": {"type": ["a"], "if": 1}}],
                "responses": {"200": {"examples": {"then": 2}}, "431": {"$ref": "#/components/responses/HeadTooLarge"}}}}, "/a": {}},
            "components": {"schemas": {"Z": {"type": "string"}, "Choice": {},
                "A": {"$ref": "#/Z", "description": "d", "if": {}, "then": {}, "else": {}}, "B": {"$ref": "#/Z"}}}}"##;
        let expected = r##"{"openapi": "3.0.3", "info": {"license": {"name": "n", "url": "u"}},
            "paths": {"/b": {"get": {
                "parameters": [{"schema": {"type": "string", "nullable": true, "maxLength": 3}, "example": {"type": ["a"], "if": 1}}],
                "responses": {"200": {"examples": {"then": 2}}}}}, "/a": {}},
            "components": {"schemas": {"Z": {"type": "string"},
                "A": {"description": "d", "allOf": [{"$ref": "#/Z"}]}, "B": {"$ref": "#/Z"}}}}"##;
        assert_eq!(convert(description), Json::parse(expected).to_pretty_text());
    }
}
