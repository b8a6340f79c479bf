//! Outbox: invitations and notices that were accepted for sending, and wait for the mailer.

pub(crate) mod item;
pub(crate) mod notice;
mod origin;
pub(crate) mod quiet_windows;

use crate::client::read::{Item, Partition, pk_sk, text};
use crate::keys::{OUTBOX_FAILED, OUTBOX_HELD, OUTBOX_PENDING, OUTBOX_UNREADABLE, user_pk};
use crate::{Database, schema};
use item::UnreadableMessage;
use presence_domain::error::Error;
use presence_domain::ids::UserId;
use presence_domain::invitation::{OutboxMessage, WebhookNotice};

/// Number of items in one page of a Query: a third of the 1 MB that DynamoDB reads at once.
const PAGE: i32 = 1_000;
/// Largest number of pages: a hundred thousand waiting messages.
const MAX_PAGES: usize = 100;

/// Page of the messages that wait.
#[derive(Debug, Default)]
pub struct OutboxPage {
    /// Messages, the one due first at the front.
    pub messages: Vec<OutboxMessage>,
    /// Notices whose mails are not all in the outbox.
    pub notices: Vec<WebhookNotice>,
    /// Items among them that cannot be read.
    pub unreadable: Vec<UnreadableMessage>,
    /// Start of the next page; `None` if there is none. An empty page may have a next one.
    pub next: Option<PageStart>,
}

/// Start of a page.
#[derive(Clone, Debug)]
pub struct PageStart(Item);

/// Messages that wait to be sent. Cheap to clone.
#[derive(Clone, Debug)]
pub struct OutboxStore {
    pub(crate) db: Database,
}

impl OutboxStore {
    /// Builds the store. Makes no call.
    pub fn new(database: &Database) -> Self {
        Self { db: database.clone() }
    }

    /// Returns the messages that wait, the one due first at the front, then those that were given up or held. Unreadable items are
    /// left out. Reads an index: a message accepted just now may be missing.
    pub async fn list(&self) -> Result<Vec<OutboxMessage>, Error> {
        let mut messages = self.list_pending().await?;
        messages.extend(self.list_partition(OUTBOX_FAILED).await?.messages);
        messages.extend(self.list_partition(OUTBOX_HELD).await?.messages);
        Ok(messages)
    }

    /// Returns the messages that wait to be sent. Reads an index.
    pub(crate) async fn list_pending(&self) -> Result<Vec<OutboxMessage>, Error> {
        Ok(self.list_partition(OUTBOX_PENDING).await?.messages)
    }

    /// Returns the items of the outbox that cannot be read, set aside or not yet. Reads an index.
    pub async fn list_unreadable(&self) -> Result<Vec<UnreadableMessage>, Error> {
        let set_aside = self.db.query(partition(OUTBOX_UNREADABLE)).await?;
        let mut unreadable: Vec<_> = set_aside.iter().map(UnreadableMessage::of).collect();
        for outbox in [OUTBOX_PENDING, OUTBOX_FAILED, OUTBOX_HELD] {
            unreadable.extend(self.list_partition(outbox).await?.unreadable);
        }
        Ok(unreadable)
    }

    /// Returns a page of the messages that wait, due or not, in the order in which they are due. Reads an index: a message
    /// accepted just now may be missing, and one that was just sent may be in it.
    pub async fn list_waiting(&self, start: Option<PageStart>) -> Result<OutboxPage, Error> {
        let start = start.map(|PageStart(key)| key);
        let (items, next) = self.db.query_page(&partition(OUTBOX_PENDING), start).await?;
        Ok(OutboxPage { next: next.map(PageStart), ..read_all(items) })
    }

    /// Takes an unreadable item from the messages that wait, and keeps it for the operator.
    pub async fn set_aside(&self, message: &UnreadableMessage) -> Result<(), Error> {
        let update = self
            .db
            .dynamo
            .client
            .update_item()
            .table_name(self.db.name(&schema::USERS))
            .set_key(Some(pk_sk(&message.pk, &message.sk)))
            .update_expression("SET outbox = :unreadable")
            .condition_expression("outbox = :pending")
            .expression_attribute_values(":unreadable", text(OUTBOX_UNREADABLE))
            .expression_attribute_values(":pending", text(OUTBOX_PENDING));
        self.db.retry_conditional(|| update.clone().send()).await.map(drop)
    }

    /// Deletes a message that its user does not name. A message is put and named in one transaction, and never named later: nobody
    /// sends such a one.
    pub async fn remove(&self, message: &OutboxMessage) -> Result<(), Error> {
        self.db.delete(&schema::USERS, pk_sk(user_pk(message.user_id), &message.id)).await
    }

    /// Returns one message of a user, read strongly.
    pub async fn get(&self, user_id: UserId, id: &str) -> Result<Option<OutboxMessage>, Error> {
        let item = self.db.get(&schema::USERS, pk_sk(user_pk(user_id), id)).await?;
        item.map(item::read).transpose()
    }

    async fn list_partition(&self, outbox: &'static str) -> Result<OutboxPage, Error> {
        Ok(read_all(self.db.query(partition(outbox)).await?))
    }
}

/// Reads items into messages and notices; returns those that cannot be read beside them.
fn read_all(items: Vec<Item>) -> OutboxPage {
    let mut page = OutboxPage::default();
    for item in items {
        let key = UnreadableMessage::of(&item);
        let read = if notice::is_notice(&item) {
            notice::read(item).map(|notice| page.notices.push(notice))
        } else {
            item::read(item).map(|message| page.messages.push(message))
        };
        if read.is_err() {
            page.unreadable.push(key);
        }
    }
    page
}

/// Returns the partition of the messages of one state, by the instant at which they are due.
fn partition(outbox: &'static str) -> Partition<'static> {
    Partition {
        table: &schema::USERS,
        index: Some(&schema::OUTBOX_INDEX),
        value: text(outbox),
        between: None,
        page: PAGE,
        max_pages: MAX_PAGES,
    }
}
