//! The shapes of the answers, made from the types that are sent: for the description of the API.

use presence_api::openapi::schema;
use utoipa::openapi::{RefOr, Schema};

use crate::wire::{PageEnvelope, ReviewBody};

/// Every schema of this function's answers, by name.
pub fn schemas() -> Vec<(String, RefOr<Schema>)> {
    vec![schema::<ReviewBody<'_>>(), schema::<PageEnvelope<'_>>()]
}
