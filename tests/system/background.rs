//! What runs beside the API: mailers, the publisher, deliverers and the auditor, each invoked as Lambda does it. And the judge of the end.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use fastrand::Rng;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use presence_deliverer::{Answer, Deliverer, Message, Sender, StoredTables, Wake, Wakes};
use presence_domain::audit::AuditTarget;
use presence_domain::error::Error;
use presence_domain::event::EventKind;
use presence_domain::feed::{FeedEvent, FeedStart};
use presence_local::TableStream;
use presence_mailer::{Mail, Mailer, OutboxProcessor, SendResult};
use presence_publisher::append;
use presence_runtime::clock::deadline_in;
use presence_runtime::config::MailConfig;
use presence_store::schema::{AUDIT, EVENTS, REVIEWS, Table, USERS};
use presence_store::{AuditSettings, AuditSource, Stores};
use presence_tests::reviews::org_id;
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::people::Person;
use super::world::World;

/// Longest time until a stream shows a write, in milliseconds.
const STREAM_LAG: u64 = 2_000;
/// Time limit of an invocation, in virtual time.
const INVOCATION: Duration = Duration::from_mins(1);
/// Interval of the sweeps of mailers and deliverers.
const SWEEP: Duration = Duration::from_mins(1);
/// Interval of the auditor.
const AUDIT_INTERVAL: Duration = Duration::from_mins(5);
/// Number of times that Lambda hands a batch over, before it is given up. The publisher's has no end.
const HAND_OVERS: usize = 3;
/// Events on a page of the feed.
const PAGE: usize = 100;
/// Name of the only webhook.
const WEBHOOK: &str = "http://127.0.0.1:1024/hook";

/// SES of the simulation.
struct Ses {
    world: Arc<World>,
    rng: Mutex<Rng>,
}

impl Ses {
    fn accept(&self, mail: &Mail) {
        self.world.history().mailed(&mail.to, self.world.now());
        let link = mail.message.text.split_whitespace().find_map(|word| word.split_once("/invitation?"));
        self.world.links().extend(link.map(|(_, query)| query.to_owned()));
    }
}

impl Mailer for Ses {
    fn send<'a>(&'a self, mail: &'a Mail) -> BoxFuture<'a, SendResult> {
        let (before, after, fate) = {
            let mut rng = self.rng.lock().expect("no panic");
            (rng.u64(1..3_000), rng.u64(1..3_000), rng.u8(..10))
        };
        async move {
            tokio::time::sleep(Duration::from_millis(before)).await;
            match fate {
                0 => return SendResult::Refused("TooManyRequestsException".to_owned()),
                1 => return SendResult::Unknown("Timeout".to_owned()),
                _ => self.accept(mail),
            }
            tokio::time::sleep(Duration::from_millis(after)).await;
            if fate == 2 { SendResult::Unknown("Timeout".to_owned()) } else { SendResult::Sent }
        }
        .boxed()
    }
}

/// Receiver of the webhook, which fails now and then.
pub(crate) struct Receiver {
    world: Arc<World>,
    rng: Mutex<Rng>,
}

impl Sender for Receiver {
    async fn send(&self, message: &Message) -> Answer {
        let (time, fate) = {
            let mut rng = self.rng.lock().expect("no panic");
            (rng.u64(1..4_000), rng.u8(..20))
        };
        tokio::time::sleep(Duration::from_millis(time)).await;
        match fate + 3 * u8::from(!self.world.network.is_faulty()) {
            0 => Answer { status: Some(500), ..Answer::default() },
            1 => Answer::none("lost"),
            _ => {
                self.world.deliveries().push(message.id.clone());
                if fate == 2 { Answer::none("lost") } else { Answer { status: Some(204), ..Answer::default() } }
            }
        }
    }
}

#[derive(Clone)]
struct Queue(UnboundedSender<Wake>);

impl Wakes for Queue {
    async fn send(&self, wakes: &[Wake]) -> Result<(), Error> {
        for wake in wakes {
            self.0.send(*wake).map_err(|_| Error::internal("the run is over"))?;
        }
        Ok(())
    }
}

