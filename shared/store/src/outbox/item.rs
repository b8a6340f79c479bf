//! Items of the outbox: messages as they are stored, beside their users.

use aws_sdk_dynamodb::types::{Delete, Put};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::client::read::{Item, pk_sk};
use crate::format::{MAIL, item_as, parse_as};
use crate::keys::{OUTBOX_FAILED, OUTBOX_HELD, OUTBOX_PENDING, user_pk};
use crate::{Database, schema};
use presence_domain::error::Error;
use presence_domain::ids::UserId;
use presence_domain::invitation::{DisabledWebhook, MessageState, OutboxMessage};
use presence_domain::webhook::WebhookId;

/// Last instant that a message may have, in milliseconds since 1970: the end of the year 9000, so that sums stay in range.
const LATEST: i64 = 221_876_841_600_000;

/// Stored message. All instants are milliseconds since 1970.
#[derive(Serialize, Deserialize)]
struct OutboxItem {
    pk: String,
    sk: String,
    user_id: String,
    /// Partition of `outbox-index`: the state, or "unreadable".
    outbox: String,
    due_at: i64,
    created_at: i64,
    give_up_at: i64,
    state: String,
    attempts: u32,
    /// Missing from mails that were never refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    last_refusal: Option<String>,
    /// Missing from mails of operators.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    invited_by: Option<String>,
    /// Webhook that a notice is about. Missing from invitations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    about: Option<AboutItem>,
}

/// Webhook that a notice is about.
#[derive(Serialize, Deserialize)]
pub(super) struct AboutItem {
    id: String,
    host: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    label: Option<String>,
}

impl AboutItem {
    pub(super) fn new(webhook: &DisabledWebhook) -> Self {
        let DisabledWebhook { id, host, label } = webhook.clone();
        Self { id: id.to_string(), host, label }
    }

    /// Reads the webhook; `None` if its id has another form.
    pub(super) fn read(self) -> Option<DisabledWebhook> {
        Some(DisabledWebhook { id: WebhookId::parse(&self.id)?, host: self.host, label: self.label })
    }
}

/// Item of the outbox that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadableMessage {
    pub(crate) pk: String,
    pub(crate) sk: String,
}

impl UnreadableMessage {
    /// Returns the sort key, which is the message's id.
    pub fn id(&self) -> &str {
        &self.sk
    }

    /// Returns the partition key, which names the user.
    pub fn partition(&self) -> &str {
        &self.pk
    }

    /// Reads the key of an item.
    pub(crate) fn of(item: &Item) -> Self {
        let key = |name: &str| item.get(name).and_then(|value| value.as_s().ok()).cloned().unwrap_or_default();
        Self { pk: key("pk"), sk: key("sk") }
    }
}

/// Reads the item of a message.
pub(crate) fn read(item: Item) -> Result<OutboxMessage, Error> {
    let stored: OutboxItem = parse_as(MAIL, item)?;
    message(stored).ok_or_else(|| Error::internal("an outbox row breaks the rules of its fields"))
}

/// Reads an instant; `None` for one out of range.
pub(super) fn instant(milliseconds: i64) -> Option<Timestamp> {
    let is_in_range = (0..=LATEST).contains(&milliseconds);
    Timestamp::from_millisecond(milliseconds).ok().filter(|_| is_in_range)
}

fn message(stored: OutboxItem) -> Option<OutboxMessage> {
    let about = stored.about.map(AboutItem::read);
    Some(OutboxMessage {
        about: if let Some(about) = about { Some(about?) } else { None },
        id: stored.sk,
        user_id: UserId::parse(&stored.user_id).filter(|id| user_pk(*id) == stored.pk)?,
        state: MessageState::parse(&stored.state)?,
        created_at: instant(stored.created_at)?,
        due_at: instant(stored.due_at)?,
        give_up_at: instant(stored.give_up_at)?,
        attempts: stored.attempts,
        last_refusal: stored.last_refusal,
        // A mail without the name is better than none.
        invited_by: stored.invited_by.as_deref().and_then(UserId::parse),
    })
}

/// Returns the put of a message.
pub(crate) fn put(db: &Database, message: &OutboxMessage) -> Result<Put, Error> {
    let outbox = match message.state {
        MessageState::Pending => OUTBOX_PENDING,
        MessageState::Failed => OUTBOX_FAILED,
        MessageState::Held => OUTBOX_HELD,
    };
    let item = OutboxItem {
        pk: user_pk(message.user_id),
        sk: message.id.clone(),
        user_id: message.user_id.to_string(),
        outbox: outbox.to_owned(),
        due_at: message.due_at.as_millisecond(),
        created_at: message.created_at.as_millisecond(),
        give_up_at: message.give_up_at.as_millisecond(),
        state: message.state.as_str().to_owned(),
        attempts: message.attempts,
        last_refusal: message.last_refusal.clone(),
        invited_by: message.invited_by.map(|id| id.to_string()),
        about: message.about.as_ref().map(AboutItem::new),
    };
    Put::builder()
        .table_name(db.name(&schema::USERS))
        .set_item(Some(item_as(MAIL, &item)?))
        .build()
        .map_err(Error::internal)
}

/// Returns the delete of a message.
pub(crate) fn delete(db: &Database, user_id: UserId, id: &str) -> Delete {
    let key = pk_sk(user_pk(user_id), id);
    Delete::builder().table_name(db.name(&schema::USERS)).set_key(Some(key)).build().expect("table and key are set")
}
