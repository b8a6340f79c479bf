//! Simulation of the feed: the store itself, over tables that behave as badly as `DynamoDB` may.
//!
//! Publishers take batches of the shards of a stream, as Lambda hands them over: in order, again and again, in batches of any size, by two at
//! a time, and they die. A shard ends, and its child goes on. Readers follow the feed. A seed chooses who makes the next call, and what a
//! call sees. Judged: each change is in the feed once, those of an object in order; a reader sees all events in order, and none twice.

use std::collections::{BTreeMap, BTreeSet};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use fastrand::Rng;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use jiff::{SignedDuration, Timestamp};

use super::{FeedStore, SourceRecord};
use crate::Database;
use crate::client::read::{Consistency, Item, Order, Partition};
use crate::client::retry::Retries;
use crate::client::tables::{Answer, Change, CommitError, Condition, IsLost, ItemWrite, Tables, TransactionItem};
use crate::schema::Table;
use presence_domain::error::Error;
use presence_domain::event::{Event, EventKind, EventSubject};
use presence_domain::feed::{FeedEvent, FeedStart, SequenceNumber, ShardId};
use presence_domain::ids::{OrgId, UserId};

/// Environment variable with the number of runs.
const SEEDS: &str = "PRESENCE_FEED_SEEDS";
/// Number of runs by default.
const DEFAULT_SEEDS: u64 = 200;
/// Steps after which a run counts as one that does not end.
const MAX_STEPS: usize = 40_000;
/// Organisations whose users change.
const ORGS: [Option<u64>; 2] = [Some(1), None];

/// Sort key of an item. There is one partition for each feed.
type Key = (String, String);

/// Items of the table, with all their states, and transactions that were decided and do not show everywhere yet.
#[derive(Debug)]
struct World {
    rng: Rng,
    now: Timestamp,
    items: BTreeMap<Key, Vec<Item>>,
    pending: Vec<(u64, Key, Item)>,
    tickets: u64,
}

#[derive(Clone, Debug)]
struct SimulatedTable(Arc<Mutex<World>>);

fn key_of(item: &Item) -> Key {
    let text = |name: &str| item[name].as_s().expect("a key is a text").clone();
    (text("pk"), text("sk"))
}

fn failure() -> Error {
    Error::Unavailable("a simulated call failed".into())
}

impl World {
    fn chance(&mut self, percent: u32) -> bool {
        self.rng.u32(..100) < percent
    }

    /// Shows a write of a transaction that was decided.
    fn settle_one(&mut self) {
        if !self.pending.is_empty() {
            let chosen = self.rng.usize(..self.pending.len());
            let (_, key, item) = self.pending.swap_remove(chosen);
            self.items.entry(key).or_default().push(item);
        }
    }

