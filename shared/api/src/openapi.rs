//! Schemas for the description of the API. Only the documentation tool is built with them.

use utoipa::ToSchema;
use utoipa::openapi::{RefOr, Schema};

/// Returns the name and the schema of a type of an answer.
pub fn schema<T: ToSchema>() -> (String, RefOr<Schema>) {
    (T::name().into_owned(), T::schema())
}
