//! The shapes of the answers, made from the types that are sent: for the description of the API.

use presence::openapi::schema;
use utoipa::openapi::{RefOr, Schema};

pub use crate::wire::MAX_BUSINESSES;
use crate::wire::{FoundUserBody, PageEnvelope, StatsBody, SuccessBody, UserBody};

/// Every schema of this function's answers, by name.
pub fn schemas() -> Vec<(String, RefOr<Schema>)> {
    vec![
        schema::<UserBody<'_>>(),
        schema::<FoundUserBody>(),
        schema::<PageEnvelope>(),
        schema::<StatsBody>(),
        schema::<SuccessBody>(),
    ]
}
