//! Schemas of the responses, derived from the types that are sent. Only the documentation tool is built with them.

use presence_api::openapi::schema;
use utoipa::openapi::{RefOr, Schema};

use crate::wire::{CategoryBody, PageEnvelope, PartnerCategoryBody, PartnersBody};

/// Returns the schemas of this function's responses, by name.
pub fn schemas() -> Vec<(String, RefOr<Schema>)> {
    vec![
        schema::<CategoryBody<'_>>(),
        schema::<PageEnvelope<'_>>(),
        schema::<PartnersBody<'_>>(),
        schema::<PartnerCategoryBody<'_>>(),
    ]
}
