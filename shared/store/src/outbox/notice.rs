//! Notices that a webhook was disabled. The deliverer, which may not read users, puts one in the transaction that disables the webhook. It
//! waits in the outbox's index until the mailer has put a mail to each administrator. A mail and its tick in the notice are one transaction:
//! no mail is lost, and none is put twice.

use aws_sdk_dynamodb::types::{AttributeValue, Update};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::OutboxStore;
use super::item::{AboutItem, instant};
use crate::client::read::{Item, pk_sk};
use crate::client::tables::ItemWrite;
use crate::format::{NOTICE, item_as, parse_as};
use crate::keys::{NOTICE_PK_PREFIX, OUTBOX_PENDING, mail_sk};
use crate::{Database, schema};
use presence_domain::error::Error;
use presence_domain::ids::UserId;
use presence_domain::invitation::{DisabledWebhook, WebhookNotice};
use presence_domain::webhook::{Webhook, WebhookId};

/// Item of a notice. Instants are milliseconds since 1970.
#[derive(Serialize, Deserialize)]
struct NoticeItem {
    pk: String,
    sk: String,
    outbox: String,
    due_at: i64,
    created_at: i64,
    about: AboutItem,
    /// Set of users, which is missing while it is empty.
    #[serde(default, skip_serializing)]
    told: Vec<String>,
}

/// True if an item of the outbox is a notice.
pub(super) fn is_notice(item: &Item) -> bool {
    item.get("pk").and_then(|pk| pk.as_s().ok()).is_some_and(|pk| pk.starts_with(NOTICE_PK_PREFIX))
}

/// Reads the item of a notice.
pub(crate) fn read(item: Item) -> Result<WebhookNotice, Error> {
    let stored: NoticeItem = parse_as(NOTICE, item)?;
    notice(stored).ok_or_else(|| Error::internal("a notice breaks the rules of its fields"))
}

fn notice(stored: NoticeItem) -> Option<WebhookNotice> {
    let told = stored.told.iter().map(|id| UserId::parse(id)).collect::<Option<_>>()?;
    let webhook = stored.about.read().filter(|webhook| notice_pk(webhook.id) == stored.pk)?;
    Some(WebhookNotice { id: stored.sk, webhook, created_at: instant(stored.created_at)?, told })
}

/// Returns the write of the notice that a webhook was disabled.
pub(crate) fn put(webhook: &Webhook, now: Timestamp) -> Result<ItemWrite, Error> {
    let host = webhook.url.url().host_str().unwrap_or_default().to_owned();
    let about = DisabledWebhook { id: webhook.id, host, label: webhook.label.clone() };
    let item = NoticeItem {
        pk: notice_pk(webhook.id),
        sk: mail_sk(now),
        outbox: OUTBOX_PENDING.to_owned(),
        due_at: now.as_millisecond(),
        created_at: now.as_millisecond(),
        about: AboutItem::new(&about),
        told: Vec::new(),
    };
    Ok(ItemWrite::put(&schema::USERS, item_as(NOTICE, &item)?, []))
}

/// Returns the update that ticks an administrator off. It fails if that was done, or if the notice is gone.
pub(crate) fn tick(db: &Database, notice: &WebhookNotice, user_id: UserId) -> Result<Update, Error> {
    let id = user_id.to_string();
    Update::builder()
        .table_name(db.name(&schema::USERS))
        .set_key(Some(key(notice.webhook.id, &notice.id)))
        .update_expression("ADD told :ids")
        .condition_expression("attribute_exists(pk) AND NOT contains(told, :id)")
        .expression_attribute_values(":ids", AttributeValue::Ss(vec![id.clone()]))
        .expression_attribute_values(":id", AttributeValue::S(id))
        .build()
        .map_err(Error::internal)
}

impl OutboxStore {
    /// Returns a notice, read strongly.
    pub async fn get_notice(&self, webhook: WebhookId, id: &str) -> Result<Option<WebhookNotice>, Error> {
        self.db.get(&schema::USERS, key(webhook, id)).await?.map(read).transpose()
    }

    /// Returns the notices that wait. Reads an index: one that was put just now may be missing.
    pub async fn list_notices(&self) -> Result<Vec<WebhookNotice>, Error> {
        Ok(self.list_partition(OUTBOX_PENDING).await?.notices)
    }

    /// Deletes a notice whose mails are all in the outbox.
    pub async fn remove_notice(&self, webhook: WebhookId, id: &str) -> Result<(), Error> {
        self.db.delete(&schema::USERS, key(webhook, id)).await
    }
}

fn key(webhook: WebhookId, id: &str) -> Item {
    pk_sk(notice_pk(webhook), id)
}

fn notice_pk(webhook: WebhookId) -> String {
    format!("{NOTICE_PK_PREFIX}{webhook}")
}
