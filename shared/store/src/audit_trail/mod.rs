//! Audit trail: the store that reads it. Its records are written in the transactions of `users/` and of `reviews/`.

mod item;

pub(crate) use item::{put, read};

use aws_sdk_dynamodb::types::AttributeValue;
use jiff::Timestamp;

use crate::Database;
use crate::client::read::{Consistency, Item, Order, Partition, text};
use crate::keys::{audit_since, org_key, review_pk, user_pk};
use crate::schema::{ACTOR_INDEX, AUDIT, Index, ORG_INDEX};
use presence_domain::audit::AuditRecord;
use presence_domain::error::Error;
use presence_domain::ids::{OrgId, UserId};
use presence_domain::review::ReviewId;

/// Records in one page: at most 1 MB, which `DynamoDB` returns at a time.
const PAGE: i32 = 1_000;

/// Part of the audit trail that is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AuditSource {
    /// Records of a user and its keys, newest first, read strongly.
    Target(UserId),
    /// Records of a review, newest first, read strongly.
    Review(ReviewId),
    /// Records of an actor, by its id, newest first. The index lags.
    Actor(String),
    /// Records of the users and reviews of an organisation, or of users without one, newest first. The index lags.
    Org(Option<OrgId>),
    /// All records, in no order, read strongly. Costs the units of the whole table, whatever the time.
    All,
}

/// Audit trail. Cheap to clone.
#[derive(Clone, Debug)]
pub struct AuditStore {
    db: Database,
}

/// Records of a source, page by page.
#[derive(Debug)]
pub struct AuditPages<'a> {
    db: &'a Database,
    source: AuditSource,
    since: Option<Timestamp>,
    position: Position,
}

#[derive(Debug)]
enum Position {
    Start,
    /// After the record with this key.
    After(Item),
    End,
}

impl AuditStore {
    /// Builds the store. Makes no call.
    pub fn new(database: &Database) -> Self {
        Self { db: database.clone() }
    }

    /// Starts to read the records of a source, those from an instant on, or all. Makes no call.
    ///
    /// Records that expired may be there for some days more.
    pub fn pages(&self, source: AuditSource, since: Option<Timestamp>) -> AuditPages<'_> {
        AuditPages { db: &self.db, source, since, position: Position::Start }
    }
}

impl AuditPages<'_> {
    /// Returns the records of the next page, at most 1,000; there may be none. `None` after the last page.
    pub async fn next_page(&mut self) -> Result<Option<Vec<AuditRecord>>, Error> {
        let start = match std::mem::replace(&mut self.position, Position::End) {
            Position::Start => None,
            Position::After(key) => Some(key),
            Position::End => return Ok(None),
        };
        let (items, next) = match &self.source {
            AuditSource::Target(user) => self.query(None, text(user_pk(*user)), start).await?,
            AuditSource::Review(review) => self.query(None, text(review_pk(review)), start).await?,
            AuditSource::Actor(id) => self.query(Some(&ACTOR_INDEX), text(id), start).await?,
            AuditSource::Org(org_id) => self.query(Some(&ORG_INDEX), text(org_key(*org_id)), start).await?,
            AuditSource::All => self.db.scan_page(&AUDIT, PAGE, start).await?,
        };
        self.position = next.map_or(Position::End, Position::After);
        let mut records = items.into_iter().map(item::read).collect::<Result<Vec<_>, _>>()?;
        records.retain(|record| self.since.is_none_or(|since| record.at >= since));
        Ok(Some(records))
    }

    async fn query(
        &self,
        index: Option<&Index>,
        value: AttributeValue,
        start: Option<Item>,
    ) -> Result<(Vec<Item>, Option<Item>), Error> {
        let between = self.since.map(audit_since);
        let partition = Partition { table: &AUDIT, index, value, between, page: PAGE, max_pages: 1 };
        self.db.query_page_with(&partition, start, Consistency::Strong, Order::Descending).await
    }
}