/// Starts all of it. Dropping the set ends it.
pub(crate) async fn start(world: &Arc<World>) -> JoinSet<()> {
    let mut tasks = JoinSet::new();
    let mut person = Person::new(world, 1);
    let body = json!({ "url": WEBHOOK });
    let mut made = None;
    while made.is_none() {
        let request = person.request(http::Method::POST, "/webhooks".to_owned(), body.clone());
        made = person.send(&request).await.filter(|(status, _)| *status == 200);
    }
    tasks.spawn(mail(Arc::clone(world), Stream::open(world, &USERS).await));
    for table in [&AUDIT, &USERS, &REVIEWS] {
        tasks.spawn(publish(Arc::clone(world), Stream::open(world, table).await));
    }
    let (sender, receiver) = unbounded_channel();
    let queue = Queue(sender);
    tasks.spawn(watch_feed(Arc::clone(world), Stream::open(world, &EVENTS).await, queue.clone()));
    tasks.spawn(receive_wakes(Arc::clone(world), receiver, queue.clone()));
    tasks.spawn(sweep_mails(Arc::clone(world)));
    tasks.spawn(sweep_webhooks(Arc::clone(world), queue));
    tasks.spawn(audit(Arc::clone(world)));
    tasks
}

/// Runs an invocation until its time limit. Returns none if it did not end.
async fn invoke<T>(invocation: impl Future<Output = T> + Send) -> Option<T> {
    tokio::time::timeout(INVOCATION, Box::pin(invocation)).await.ok()
}

fn mailer(world: &Arc<World>, stores: Stores) -> OutboxProcessor {
    let config = MailConfig::parse("no-reply@presence.example", "https://presence.example", "72");
    OutboxProcessor {
        users: stores.users,
        outbox: stores.outbox,
        clock: world.clock(0),
        mailer: Arc::new(Ses { world: Arc::clone(world), rng: Mutex::new(world.fork_rng()) }),
        config: config.expect("good settings"),
    }
}

/// Stream of a table, which shows writes after a while.
struct Stream {
    stream: TableStream,
    writes: watch::Receiver<()>,
    rng: Rng,
}

impl Stream {
    async fn open(world: &World, table: &Table) -> Self {
        let name = world.truth.database.name(table);
        let stream = TableStream::open(&world.instant_config(), &name).await.expect("the database answers");
        Self { stream: stream.expect("a stream"), writes: world.writes.clone(), rng: world.fork_rng() }
    }

    /// Returns the next batch, when there is one.
    async fn next(&mut self) -> Value {
        loop {
            self.writes.mark_unchanged();
            if let Some(batch) = self.stream.next_batch().await.expect("the database answers") {
                return batch;
            }
            self.writes.changed().await.expect("the world is there");
            tokio::time::sleep(Duration::from_millis(self.rng.u64(..STREAM_LAG))).await;
        }
    }
}

/// Hands the stream of users to a mailer, often twice.
async fn mail(world: Arc<World>, mut stream: Stream) {
    let mut rng = world.fork_rng();
    let process = mailer(&world, world.stores());
    loop {
        let batch = stream.next().await;
        for _ in 0..HAND_OVERS {
            let answer = invoke(presence_mailer::handle(&process, &batch, deadline_in(INVOCATION))).await;
            let is_done = matches!(answer, Some(Ok(answer)) if answer.failures.is_empty());
            if is_done && rng.u8(..10) > 0 {
                break;
            }
        }
    }
}

async fn sweep_mails(world: Arc<World>) {
    let process = mailer(&world, world.stores());
    loop {
        tokio::time::sleep(SWEEP).await;
        let _ = invoke(presence_mailer::handle(&process, &json!({}), deadline_in(INVOCATION))).await;
    }
}

