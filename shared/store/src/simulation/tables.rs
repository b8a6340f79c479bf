//! Simulated tables: they behave as badly as `DynamoDB` may.
//!
//! - An eventual read shows any of the last states of an item. An index lags for any time, item by item.
//! - A Query, a Scan and a batch are no snapshots, and a Query may end a page early.
//! - The items of a transaction appear one by one. Meanwhile they refuse other writes, and reads of one instant.
//! - Replies are lost, so that a write is repeated; and calls fail, done or not.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::BoxFuture;

use super::calls::SharedWorld;
use super::world::{Commit, ItemKey, StoredItem, key_attributes, key_of};
use crate::client::read::{Consistency, Item, Order, Partition};
use crate::client::retry::Retries;
use crate::client::tables::{Answer, CommitError, IsLost, ItemWrite, Tables, TransactionItem};
use crate::schema::Table;
use presence_domain::error::Error;

/// Number of pauses of a call before it gives up.
const PAUSES: u32 = 60;
/// Share of calls that fail for good, of 1,000.
const FAILURES: u32 = 3;
/// Share of writes whose reply is lost, of 1,000.
const LOST_REPLIES: u32 = 30;
/// Share of reads of several items in which others come between two items, in percent.
const INTERRUPTIONS: u32 = 15;

/// Tables of a run.
#[derive(Debug)]
pub(super) struct SimulatedTables(pub(super) SharedWorld);

/// Items of a page, and the key after which the next one starts.
type Page = (Vec<Item>, Option<Item>);

impl SimulatedTables {
    /// Waits for the turn of a call with a name. It may fail.
    async fn begin(&self, name: impl FnOnce() -> String) -> Result<(), Error> {
        self.0.turn_of(name).await;
        if self.0.get().fails(FAILURES) { Err(failure()) } else { Ok(()) }
    }

    /// Lets others come between two items, now and then.
    async fn interrupt(&self) {
        if self.0.get().chance(INTERRUPTIONS) {
            self.0.turn().await;
        }
    }

    async fn read_batch(&self, table: &Table, keys: Vec<Item>, consistency: Consistency) -> Result<Vec<Item>, Error> {
        self.begin(|| named("get", table, &keys)).await?;
        // In one order, so that a seed always makes the same run.
        let distinct: BTreeSet<ItemKey> = keys.iter().map(|key| key_of(table, key)).collect();
        assert_eq!(distinct.len(), keys.len(), "DynamoDB refuses a batch that names a key twice");
        let mut found = Vec::new();
        for key in &distinct {
            self.interrupt().await;
            found.extend(self.0.get().read(key, consistency).map(unshared));
        }
        Ok(found)
    }

    async fn read_together(&self, table: &Table, keys: Vec<Item>) -> Result<Vec<Option<Item>>, Error> {
        self.begin(|| named("get", table, &keys)).await?;
        let keys: Vec<ItemKey> = keys.iter().map(|key| key_of(table, key)).collect();
        for _ in 0..PAUSES {
            if let Some(found) = self.try_read_together(&keys) {
                return Ok(found.into_iter().map(|item| item.map(unshared)).collect());
            }
            self.0.turn().await;
        }
        Err(Error::InProgress)
    }

    fn try_read_together(&self, keys: &[ItemKey]) -> Option<Vec<StoredItem>> {
        let mut world = self.0.get();
        if keys.iter().any(|key| world.is_held(key)) {
            return None;
        }
        let found: Vec<StoredItem> = keys.iter().map(|key| world.read(key, Consistency::Strong)).collect();
        let process = world.calls.process;
        world.oracle.note_joint_read(process, keys, &found);
        Some(found)
    }

