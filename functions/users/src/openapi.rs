//! Schemas of the answers, derived from the types that are sent, for the description of the API.

use presence_api::openapi::schema;
use utoipa::openapi::{RefOr, Schema};

use crate::keys::wire::{IssuedKeyBody, KeyBody, KeyListBody};
use crate::wire::{self, FoundUserBody, PageEnvelope, StatsBody, SuccessBody, UserBody};

/// The most businesses of one user.
pub const MAX_BUSINESSES: usize = wire::MAX_BUSINESSES;

/// Every schema of this function's answers, by name.
pub fn schemas() -> Vec<(String, RefOr<Schema>)> {
    vec![
        schema::<UserBody<'_>>(),
        schema::<FoundUserBody>(),
        schema::<PageEnvelope>(),
        schema::<StatsBody>(),
        schema::<SuccessBody>(),
        schema::<KeyListBody<'_>>(),
        schema::<KeyBody<'_>>(),
        schema::<IssuedKeyBody<'_>>(),
    ]
}
