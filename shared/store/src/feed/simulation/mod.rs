//! Simulation of the feed: the store itself, over tables that behave as badly as `DynamoDB` may.
//!
//! Publishers take batches of the shards of a stream, as Lambda hands them over: in order, again and again, in batches of any size. Two
//! work at a time, and they die. A shard ends, and its child goes on. The stream of a restored table has a shard of the same name. Readers
//! follow the feed. A seed chooses who makes the next call, and what a call sees. Judged: each change is in the feed once, those of an
//! object in order; a reader sees all events in order, and none twice.

mod table;
mod throughput;

use std::collections::{BTreeMap, BTreeSet};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use fastrand::Rng;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use jiff::{SignedDuration, Timestamp};

use self::table::{SimulatedTable, World};
use super::{FeedStore, SourceRecord};
use crate::Database;
use presence_domain::error::Error;
use presence_domain::event::{Event, EventKind, EventSubject};
use presence_domain::feed::{FeedEvent, FeedStart, SequenceNumber, ShardId};
use presence_domain::ids::{OrgId, UserId};

/// Environment variable with the number of runs.
const SEEDS: &str = "PRESENCE_FEED_SEEDS";
/// Number of runs by default.
const DEFAULT_SEEDS: u64 = 100;
/// Steps after which a run counts as one that does not end.
const MAX_STEPS: usize = 40_000;
/// Time in which nothing happens: longer than an hour.
const REST: SignedDuration = SignedDuration::from_mins(90);
/// Time after which there is no rest any more. With the steps, a run ends before the day for which a stream keeps its records.
const LAST_REST: SignedDuration = SignedDuration::from_hours(10);
/// Shard of the stream of a table that was restored. The first shard of the other stream has its name.
const RESTORED: usize = 3;
/// Organisations whose users change.
const ORGS: [Option<u64>; 2] = [Some(1), None];

/// Record of a shard: its number, and the event of an organisation.
#[derive(Clone, Debug)]
struct Record {
    sequence: u64,
    events: Vec<Event>,
}

/// Shard of a source stream.
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

/// Returns the shards, of which the third continues the first. Each user is in one family of shards, as its item is.
fn shards(rng: &mut Rng) -> Vec<Shard> {
    let mut versions: BTreeMap<u64, u64> = BTreeMap::new();
    let mut shards = Vec::new();
    for (parent, users) in [(None, [1, 2]), (None, [3, 4]), (Some(0), [1, 2]), (None, [5, 6])] {
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
    let (stream, name) = if shard == RESTORED { ("restored", 0) } else { ("stream", shard) };
    let id = ShardId::new(stream, &name.to_string());
    let mut is_done = true;
    for number in ORGS {
        let of_org = |record: &Record| {
            let events: Vec<_> = record.events.iter().filter(|event| event.org_id == org(number)).cloned().collect();
            // As long as those of `DynamoDB`.
            let sequence = SequenceNumber::parse(&format!("4968{:022}", record.sequence)).expect("a number");
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
    // Some readers read events one by one.
    let most = if world.get().chance(30) { 1 } else { 30 };
    while seen.len() < total {
        let limit = world.get().rng.usize(1..=most);
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
    started_at: Timestamp,
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
        let table = SimulatedTable::new(World::hostile(rng, now));
        let feed = FeedStore::new(&Database::simulated(Arc::new(table.clone())));
        Self { started_at: now, table, feed, shards, processes: Vec::new(), read: Vec::new() }
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

    fn step(&mut self) -> Result<(), String> {
        {
            let mut world = self.table.get();
            let rests = world.now < self.started_at + LAST_REST && world.chance(1);
            let pause = SignedDuration::from_secs(world.rng.i64(0..3));
            world.now += if rests { REST } else { pause };
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
        for number in ORGS {
            let (table, total) = (run.table.clone(), run.events_of(org(number)).len());
            run.processes.push(Process::Reader(follow(run.feed.clone(), table, org(number), total).boxed()));
        }
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
