use super::{convert, schema};
use crate::json::Json;

/// Asserts what becomes of a schema.
fn assert_schema(name: &str, schema: &str, expected: &str) {
    let mut converted = Json::parse(schema);
    schema::convert(&mut converted);
    assert_eq!(converted.to_pretty_text(), Json::parse(expected).to_pretty_text(), "{name}");
}

#[test]
fn each_keyword_of_3_1_becomes_its_form_of_3_0() {
    for (name, schema, expected) in [
        ("one type", r#"{"type": "string", "maxLength": 3}"#, r#"{"type": "string", "maxLength": 3}"#),
        ("null as a type", r#"{"type": ["string", "null"]}"#, r#"{"type": "string", "nullable": true}"#),
        ("a list of one type", r#"{"type": ["string"]}"#, r#"{"type": "string"}"#),
        ("only null", r#"{"type": "null"}"#, r#"{"nullable": true, "enum": [null]}"#),
        (
            "several types, each with its keywords",
            r#"{"type": ["integer", "string", "null"], "description": "d", "format": "int64", "minimum": 1, "pattern": "^1$"}"#,
            r#"{"anyOf": [{"type": "integer", "nullable": true, "format": "int64", "minimum": 1},
                          {"type": "string", "nullable": true, "pattern": "^1$"}], "description": "d"}"#,
        ),
        (
            "several types, with keywords of arrays and objects",
            r#"{"type": ["array", "object", "boolean"], "items": {"type": "string"}, "minItems": 1, "required": ["a"], "format": "date"}"#,
            r#"{"anyOf": [{"type": "array", "items": {"type": "string"}, "minItems": 1}, {"type": "object", "required": ["a"]},
                          {"type": "boolean"}]}"#,
        ),
        (
            "null among the choices",
            r#"{"type": ["string", "null"], "enum": ["a", null]}"#,
            r#"{"type": "string", "nullable": true, "enum": ["a", null]}"#,
        ),
        ("a constant", r#"{"const": "a"}"#, r#"{"enum": ["a"]}"#),
        ("examples", r#"{"type": "string", "examples": ["a", "b"]}"#, r#"{"type": "string", "example": "a"}"#),
        ("no example in a list", r#"{"examples": []}"#, "{}"),
        ("an exclusive minimum", r#"{"exclusiveMinimum": 1}"#, r#"{"minimum": 1, "exclusiveMinimum": true}"#),
        ("an exclusive maximum", r#"{"exclusiveMaximum": 9.5}"#, r#"{"maximum": 9.5, "exclusiveMaximum": true}"#),
        ("a closer minimum", r#"{"exclusiveMinimum": 1, "minimum": 2}"#, r#"{"minimum": 2}"#),
        (
            "a minimum further away",
            r#"{"minimum": 1, "exclusiveMinimum": 1}"#,
            r#"{"minimum": 1, "exclusiveMinimum": true}"#,
        ),
        ("a closer maximum", r#"{"exclusiveMaximum": 9, "maximum": 8}"#, r#"{"maximum": 8}"#),
        (
            "base64",
            r#"{"type": "string", "contentEncoding": "base64", "contentMediaType": "image/png"}"#,
            r#"{"type": "string", "format": "byte"}"#,
        ),
        (
            "bytes",
            r#"{"type": "string", "contentMediaType": "application/octet-stream"}"#,
            r#"{"type": "string", "format": "binary"}"#,
        ),
        ("another medium", r#"{"type": "string", "contentMediaType": "text/html"}"#, r#"{"type": "string"}"#),
        (
            "a rule",
            r##"{"if": {"type": "object"}, "then": {"$ref": "#/a"}, "else": {"type": "string"}, "description": "d"}"##,
            r#"{"description": "d"}"#,
        ),
        (
            "other new keywords",
            r#"{"type": "object", "patternProperties": {}, "unevaluatedProperties": false, "$comment": "c"}"#,
            r#"{"type": "object"}"#,
        ),
        ("a reference alone", r##"{"$ref": "#/a"}"##, r##"{"$ref": "#/a"}"##),
        (
            "a reference with a description",
            r##"{"$ref": "#/a", "description": "d"}"##,
            r##"{"description": "d", "allOf": [{"$ref": "#/a"}]}"##,
        ),
        (
            "null among the alternatives",
            r##"{"anyOf": [{"type": "string"}, {"$ref": "#/a"}, {"type": "integer", "enum": [0]}, {"type": "null"}]}"##,
            r##"{"anyOf": [{"type": "string", "nullable": true}, {"nullable": true, "allOf": [{"$ref": "#/a"}]},
                           {"type": "integer", "enum": [0, null], "nullable": true}]}"##,
        ),
        (
            "alternatives without null",
            r#"{"oneOf": [{"type": "string"}, {"type": "integer"}]}"#,
            r#"{"oneOf": [{"type": "string"}, {"type": "integer"}]}"#,
        ),
        ("everything", "true", "{}"),
        ("nothing", "false", r#"{"not": {}}"#),
        (
            "schemas inside",
            r#"{"properties": {"const": {"const": 1}}, "items": {"const": 2}, "not": {"const": 3}, "allOf": [{"const": 4}],
                "additionalProperties": {"const": 5}}"#,
            r#"{"properties": {"const": {"enum": [1]}}, "items": {"enum": [2]}, "not": {"enum": [3]}, "allOf": [{"enum": [4]}],
                "additionalProperties": {"enum": [5]}}"#,
        ),
        ("a closed object", r#"{"additionalProperties": false}"#, r#"{"additionalProperties": false}"#),
    ] {
        assert_schema(name, schema, expected);
    }
}

#[test]
fn a_document_keeps_its_order_and_loses_what_3_0_does_not_have() {
    let document = Json::parse(
        r##"{"openapi": "3.1.0", "info": {"title": "t", "license": {"name": "n", "identifier": "MIT"}}, "webhooks": {},
            "paths": {"/b": {"get": {
                "parameters": [{"name": "p", "schema": {"type": ["string", "null"]}, "example": {"schema": {"const": 1}}}],
                "responses": {"200": {"$ref": "#/components/responses/Used"}}}}, "/a": {}},
            "components": {"schemas": {"Z": {"const": 1}, "Unused": {"$ref": "#/components/schemas/Z"}},
                "responses": {"Used": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Z"}}}}, "Unused": {}},
                "securitySchemes": {"key": {"type": "http"}}}}"##,
    );
    let expected = Json::parse(
        r##"{"openapi": "3.0.3", "info": {"title": "t", "license": {"name": "n"}},
            "paths": {"/b": {"get": {
                "parameters": [{"name": "p", "schema": {"type": "string", "nullable": true}, "example": {"schema": {"const": 1}}}],
                "responses": {"200": {"$ref": "#/components/responses/Used"}}}}, "/a": {}},
            "components": {"schemas": {"Z": {"enum": [1]}},
                "responses": {"Used": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Z"}}}}},
                "securitySchemes": {"key": {"type": "http"}}}}"##,
    );
    assert_eq!(convert(&document).to_pretty_text(), expected.to_pretty_text());
}

#[test]
fn all_error_responses_get_one_schema_with_the_members_of_each() {
    let envelope = |member: &str, schema: &str| {
        format!(
            r#"{{"properties": {{"errors": {{"properties": {{"{member}": {schema}}}, "required": ["{member}"]}}}}}}"#
        )
    };
    let response = |name: &str| {
        format!(r##"{{"content": {{"application/json": {{"schema": {{"$ref": "#/components/schemas/{name}"}}}}}}}}"##)
    };
    let document = |schemas: String, [done, invalid, shared]: [&str; 3]| {
        Json::parse(&format!(
            r##"{{"openapi": "3.0.3", "paths": {{"/a": {{"get": {{"responses": {{"200": {}, "400": {}, "401":
                {{"$ref": "#/components/responses/Shared"}}}}}}}}}},
                "components": {{"schemas": {schemas}, "responses": {{"Shared": {}}}}}}}"##,
            response(done),
            response(invalid),
            response(shared),
        ))
    };
    let text = r#"{"type": "string"}"#;
    let schemas = format!(
        r#"{{"Done": {{}}, "Error": {}, "InvalidError": {}, "AuthenticationError": {}, "AuthorizationError": {}}}"#,
        envelope("json", text),
        envelope("json", "{}"),
        envelope("authentication", text),
        envelope("authorization", text),
    );
    let converted = convert(&document(schemas, ["Done", "InvalidError", "AuthenticationError"]));
    let error = r#"{"properties": {"errors": {"properties": {"authentication": {"type": "string"}, "authorization": {"type": "string"},
        "json": {}}, "minProperties": 1, "maxProperties": 1}}}"#;
    let expected = document(format!(r#"{{"Done": {{}}, "Error": {error}}}"#), ["Done", "Error", "Error"]);
    assert_eq!(converted.to_pretty_text(), expected.to_pretty_text());
}

#[test]
fn responses_of_the_gateway_are_left_out() {
    let document = |responses: &str| {
        Json::parse(&format!(
            r#"{{"openapi": "3.0.3", "paths": {{"/a": {{"get": {{"responses": {{"200": {{}}{responses}}}}}}}}},
                "components": {{"schemas": {{"Error": {{"properties": {{"errors": {{}}}}}}}}, "responses": {{}}}}}}"#
        ))
    };
    let converted = convert(&document(r#", "431": {}"#));
    assert_eq!(converted.to_pretty_text(), convert(&document("")).to_pretty_text());
}

#[test]
fn a_component_that_refers_to_itself_is_kept_once_it_is_used() {
    let document = Json::parse(
        r##"{"openapi": "3.1.0", "paths": {"/a": {"$ref": "#/components/schemas/Tree"}},
            "components": {"schemas": {"Tree": {"items": {"$ref": "#/components/schemas/Tree"}}, "Alone": {"items": {"$ref": "#/components/schemas/Alone"}}}}}"##,
    );
    let converted = convert(&document);
    assert!(converted.to_pretty_text().contains("Tree") && !converted.to_pretty_text().contains("Alone"));
}
