//! Operations of the API with the fields that a request may have, from the description of the API.

use anyhow::Context as _;
use serde_json::{Value, json};

/// Operation with its fields.
#[derive(Clone, Debug)]
pub(super) struct Operation {
    pub(super) name: String,
    pub(super) route_key: String,
    pub(super) fields: Vec<Field>,
}

/// Field of a request, as the description writes a parameter.
#[derive(Clone, Debug, serde::Deserialize)]
pub(super) struct Field {
    pub(super) name: String,
    #[serde(rename = "in")]
    pub(super) place: Place,
    /// Schema of its value. Its type may also be `nested`, for lists in each other, or `unknown`, for further fields.
    pub(super) schema: Value,
    #[serde(default, rename = "required")]
    pub(super) is_required: bool,
}

/// Place of a field in a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Place {
    Query,
    Header,
    Body,
}

/// Returns all operations of the description. Tests hold it against the routes.
pub(super) fn operations() -> anyhow::Result<Vec<Operation>> {
    let document: Value = serde_json::from_str(presence_categories::OPENAPI)?;
    let mut operations = Vec::new();
    for (path, methods) in document["paths"].as_object().context("paths")? {
        for (method, described) in methods.as_object().context("methods")? {
            let name = described["operationId"].as_str().context("an operation")?.to_owned();
            let fields = fields(&document, described).with_context(|| name.clone())?;
            operations.push(Operation { name, route_key: format!("{} {path}", method.to_uppercase()), fields });
        }
    }
    Ok(operations)
}

/// Returns the fields of a described operation, and those that every request may have. Ids in the path are no fields.
fn fields(document: &Value, described: &Value) -> anyhow::Result<Vec<Field>> {
    let codings = ["gzip", "br;q=0.5, gzip;q=0.1", "gzip, br, zstd, identity;q=0"];
    let mut fields = vec![
        json!({ "name": "accept-encoding", "in": "header", "schema": { "enum": codings } }),
        json!({ "name": "x-unknown", "in": "header", "schema": { "type": "string" } }),
        json!({ "name": "unknown names", "in": "query", "schema": { "type": "unknown" } }),
    ];
    fields.extend(described["parameters"].as_array().cloned().unwrap_or_default());
    let schema = &described["requestBody"]["content"]["application/json"]["schema"]["$ref"];
    if let Some(schema) = schema.as_str() {
        let schema = document.pointer(schema.trim_start_matches('#')).context("the schema of a body")?;
        // A key in the body would replace the caller.
        let properties = schema["properties"].as_object().context("properties")?.iter();
        fields.extend(properties.filter(|(name, _)| *name != "api_key").map(|(name, property)| {
            let is_required = schema["required"].as_array().is_some_and(|required| required.contains(&json!(name)));
            json!({ "name": name, "in": "body", "schema": property, "required": is_required })
        }));
        fields.push(json!({ "name": "nested", "in": "body", "schema": { "type": "nested" } }));
        fields.push(json!({ "name": "unknown names", "in": "body", "schema": { "type": "unknown" } }));
    }
    fields.retain(|field| field["in"] != "path");
    fields.into_iter().map(|field| Ok(serde_json::from_value(field)?)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_has_the_fields_of_its_description() {
        let operations = operations().expect("all are described");
        let operation =
            operations.iter().find(|operation| operation.name == "set_review_state").expect("it is described");
        let fields: Vec<_> =
            operation.fields.iter().map(|field| (&*field.name, field.place, field.is_required)).collect();
        let of_every_request = [("accept-encoding", Place::Header, false), ("x-unknown", Place::Header, false)];
        let of_a_body = [("nested", Place::Body, false), ("unknown names", Place::Body, false)];
        let own = [("Idempotency-Key", Place::Header, false), ("state", Place::Body, true)];
        assert_eq!(
            fields,
            [&of_every_request[..], &[("unknown names", Place::Query, false)], &own, &of_a_body].concat()
        );
    }
}
