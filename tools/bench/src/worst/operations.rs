//! Operations of the API with the fields that a request may have, from the description of the API.

use anyhow::Context as _;
use serde_json::Value;

/// Operation with its fields.
#[derive(Clone, Debug)]
pub(super) struct Operation {
    pub(super) name: String,
    pub(super) route_key: String,
    pub(super) fields: Vec<Field>,
}

/// Field of a request.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) place: Place,
    pub(super) shape: Shape,
    pub(super) is_required: bool,
}

/// Place of a field in a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Query,
    Header,
    Body,
}

/// Values of a field.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Shape {
    Choice(Vec<Value>),
    List(Box<Self>),
    /// Text of at most so many characters.
    Text(usize),
    /// Lists in each other.
    Nested,
    /// Object of further fields that the operation does not know.
    Unknown,
}

/// Longest text in the head of a request without a bound of its own.
const HEAD_CHARS: usize = 9_000;
/// Longest text in a body without a bound of its own. In UTF-8 it is at most 120,000 bytes, and a body may have 131,072.
const BODY_CHARS: usize = 30_000;
/// Codings of answers that a client accepts.
const CODINGS: [&str; 3] = ["gzip", "br;q=0.5, gzip;q=0.1", "gzip, br, zstd, identity;q=0"];

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

/// Returns the fields of a described operation, and those that every request may have.
fn fields(document: &Value, described: &Value) -> anyhow::Result<Vec<Field>> {
    let coding = Shape::Choice(CODINGS.map(Value::from).to_vec());
    let mut fields = vec![
        Field::optional("accept-encoding", Place::Header, coding),
        Field::optional("x-unknown", Place::Header, Shape::Text(HEAD_CHARS)),
        Field::optional("unknown names", Place::Query, Shape::Unknown),
    ];
    for parameter in described["parameters"].as_array().into_iter().flatten() {
        let place = match parameter["in"].as_str().context("a place")? {
            "query" => Place::Query,
            "header" => Place::Header,
            // Paths have ids only.
            _ => continue,
        };
        let name = parameter["name"].as_str().context("a name")?;
        fields.push(Field::optional(name, place, Shape::read(&parameter["schema"], HEAD_CHARS)));
    }
    let schema = &described["requestBody"]["content"]["application/json"]["schema"]["$ref"];
    if let Some(schema) = schema.as_str() {
        let schema = document.pointer(schema.trim_start_matches('#')).context("the schema of a body")?;
        fields.extend(body_fields(schema)?);
    }
    Ok(fields)
}

fn body_fields(schema: &Value) -> anyhow::Result<Vec<Field>> {
    let required: Vec<Value> = schema["required"].as_array().cloned().unwrap_or_default();
    let properties = schema["properties"].as_object().context("properties")?;
    let field = |(name, schema): (&String, &Value)| {
        let is_required = required.iter().any(|required| required == name);
        Field { is_required, ..Field::optional(name, Place::Body, Shape::read(schema, BODY_CHARS)) }
    };
    // A key in the body would replace the caller.
    let mut fields: Vec<_> = properties.iter().filter(|(name, _)| *name != "api_key").map(field).collect();
    fields.push(Field::optional("nested", Place::Body, Shape::Nested));
    fields.push(Field::optional("unknown names", Place::Body, Shape::Unknown));
    Ok(fields)
}

impl Field {
    fn optional(name: &str, place: Place, shape: Shape) -> Self {
        Self { name: name.to_owned(), place, shape, is_required: false }
    }
}

impl Shape {
    /// Reads a schema. A text without a bound has at most so many characters.
    fn read(schema: &Value, chars: usize) -> Self {
        if let Some(choices) = schema["enum"].as_array() {
            return Self::Choice(choices.iter().filter(|choice| !choice.is_null()).cloned().collect());
        }
        match schema["type"].as_str().or_else(|| schema["type"][0].as_str()).unwrap_or_default() {
            "boolean" => Self::Choice(vec![true.into(), false.into()]),
            "integer" => {
                let [least, most] = [("minimum", 1), ("maximum", i64::MAX)]
                    .map(|(bound, default)| schema[bound].as_i64().unwrap_or(default));
                let values = [least, 2, 30, 1_000, most].into_iter().filter(|it| *it <= most);
                Self::Choice(values.map(Value::from).collect())
            }
            "array" => Self::List(Box::new(Self::read(&schema["items"], chars))),
            _ => Self::Text(schema["maxLength"].as_u64().and_then(|most| usize::try_from(most).ok()).unwrap_or(chars)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_have_the_fields_of_their_description() {
        let operations = operations().expect("all are described");
        let shape = |name: &str, field: &str| {
            let operation = operations.iter().find(|operation| operation.name == name).expect(name);
            operation.fields.iter().find(|of| of.name == field).map(|of| (of.place, of.shape.clone(), of.is_required))
        };
        assert_eq!(shape("search_users", "query"), Some((Place::Query, Shape::Text(255), false)));
        assert_eq!(shape("create_user", "first_name"), Some((Place::Body, Shape::Text(100), true)));
        let ratings = Shape::List(Box::new(Shape::Choice([1, 2, 5].map(Value::from).to_vec())));
        assert_eq!(shape("search_reviews", "rating__in"), Some((Place::Query, ratings, false)));
        assert_eq!(shape("get_me", "nested"), None, "it takes no body");
    }
}
