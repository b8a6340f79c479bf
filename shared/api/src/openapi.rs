//! For the description of the API: no Lambda has it.

use utoipa::ToSchema;
use utoipa::openapi::{RefOr, Schema};

/// The schema of a type that is sent, by the name that it has in the description.
#[must_use]
pub fn schema<T: ToSchema>() -> (String, RefOr<Schema>) {
    (T::name().into_owned(), T::schema())
}
