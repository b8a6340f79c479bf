//! Fleet of webhooks in virtual time: how late events reach those that live, while others are dead.
//!
//! The shipped deliverer runs over a model of AWS. A call of the tables or of the queue takes 10 ms. Lambda looks at each shard of the
//! stream of the feeds four times a second, and hands one batch over after the other. It takes up to ten messages of the queue at a time,
//! in as many invocations as the template allows.

#![expect(clippy::print_stdout, reason = "a run tells its figures")]

use std::collections::VecDeque;
use std::mem::take;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::future::join_all;
use presence_domain::event::{EventData, EventKind};
use presence_domain::feed::{FeedPage, FeedStart, format_at};
use presence_domain::ids::OrgId;
use presence_store::keys::{chunk_sk, feed_pk};
use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep};

use super::simulation::{WorldClock, webhook};
use super::*;
use crate::event::wake_for_records;
use crate::wakes::{Wake, Wakes};

/// Environment variable with the number of webhooks.
const WEBHOOKS: &str = "PRESENCE_WEBHOOKS";
/// Time of a call of the tables or of the queue.
const CALL: Duration = Duration::from_millis(10);
/// Number of shards of the stream: a new table has four partitions.
const SHARDS: usize = 4;
/// Time between two looks of Lambda at a shard.
const POLL: Duration = Duration::from_millis(250);
/// Largest number of records of the stream in a batch.
const RECORDS: usize = 100;
/// Messages that an invocation takes.
const BATCH: usize = 10;
/// Time of an invocation in which attempts start: its timeout without the time of an attempt.
const RUN_TIME: Duration = Duration::from_secs(40);
/// Time of an attempt at a receiver that is dead.
const TIMEOUT: Duration = Duration::from_secs(15);
/// Longest delay of a message.
const MAX_DELAY: Duration = Duration::from_mins(1);

/// Webhook with the feed of its own organisation.
struct FleetWebhook {
    webhook: Webhook,
    is_dead: bool,
    events: Vec<(Instant, FeedEvent)>,
    /// Time of each event until the receiver took it.
    delays: Vec<Duration>,
}

/// Load of a fleet.
#[derive(Clone, Copy)]
struct Load {
    webhooks: usize,
    dead: usize,
    /// Events of each webhook, and the time between two of them.
    events: usize,
    interval: Duration,
    /// Time in which a receiver that lives takes an event.
    answer: Duration,
    /// Invocations at a time.
    invocations: usize,
}

#[derive(Clone)]
struct Fleet(Arc<FleetState>);

struct FleetState {
    load: Load,
    hooks: Vec<Mutex<FleetWebhook>>,
    /// Records of each shard that Lambda has not seen.
    stream: [Mutex<Vec<Value>>; SHARDS],
    queue: Mutex<VecDeque<usize>>,
    arrived: Notify,
}

impl Fleet {
    fn new(load: Load) -> Self {
        let hook = |number: usize| FleetWebhook {
            webhook: webhook(number as u64 + 1, 0),
            is_dead: number < load.dead,
            events: Vec::new(),
            delays: Vec::new(),
        };
        let hooks = (0..load.webhooks).map(|number| Mutex::new(hook(number))).collect();
        let stream = std::array::from_fn(|_| Mutex::default());
        Self(Arc::new(FleetState { load, hooks, stream, queue: Mutex::default(), arrived: Notify::new() }))
    }

    fn deliverer(&self) -> Deliverer<Self, Self> {
        let clock = Arc::new(WorldClock(Instant::now()));
        Deliverer { tables: self.clone(), sender: Arc::new(self.clone()), clock }
    }

    fn hook<R>(&self, number: usize, work: impl FnOnce(&mut FleetWebhook) -> R) -> R {
        work(&mut self.0.hooks[number].lock().expect("no panic"))
    }

    fn of_org<R>(&self, org_id: OrgId, work: impl FnOnce(&mut FleetWebhook) -> R) -> R {
        self.hook(number_of(org_id), work)
    }

    /// Puts a message for a webhook into the queue.
    fn wake(&self, number: usize) {
        self.0.queue.lock().expect("no panic").push_back(number);
        self.0.arrived.notify_one();
    }

    /// Hands the records of a shard over, as Lambda does.
    async fn poll(self, shard: usize, deliverer: Deliverer<Self, Self>) {
        let mut looks = tokio::time::interval(POLL);
        loop {
            looks.tick().await;
            let records = take(&mut *self.0.stream[shard].lock().expect("no panic"));
            for batch in records.chunks(RECORDS) {
                wake_for_records(&deliverer, &self, batch).await.expect("no call fails");
            }
        }
    }

