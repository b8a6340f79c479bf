//! The outbox: invitations that were accepted for sending, and wait for the mailer.

use aws_sdk_dynamodb::types::{Delete, Put};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::client::errors::{failed, is_condition_failed};
use crate::client::read::{Item, Partition, item_as, parse_as, pk_sk, text};
use crate::format::MAIL;
use crate::keys::{OUTBOX_FAILED, OUTBOX_PENDING, OUTBOX_UNREADABLE, mail_sk, user_pk};
use crate::users::{MailChange, Refused, UserChange};
use crate::{Database, UserStore, schema};
use presence_domain::access::Scope;
use presence_domain::error::Error;
use presence_domain::ids::UserId;
use presence_domain::invitation::{MAX_AGE, pause_after};

/// Rows in one page of a Query: a third of the 1 MB that DynamoDB reads at once.
const PAGE: i32 = 1_000;
/// Pages at the most: a hundred thousand waiting mails.
const MAX_PAGES: usize = 100;

/// How often a write is tried that others come before.
const WRITE_ATTEMPTS: u32 = 3;

/// The last instant that a row may have, in milliseconds since 1970: the end of the year 9000, so that sums stay in range.
const LATEST: i64 = 221_876_841_600_000;

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

    /// True if it was tried for long enough. One that was never tried is tried, however long it waited.
    #[must_use]
    pub fn is_exhausted(&self, now: Timestamp) -> bool {
        self.attempts > 0 && self.give_up_at <= now.as_millisecond()
    }

    /// Returns the row with one more attempt. Should nobody say how that ended, it is due when the claim of the attempt ends,
    /// and later after many attempts.
    #[must_use]
    pub fn tried(&self, claimed_until: Timestamp, now: Timestamp) -> Self {
        let attempts = self.attempts.saturating_add(1);
        Self { attempts, ..self.due(claimed_until.max(now + pause_after(attempts))) }
    }

    /// Returns the row after its attempt was refused: it rests, but not beyond the end of its time.
    #[must_use]
    pub fn refused(&self, now: Timestamp) -> Self {
        let rested = (now + pause_after(self.attempts)).as_millisecond();
        Self { due_at: rested.min(self.give_up_at.max(now.as_millisecond())), ..self.clone() }
    }

    /// Returns the row when it has to wait for the end of a window, which is no attempt. Its time begins then if it was never
    /// tried: it could not have been sent before.
    #[must_use]
    pub fn postponed(&self, until: Timestamp) -> Self {
        let give_up_at = if self.attempts == 0 { (until + MAX_AGE).as_millisecond() } else { self.give_up_at };
        Self { give_up_at, ..self.due(until) }
    }

    fn due(&self, due_at: Timestamp) -> Self {
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
        let row: Self = parse_as(MAIL, item)?;
        if row.is_sound() { Ok(row) } else { Err(Error::internal("an outbox row breaks the rules of its fields")) }
    }

    fn is_sound(&self) -> bool {
        let names_its_user = UserId::parse(&self.user_id).is_some_and(|id| user_pk(id) == self.pk);
        let instants = [self.due_at, self.created_at, self.give_up_at];
        names_its_user && instants.into_iter().all(|at| (0..=LATEST).contains(&at))
    }
}

/// A row of the outbox that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadableRow {
    pk: String,
    sk: String,
}

impl UnreadableRow {
    /// Returns the sort key.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.sk
    }

    /// Returns the partition, which names the user.
    #[must_use]
    pub fn partition(&self) -> &str {
        &self.pk
    }

    fn of(item: &Item) -> Self {
        let key = |name: &str| item.get(name).and_then(|value| value.as_s().ok()).cloned().unwrap_or_default();
        Self { pk: key("pk"), sk: key("sk") }
    }
}

/// A page of the mails that wait.
#[derive(Debug, Default)]
pub struct WaitingMails {
    /// The mails, the one due first at the front.
    pub rows: Vec<OutboxRow>,
    /// Rows among them that cannot be read.
    pub unreadable: Vec<UnreadableRow>,
    /// Where the next page starts; `None` if there is none. A page may be empty and have a next one.
    pub next: Option<PageStart>,
}

/// Where a page starts.
#[derive(Clone, Debug)]
pub struct PageStart(Item);

/// The put of a row.
pub(super) fn put(db: &Database, row: &OutboxRow) -> Result<Put, Error> {
    let row = item_as(MAIL, row)?;
    Put::builder().table_name(db.name(&schema::USERS)).set_item(Some(row)).build().map_err(Error::internal)
}

/// The delete of a row.
pub(super) fn delete(db: &Database, user_id: UserId, sk: &str) -> Delete {
    let key = pk_sk(user_pk(user_id), sk);
    Delete::builder().table_name(db.name(&schema::USERS)).set_key(Some(key)).build().expect("table and key are set")
}

/// Mails that wait to be sent. Cheap to clone.
#[derive(Clone, Debug)]
pub struct OutboxStore {
    pub(crate) db: Database,
}

impl OutboxStore {
    /// Builds the store. Makes no call.
    #[must_use]
    pub fn new(database: &Database) -> Self {
        Self { db: database.clone() }
    }

    /// Returns the mails that wait or were given up, the one due first at the front, those given up last; without rows that
    /// cannot be read. From an index: a mail accepted just now may be missing.
    pub async fn list(&self) -> Result<Vec<OutboxRow>, Error> {
        let mut rows = self.mails_in(OUTBOX_PENDING).await?.0;
        rows.extend(self.mails_in(OUTBOX_FAILED).await?.0);
        Ok(rows)
    }

