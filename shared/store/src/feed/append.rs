//! Appending to a feed: chunk and head in one transaction, on the condition that the head is the one that was read.

use futures::FutureExt as _;
use jiff::Timestamp;

use super::{BODY, FeedStore, NUMBER, chunk};
use crate::client::read::{Item, binary, number, pk_sk};
use crate::client::tables::{Condition, ItemWrite};
use crate::client::transaction::{Transaction, TransactionError};
use crate::format::{FEED_HEAD, mark};
use crate::keys::{FEED_HEAD_SK, feed_pk};
use crate::schema::EVENTS;
use presence_domain::error::Error;
use presence_domain::event::Event;
use presence_domain::feed::{FeedHead, SequenceNumber, ShardId};
use presence_domain::ids::OrgId;
use presence_domain::random::random_u64;

/// Number of attempts to append. Each one that fails means that another publisher appended to the same feed.
const ATTEMPTS: usize = 50;

/// Record of a source stream, with its events for one feed.
#[derive(Clone, Debug)]
pub struct SourceRecord {
    /// Number in its shard.
    pub sequence: SequenceNumber,
    /// Events, in their order.
    pub events: Vec<Event>,
}

/// Item of the transaction of an append.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Guard {
    Chunk,
    Head,
}

impl FeedStore {
    /// Appends the events of records of a shard, in order. Skips the records that are in the feed already.
    ///
    /// After an error, all of the events may be in the feed, or none.
    pub async fn append(
        &self,
        org_id: Option<OrgId>,
        shard: ShardId,
        records: &[SourceRecord],
        now: Timestamp,
    ) -> Result<(), Error> {
        for _ in 0..ATTEMPTS {
            let stored = self.head(org_id).await?;
            let head = stored.clone().unwrap_or_default();
            let fresh: Vec<_> = records.iter().filter(|record| !head.has(shard, &record.sequence)).collect();
            let events: Vec<&Event> = fresh.iter().flat_map(|record| &record.events).collect();
            let Some(last) = fresh.last().filter(|_| !events.is_empty()) else { return Ok(()) };
            let next = head.advanced(events.len() as u64, shard, &last.sequence, now);
            if self.commit(org_id, stored.as_ref(), &next, &events, now).await? {
                return Ok(());
            }
        }
        Err(Error::Conflict)
    }

    /// Writes chunks and head. False if another publisher changed the head.
    async fn commit(
        &self,
        org_id: Option<OrgId>,
        stored: Option<&FeedHead>,
        next: &FeedHead,
        events: &[&Event],
        now: Timestamp,
    ) -> Result<bool, Error> {
        let known = stored.map(|head| head.number);
        let mut transaction = Transaction::new();
        let mut first = known.unwrap_or_default() + 1;
        for chunk in events.chunks(chunk::MAX_EVENTS) {
            let item = chunk::to_item(org_id, first, chunk, random_u64(), now)?;
            transaction.write(Guard::Chunk, ItemWrite::put(&EVENTS, item, [Condition::NotThere]));
            first += chunk.len() as u64;
        }
        let condition = known.map_or(Condition::NotThere, |known| Condition::NumberIs(NUMBER, known));
        transaction.write(Guard::Head, ItemWrite::put(&EVENTS, head_item(org_id, next)?, [condition]));
        let is_lost = |guard| {
            async move {
                let number = async || Ok::<_, Error>(self.head(org_id).await?.map(|head| head.number));
                Ok(guard == Guard::Head && number().await? != known)
            }
            .boxed()
        };
        match transaction.commit_unless(&self.db, is_lost).await {
            Ok(()) => Ok(true),
            Err(TransactionError::ConditionsFailed(_)) => Ok(false),
            Err(TransactionError::Failed(error)) => Err(error),
        }
    }
}

fn head_item(org_id: Option<OrgId>, head: &FeedHead) -> Result<Item, Error> {
    let mut item = pk_sk(feed_pk(org_id), FEED_HEAD_SK);
    item.insert(NUMBER.to_owned(), number(head.number));
    item.insert(BODY.to_owned(), binary(postcard::to_allocvec(head).map_err(Error::internal)?));
    mark(FEED_HEAD, &mut item);
    Ok(item)
}
