//! Validators from the schemas of the description.
//!
//! The schemas of answers are closed first: they refuse properties that are not described, which clients must accept.

use jsonschema::Validator;
use serde_json::{Map, Value, json};

/// Description with its schemas.
pub(super) struct Description {
    pub(super) json: Value,
    closed: Value,
}

impl Description {
    pub(super) fn read() -> Self {
        let json: Value = serde_json::from_str(presence_categories::OPENAPI).expect("the description is JSON");
        let mut closed = json["components"].clone();
        close(&mut closed["schemas"]);
        Self { json, closed }
    }

    /// Returns the operation with the id.
    pub(super) fn operation(&self, name: &str) -> &Value {
        let paths = self.json["paths"].as_object().expect("paths");
        let mut operations = paths.values().flat_map(|item| item.as_object().expect("operations").values());
        operations.find(|operation| operation["operationId"] == name).expect("an operation of this name")
    }

    /// Returns the described answer of an operation with this status, or nothing. References are resolved.
    pub(super) fn response(&self, operation: &str, status: u16) -> Option<&Value> {
        let response = self.operation(operation)["responses"].get(status.to_string())?;
        match response["$ref"].as_str() {
            Some(reference) => self.json.pointer(reference.trim_start_matches('#')),
            None => Some(response),
        }
    }

    /// Returns the differences between an answer and its schema, or nothing.
    pub(super) fn objection_to_answer(&self, operation: &str, status: u16, body: &Value) -> Option<String> {
        let Some(response) = self.response(operation, status) else {
            return Some("the status is not described".to_owned());
        };
        objection(&validator(&self.closed, &response["content"]["application/json"]["schema"]), body)
    }

    /// Returns the schema of a parameter.
    pub(super) fn parameter_schema(&self, operation: &str, name: &str) -> &Value {
        let mut parameters = self.operation(operation)["parameters"].as_array().expect("parameters").iter();
        &parameters.find(|parameter| parameter["name"] == name).expect("a parameter of this name")["schema"]
    }

    /// True if a value follows a schema.
    pub(super) fn admits(&self, schema: &Value, value: &Value) -> bool {
        objection(&validator(&self.json["components"], schema), value).is_none()
    }

    /// Returns the differences between the body of a request and its schema, or nothing.
    pub(super) fn objection_to_body(&self, operation: &str, body: &Value) -> Option<String> {
        let schema = &self.operation(operation)["requestBody"]["content"]["application/json"]["schema"];
        objection(&validator(&self.json["components"], schema), body)
    }
}

fn validator(components: &Value, schema: &Value) -> Validator {
    let mut root = schema.clone();
    root["components"] = components.clone();
    root["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    jsonschema::options().should_validate_formats(true).build(&root).expect("a schema")
}

fn objection(validator: &Validator, value: &Value) -> Option<String> {
    let objections: Vec<String> = validator.iter_errors(value).map(|error| error.to_string()).collect();
    (!objections.is_empty()).then(|| objections.join("; "))
}

/// Makes every schema of an object refuse other properties.
fn close(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            let is_open = object.get("properties").is_some_and(Value::is_object);
            if is_open {
                object.entry("additionalProperties").or_insert(json!(false));
            }
            Map::values_mut(object).for_each(close);
        }
        Value::Array(values) => values.iter_mut().for_each(close),
        _ => {}
    }
}
