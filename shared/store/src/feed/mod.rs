//! Feed of the events of an organisation: a head, and chunks of events with consecutive numbers.
//!
//! A chunk has the number of its last event as its sort key. So the query of what follows a number begins in the chunk that has the next event.

mod append;
mod chunk;
#[cfg(test)]
mod simulation;

use jiff::Timestamp;

pub use append::SourceRecord;

use crate::Database;
use crate::client::read::{Consistency, Item, Order, Partition, pk_sk, text};
use crate::format::{FEED_HEAD, check};
use crate::keys::{FEED_HEAD_SK, chunk_sk, feed_pk};
use crate::schema::EVENTS;
use presence_domain::error::Error;
use presence_domain::feed::{FeedCursor, FeedEvent, FeedHead, FeedPage, FeedStart};
use presence_domain::ids::OrgId;

/// Attribute of a head with the number of the last event.
const NUMBER: &str = "number";
/// Attribute of a head with everything.
const BODY: &str = "body";

/// Feeds of all organisations. Cheap to clone.
#[derive(Clone, Debug)]
pub struct FeedStore {
    db: Database,
}

impl FeedStore {
    /// Builds the store. Makes no call.
    pub fn new(database: &Database) -> Self {
        Self { db: database.clone() }
    }

    /// Opens the connection to DynamoDB. A failure is ignored: the first request meets it again.
    pub async fn connect(&self) {
        self.db.connect(&EVENTS).await;
    }

    /// Returns the number of the last event of a feed; 0 for an empty one.
    pub async fn end(&self, org_id: Option<OrgId>) -> Result<u64, Error> {
        Ok(self.head(org_id).await?.unwrap_or_default().number)
    }

    /// Returns a start from which on a reader finds all events that are kept of an instant or later, after earlier ones of its day.
    pub async fn start_since(&self, org_id: Option<OrgId>, at: Timestamp, now: Timestamp) -> Result<FeedStart, Error> {
        Ok(FeedStart::After(self.head(org_id).await?.unwrap_or_default().first_of_day(at, now) - 1))
    }

    /// Returns at most this many events after a number, or after the start. The page may be shorter although the feed has more.
    ///
    /// The head is read strongly and the chunks eventually, at the same time. A chunk that is not visible yet ends the page.
    ///
    /// # Errors
    /// [`Error::Gone`] if the next event is no longer kept, or if the feed never had this number.
    pub async fn read(
        &self,
        org_id: Option<OrgId>,
        start: FeedStart,
        limit: usize,
        now: Timestamp,
    ) -> Result<FeedPage, Error> {
        let after = match start {
            FeedStart::Now => {
                return Ok(FeedPage { events: Vec::new(), last: self.end(org_id).await?, has_more: false });
            }
            FeedStart::After(number) => number,
            FeedStart::Oldest => 0,
        };
        let (head, events) = futures::try_join!(self.head(org_id), self.events_after(org_id, after, limit))?;
        let head = head.unwrap_or_default();
        let before_oldest = head.oldest(now) - 1;
        match start {
            FeedStart::After(number) if number < before_oldest || number > head.number => {
                Err(Error::Gone { oldest: FeedCursor { org_id, number: before_oldest }.to_string() })
            }
            FeedStart::Oldest if before_oldest > 0 => {
                let events = self.events_after(org_id, before_oldest, limit).await?;
                Ok(page(events, before_oldest, head.number))
            }
            _ => Ok(page(events, after, head.number)),
        }
    }

    /// Reads the head of a feed; `None` if the feed has no event yet.
    async fn head(&self, org_id: Option<OrgId>) -> Result<Option<FeedHead>, Error> {
        let item = self.db.get(&EVENTS, pk_sk(feed_pk(org_id), FEED_HEAD_SK)).await?;
        item.as_ref().map(head_of).transpose()
    }

    /// Returns the next events, without those after a gap.
    async fn events_after(&self, org_id: Option<OrgId>, after: u64, limit: usize) -> Result<Vec<FeedEvent>, Error> {
        let count = limit as u64;
        // The chunk of the last event that is wanted ends at most a chunk later.
        let last = after + count + chunk::MAX_EVENTS as u64 - 1;
        let partition = Partition {
            table: &EVENTS,
            index: None,
            value: text(feed_pk(org_id)),
            between: Some((chunk_sk(after + 1), chunk_sk(last))),
            page: i32::try_from(limit).map_err(Error::internal)?,
            max_pages: 1,
        };
        let (items, _) = self.db.query_page_with(&partition, None, Consistency::Eventual, Order::Ascending).await?;
        let mut events = Vec::with_capacity(limit);
        for item in &items {
            for event in chunk::from_item(org_id, item)? {
                if event.number == after + 1 + events.len() as u64 && events.len() < limit {
                    events.push(event);
                }
            }
        }
        Ok(events)
    }
}

/// Returns a page without the events that the head does not have yet. The items of a transaction may show one by one, and a cursor past the
/// head would be one that the feed never gave.
fn page(mut events: Vec<FeedEvent>, after: u64, end: u64) -> FeedPage {
    events.retain(|event| event.number <= end);
    let last = events.last().map_or(after, |event| event.number);
    FeedPage { events, last, has_more: last < end }
}

fn head_of(item: &Item) -> Result<FeedHead, Error> {
    check(FEED_HEAD, item)?;
    let bytes = item.get(BODY).and_then(|body| body.as_b().ok());
    let bytes = bytes.ok_or_else(|| Error::internal("the head of a feed has no body"))?;
    postcard::from_bytes(bytes.as_ref()).map_err(Error::internal)
}
