//! Table of the simulations of a feed. In a hostile world, a seed chooses whose call is next, what it sees and if it fails. In a calm one, calls take
//! their time, and transactions conflict as those of `DynamoDB` do.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use fastrand::Rng;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use jiff::Timestamp;

use crate::client::read::{Consistency, Item, Order, Partition};
use crate::client::retry::Retries;
use crate::client::tables::{Answer, Change, CommitError, Condition, IsLost, ItemWrite, Tables, TransactionItem};
use crate::schema::Table;
use presence_domain::error::Error;

/// Sort key of an item. There is one partition for each feed.
type Key = (String, String);

/// Items of the table, with all their states, and transactions that were decided and do not show everywhere yet.
#[derive(Debug)]
pub(super) struct World {
    pub(super) rng: Rng,
    pub(super) now: Timestamp,
    pub(super) items: BTreeMap<Key, Vec<Item>>,
    pending: Vec<(u64, Key, Item)>,
    tickets: u64,
    /// Time of a call in a calm world; `None` in a hostile one.
    latency: Option<Duration>,
    /// Write units of all transactions, also of those that failed.
    pub(super) write_units: usize,
}

#[derive(Clone, Debug)]
pub(super) struct SimulatedTable(Arc<Mutex<World>>);

fn key_of(item: &Item) -> Key {
    let text = |name: &str| item[name].as_s().expect("a key is a text").clone();
    (text("pk"), text("sk"))
}

/// Returns the write units of an item in a transaction: two for each KB.
fn write_units(item: &Item) -> usize {
    let bytes = |value: &AttributeValue| match value {
        AttributeValue::S(text) | AttributeValue::N(text) => text.len(),
        AttributeValue::B(bytes) => bytes.as_ref().len(),
        other => panic!("the feed has no attribute {other:?}"),
    };
    let size: usize = item.iter().map(|(name, value)| name.len() + bytes(value)).sum();
    2 * size.div_ceil(1_024)
}

fn failure() -> Error {
    Error::Unavailable("a simulated call failed".into())
}

impl World {
    pub(super) fn hostile(rng: Rng, now: Timestamp) -> Self {
        Self { rng, now, items: BTreeMap::new(), pending: Vec::new(), tickets: 0, latency: None, write_units: 0 }
    }

    /// Returns a world in which a call takes this long.
    pub(super) fn calm(latency: Duration, now: Timestamp) -> Self {
        Self { latency: Some(latency), ..Self::hostile(Rng::with_seed(0), now) }
    }

    /// True in so many of a hundred cases of a hostile world.
    pub(super) fn chance(&mut self, percent: u32) -> bool {
        self.latency.is_none() && self.rng.u32(..100) < percent
    }

    /// Shows a write of a transaction that was decided.
    pub(super) fn settle_one(&mut self) {
        if !self.pending.is_empty() {
            let chosen = self.rng.usize(..self.pending.len());
            let (_, key, item) = self.pending.swap_remove(chosen);
            self.items.entry(key).or_default().push(item);
        }
    }

    /// Shows a whole transaction that was decided.
    fn show(&mut self, ticket: u64) {
        for (_, key, item) in self.pending.extract_if(.., |(of, ..)| *of == ticket) {
            self.items.insert(key, vec![item]);
        }
    }

    fn read(&mut self, key: &Key, consistency: Consistency) -> Option<Item> {
        let states = self.items.get(key)?;
        // An eventual read shows one of the last states, or none of an item that was new.
        let is_last = consistency == Consistency::Strong || self.latency.is_some();
        let age = if is_last { 0 } else { self.rng.usize(..3) };
        states.len().checked_sub(1 + age).map(|position| states[position].clone())
    }

    fn holds(&self, write: &ItemWrite) -> bool {
        let stored = self.items.get(&key_of(&write.item)).and_then(|states| states.last());
        write.conditions.iter().all(|condition| match condition {
            Condition::NotThere => stored.is_none(),
            Condition::NumberIs(name, number) => {
                let is = |item: &Item| item[*name].as_n().is_ok_and(|stored| *stored == number.to_string());
                stored.is_some_and(is)
            }
            other => panic!("the feed has no condition {other:?}"),
        })
    }
}

impl SimulatedTable {
    pub(super) fn new(world: World) -> Self {
        Self(Arc::new(Mutex::new(world)))
    }

    pub(super) fn get(&self) -> MutexGuard<'_, World> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the next turn, or for the time of a call.
    async fn turn(&self) {
        let latency = self.get().latency;
        if let Some(latency) = latency {
            return tokio::time::sleep(latency).await;
        }
        let mut has_waited = false;
        std::future::poll_fn(
            |_| if std::mem::replace(&mut has_waited, true) { Poll::Ready(()) } else { Poll::Pending },
        )
        .await;
    }

    /// Waits for the turn of a call, which may fail.
    async fn begin(&self) -> Result<(), Error> {
        self.turn().await;
        if self.get().chance(1) { Err(failure()) } else { Ok(()) }
    }

