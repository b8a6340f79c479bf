//! Keys of webhooks, in the table of events.

use jiff::Timestamp;
use presence_domain::ids::OrgId;
use presence_domain::webhook::WebhookId;

use super::org_key;

/// Prefix of the partitions of webhooks.
pub const WEBHOOKS_PK_PREFIX: &str = "WEBHOOKS#";
/// Prefix of the sort keys of webhooks, and of targets in the audit trail.
pub const WEBHOOK_SK_PREFIX: &str = "WEBHOOK#";
/// Prefix of the partitions of attempts.
pub const ATTEMPTS_PK_PREFIX: &str = "ATTEMPTS#";
/// Partition with one item for each organisation that has, or had, webhooks. The sort key is the `org_key`.
pub const ORGS_WITH_WEBHOOKS_PK: &str = "WEBHOOK-ORGS";

/// Returns the partition of the webhooks of an organisation.
pub fn webhooks_pk(org_id: OrgId) -> String {
    format!("{WEBHOOKS_PK_PREFIX}{}", org_key(Some(org_id)))
}

/// Returns the sort key of the webhook in a slot.
pub fn webhook_sk(slot: u8) -> String {
    format!("{WEBHOOK_SK_PREFIX}{slot}")
}

/// Returns the partition of the attempts of a webhook.
pub fn attempts_pk(id: WebhookId) -> String {
    format!("{ATTEMPTS_PK_PREFIX}{id}")
}

/// Returns the sort key of an attempt: the number of the event, then the milliseconds, in digits that sort as numbers do.
pub fn attempt_sk(number: u64, at: Timestamp) -> String {
    format!("{number:016}#{:013}", at.as_millisecond().max(0))
}

/// Returns the least and the largest sort key of the attempts at events with numbers below this one.
pub fn attempts_below(number: u64) -> (String, String) {
    ("0".to_owned(), format!("{number:016}"))
}

/// Returns the target of an audit record about a webhook.
pub fn webhook_target(id: WebhookId) -> String {
    format!("{WEBHOOK_SK_PREFIX}{id}")
}

/// Reads [`webhook_target`]; `None` if the text has another form.
pub fn parse_webhook_target(target: &str) -> Option<WebhookId> {
    WebhookId::parse(target.strip_prefix(WEBHOOK_SK_PREFIX)?)
}
