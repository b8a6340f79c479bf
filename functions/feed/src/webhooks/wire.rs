//! Bodies of webhooks, and the readers of their fields.

use jiff::Timestamp;
use presence_api::{RawValue, read};
use presence_domain::error::{FieldError, FieldErrors};
use presence_domain::feed::{EventFilter, EventPattern, FeedCursor, format_at};
use presence_domain::ids::OrgId;
use presence_domain::instant::format_second;
use presence_domain::key_rights::parse_optional_label;
use presence_domain::webhook::{Attempt, Delivery, Webhook, WebhookId, WebhookReach, WebhookUrl};
use serde::Serialize;
use serde_json::Value;

/// Webhooks of an organisation.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = WebhookList))]
pub(crate) struct WebhookListBody<'a> {
    pub(crate) webhooks: Vec<WebhookBody<'a>>,
}

/// Webhook.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = Webhook))]
pub(crate) struct WebhookBody<'a> {
    id: String,
    url: &'a str,
    types: Vec<&'static str>,
    #[cfg_attr(feature = "openapi", schema(required))]
    label: Option<&'a str>,
    state: &'static str,
    #[cfg_attr(feature = "openapi", schema(required))]
    failing_since: Option<String>,
    cursor: String,
    created_at: String,
}

/// Webhook with a secret that was just made: the only answers that have it.
#[derive(Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = WebhookWithSecret))]
pub(crate) struct NewWebhookBody<'a> {
    id: String,
    url: &'a str,
    types: Vec<&'static str>,
    #[cfg_attr(feature = "openapi", schema(required))]
    label: Option<&'a str>,
    state: &'static str,
    #[cfg_attr(feature = "openapi", schema(required))]
    failing_since: Option<String>,
    cursor: String,
    created_at: String,
    #[cfg_attr(feature = "openapi", schema(required))]
    secret: Option<&'a str>,
}

/// Page of the deliveries to a webhook, newest first.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = DeliveryPage))]
pub(crate) struct DeliveriesBody<'a> {
    deliveries: Vec<DeliveryBody<'a>>,
    next: String,
    has_more: bool,
}

/// Delivery of an event, with its attempts, oldest first.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = Delivery))]
pub(crate) struct DeliveryBody<'a> {
    event_id: &'a str,
    #[serde(rename = "type")]
    kind: &'a str,
    /// Cursor before the event; `None` for one that is in no feed.
    #[cfg_attr(feature = "openapi", schema(required))]
    after: Option<String>,
    attempts: Vec<AttemptBody<'a>>,
    state: &'static str,
}

/// Attempt to deliver an event.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = DeliveryAttempt))]
pub(crate) struct AttemptBody<'a> {
    at: String,
    #[cfg_attr(feature = "openapi", schema(required))]
    status: Option<u16>,
    milliseconds: u64,
    #[cfg_attr(feature = "openapi", schema(required))]
    error: Option<&'a str>,
}

/// Answer to a request that leaves nothing to show: the id of the webhook.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = WebhookSuccess))]
pub(crate) struct SuccessBody {
    status: &'static str,
    id: String,
}

impl<'a> WebhookBody<'a> {
    pub(crate) fn new(webhook: &'a Webhook) -> Self {
        let org_id = Some(webhook.id.org_id());
        Self {
            id: webhook.id.to_string(),
            url: webhook.url.as_str(),
            types: webhook.types.0.iter().map(|pattern| pattern.as_str()).collect(),
            label: webhook.label.as_deref(),
            state: webhook.progress.state().as_str(),
            failing_since: webhook.progress.failing_since.map(format_instant),
            cursor: FeedCursor { org_id, number: webhook.progress.cursor }.to_string(),
            created_at: format_instant(webhook.created_at),
        }
    }
}

impl<'a> NewWebhookBody<'a> {
    /// Returns the body with the secret, or without it.
    pub(super) fn new(webhook: &'a Webhook, secret: Option<&'a str>) -> Self {
        let WebhookBody { id, url, types, label, state, failing_since, cursor, created_at } = WebhookBody::new(webhook);
        Self { id, url, types, label, state, failing_since, cursor, created_at, secret }
    }
}

impl<'a> DeliveriesBody<'a> {
    pub(super) fn new(org_id: Option<OrgId>, deliveries: &'a [Delivery], next: String, has_more: bool) -> Self {
        Self { deliveries: deliveries.iter().map(|one| DeliveryBody::new(org_id, one)).collect(), next, has_more }
    }
}

impl<'a> DeliveryBody<'a> {
    pub(super) fn new(org_id: Option<OrgId>, delivery: &'a Delivery) -> Self {
        let latest = delivery.latest();
        let before = latest.and_then(|attempt| attempt.number.checked_sub(1));
        Self {
            after: before.map(|number| FeedCursor { org_id, number }.to_string()),
            event_id: latest.map_or("", |attempt| &attempt.event_id),
            kind: latest.map_or("", |attempt| &attempt.kind),
            attempts: delivery.0.iter().map(AttemptBody::new).collect(),
            state: latest.map_or("", |attempt| attempt.state.as_str()),
        }
    }
}

impl<'a> AttemptBody<'a> {
    fn new(attempt: &'a Attempt) -> Self {
        let Attempt { at, status, milliseconds, error, .. } = attempt;
        Self { at: format_at(*at), status: *status, milliseconds: *milliseconds, error: error.as_deref() }
    }
}

impl SuccessBody {
    pub(super) fn of(id: WebhookId) -> Self {
        Self { status: "success", id: id.to_string() }
    }
}

/// Reads a text, as it is sent.
pub(super) fn text(raw: RawValue<'_>) -> Result<String, FieldError> {
    read::text(raw).map(str::to_owned)
}

/// Reads the types of events: a list of names, without duplicates.
pub(super) fn types(raw: RawValue<'_>) -> Result<EventFilter, FieldError> {
    const NO_LIST: &str = "must be a list of strings";
    let RawValue::Json(Value::Array(values)) = raw else { return Err(NO_LIST.into()) };
    let mut patterns = Vec::new();
    for value in values {
        let pattern = EventPattern::parse(value.as_str().ok_or(NO_LIST)?)?;
        if !patterns.contains(&pattern) {
            patterns.push(pattern);
        }
    }
    Ok(EventFilter(patterns))
}

/// Reads a label; `None` for a blank one. Control characters are dropped.
pub(super) fn label(raw: RawValue<'_>) -> Result<Option<String>, FieldError> {
    parse_optional_label(read::any_text(raw)?)
}

/// Reads the address of a receiver that is in reach. A mistake is added to the others.
pub(super) fn url(text: &str, reach: WebhookReach, errors: &mut FieldErrors) -> Option<WebhookUrl> {
    WebhookUrl::parse(text, reach).map_err(|error| errors.add("url", error)).ok()
}

/// Reads a cursor of the feed of an organisation. A mistake is added to the others.
pub(super) fn cursor(text: &str, org_id: Option<OrgId>, errors: &mut FieldErrors) -> Option<FeedCursor> {
    let cursor = FeedCursor::parse(text).ok_or("is not a cursor of this feed");
    let cursor =
        cursor.and_then(
            |cursor| {
                if cursor.org_id == org_id { Ok(cursor) } else { Err("is a cursor of another organisation") }
            },
        );
    cursor.map_err(|error| errors.add("after", error)).ok()
}

/// Returns an instant in the form of answers.
fn format_instant(instant: Timestamp) -> String {
    format_second(instant.as_second())
}
