//! The outbox: invitations that were accepted for sending, and wait for the mailer.

use aws_sdk_dynamodb::types::{Delete, Put};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::keys::{OUTBOX_PENDING, mail_sk, user_pk};
use super::read::{Item, Partition, item, parse, pk_sk, text};
use super::{Store, schema};
use crate::domain::ids::UserId;
use crate::error::Error;

/// Rows in one page of a Query.
const PAGE: i32 = 1_000;
/// Pages at the most: a hundred thousand waiting mails.
const MAX_PAGES: usize = 100;

/// Where a mail stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MailState {
    /// Waits to be sent.
    Pending,
    /// Was given up; an operator may retry it.
    Failed,
}

/// A mail to be sent. It names the user only: address and token are drawn when it is sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutboxRow {
    pk: String,
    sk: String,
    /// Decimal id of the user.
    pub user_id: String,
    outbox: String,
    /// When it may be sent, in milliseconds since 1970.
    pub due_at: i64,
    /// When it was accepted, in milliseconds since 1970.
    pub created_at: i64,
    /// Where it stands.
    pub state: MailState,
    /// How often it was tried.
    pub attempts: u32,
}

impl OutboxRow {
    /// A fresh one.
    pub(super) fn new(user_id: UserId, now: Timestamp, due_at: Timestamp) -> Self {
        Self {
            pk: user_pk(user_id),
            sk: mail_sk(now),
            user_id: user_id.to_string(),
            outbox: OUTBOX_PENDING.to_owned(),
            due_at: due_at.as_millisecond(),
            created_at: now.as_millisecond(),
            state: MailState::Pending,
            attempts: 0,
        }
    }

    /// The sort key: orders the mails of a user by time.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.sk
    }

    pub(super) fn read(item: Item) -> Result<Self, Error> {
        parse(item)
    }
}

/// The put of a row.
pub(super) fn put(store: &Store, row: &OutboxRow) -> Result<Put, Error> {
    let row = item(row)?;
    Put::builder().table_name(store.name(&schema::USERS)).set_item(Some(row)).build().map_err(Error::internal)
}

/// The delete of a row.
pub(super) fn delete(store: &Store, user_id: UserId, sk: &str) -> Delete {
    let key = pk_sk(user_pk(user_id), sk);
    Delete::builder().table_name(store.name(&schema::USERS)).set_key(Some(key)).build().expect("table and key are set")
}

impl Store {
    /// The mails that wait, the one due first at the front. From an index: a mail accepted just now may be missing.
    pub async fn pending_mails(&self) -> Result<Vec<OutboxRow>, Error> {
        let partition = Partition {
            table: &schema::USERS,
            index: Some(&schema::OUTBOX_INDEX),
            value: text(OUTBOX_PENDING),
            between: None,
            page: PAGE,
            max_pages: MAX_PAGES,
        };
        self.query(partition).await?.into_iter().map(parse).collect()
    }
}