/// Hands a stream to the publisher of the feed, and again from the record that failed on; now and then all of it again.
async fn publish(world: Arc<World>, mut stream: Stream) {
    let mut rng = world.fork_rng();
    let mut feed = world.stores().feed;
    let clock = world.clock(0);
    loop {
        let batch = stream.next().await;
        let mut next = Some(batch.clone());
        while let Some(part) = next {
            let answer = invoke(append(&feed, clock.as_ref(), &part, deadline_in(INVOCATION))).await;
            next = match answer.map(|answer| answer.batch.failures) {
                Some(failures) if failures.is_empty() => (rng.u8(..10) == 0).then(|| batch.clone()),
                Some(failures) => Some(from_record(&part, &failures[0].id)),
                None => Some(part),
            };
            if rng.u8(..20) == 0 {
                feed = world.stores().feed;
            }
        }
    }
}

/// Returns the part of a batch from a record on.
fn from_record(batch: &Value, number: &str) -> Value {
    let records = batch["Records"].as_array().expect("records");
    let first = records.iter().position(|record| record["dynamodb"]["SequenceNumber"] == number);
    let mut part = batch.clone();
    part["Records"] = json!(records[first.expect("a record of the batch")..]);
    part
}

fn deliverer(world: &Arc<World>) -> Deliverer<StoredTables, Receiver> {
    let stores = world.stores();
    let receiver = Receiver { world: Arc::clone(world), rng: Mutex::new(world.fork_rng()) };
    let tables = StoredTables { webhooks: stores.webhooks, feed: stores.feed };
    Deliverer { tables, sender: Arc::new(receiver), clock: world.clock(0) }
}

async fn watch_feed(world: Arc<World>, mut stream: Stream, queue: Queue) {
    let process = deliverer(&world);
    loop {
        let batch = stream.next().await;
        let _ = invoke(presence_deliverer::handle(&process, &queue, &batch, deadline_in(INVOCATION))).await;
    }
}

async fn receive_wakes(world: Arc<World>, mut receiver: UnboundedReceiver<Wake>, queue: Queue) {
    let processes = [Arc::new(deliverer(&world)), Arc::new(deliverer(&world))];
    let mut invocations = JoinSet::new();
    let mut rng = world.fork_rng();
    while let Some(wake) = receiver.recv().await {
        let (process, queue) = (Arc::clone(&processes[rng.usize(..2)]), queue.clone());
        invocations.spawn(async move {
            tokio::time::sleep(wake.delay).await;
            let message = json!({ "eventSource": "aws:sqs", "messageId": "1", "body": wake.id.to_string() });
            let event = json!({ "Records": [message] });
            invoke(presence_deliverer::handle(&process, &queue, &event, deadline_in(INVOCATION))).await.map(drop)
        });
        while invocations.try_join_next().is_some() {}
    }
}

async fn sweep_webhooks(world: Arc<World>, queue: Queue) {
    let process = deliverer(&world);
    loop {
        tokio::time::sleep(SWEEP).await;
        let _ = invoke(presence_deliverer::handle(&process, &queue, &json!({ "detail": {} }), deadline_in(INVOCATION)))
            .await;
    }
}

async fn audit(world: Arc<World>) {
    loop {
        tokio::time::sleep(AUDIT_INTERVAL).await;
        let (reviews, clock) = (world.stores().reviews, world.clock(0));
        let settings = AuditSettings::new(1_000.0, true);
        let _ =
            invoke(presence_auditor::handle(&reviews, clock.as_ref(), settings, deadline_in(INVOCATION * 15))).await;
    }
}

/// Judges the end, when all that waited is done. Returns the number of events.
pub(crate) async fn judge_end(world: &Arc<World>) -> usize {
    let truth = &world.truth;
    let users = truth.users.audit().await.expect("an answer");
    let reviews = truth.reviews.audit_reviews(None).await.expect("an answer");
    let found = |finding: String| world.history().found(finding);
    users.findings.iter().for_each(|one| found(format!("audit of users: {one:?}")));
    reviews.findings.iter().for_each(|one| found(format!("audit of reviews: {one:?}")));
    let waiting = truth.outbox.list().await.expect("an answer");
    waiting.iter().for_each(|mail| found(format!("a mail waits: {mail:?}")));
    world.history().judge_invitations();
    let mut all = 0;
    for org in [1, 2] {
        let events = feed(world, org).await;
        all += events.len();
        let numbers: Vec<_> = events.iter().map(|event| event.number).collect();
        if numbers != (1..=events.len() as u64).collect::<Vec<_>>() {
            found(format!("the numbers of the feed of {org} have gaps: {numbers:?}"));
        }
        judge_feed(world, org, &events).await;
        if org == 1 {
            judge_deliveries(world, &events);
        }
    }
    all
}