    /// Appends the events of a webhook to its feed, each at its time.
    async fn append(self, number: usize, mut rng: fastrand::Rng) {
        let Load { events, interval, .. } = self.0.load;
        sleep(interval.mul_f64(rng.f64())).await;
        for event_number in 1..=events as u64 {
            let data = EventData {
                id: Some(event_number.to_string()),
                at: format_at(Timestamp::UNIX_EPOCH),
                ..EventData::default()
            };
            let (id, at) = (format!("{number}-{event_number}"), Timestamp::UNIX_EPOCH);
            let event = FeedEvent { number: event_number, id, kind: EventKind::ReviewUpdated, at, data };
            self.hook(number, |hook| hook.events.push((Instant::now(), event)));
            self.0.stream[number % SHARDS].lock().expect("no panic").push(new_chunk(number, event_number));
            sleep(interval).await;
        }
    }

    /// Serves messages, one batch after the other, as one of the invocations that run at a time.
    async fn invoke(self, deliverer: Deliverer<Self, Self>) {
        loop {
            let batch: Vec<_> = {
                let mut queue = self.0.queue.lock().expect("no panic");
                let count = queue.len().min(BATCH);
                queue.drain(..count).collect()
            };
            if batch.is_empty() {
                self.0.arrived.notified().await;
                continue;
            }
            let started = Instant::now();
            join_all(batch.into_iter().map(|number| self.run(&deliverer, number, started))).await;
        }
    }

    async fn run(&self, deliverer: &Deliverer<Self, Self>, number: usize, started: Instant) {
        let id = self.hook(number, |hook| hook.webhook.id);
        let due_at = deliverer.run(id, &|| started.elapsed() < RUN_TIME).await.expect("no call fails");
        let delay = due_at.map(|due_at| due_at.duration_since(deliverer.clock.now()));
        let Some(delay) = delay.map(|delay| Duration::try_from(delay).unwrap_or_default()) else { return };
        if delay <= MAX_DELAY {
            Wakes::send(self, &[Wake { id, delay }]).await.expect("no call fails");
        }
    }

    /// Returns the times of all events until the receivers that live took them, in order. Ends when they have.
    async fn delays(load: Load) -> Vec<Duration> {
        let fleet = Self::new(load);
        let deliverer = fleet.deliverer();
        for shard in 0..SHARDS {
            tokio::spawn(fleet.clone().poll(shard, deliverer.clone()));
        }
        for number in 0..load.webhooks {
            tokio::spawn(fleet.clone().append(number, fastrand::Rng::with_seed(number as u64)));
        }
        for _ in 0..load.invocations {
            tokio::spawn(fleet.clone().invoke(deliverer.clone()));
        }
        for number in load.dead..load.webhooks {
            while fleet.hook(number, |hook| hook.delays.len() < load.events) {
                sleep(Duration::from_secs(1)).await;
            }
        }
        let mut delays: Vec<_> =
            (0..load.webhooks).flat_map(|number| fleet.hook(number, |hook| hook.delays.clone())).collect();
        assert_eq!(delays.len(), (load.webhooks - load.dead) * load.events, "each is delivered once");
        delays.sort_unstable();
        delays
    }
}

impl Tables for Fleet {
    async fn webhook(&self, id: WebhookId) -> Result<Option<Webhook>, Error> {
        sleep(CALL).await;
        Ok(Some(self.of_org(id.org_id(), |hook| hook.webhook.clone())))
    }

    async fn webhooks_of(&self, org_id: OrgId) -> Result<Vec<Result<Webhook, Error>>, Error> {
        sleep(CALL).await;
        Ok(vec![Ok(self.of_org(org_id, |hook| hook.webhook.clone()))])
    }

    async fn events(&self, org_id: OrgId, start: FeedStart, limit: usize, _: Timestamp) -> Result<FeedPage, Error> {
        sleep(CALL).await;
        let FeedStart::After(after) = start else { panic!("the feed is kept") };
        Ok(self.of_org(org_id, |hook| {
            let fresh = hook.events[usize::try_from(after).expect("few")..].iter().take(limit);
            let events: Vec<_> = fresh.map(|(_, event)| event.clone()).collect();
            let last = after + events.len() as u64;
            FeedPage { events, last, has_more: last < hook.events.len() as u64 }
        }))
    }

    async fn write(&self, before: &Webhook, after: &Webhook, _: Timestamp) -> Result<bool, Error> {
        sleep(CALL).await;
        Ok(self.of_org(before.id.org_id(), |hook| {
            let is_written = hook.webhook.version == before.version;
            if is_written {
                hook.webhook = after.clone();
            }
            is_written
        }))
    }

    async fn last_attempt(&self, _: WebhookId, _: u64, _: Timestamp) -> Result<Option<Attempt>, Error> {
        panic!("the feed is kept")
    }