    async fn read_page(&self, partition: &Partition<'_>, consistency: Consistency) -> Result<Vec<Item>, Error> {
        self.begin().await?;
        let pk = partition.value.as_s().expect("a text").clone();
        let (from, to) = partition.between.clone().expect("a range");
        let (mut items, mut next) = (Vec::new(), from);
        while items.len() < usize::try_from(partition.page).expect("a small number") {
            let mut found = None;
            {
                let mut world = self.get();
                let keys = (pk.clone(), next.clone())..=(pk.clone(), to.clone());
                let key = world.items.range(keys).next().map(|(key, _)| key.clone());
                if let Some(key) = key {
                    items.extend(world.read(&key, consistency));
                    found = Some(key.1);
                }
            }
            let Some(found) = found else { break };
            next = format!("{found}\0");
            if next > to {
                break;
            }
            // A page is no snapshot.
            if self.get().chance(20) {
                self.turn().await;
            }
        }
        Ok(items)
    }

    async fn commit_all(&self, writes: Vec<ItemWrite>, is_lost: &IsLost<'_>) -> Result<(), CommitError> {
        if self.get().latency.is_none() {
            self.begin().await.map_err(CommitError::Failed)?;
        }
        for _ in 0..30 {
            self.get().write_units += writes.iter().map(|write| write_units(&write.item)).sum::<usize>();
            let held = self.held(&writes);
            if held.is_empty() {
                if let Some(failed) = self.failed(&writes) {
                    self.turn().await;
                    return Err(CommitError::ConditionsFailed(failed));
                }
                let ticket = self.decide(&writes);
                if self.get().latency.is_some() {
                    self.turn().await;
                    self.get().show(ticket);
                    return Ok(());
                }
                while self.get().pending.iter().any(|(of, ..)| *of == ticket) {
                    self.turn().await;
                }
                // The reply may be lost: the SDK repeats the call, or gives up.
                match self.get().rng.u32(..100) {
                    0..3 => return Err(CommitError::Failed(failure())),
                    3..8 => {}
                    _ => return Ok(()),
                }
            }
            self.turn().await;
            for position in held {
                if is_lost(position).await.map_err(CommitError::Failed)? {
                    return Err(CommitError::ConditionsFailed(vec![position]));
                }
            }
        }
        Err(CommitError::Failed(failure()))
    }

    /// Returns the positions of the items that other transactions hold.
    fn held(&self, writes: &[ItemWrite]) -> Vec<usize> {
        let world = self.get();
        let is_held = |write: &ItemWrite| world.pending.iter().any(|(_, key, _)| *key == key_of(&write.item));
        (0..writes.len()).filter(|position| is_held(&writes[*position])).collect()
    }

    fn failed(&self, writes: &[ItemWrite]) -> Option<Vec<usize>> {
        let world = self.get();
        let failed: Vec<_> = (0..writes.len()).filter(|position| !world.holds(&writes[*position])).collect();
        (!failed.is_empty()).then_some(failed)
    }

    /// Decides a transaction: it is done, whatever becomes of its process. Its items show one by one.
    fn decide(&self, writes: &[ItemWrite]) -> u64 {
        let mut world = self.get();
        world.tickets += 1;
        let ticket = world.tickets;
        for write in writes {
            assert!(matches!(write.change, Change::Put), "the feed only puts");
            world.pending.push((ticket, key_of(&write.item), write.item.clone()));
        }
        ticket
    }
}

impl Tables for SimulatedTable {
    fn get<'a>(&'a self, _: &'a Table, key: Item, consistency: Consistency) -> Answer<'a, Option<Item>> {
        async move {
            self.begin().await?;
            Ok(SimulatedTable::get(self).read(&key_of(&key), consistency))
        }
        .boxed()
    }

    fn query_page<'a>(
        &'a self,
        partition: &'a Partition<'a>,
        _: Option<Item>,
        consistency: Consistency,
        _: Order,
    ) -> Answer<'a, (Vec<Item>, Option<Item>)> {
        async move { Ok((self.read_page(partition, consistency).await?, None)) }.boxed()
    }

    fn commit<'a>(
        &'a self,
        items: Vec<TransactionItem>,
        is_lost: &'a IsLost<'a>,
    ) -> BoxFuture<'a, Result<(), CommitError>> {
        self.commit_all(items.into_iter().map(TransactionItem::into_write).collect(), is_lost).boxed()
    }

    fn get_batch<'a>(
        &'a self,
        _: &'a Table,
        _: Vec<Item>,
        _: &'a [&'static str],
        _: Consistency,
    ) -> Answer<'a, Vec<Item>> {
        unreachable!("the feed reads no batch")
    }

    fn get_together<'a>(&'a self, _: &'a Table, _: Vec<Item>) -> Answer<'a, Vec<Option<Item>>> {
        unreachable!("the feed reads nothing at one instant")
    }

    fn scan_page<'a>(&'a self, _: &'a Table, _: i32, _: Option<Item>) -> Answer<'a, (Vec<Item>, Option<Item>)> {
        unreachable!("the feed scans nothing")
    }

    fn write(&self, _: ItemWrite) -> Answer<'_, bool> {
        unreachable!("the feed writes in transactions")
    }

    fn write_at_pace(&self, _: ItemWrite) -> Answer<'_, bool> {
        unreachable!("the feed writes in transactions")
    }

    fn retries(&self) -> Retries {
        unreachable!("the feed leaves retries to the tables")
    }

    fn sleep(&self, _: Duration) -> BoxFuture<'_, ()> {
        unreachable!("the feed does not sleep")
    }
}
