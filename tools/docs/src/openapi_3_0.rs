//! Conversion of the description from OpenAPI 3.1 to 3.0.3, for tools that do not read 3.1.
//!
//! A schema of 3.0 accepts each value that its schema of 3.1 accepts. Rules that 3.0 cannot express are left out, so it may accept
//! more. All error responses have one schema.

mod one_error;
mod schema;
#[cfg(test)]
mod tests;
mod unused;

use crate::json::{Json, Members};

/// Version that the converted description names.
const VERSION: &str = "3.0.3";
/// Members of the document and of `info.license` that 3.0 does not have.
const NEW_MEMBERS: [&str; 2] = ["webhooks", "jsonSchemaDialect"];

/// Converts a document of OpenAPI 3.1. Components that nothing refers to any more are left out.
pub(crate) fn convert(document: &Json) -> Json {
    let mut document = document.clone();
    if let Some(members) = document.as_object_mut() {
        members.insert("openapi".to_owned(), Json::text(VERSION));
        members.retain(|name, _| !NEW_MEMBERS.contains(&name.as_str()));
    }
    // The name of the licence stays.
    if let Some(license) = document.find_mut(&["info", "license"]).and_then(Json::as_object_mut) {
        license.shift_remove("identifier");
    }
    if let Some(components) = document.find_mut(&["components"]).and_then(Json::as_object_mut) {
        components.shift_remove("pathItems");
    }
    one_error::unite_error_responses(&mut document);
    if let Some(schemas) = document.find_mut(&["components", "schemas"]) {
        schemas.children_mut().for_each(schema::convert);
    }
    convert_parts(&mut document);
    unused::remove_unused_components(&mut document);
    document
}

/// Converts the schemas of all parameters, headers and media types in a part of the document.
fn convert_parts(part: &mut Json) {
    if let Json::Object(members) = part {
        convert_members(members);
    } else {
        part.children_mut().for_each(convert_parts);
    }
}

fn convert_members(members: &mut Members) {
    for (name, member) in members {
        match name.as_str() {
            "schema" => schema::convert(member),
            // Converted by name, or values of the API and not parts of the document.
            "schemas" | "example" | "examples" => {}
            _ => convert_parts(member),
        }
    }
}