    async fn record_attempt(&self, _: WebhookId, _: &Attempt) -> Result<(), Error> {
        sleep(CALL).await;
        Ok(())
    }
}

impl Sender for Fleet {
    async fn send(&self, message: &Message) -> Answer {
        let (number, event) = message.id.split_once('-').expect("an id");
        let [number, event]: [usize; 2] = [number, event].map(|text| text.parse().expect("a number"));
        if self.hook(number, |hook| hook.is_dead) {
            sleep(TIMEOUT).await;
            return Answer::none("no answer in time");
        }
        sleep(self.0.load.answer).await;
        self.hook(number, |hook| hook.delays.push(hook.events[event - 1].0.elapsed()));
        Answer { status: Some(204), ..Answer::default() }
    }
}

impl Wakes for Fleet {
    async fn send(&self, wakes: &[Wake]) -> Result<(), Error> {
        sleep(CALL).await;
        for Wake { id, delay } in wakes.iter().copied() {
            let fleet = self.clone();
            tokio::spawn(async move {
                sleep(delay).await;
                fleet.wake(number_of(id.org_id()));
            });
        }
        Ok(())
    }
}

/// Returns the number of the webhook of an organisation.
fn number_of(org_id: OrgId) -> usize {
    usize::try_from(org_id.get() - 1).expect("few")
}

/// Returns the record of a new chunk in the feed of a webhook.
fn new_chunk(number: usize, event_number: u64) -> Value {
    let (pk, sk) = (feed_pk(OrgId::new(number as u64 + 1)), chunk_sk(event_number));
    let keys = json!({ "pk": { "S": pk }, "sk": { "S": sk } });
    json!({ "eventName": "INSERT", "dynamodb": { "Keys": keys } })
}

/// Returns the number of invocations at a time in the template.
fn invocations() -> usize {
    let template = include_str!("../../../../shared/stacks/webhooks.yaml");
    let (_, number) = template.split_once("MaximumConcurrency: ").expect("a number");
    number.split(' ').next().and_then(|number| number.parse().ok()).expect("a number")
}

fn percentiles(delays: &[Duration]) -> [Duration; 2] {
    [50, 99].map(|percent| delays[delays.len() * percent / 100])
}

#[tokio::test(start_paused = true)]
async fn a_batch_of_a_hundred_organisations_is_told_in_few_rounds() {
    let load = Load {
        webhooks: RECORDS,
        dead: 0,
        events: 1,
        interval: Duration::ZERO,
        answer: Duration::ZERO,
        invocations: 0,
    };
    let fleet = Fleet::new(load);
    let records: Vec<_> = (0..RECORDS).map(|number| new_chunk(number, 1)).collect();
    let started = Instant::now();
    wake_for_records(&fleet.deliverer(), &fleet, &records).await.expect("no call fails");
    // Each takes a read and a message.
    let elapsed = started.elapsed();
    assert!(elapsed <= 10 * CALL, "{elapsed:?}");
    sleep(CALL).await;
    let mut told: Vec<_> = fleet.0.queue.lock().expect("no panic").iter().copied().collect();
    told.sort_unstable();
    assert_eq!(told, (0..RECORDS).collect::<Vec<_>>());
}

#[tokio::test(start_paused = true)]
async fn one_webhook_takes_two_hundred_events_a_second() {
    let interval = Duration::from_millis(5);
    for answer in [10, 50, 60].map(Duration::from_millis) {
        let load = Load { webhooks: 1, dead: 0, events: 4_000, interval, answer, invocations: invocations() };
        let [median, p99] = percentiles(&Fleet::delays(load).await);
        println!("an answer in {answer:?}: {median:?} in the median, {p99:?} at p99");
        assert!(p99 <= Duration::from_secs(5), "an answer in {answer:?}: {p99:?}");
    }
}

#[tokio::test(start_paused = true)]
#[expect(clippy::disallowed_methods, reason = "a test's own setting")]
async fn dead_webhooks_delay_no_other() {
    let webhooks = std::env::var(WEBHOOKS).map_or(100, |text| text.parse().expect("a number of webhooks"));
    // A hundred thousand events in a minute for a thousand webhooks, of which a hundred are dead.
    let load = Load {
        webhooks,
        dead: webhooks / 10,
        events: 112,
        interval: Duration::from_millis(535),
        answer: Duration::from_millis(100),
        invocations: invocations() * webhooks / 1_000,
    };
    let delays = Fleet::delays(load).await;
    let [median, p99] = percentiles(&delays);
    println!("{} deliveries: {median:?} in the median, {p99:?} at p99", delays.len());
    assert!(p99 <= Duration::from_secs(5), "{p99:?}");
}