    async fn read_page(
        &self,
        partition: &Partition<'_>,
        start: Option<Item>,
        consistency: Consistency,
        order: Order,
    ) -> Result<Page, Error> {
        let pk = || partition.value.as_s().cloned().unwrap_or_default();
        self.begin(|| {
            partition.index.map_or_else(|| format!("query {}", pk()), |index| format!("list {}", index.name))
        })
        .await?;
        if partition.index.is_some() {
            return Ok(self.read_index_page(partition, start.as_ref(), order));
        }
        let (table, pk) = (partition.table, pk());
        let is_first = start.is_none();
        let mut last = start.map(|key| key_of(table, &key).2);
        let (mut items, limit) = (Vec::new(), self.page_size(partition.page));
        let next = loop {
            let next = self.0.get().next_key(table, &pk, last.as_deref(), order == Order::Ascending);
            let Some(key) = next else { break None };
            last = Some(key.2.clone());
            let is_wanted = partition.between.as_ref().is_none_or(|(from, to)| *from <= key.2 && key.2 <= *to);
            if !is_wanted {
                continue;
            }
            let found = self.0.get().read(&key, consistency);
            items.extend(found.map(unshared));
            if items.len() >= limit {
                break items.last().map(|item| key_attributes(table, None, item));
            }
            self.interrupt().await;
        };
        let mut world = self.0.get();
        let process = world.calls.process;
        if consistency == Consistency::Strong {
            world.oracle.note_page(process, &pk, is_first, &items, next.is_none());
        }
        Ok((items, next))
    }

    fn read_index_page(&self, partition: &Partition<'_>, start: Option<&Item>, order: Order) -> Page {
        let (table, Some(index)) = (partition.table, partition.index) else { return (Vec::new(), None) };
        let limit = self.page_size(partition.page);
        let mut found = self.0.get().query_index(table, index, &partition.value);
        if let Some((from, to)) = &partition.between {
            found.retain(|(sort, _)| from <= sort && sort <= to);
        }
        if order == Order::Descending {
            found.reverse();
        }
        let sort_of = |key: &Item| index.key.sort.and_then(|(name, _)| key.get(name)?.as_s().ok()).cloned();
        if let Some(last) = start.and_then(sort_of) {
            let is_later = |sort: &String| if order == Order::Ascending { *sort > last } else { *sort < last };
            found.retain(|(sort, _)| is_later(sort));
        }
        let has_more = found.len() > limit;
        found.truncate(limit);
        let next = found.last().filter(|_| has_more).map(|(_, item)| key_attributes(table, Some(index), item));
        let shown = |item: Arc<Item>| unshared(item).into_iter().filter(|(name, _)| index.holds(table, name)).collect();
        (found.into_iter().map(|(_, item)| shown(item)).collect(), next)
    }

    async fn read_table_page(&self, table: &Table, start: Option<Item>) -> Result<Page, Error> {
        self.begin(|| format!("scan {}", table.name)).await?;
        let mut last = start.map(|key| key_of(table, &key));
        let (mut items, limit) = (Vec::new(), self.page_size(i32::MAX));
        loop {
            let next = self.0.get().next_in_table(table, last.as_ref());
            let Some(key) = next else { return Ok((items, None)) };
            let found = self.0.get().read(&key, Consistency::Strong);
            items.extend(found.map(unshared));
            last = Some(key);
            if items.len() >= limit {
                let next = items.last().map(|item| key_attributes(table, None, item));
                return Ok((items, next));
            }
            self.interrupt().await;
        }
    }

    /// Returns the number of items after which a page ends: what the caller wants, or seldom less.
    fn page_size(&self, page: i32) -> usize {
        let wanted = usize::try_from(page).unwrap_or(usize::MAX);
        let mut world = self.0.get();
        if world.chance(10) { wanted.min(world.rng.usize(4..20)) } else { wanted }
    }

    async fn write_one(&self, write: ItemWrite) -> Result<bool, Error> {
        self.begin(|| named("write", write.table, [&write.item])).await?;
        for _ in 0..PAUSES {
            if let Some(answer) = self.try_write(&write) {
                return answer;
            }
            self.0.turn().await;
        }
        Err(failure())
    }

    /// Makes a write once. `None` if a transaction holds the item, or if the reply is lost: the SDK repeats the call.
    fn try_write(&self, write: &ItemWrite) -> Option<Result<bool, Error>> {
        let mut world = self.0.get();
        if world.is_held(&key_of(write.table, &write.item)) {
            return None;
        }
        let is_done = world.write(write.clone());
        let is_failing = world.fails(FAILURES);
        let is_lost = world.fails(LOST_REPLIES);
        if is_failing { Some(Err(failure())) } else { (!is_lost).then_some(Ok(is_done)) }
    }

