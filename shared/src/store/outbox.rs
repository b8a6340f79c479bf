//! The outbox: invitations that were accepted for sending, and wait for the mailer.

use aws_sdk_dynamodb::types::{Delete, Put};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::keys::{OUTBOX_FAILED, OUTBOX_PENDING, mail_sk, user_pk};
use super::read::{Item, Partition, item, parse, pk_sk, text};
use super::users::{MailChange, Refused, UserChange};
use super::{Store, schema};
use crate::access::Scope;
use crate::domain::ids::UserId;
use crate::domain::invitation::{MAX_AGE, MAX_ATTEMPTS};
use crate::error::Error;

/// Rows in one page of a Query.
const PAGE: i32 = 1_000;
/// Rows that one sweep looks at: what it can send in a minute.
const DUE_PAGE: i32 = 200;
/// Pages at the most: a hundred thousand waiting mails.
const MAX_PAGES: usize = 100;

/// How often a write is tried that others come before.
const WRITE_ATTEMPTS: u32 = 3;

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
    /// When it may be sent, or sent again where the outcome of a sending is not known; in milliseconds since 1970.
    pub due_at: i64,
    /// When it was accepted, in milliseconds since 1970.
    pub created_at: i64,
    /// When it is given up, in milliseconds since 1970.
    pub give_up_at: i64,
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
            give_up_at: (due_at + MAX_AGE).as_millisecond(),
            state: MailState::Pending,
            attempts: 0,
        }
    }

    /// The sort key: orders the mails of a user by time.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.sk
    }

    /// Whether it is to be sent now.
    #[must_use]
    pub fn is_due(&self, now: Timestamp) -> bool {
        self.state == MailState::Pending && self.due_at <= now.as_millisecond()
    }

    /// For how long it could have been sent by now.
    #[must_use]
    pub fn overdue(&self, now: Timestamp) -> SignedDuration {
        let first_due_at = Timestamp::from_millisecond(self.give_up_at).unwrap_or(now) - MAX_AGE;
        now.duration_since(first_due_at).max(SignedDuration::ZERO)
    }

    /// Whether it was tried often or long enough.
    #[must_use]
    pub fn is_exhausted(&self, now: Timestamp) -> bool {
        self.attempts >= MAX_ATTEMPTS || self.give_up_at <= now.as_millisecond()
    }

    /// As it is once more tried; should nobody say how that ended, it is due again at `due_at`.
    #[must_use]
    pub fn tried(&self, due_at: Timestamp) -> Self {
        Self { attempts: self.attempts + 1, ..self.due(due_at) }
    }

    /// The same, due at another instant.
    #[must_use]
    pub fn due(&self, due_at: Timestamp) -> Self {
        Self { due_at: due_at.as_millisecond(), ..self.clone() }
    }

    /// As it is when it is given up.
    #[must_use]
    pub fn given_up(&self) -> Self {
        Self { state: MailState::Failed, outbox: OUTBOX_FAILED.to_owned(), ..self.clone() }
    }

    /// As it is when it is tried from the beginning.
    #[must_use]
    pub fn retried(&self, now: Timestamp) -> Self {
        Self {
            state: MailState::Pending,
            outbox: OUTBOX_PENDING.to_owned(),
            attempts: 0,
            give_up_at: (now + MAX_AGE).as_millisecond(),
            ..self.due(now)
        }
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
    /// The mails that wait or were given up, the one due first at the front, those given up last. From an index: a mail
    /// accepted just now may be missing.
    pub async fn outbox(&self) -> Result<Vec<OutboxRow>, Error> {
        let mut rows = self.mails_in(OUTBOX_PENDING).await?;
        rows.extend(self.mails_in(OUTBOX_FAILED).await?);
        Ok(rows)
    }

    /// The mails that are due, the longest due first, as many as one read finds. From an index: a mail accepted just now
    /// may be missing, and one that was just sent may be there.
    pub async fn due_mails(&self, now: Timestamp) -> Result<Vec<OutboxRow>, Error> {
        let (items, _) = self.query_page(&partition(OUTBOX_PENDING, DUE_PAGE), None).await?;
        let rows = items.into_iter().map(OutboxRow::read).collect::<Result<Vec<_>, _>>()?;
        Ok(rows.into_iter().take_while(|row| row.is_due(now)).collect())
    }

    /// One mail of a user, read strongly.
    pub async fn mail(&self, user_id: UserId, id: &str) -> Result<Option<OutboxRow>, Error> {
        let item = self.get(&schema::USERS, pk_sk(user_pk(user_id), id)).await?;
        item.map(OutboxRow::read).transpose()
    }

    /// Has a mail that was given up tried from the beginning. Whether there is one of that id.
    pub async fn retry_mail(&self, id: &str, now: Timestamp) -> Result<bool, Error> {
        let given_up = self.mails_in(OUTBOX_FAILED).await?;
        let Some(user_id) = given_up.iter().find(|row| row.id() == id).and_then(|row| UserId::parse(&row.user_id))
        else {
            return Ok(false);
        };
        for _ in 0..WRITE_ATTEMPTS {
            let record = self.user_record(Scope::for_operator(), user_id).await?;
            let Some(record) = record.filter(|record| record.mail.as_deref() == Some(id)) else { return Ok(false) };
            let Some(row) = self.mail(user_id, id).await? else { return Ok(false) };
            let row = row.retried(now);
            let mail = MailChange::Rewrite(&row);
            let change =
                UserChange { before: Some(&record), after: Some(&record.user), mail, keep_an_admin: false, now };
            match self.write_user(change).await {
                Ok(()) => return Ok(true),
                Err(Refused::Failed(error)) => return Err(error),
                Err(_) => {}
            }
        }
        Err(Error::Conflict)
    }

    async fn mails_in(&self, outbox: &'static str) -> Result<Vec<OutboxRow>, Error> {
        self.query(partition(outbox, PAGE)).await?.into_iter().map(OutboxRow::read).collect()
    }
}

/// The mails of one state, by the instant when they are due.
fn partition(outbox: &'static str, page: i32) -> Partition<'static> {
    Partition {
        table: &schema::USERS,
        index: Some(&schema::OUTBOX_INDEX),
        value: text(outbox),
        between: None,
        page,
        max_pages: MAX_PAGES,
    }
}
