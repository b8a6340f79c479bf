//! Parameters of paths and query strings. They are read one by one, so they are described one by one; the tests hold the
//! two together.

use presence_api::MAX_ITEMS;
use serde_json::Value;
use utoipa::openapi::path::{ParameterBuilder, ParameterIn, ParameterStyle};
use utoipa::openapi::schema::{ArrayBuilder, Schema};
use utoipa::openapi::{ObjectBuilder, RefOr, Required};

use crate::values::{self, Refine, integer, string, truth};

/// A parameter of an operation.
#[derive(Clone)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// A value that the sample data knows, as it is sent.
    pub example: &'static str,
    /// Whether it stands in the path; else in the query string.
    pub in_path: bool,
    /// Whether it must be given.
    pub is_required: bool,
    words: String,
    schema: RefOr<Schema>,
    is_list: bool,
}

impl Parameter {
    /// A part of the path.
    pub(crate) fn path(name: &'static str, refine: Refine, example: &'static str, words: &str) -> Self {
        Self { in_path: true, ..Self::required(name, refine, example, words) }
    }

    /// Text that must be given.
    pub(crate) fn required(name: &'static str, refine: Refine, example: &'static str, words: &str) -> Self {
        Self { is_required: true, ..Self::text(name, refine, example, words) }
    }

    /// Text.
    pub(crate) fn text(name: &'static str, refine: Refine, example: &'static str, words: &str) -> Self {
        Self::optional(name, refine(string()).into(), example, words.to_owned())
    }

    /// A whole number.
    pub(crate) fn integer(name: &'static str, refine: Refine, example: &'static str, words: &str) -> Self {
        Self::optional(name, refine(integer()).into(), example, words.to_owned())
    }

    /// `True` or `False`.
    pub(crate) fn truth(name: &'static str, example: &'static str, words: &str) -> Self {
        let words = format!("{words} `true` or `false` in any case, `1` or `0`.");
        Self::optional(name, truth().into(), example, words)
    }

    /// Several values.
    pub(crate) fn list(name: &'static str, item: ObjectBuilder, example: &'static str, words: &str) -> Self {
        let words = format!("{words} Separated by commas, or the parameter repeated.");
        let schema = ArrayBuilder::new().items(item).max_items(Some(MAX_ITEMS)).into();
        Self { is_list: true, ..Self::optional(name, schema, example, words) }
    }

    fn optional(name: &'static str, schema: RefOr<Schema>, example: &'static str, words: String) -> Self {
        Self { name, example, in_path: false, is_required: false, words, schema, is_list: false }
    }

    pub(crate) fn described(&self) -> utoipa::openapi::path::Parameter {
        let place = if self.in_path { ParameterIn::Path } else { ParameterIn::Query };
        let required = if self.is_required { Required::True } else { Required::False };
        let parameter = ParameterBuilder::new()
            .name(self.name)
            .parameter_in(place)
            .required(required)
            .description(Some(self.words.as_str()))
            .schema(Some(self.schema.clone()))
            .example(Some(self.value()));
        let parameter =
            if self.is_list { parameter.style(Some(ParameterStyle::Form)).explode(Some(false)) } else { parameter };
        parameter.build()
    }

    /// The example as the schema has it.
    fn value(&self) -> Value {
        let number = |text: &str| text.parse().map_or_else(|_| Value::from(text), |number: u64| Value::from(number));
        let is_integer = |schema: &RefOr<Schema>| match schema {
            RefOr::T(Schema::Object(object)) => object.schema_type == utoipa::openapi::schema::Type::Integer.into(),
            _ => false,
        };
        match &self.schema {
            RefOr::T(Schema::Array(array)) => {
                let items = match &array.items {
                    utoipa::openapi::schema::ArrayItems::RefOrSchema(item) => is_integer(item),
                    utoipa::openapi::schema::ArrayItems::False => false,
                };
                self.example.split(',').map(|item| if items { number(item) } else { item.into() }).collect()
            }
            schema if is_integer(schema) => number(self.example),
            _ => self.example.into(),
        }
    }
}

/// Which page of a search, and how long.
pub(crate) fn paging() -> [Parameter; 2] {
    [
        Parameter::integer(
            "page",
            values::page,
            "1",
            "Which page. Any number below 1 counts as 1; past the last one the list is empty. At most 9007199254740991 \
             (2^53-1).",
        ),
        Parameter::integer(
            "per_page",
            values::per_page,
            "2",
            "How many on a page. A page that would be larger than 6 MB, as the platform counts an answer, is refused with \
             400 on `per_page`: ask for fewer.",
        ),
    ]
}
