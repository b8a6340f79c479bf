//! Schemas of the answers for the description of the API, derived from the types that are sent.

use presence_api::openapi::schema;
use utoipa::openapi::{RefOr, Schema};

use crate::webhooks::wire::{
    AttemptBody, DeliveriesBody, DeliveryBody, NewWebhookBody, SuccessBody, WebhookBody, WebhookListBody,
};
use crate::wire::{EventBody, EventDataSchema, EventsBody};

/// Returns every schema of this function's answers, by name.
pub fn schemas() -> Vec<(String, RefOr<Schema>)> {
    vec![
        schema::<EventsBody<'_>>(),
        schema::<EventBody<'_>>(),
        schema::<EventDataSchema>(),
        schema::<WebhookListBody<'_>>(),
        schema::<WebhookBody<'_>>(),
        schema::<NewWebhookBody<'_>>(),
        schema::<DeliveriesBody<'_>>(),
        schema::<DeliveryBody<'_>>(),
        schema::<AttemptBody<'_>>(),
        schema::<SuccessBody>(),
    ]
}