async fn feed(world: &Arc<World>, org: u64) -> Vec<FeedEvent> {
    let (mut events, mut after) = (Vec::new(), 0);
    loop {
        let start = FeedStart::After(after);
        let page = world.truth.feed.read(Some(org_id(org)), start, PAGE, world.now()).await.expect("an answer");
        events.extend(page.events);
        after = page.last;
        if !page.has_more {
            return events;
        }
    }
}

/// Compares the feed of an organisation with the audit trail: each change of a user or a key is in it once.
async fn judge_feed(world: &Arc<World>, org: u64, events: &[FeedEvent]) {
    let mut pages = world.truth.audit_trail.pages(AuditSource::Org(Some(org_id(org))), None);
    // The streams were opened after the set-up.
    let is_first = |id: &str| world.fixtures.people().iter().any(|(_, person)| person.id == id);
    let change = |kind: EventKind, id: &str, version: Option<u64>| {
        // Events of keys have no version of their user.
        let version = version.filter(|_| kind.as_str().starts_with("user."));
        format!("{} {id} {version:?}", kind.as_str())
    };
    let mut expected: BTreeMap<String, usize> = BTreeMap::new();
    while let Some(page) = pages.next_page().await.expect("an answer") {
        for record in page {
            let AuditTarget::User(id) = record.target else {
                continue;
            };
            let id = id.to_string();
            if let Some(kind) = EventKind::of_action(record.action).filter(|_| !is_first(&id)) {
                *expected.entry(change(kind, &id, record.version)).or_default() += 1;
            }
        }
    }
    let mut found: BTreeMap<String, usize> = BTreeMap::new();
    for event in events {
        let (kind, object) = (event.kind.as_str(), event.object());
        let Some(id) = object.strip_prefix("user/").filter(|id| !kind.starts_with("invitation.") && !is_first(id))
        else {
            continue;
        };
        *found.entry(change(event.kind, id, event.data.version.flatten())).or_default() += 1;
    }
    for (_, id, version) in world.history().changes.clone().into_iter().filter(|(of, ..)| *of == Some(org)) {
        let tells = |event: &&FeedEvent| {
            let is_it = match version {
                Some(version) => event.data.version.flatten() == Some(version),
                None => event.kind == EventKind::UserDeleted,
            };
            is_it && event.data.id.as_deref() == Some(&*id) && event.kind.as_str().starts_with("user.")
        };
        if events.iter().filter(tells).count() != 1 {
            world.history().found(format!("version {version:?} of user {id} is not in the feed of {org} once"));
        }
    }
    if expected != found {
        let names: BTreeSet<_> = expected.keys().chain(found.keys()).collect();
        let differ = names.into_iter().filter(|name| expected.get(*name) != found.get(*name));
        let differ: Vec<_> = differ.map(|name| (name, expected.get(name), found.get(name))).collect();
        world.history().found(format!("feed of {org}, expected and found: {differ:?}"));
    }
}

/// Each event was delivered, and first so in the order of its object.
fn judge_deliveries(world: &Arc<World>, events: &[FeedEvent]) {
    let deliveries = world.deliveries().clone();
    let mut first: BTreeMap<&str, usize> = BTreeMap::new();
    for (at, id) in deliveries.iter().enumerate() {
        first.entry(id.as_str()).or_insert(at);
    }
    let mut latest: BTreeMap<String, usize> = BTreeMap::new();
    for event in events {
        let Some(at) = first.get(event.id.as_str()) else {
            world.history().found(format!("event {} {} was not delivered", event.number, event.kind.as_str()));
            continue;
        };
        let before = latest.insert(event.object(), *at);
        if before.is_some_and(|before| before > *at) {
            world.history().found(format!("event {} came before an earlier one of its object", event.number));
        }
    }
}
