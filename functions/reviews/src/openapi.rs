//! Schemas of the answers for the description of the API, derived from the types that are sent.

use presence_api::openapi::schema;
use utoipa::openapi::{RefOr, Schema};

use crate::wire::{
    BusinessBody, BusinessPage, GroupBody, OutcomeBody, PageEnvelope, PartnerCounts, RatingCounts, ReplyBody,
    ReviewBody, StateCounts, StatsBody, SuccessBody,
};

/// Returns every schema of this function's answers, by name.
pub fn schemas() -> Vec<(String, RefOr<Schema>)> {
    vec![
        schema::<ReviewBody<'_>>(),
        schema::<PageEnvelope<'_>>(),
        schema::<ReplyBody<'_>>(),
        schema::<SuccessBody<'_>>(),
        schema::<OutcomeBody<'_>>(),
        schema::<StatsBody<'_>>(),
        schema::<GroupBody<'_>>(),
        schema::<RatingCounts>(),
        schema::<StateCounts>(),
        schema::<PartnerCounts>(),
        schema::<BusinessBody<'_>>(),
        schema::<BusinessPage<'_>>(),
    ]
}