    fn read(&mut self, key: &Key, consistency: Consistency) -> Option<Item> {
        let states = self.items.get(key)?;
        // An eventual read shows one of the last states, or none of an item that was new.
        let age = if consistency == Consistency::Strong { 0 } else { self.rng.usize(..3) };
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
    fn get(&self) -> MutexGuard<'_, World> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the next turn.
    async fn turn(&self) {
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
        self.begin().await.map_err(CommitError::Failed)?;
        for _ in 0..30 {
            let held = self.held(&writes);
            if held.is_empty() {
                if let Some(failed) = self.failed(&writes) {
                    return Err(CommitError::ConditionsFailed(failed));
                }
                let ticket = self.decide(&writes);
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
        let write = |item| match item {
            TransactionItem::Write(write) => write,
            TransactionItem::Sdk(item) => panic!("a simulation cannot carry out {item:?}"),
        };
        self.commit_all(items.into_iter().map(write).collect(), is_lost).boxed()
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

/// Record of a shard: its number, and the event of an organisation.
#[derive(Clone, Debug)]
struct Record {
    sequence: u64,
    events: Vec<Event>,
}

/// Shard of the source stream.
#[derive(Debug, Default)]
struct Shard {
    records: Vec<Record>,
    /// Shard whose end it continues.
    parent: Option<usize>,
    /// Number of records that the stream knows to be handled.
    done: usize,
}

fn org(number: Option<u64>) -> Option<OrgId> {
    number.and_then(OrgId::new)
}

fn change(user: u64, version: u64, org_id: Option<OrgId>) -> Event {
    let id = UserId::parse(&user.to_string()).expect("an id");
    let subject = EventSubject::User { id, fields: Vec::new() };
    Event { kind: EventKind::UserUpdated, subject, org_id, version: Some(version), at: Timestamp::UNIX_EPOCH }
}

/// Returns three shards, of which the last continues the first. Each user is in one family of shards, as its item is.
fn shards(rng: &mut Rng) -> Vec<Shard> {
    let mut versions: BTreeMap<u64, u64> = BTreeMap::new();
    let mut shards = Vec::new();
    for (parent, users) in [(None, [1, 2]), (None, [3, 4]), (Some(0), [1, 2])] {
        // Of different lengths, so that numbers differ as numbers do, and not as texts.
        let mut sequence = rng.u64(7..12);
        let records = (0..rng.usize(1..40)).map(|_| {
            sequence += rng.u64(1..3);
            let events = (0..rng.usize(1..=2)).map(|_| {
                let user = users[rng.usize(..2)];
                let version = versions.entry(user).or_default();
                *version += 1;
                change(user, *version, org(ORGS[usize::from(user % 2 == 0)]))
            });
            Record { sequence, events: events.collect() }
        });
        shards.push(Shard { records: records.collect(), parent, done: 0 });
    }
    shards
}

/// Appends a batch of a shard to each feed, as the publisher does. True if all is in.
async fn publish(feed: FeedStore, shard: usize, batch: Vec<Record>, now: Timestamp) -> bool {
    let id = ShardId::new("stream", &shard.to_string());
    let mut is_done = true;
    for number in ORGS {
        let of_org = |record: &Record| {
            let events: Vec<_> = record.events.iter().filter(|event| event.org_id == org(number)).cloned().collect();
            let sequence = SequenceNumber::parse(&record.sequence.to_string()).expect("a number");
            (!events.is_empty()).then_some(SourceRecord { sequence, events })
        };
        let records: Vec<_> = batch.iter().filter_map(of_org).collect();
        is_done &= feed.append(org(number), id, &records, now).await.is_ok();
    }
    is_done
}

/// Process: a publisher with the shard and the end of its batch, or a reader.
enum Process {
    Publisher(usize, usize, BoxFuture<'static, bool>),
    Reader(BoxFuture<'static, Result<Vec<FeedEvent>, String>>),
}

/// Follows a feed until it has this many events.
async fn follow(
    feed: FeedStore,
    world: SimulatedTable,
    org_id: Option<OrgId>,
    total: usize,
) -> Result<Vec<FeedEvent>, String> {
    let (mut seen, mut last): (Vec<FeedEvent>, u64) = (Vec::new(), 0);
    while seen.len() < total {
        let limit = world.get().rng.usize(1..=30);
        let now = world.get().now;
        match feed.read(org_id, FeedStart::After(last), limit, now).await {
            Ok(page) if page.events.len() > limit => return Err("a page is too large".to_owned()),
            Ok(page) if page.events.is_empty() && page.last != last => return Err("a page skips events".to_owned()),
            Ok(page) => {
                seen.extend(page.events);
                last = page.last;
            }
            Err(Error::Unavailable(_)) => {}
            Err(error) => return Err(format!("a reader met {error:?}")),
        }
    }
    Ok(seen)
}

/// Run of a seed.
struct Run {
    table: SimulatedTable,
    feed: FeedStore,
    shards: Vec<Shard>,
    processes: Vec<Process>,
    read: Vec<Vec<FeedEvent>>,
}

impl Run {
    fn new(seed: u64) -> Self {
        let mut rng = Rng::with_seed(seed);
        let shards = shards(&mut rng);
        let now = Timestamp::from_second(1_772_366_400).expect("an instant");
        let world = World { rng, now, items: BTreeMap::new(), pending: Vec::new(), tickets: 0 };
        let table = SimulatedTable(Arc::new(Mutex::new(world)));
        let feed = FeedStore::new(&Database::simulated(Arc::new(table.clone())));
        Self { table, feed, shards, processes: Vec::new(), read: Vec::new() }
    }

    fn events_of(&self, org_id: Option<OrgId>) -> Vec<Event> {
        let records = self.shards.iter().flat_map(|shard| &shard.records);
        records.flat_map(|record| record.events.clone()).filter(|event| event.org_id == org_id).collect()
    }

    /// Hands a batch of a shard over, which may begin before what is done.
    fn spawn_publisher(&mut self) {
        let mut world = self.table.get();
        let shard = world.rng.usize(..self.shards.len());
        let Shard { records, parent, done } = &self.shards[shard];
        let is_ready = parent.is_none_or(|parent| self.shards[parent].done == self.shards[parent].records.len());
        let start = if world.chance(20) { world.rng.usize(..=*done) } else { *done };
        if !is_ready || start == records.len() {
            return;
        }
        let end = (start + world.rng.usize(1..=25)).min(records.len());
        let (batch, now) = (records[start..end].to_vec(), world.now);
        drop(world);
        let process = publish(self.feed.clone(), shard, batch, now).boxed();
        self.processes.push(Process::Publisher(shard, end, process));
    }

    fn spawn_readers(&mut self) {
        for number in ORGS {
            let (table, total) = (self.table.clone(), self.events_of(org(number)).len());
            self.processes.push(Process::Reader(follow(self.feed.clone(), table, org(number), total).boxed()));
        }
    }

    fn step(&mut self) -> Result<(), String> {
        {
            let mut world = self.table.get();
            // Less than a day in all: the stream keeps its records for a day.
            let pause = world.rng.i64(0..5);
            world.now += SignedDuration::from_secs(pause);
            if world.chance(50) {
                world.settle_one();
            }
        }
        let publishers = self.processes.iter().filter(|one| matches!(one, Process::Publisher(..))).count();
        if publishers < 3 && self.table.get().chance(20) {
            self.spawn_publisher();
        }
        let Some(chosen) = (!self.processes.is_empty()).then(|| self.table.get().rng.usize(..self.processes.len()))
        else {
            return Ok(());
        };
        let mut context = Context::from_waker(Waker::noop());
        let is_killed = self.table.get().chance(1);
        match &mut self.processes[chosen] {
            Process::Publisher(..) if is_killed => {
                self.processes.swap_remove(chosen);
            }
            Process::Publisher(shard, end, process) => {
                if let Poll::Ready(is_done) = Pin::new(process).poll(&mut context) {
                    let done = &mut self.shards[*shard].done;
                    *done = if is_done { (*done).max(*end) } else { *done };
                    self.processes.swap_remove(chosen);
                }
            }
            Process::Reader(process) => {
                if let Poll::Ready(events) = Pin::new(process).poll(&mut context) {
                    self.read.push(events?);
                    self.processes.swap_remove(chosen);
                }
            }
        }
        Ok(())
    }

    fn judge(&self) -> Result<(), String> {
        let mut ids = BTreeSet::new();
        for events in &self.read {
            let mut versions: BTreeMap<String, u64> = BTreeMap::new();
            for (event, number) in events.iter().zip(1..) {
                if event.number != number {
                    return Err(format!("event {number} has the number {}", event.number));
                }
                let newest = versions.entry(event.object()).or_default();
                let version = event.data.version.flatten().unwrap_or_default();
                if version <= *newest {
                    return Err(format!("version {version} of {} follows {newest}", event.object()));
                }
                *newest = version;
                if !ids.insert(event.id.clone()) {
                    return Err(format!("two events have the id {}", event.id));
                }
            }
        }
        let all: usize = ORGS.into_iter().map(|number| self.events_of(org(number)).len()).sum();
        if ids.len() == all { Ok(()) } else { Err(format!("{} of {all} events", ids.len())) }
    }

    fn make(seed: u64) -> Result<(), String> {
        let mut run = Self::new(seed);
        run.spawn_readers();
        for _ in 0..MAX_STEPS {
            run.step()?;
            let is_done = run.shards.iter().all(|shard| shard.done == shard.records.len());
            if is_done && run.read.len() == ORGS.len() {
                return run.judge_stored().and_then(|()| run.judge());
            }
        }
        Err("the run does not end".to_owned())
    }

    /// Checks that the feeds hold as many events as there are changes: a reader stops at the last one.
    fn judge_stored(&self) -> Result<(), String> {
        let world = self.table.get();
        let heads = world.items.iter().filter(|((_, sk), _)| sk == crate::keys::FEED_HEAD_SK);
        let numbers = heads.filter_map(|(_, states)| states.last()?["number"].as_n().ok()?.parse::<usize>().ok());
        let (stored, all) = (numbers.sum::<usize>(), self.shards.iter().flat_map(|shard| &shard.records));
        let all: usize = all.map(|record| record.events.len()).sum();
        if stored == all { Ok(()) } else { Err(format!("{stored} events are stored of {all}")) }
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a test's own setting")]
fn each_change_is_in_the_feed_once_and_in_order_under_any_interleaving() {
    let runs = std::env::var(SEEDS).map_or(DEFAULT_SEEDS, |text| text.parse().expect("a number of runs"));
    for seed in 0..runs {
        Run::make(seed).unwrap_or_else(|what| panic!("run {seed}: {what}"));
    }
}
