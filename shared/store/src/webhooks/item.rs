//! Items of webhooks.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::client::read::{Item, pk_sk};
use crate::format::{WEBHOOK, item_as, parse_as};
use crate::keys::{webhook_sk, webhooks_pk};
use presence_domain::error::Error;
use presence_domain::feed::{EventFilter, EventPattern};
use presence_domain::webhook::{SigningSecret, SigningSecrets, Webhook, WebhookId, WebhookSecret, WebhookUrl};

/// Item of a webhook. Instants are milliseconds since 1970.
#[derive(Serialize, Deserialize)]
struct WebhookItem {
    pk: String,
    sk: String,
    id: String,
    url: String,
    types: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<String>,
    /// Secrets, newest first, each with the end of its signatures.
    secrets: Vec<(String, Option<i64>)>,
    created_at: i64,
    /// JSON of the progress.
    progress: String,
    /// 1 if the webhook was changed, and no deliverer has looked since. The deliverer's filter of the stream reads it.
    #[serde(skip_serializing_if = "Option::is_none")]
    resume: Option<u8>,
    version: u64,
}

/// Returns the key of a webhook.
pub(super) fn key(id: WebhookId) -> Item {
    pk_sk(webhooks_pk(id.org_id()), webhook_sk(id.slot()))
}

pub(super) fn to_item(webhook: &Webhook) -> Result<Item, Error> {
    let Webhook { id, url, types, label, secrets, created_at, progress, version } = webhook;
    let secret = |signing: &SigningSecret| (signing.secret.expose(), signing.until.map(Timestamp::as_millisecond));
    let item = WebhookItem {
        pk: webhooks_pk(id.org_id()),
        sk: webhook_sk(id.slot()),
        id: id.to_string(),
        url: url.as_str().to_owned(),
        types: types.0.iter().map(|pattern| pattern.as_str().to_owned()).collect(),
        label: label.clone(),
        secrets: secrets.all().iter().map(secret).collect(),
        created_at: created_at.as_millisecond(),
        progress: serde_json::to_string(progress).map_err(Error::internal)?,
        resume: progress.is_interrupted().then_some(1),
        version: *version,
    };
    item_as(WEBHOOK, &item)
}

/// Reads a webhook. An item that breaks the rules of its fields is [`Error::Internal`].
pub(super) fn read(item: Item) -> Result<Webhook, Error> {
    let stored: WebhookItem = parse_as(WEBHOOK, item)?;
    let progress = serde_json::from_str(&stored.progress).map_err(Error::internal)?;
    let secret = |(secret, until): &(String, Option<i64>)| {
        let until = until.map(Timestamp::from_millisecond).transpose().ok()?;
        Some(SigningSecret { secret: WebhookSecret::parse(secret)?, until })
    };
    let parsed = || {
        Some(Webhook {
            id: WebhookId::parse(&stored.id)?,
            url: WebhookUrl::from_stored(&stored.url)?,
            types: EventFilter(stored.types.iter().map(|name| EventPattern::parse(name).ok()).collect::<Option<_>>()?),
            label: stored.label.clone(),
            secrets: SigningSecrets::from_stored(stored.secrets.iter().map(secret).collect::<Option<_>>()?),
            created_at: Timestamp::from_millisecond(stored.created_at).ok()?,
            progress,
            version: stored.version,
        })
    };
    parsed().ok_or_else(|| Error::internal("a stored webhook breaks the rules of its fields"))
}
