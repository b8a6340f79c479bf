//! Parameters of paths and query strings. The functions parse them by hand, so tests compare these descriptions with them.

use presence_domain::idempotency::MAX_KEY_BYTES;
use serde_json::Value;
use utoipa::openapi::path::{ParameterBuilder, ParameterIn, ParameterStyle};
use utoipa::openapi::schema::{ArrayBuilder, ArrayItems, Schema, Type};
use utoipa::openapi::{Deprecated, ObjectBuilder, RefOr, Required};

use crate::values::{self, Constraint, boolean, integer, string};

/// Parameter of an operation.
#[derive(Clone)]
pub struct Parameter {
    /// Name.
    pub name: &'static str,
    /// Example as a client sends it. It finds something in the sample data.
    pub example: &'static str,
    /// True for a path parameter, false for a query parameter.
    pub in_path: bool,
    /// True if the parameter is required.
    pub is_required: bool,
    description: String,
    schema: RefOr<Schema>,
    is_list: bool,
}

impl Parameter {
    /// Creates a path parameter.
    pub(crate) fn path(name: &'static str, constraint: Constraint, example: &'static str, description: &str) -> Self {
        Self { in_path: true, ..Self::required(name, constraint, example, description) }
    }

    /// Creates a required query parameter of text.
    pub(crate) fn required(
        name: &'static str,
        constraint: Constraint,
        example: &'static str,
        description: &str,
    ) -> Self {
        let schema = constraint(string()).into();
        Self { is_required: true, ..Self::optional(name, schema, example, description.to_owned()) }
    }

    /// Creates an optional query parameter of text. No text counts as not given, so the schema admits it.
    pub(crate) fn text(name: &'static str, constraint: Constraint, example: &'static str, description: &str) -> Self {
        let mut schema = constraint(string()).build();
        schema.pattern = schema.pattern.map(values::or_no_text);
        Self::optional(name, Schema::from(schema).into(), example, description.to_owned())
    }

    /// Creates an optional query parameter of a whole number.
    pub(crate) fn integer(
        name: &'static str,
        constraint: Constraint,
        example: &'static str,
        description: &str,
    ) -> Self {
        Self::optional(name, constraint(integer()).into(), example, description.to_owned())
    }

    /// Creates an optional query parameter that is true or false. Only the description has the other spellings: with a schema that
    /// has alternatives, some generated clients cannot leave the parameter out.
    pub(crate) fn boolean(name: &'static str, example: &'static str, description: &str) -> Self {
        let description = format!("{description} `true` or `false` in any case, `1` or `0`.");
        Self::optional(name, boolean().into(), example, description)
    }

    /// Creates an optional query parameter that is a list.
    pub(crate) fn list(name: &'static str, item: ObjectBuilder, example: &'static str, description: &str) -> Self {
        // No `maxItems`: it counts duplicates and blank items, and the functions do not.
        let description = format!("{description} Separated by commas, or the parameter repeated.");
        let schema = ArrayBuilder::new().items(item).into();
        Self { is_list: true, ..Self::optional(name, schema, example, description) }
    }

    fn optional(name: &'static str, schema: RefOr<Schema>, example: &'static str, description: String) -> Self {
        Self { name, example, in_path: false, is_required: false, description, schema, is_list: false }
    }

    /// Converts the parameter to its OpenAPI form.
    pub(crate) fn to_openapi(&self, is_deprecated: bool) -> utoipa::openapi::path::Parameter {
        let location = if self.in_path { ParameterIn::Path } else { ParameterIn::Query };
        let required = if self.is_required { Required::True } else { Required::False };
        let parameter = ParameterBuilder::new()
            .name(self.name)
            .parameter_in(location)
            .required(required)
            .deprecated(is_deprecated.then_some(Deprecated::True))
            .description(Some(self.description.as_str()))
            .schema(Some(self.schema.clone()))
            .example(Some(self.example_value()));
        let parameter =
            if self.is_list { parameter.style(Some(ParameterStyle::Form)).explode(Some(false)) } else { parameter };
        parameter.build()
    }

    /// Returns the example as a value of the schema.
    fn example_value(&self) -> Value {
        match &self.schema {
            RefOr::T(Schema::Array(array)) => {
                let ArrayItems::RefOrSchema(items) = &array.items else { panic!("every list has items") };
                self.example.split(',').map(|item| parse_example(item, items)).collect()
            }
            schema => parse_example(self.example, schema),
        }
    }
}

/// Returns the header with the idempotency key of a change.
pub(crate) fn idempotency_key() -> utoipa::openapi::path::Parameter {
    let description = "Name of the request, chosen by the client, such as a random UUID. For 24 hours the same request with the same key \
        gets the first response again, and changes nothing: so it is safe to repeat a request whose response was lost. The key counts \
        for the caller, the method and the path. Responses 4xx and 5xx are not kept.";
    let key = string().min_length(Some(1)).max_length(Some(MAX_KEY_BYTES)).pattern(Some("^[!-~][ -~]*$"));
    ParameterBuilder::new()
        .name("Idempotency-Key")
        .parameter_in(ParameterIn::Header)
        .required(Required::False)
        .description(Some(description))
        .schema(Some(key))
        .example(Some("0b7c0c7e-6f1c-4b7e-9a41-0c5d2e7f1b36".into()))
        .build()
}

/// Returns the header with the tag of the answer that the client has.
pub(crate) fn if_none_match() -> utoipa::openapi::path::Parameter {
    let description = "Tags of the answers that the client has, as an earlier `ETag` gave them. If one of them is current, the response is \
        304 without a body.";
    ParameterBuilder::new()
        .name("If-None-Match")
        .parameter_in(ParameterIn::Header)
        .required(Required::False)
        .description(Some(description))
        .schema(Some(string()))
        .example(Some("W/\"n4bQgYhMfWWaL-qgxVrQFQ\"".into()))
        .build()
}

fn has_type(schema: &RefOr<Schema>, kind: Type) -> bool {
    matches!(schema, RefOr::T(Schema::Object(object)) if object.schema_type == kind.into())
}

/// Returns an example, which is text as a client sends it, as a value of the schema.
fn parse_example(text: &str, schema: &RefOr<Schema>) -> Value {
    if has_type(schema, Type::Integer) {
        return text.parse::<u64>().expect("an example of a number is one").into();
    }
    if has_type(schema, Type::Boolean) { text.eq_ignore_ascii_case("true").into() } else { text.into() }
}

/// Returns the parameters of a search's page: its number and its size.
pub(crate) fn paging() -> [Parameter; 2] {
    [
        Parameter::integer(
            "page",
            values::page,
            "1",
            "Number of the page. A number below 1 counts as 1. Past the last page the list is empty. At most \
             9007199254740991 (2^53-1).",
        ),
        Parameter::integer(
            "per_page",
            values::per_page,
            "2",
            "Number of results on a page. A page that would be larger than 6 MB, as the platform counts a response, is \
             refused with 400 on `per_page`: ask for fewer.",
        ),
    ]
}
