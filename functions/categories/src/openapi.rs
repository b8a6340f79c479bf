//! The shapes of the answers, made from the types that are sent: for the description of the API.

use presence_api::openapi::schema;
use utoipa::openapi::{RefOr, Schema};

use crate::wire::{CategoryBody, PageEnvelope, PartnerCategoryBody, PartnersBody};

/// Every schema of this function's answers, by name.
pub fn schemas() -> Vec<(String, RefOr<Schema>)> {
    vec![
        schema::<CategoryBody<'_>>(),
        schema::<PageEnvelope<'_>>(),
        schema::<PartnersBody<'_>>(),
        schema::<PartnerCategoryBody<'_>>(),
    ]
}