    /// Returns the rows of the outbox that cannot be read, set aside or not yet. From an index.
    pub async fn list_unreadable(&self) -> Result<Vec<UnreadableRow>, Error> {
        let set_aside = self.db.query(partition(OUTBOX_UNREADABLE)).await?;
        let mut rows: Vec<_> = set_aside.iter().map(UnreadableRow::of).collect();
        for outbox in [OUTBOX_PENDING, OUTBOX_FAILED] {
            rows.extend(self.mails_in(outbox).await?.1);
        }
        Ok(rows)
    }

    /// Returns a page of the mails that wait, due or not, in the order in which they are due. From an index: a mail accepted
    /// just now may be missing, and one that was just sent may be there.
    pub async fn list_waiting(&self, start: Option<PageStart>) -> Result<WaitingMails, Error> {
        let start = start.map(|PageStart(key)| key);
        let (items, next) = self.db.query_page(&partition(OUTBOX_PENDING), start).await?;
        let (rows, unreadable) = read_all(items);
        Ok(WaitingMails { rows, unreadable, next: next.map(PageStart) })
    }

    /// Takes a row that cannot be read from the mails that wait, and keeps it.
    pub async fn set_aside(&self, row: &UnreadableRow) -> Result<(), Error> {
        let update = self
            .db
            .client
            .update_item()
            .table_name(self.db.name(&schema::USERS))
            .set_key(Some(pk_sk(&row.pk, &row.sk)))
            .update_expression("SET outbox = :unreadable")
            .condition_expression("outbox = :pending")
            .expression_attribute_values(":unreadable", text(OUTBOX_UNREADABLE))
            .expression_attribute_values(":pending", text(OUTBOX_PENDING));
        match update.send().await {
            Err(error) if !is_condition_failed(&error) => Err(failed(error)),
            _ => Ok(()),
        }
    }

    /// Removes a row that its user does not name. Rows are put and named in one transaction, and never named later: such a row
    /// is sent by nobody.
    pub async fn remove(&self, row: &OutboxRow) -> Result<(), Error> {
        let delete = self.db.client.delete_item().table_name(self.db.name(&schema::USERS));
        delete.set_key(Some(pk_sk(&row.pk, &row.sk))).send().await.map(drop).map_err(failed)
    }

    /// One mail of a user, read strongly.
    pub async fn get(&self, user_id: UserId, id: &str) -> Result<Option<OutboxRow>, Error> {
        let item = self.db.get(&schema::USERS, pk_sk(user_pk(user_id), id)).await?;
        item.map(OutboxRow::read).transpose()
    }

    pub(crate) async fn mails_in(&self, outbox: &'static str) -> Result<(Vec<OutboxRow>, Vec<UnreadableRow>), Error> {
        Ok(read_all(self.db.query(partition(outbox)).await?))
    }
}

impl UserStore {
    /// Has a mail that was given up tried from the beginning. Returns whether there is one of that id.
    pub async fn retry_mail(&self, id: &str, now: Timestamp) -> Result<bool, Error> {
        let given_up = self.outbox.mails_in(OUTBOX_FAILED).await?.0;
        match given_up.iter().find(|row| row.id() == id) {
            Some(row) => self.retry(row, now).await,
            None => Ok(false),
        }
    }

    /// Has every mail that was given up tried from the beginning. Returns their ids.
    pub async fn retry_failed_mails(&self, now: Timestamp) -> Result<Vec<String>, Error> {
        let mut retried = Vec::new();
        for row in self.outbox.mails_in(OUTBOX_FAILED).await?.0 {
            if self.retry(&row, now).await? {
                retried.push(row.sk);
            }
        }
        Ok(retried)
    }

    async fn retry(&self, row: &OutboxRow, now: Timestamp) -> Result<bool, Error> {
        let (Some(user_id), id) = (UserId::parse(&row.user_id), row.id()) else { return Ok(false) };
        for _ in 0..WRITE_ATTEMPTS {
            let record = self.get_record(Scope::for_operator(), user_id).await?;
            let Some(record) = record.filter(|record| record.mail.as_deref() == Some(id)) else { return Ok(false) };
            let row = self.outbox.get(user_id, id).await?;
            let Some(row) = row.filter(|row| row.state == MailState::Failed) else { return Ok(false) };
            let row = row.retried(now);
            let mail = MailChange::Rewrite(&row);
            let change =
                UserChange { before: Some(&record), after: Some(&record.user), mail, keep_an_admin: false, now };
            match self.write(change).await {
                Ok(()) => return Ok(true),
                Err(Refused::Failed(error)) => return Err(error),
                Err(_) => {}
            }
        }
        Err(Error::Conflict)
    }
}

/// Returns the rows, and those that cannot be read.
fn read_all(items: Vec<Item>) -> (Vec<OutboxRow>, Vec<UnreadableRow>) {
    let (mut rows, mut unreadable) = (Vec::with_capacity(items.len()), Vec::new());
    for item in items {
        let key = UnreadableRow::of(&item);
        match OutboxRow::read(item) {
            Ok(row) => rows.push(row),
            Err(_) => unreadable.push(key),
        }
    }
    (rows, unreadable)
}

/// The mails of one state, by the instant when they are due.
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