    async fn commit_all(&self, writes: Vec<ItemWrite>, is_lost: &IsLost<'_>) -> Result<(), CommitError> {
        let name = || writes.iter().map(|write| named("write", write.table, [&write.item])).collect();
        self.begin(name).await.map_err(CommitError::Failed)?;
        for _ in 0..PAUSES {
            let (attempt, is_failing) = {
                let mut world = self.0.get();
                let process = world.calls.process;
                (world.commit(process, writes.clone()), world.fails(FAILURES))
            };
            match attempt {
                Commit::Decided(ticket) => {
                    self.0.end_of(ticket).await;
                    return if is_failing { Err(CommitError::Failed(failure())) } else { Ok(()) };
                }
                Commit::ConditionsFailed(positions) => return Err(CommitError::ConditionsFailed(positions)),
                Commit::Held(positions) => {
                    self.0.turn().await;
                    for position in positions {
                        if is_lost(position).await.map_err(CommitError::Failed)? {
                            return Err(CommitError::ConditionsFailed(vec![position]));
                        }
                    }
                }
            }
        }
        Err(CommitError::Failed(failure()))
    }
}

impl Tables for SimulatedTables {
    fn get<'a>(&'a self, table: &'a Table, key: Item, consistency: Consistency) -> Answer<'a, Option<Item>> {
        async move {
            self.begin(|| named("get", table, [&key])).await?;
            Ok(self.0.get().read(&key_of(table, &key), consistency).map(unshared))
        }
        .boxed()
    }

    fn get_batch<'a>(
        &'a self,
        table: &'a Table,
        keys: Vec<Item>,
        attributes: &'a [&'static str],
        consistency: Consistency,
    ) -> Answer<'a, Vec<Item>> {
        let is_wanted = |name: &str| attributes.is_empty() || attributes.contains(&name);
        async move {
            let mut items = self.read_batch(table, keys, consistency).await?;
            for item in &mut items {
                item.retain(|name, _| is_wanted(name));
            }
            Ok(items)
        }
        .boxed()
    }

    fn get_together<'a>(&'a self, table: &'a Table, keys: Vec<Item>) -> Answer<'a, Vec<Option<Item>>> {
        self.read_together(table, keys).boxed()
    }

    fn query_page<'a>(
        &'a self,
        partition: &'a Partition<'a>,
        start: Option<Item>,
        consistency: Consistency,
        order: Order,
    ) -> Answer<'a, Page> {
        self.read_page(partition, start, consistency, order).boxed()
    }

    fn scan_page<'a>(&'a self, table: &'a Table, _: i32, start: Option<Item>) -> Answer<'a, Page> {
        self.read_table_page(table, start).boxed()
    }

    fn write(&self, write: ItemWrite) -> Answer<'_, bool> {
        self.write_one(write).boxed()
    }

    fn write_at_pace(&self, write: ItemWrite) -> Answer<'_, bool> {
        self.write(write)
    }

    fn commit<'a>(
        &'a self,
        items: Vec<TransactionItem>,
        is_lost: &'a IsLost<'a>,
    ) -> BoxFuture<'a, Result<(), CommitError>> {
        self.commit_all(items.into_iter().map(TransactionItem::into_write).collect(), is_lost).boxed()
    }

    fn retries(&self) -> Retries {
        let (world, mut left) = (self.0.clone(), PAUSES);
        Retries::simulated(Box::new(move || {
            let turn = world.turn();
            left = left.saturating_sub(1);
            let has_time = left > 0;
            async move {
                turn.await;
                has_time
            }
            .boxed()
        }))
    }

    fn sleep(&self, _: Duration) -> BoxFuture<'_, ()> {
        async move {
            let open = self.0.get().open_transactions();
            self.0.turn_of(|| "sleep".to_owned()).await;
            // A pause is much longer than a transaction, and not always than the lag of an index.
            while self.0.get().open_transactions().iter().any(|ticket| open.contains(ticket)) {
                self.0.turn().await;
            }
            self.0.get().show_in_indexes(50);
        }
        .boxed()
    }
}

/// Returns the name of a call about some items.
fn named<'a>(call: &str, table: &Table, keys: impl IntoIterator<Item = &'a Item>) -> String {
    let mut name = call.to_owned();
    for key in keys {
        let (_, pk, sk) = key_of(table, key);
        name.extend([" ", &pk, " ", &sk]);
    }
    name
}

fn unshared(item: Arc<Item>) -> Item {
    Arc::unwrap_or_clone(item)
}

fn failure() -> Error {
    Error::Unavailable("a simulated call failed".into())
}
