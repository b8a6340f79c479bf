//! One schema for all error responses. Some generators take one type of error for each operation (progenitor is one of them).

use crate::json::{Json, Members};

/// Name of the schema that all error responses get.
const ERROR: &str = "Error";
/// Schemas whose members of `errors` it has. The one of a 400 comes last, because its `json` accepts every other one.
const PARTS: [&str; 3] = ["AuthenticationError", "AuthorizationError", "InvalidError"];
/// Status that the gateway answers, in an envelope of its own.
const GATEWAY_STATUS: &str = "431";
const REFERENCE: &str = r##"{"$ref": "#/components/schemas/Error"}"##;

/// Gives all error responses of the document one schema, in which each member is optional and exactly one is there. Leaves out
/// those of the gateway.
pub(super) fn unite_error_responses(document: &mut Json) {
    let members = collect_members(document);
    let Some(error) = document.find_mut(&["components", "schemas", ERROR, "properties", "errors"]) else { return };
    if let Some(errors) = error.as_object_mut() {
        errors.shift_remove("required");
        errors.insert("properties".to_owned(), Json::Object(members));
        errors.insert("minProperties".to_owned(), Json::parse("1"));
        errors.insert("maxProperties".to_owned(), Json::parse("1"));
    }
    if let Some(shared) = document.find_mut(&["components", "responses"]) {
        shared.children_mut().for_each(replace_schema);
    }
    let operations =
        document.find_mut(&["paths"]).into_iter().flat_map(Json::children_mut).flat_map(Json::children_mut);
    for operation in operations {
        let Some(responses) = operation.find_mut(&["responses"]).and_then(Json::as_object_mut) else { continue };
        responses.shift_remove(GATEWAY_STATUS);
        let errors = responses.iter_mut().filter(|(status, _)| status.starts_with(['4', '5']));
        errors.for_each(|(_, response)| replace_schema(response));
    }
}

/// Returns the members of `errors` of all parts.
fn collect_members(document: &mut Json) -> Members {
    let parts = PARTS.iter().filter_map(|part| {
        let names = ["components", "schemas", part, "properties", "errors", "properties"];
        document.find_mut(&names)?.as_object().cloned()
    });
    parts.flatten().collect()
}

fn replace_schema(response: &mut Json) {
    if let Some(schema) = response.find_mut(&["content", "application/json", "schema"]) {
        *schema = Json::parse(REFERENCE);
    }
}
