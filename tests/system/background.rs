//! Functions that run beside the API: mailers, publishers, deliverers and the auditor, each invoked as Lambda does it. And the judge of the end.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::AssertUnwindSafe;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use fastrand::Rng;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use jiff::SignedDuration;
use presence_deliverer::{Answer, Deliverer, Message, Sender, StoredTables, Wake, Wakes};
use presence_domain::audit::{AuditRecord, AuditTarget};
use presence_domain::error::Error;
use presence_domain::event::{Event, EventKind};
use presence_domain::feed::{FeedEvent, FeedStart};
use presence_domain::invitation::WINDOW;
use presence_mailer::{Mail, Mailer, OutboxProcessor, SendResult};
use presence_runtime::clock::Deadline;
use presence_runtime::config::MailConfig;
use presence_store::schema::{AUDIT, EVENTS, REVIEWS, USERS};
use presence_store::{AuditSettings, AuditSource, Stores};
use presence_tests::connectors::NetworkFault;
use presence_tests::reviews::org_id;
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::{JoinError, JoinSet};
use tokio::time::timeout;

use super::clients::Client;
use super::expiry::expire;
use super::publishers::{Publisher, Stream, publish};
use super::replies::{self, ReplyQueue, connect};
use super::reviews::{judge_acts, judge_events};
use super::simulation::Simulation;

/// Largest error of the clocks of mailers, in milliseconds: two of them may differ by some seconds.
const CLOCK_ERROR_OF_MAILERS: i64 = 2_000;
/// Time limit of an invocation, in virtual time.
pub(crate) const INVOCATION: Duration = Duration::from_mins(1);
/// Time limit of an auditor.
pub(crate) const AUDIT_TIME: Duration = Duration::from_mins(15);
/// Longest life of an invocation that is killed.
const KILLED_WITHIN: Duration = Duration::from_secs(5);
/// Interval of the sweeps of mailers and deliverers.
const SWEEP: Duration = Duration::from_mins(1);
/// Days on which the auditor looks at everything, one at each of its first runs.
pub(crate) const DAYS: i64 = 12;
/// Milliseconds of a day.
pub(crate) const DAY: i64 = 86_400_000;
/// Interval of these runs: most of them are beside people.
const AUDIT_INTERVAL: Duration = Duration::from_secs(30);
/// Interval of the auditor of the service.
const LATER_AUDIT_INTERVAL: Duration = Duration::from_mins(5);
/// Number of times that Lambda hands a batch over, before it is given up. The publisher's has no end.
const HAND_OVERS: usize = 3;
/// Number of times that Lambda and SQS hand an event to a deliverer.
const HAND_OVERS_TO_DELIVERERS: usize = 6;
/// Events on a page of the feed.
const PAGE: usize = 100;
/// Address of the only webhook.
const WEBHOOK: &str = "http://127.0.0.1:1024/hook";

/// SES of the simulation.
struct Ses {
    simulation: Arc<Simulation>,
    rng: Mutex<Rng>,
}

impl Ses {
    fn accept(&self, mail: &Mail) {
        let error = SignedDuration::from_millis(error_of_mailers(&self.simulation));
        self.simulation.history().mailed(&mail.to, self.simulation.now(), WINDOW - error - error);
        let link = mail.message.text.split_whitespace().find_map(|word| word.split_once("/invitation?"));
        self.simulation.links().extend(link.map(|(_, query)| query.to_owned()));
    }
}

impl Mailer for Ses {
    fn send<'a>(&'a self, mail: &'a Mail) -> BoxFuture<'a, SendResult> {
        let (before, after, outcome) = {
            let mut rng = self.rng.lock().expect("no panic");
            (rng.u64(1..3_000), rng.u64(1..3_000), rng.u8(..10))
        };
        async move {
            tokio::time::sleep(Duration::from_millis(before)).await;
            match outcome {
                0 => return SendResult::Refused("TooManyRequestsException".to_owned()),
                1 => return SendResult::Unknown("Timeout".to_owned()),
                _ => self.accept(mail),
            }
            tokio::time::sleep(Duration::from_millis(after)).await;
            if outcome == 2 { SendResult::Unknown("Timeout".to_owned()) } else { SendResult::Sent }
        }
        .boxed()
    }
}

/// Receiver of the webhook. It fails now and then while the network does.
pub(crate) struct Receiver {
    simulation: Arc<Simulation>,
    rng: Mutex<Rng>,
}

impl Sender for Receiver {
    async fn send(&self, message: &Message) -> Answer {
        let (time, outcome) = {
            let mut rng = self.rng.lock().expect("no panic");
            (rng.u64(1..4_000), rng.u8(..20))
        };
        tokio::time::sleep(Duration::from_millis(time)).await;
        let is_faulty = self.simulation.network.is_faulty();
        match outcome {
            0 if is_faulty => Answer { status: Some(500), ..Answer::default() },
            1 if is_faulty => Answer::none("lost"),
            _ => {
                self.simulation.deliveries().push(message.id.clone());
                if outcome == 2 && is_faulty {
                    Answer::none("lost")
                } else {
                    Answer { status: Some(204), ..Answer::default() }
                }
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

/// Makes the webhook, and starts the functions of tables that no restore replaces. Dropping the set ends them.
pub(crate) async fn start_feed(simulation: &Arc<Simulation>) -> JoinSet<()> {
    let mut tasks = JoinSet::new();
    let mut client = Client::new(simulation, 1);
    let body = json!({ "url": WEBHOOK });
    let mut made = None;
    while made.is_none() {
        let request = client.request(http::Method::POST, "/webhooks".to_owned(), body.clone());
        made = client.send(&request).await.filter(|(status, _)| *status == 200);
    }
    let publisher = Publisher::of_feed(simulation);
    tasks.spawn(publish(Arc::clone(simulation), publisher, Stream::open(simulation, &AUDIT).await));
    let (sender, receiver) = unbounded_channel();
    let queue = Queue(sender);
    tasks.spawn(watch_feed(Arc::clone(simulation), Stream::open(simulation, &EVENTS).await, queue.clone()));
    tasks.spawn(receive_wakes(Arc::clone(simulation), receiver, queue.clone()));
    tasks.spawn(sweep_webhooks(Arc::clone(simulation), queue));
    tasks
}

/// Starts the functions of the tables in use. Dropping the set ends them.
pub(crate) async fn start(simulation: &Arc<Simulation>) -> JoinSet<()> {
    let mut tasks = JoinSet::new();
    tasks.spawn(mail(Arc::clone(simulation), Stream::open(simulation, &USERS).await));
    for (table, publisher) in [
        (&USERS, Publisher::of_feed(simulation)),
        (&REVIEWS, Publisher::of_feed(simulation)),
        (&REVIEWS, Publisher::Replies(ReplyQueue(Arc::clone(&simulation.replies)))),
    ] {
        tasks.spawn(publish(Arc::clone(simulation), publisher, Stream::open(simulation, table).await));
    }
    tasks.spawn(connect(Arc::clone(simulation)));
    tasks.spawn(sweep_mails(Arc::clone(simulation)));
    tasks.spawn(audit(Arc::clone(simulation)));
    tasks.spawn(expire(Arc::clone(simulation)));
    tasks
}

/// Ends functions. Finds those that have ended by themselves.
pub(crate) async fn stop(simulation: &Simulation, mut tasks: JoinSet<()>) {
    tasks.abort_all();
    while let Some(end) = tasks.join_next().await {
        if !end.as_ref().is_err_and(JoinError::is_cancelled) {
            simulation.history().found(format!("a function beside the API ended: {end:?}"));
        }
    }
}

/// Invokes a function with this time limit, and kills one of twenty. Returns none if it did not end, or failed. Finds one that does not end by
/// its deadline although it never stood still.
pub(crate) async fn invoke<T, W: Future<Output = Result<T, Error>> + Send>(
    simulation: &Simulation,
    what: &str,
    limit: Duration,
    function: impl FnOnce(Deadline) -> W,
) -> Option<T> {
    let mut rng = simulation.fork_rng();
    let (is_killed, life) = (rng.u8(..20) == 0, rng.f64());
    let is_killed = is_killed && simulation.network.has(NetworkFault::Kill);
    let time = if is_killed { KILLED_WITHIN.mul_f64(life) } else { limit };
    let answer = timeout(time, judged(simulation, what, function(Deadline::after(limit)))).await;
    judge_end_of(simulation, what, answer.is_ok() || is_killed);
    answer.ok().flatten()
}

/// Finds an invocation that is at work after its deadline, unless it may have stood still.
pub(crate) fn judge_end_of(simulation: &Simulation, what: &str, has_ended: bool) {
    if !has_ended && !simulation.pauses.happen() {
        simulation.history().found(format!("{what} does not end by its deadline"));
    }
}

/// Runs an invocation, and finds a panic and every error that the faults do not explain. Returns none if it fails.
pub(crate) async fn judged<T>(
    simulation: &Simulation,
    what: &str,
    invocation: impl Future<Output = Result<T, Error>> + Send,
) -> Option<T> {
    let mut is_faulty = simulation.network.is_faulty();
    let work = AssertUnwindSafe(Box::pin(invocation)).catch_unwind();
    let outcome = simulation.pauses.interrupt(&simulation.network, work).await;
    is_faulty |= simulation.network.is_faulty();
    let finding = match outcome {
        Ok(Ok(answer)) => return Some(answer),
        Ok(Err(Error::Unavailable(_) | Error::Conflict)) if is_faulty => return None,
        Ok(Err(error)) => format!("{what} fails: {error:?}"),
        Err(_) => format!("{what} panics"),
    };
    simulation.history().found(finding);
    None
}

fn error_of_mailers(simulation: &Simulation) -> i64 {
    CLOCK_ERROR_OF_MAILERS.min(simulation.clock_error)
}

fn mailer(simulation: &Arc<Simulation>, stores: Stores) -> OutboxProcessor {
    let config = MailConfig::parse("no-reply@presence.example", "https://presence.example", "72");
    OutboxProcessor {
        users: stores.users,
        outbox: stores.outbox,
        clock: simulation.clock_of_process(error_of_mailers(simulation)),
        mailer: Arc::new(Ses { simulation: Arc::clone(simulation), rng: Mutex::new(simulation.fork_rng()) }),
        config: config.expect("good settings"),
    }
}

/// Hands the stream of users to a mailer, often twice.
async fn mail(simulation: Arc<Simulation>, mut stream: Stream) {
    let mut rng = simulation.fork_rng();
    let process = mailer(&simulation, simulation.stores());
    loop {
        let batch = stream.next().await;
        for _ in 0..HAND_OVERS {
            let mail = |deadline| presence_mailer::handle(&process, &batch, deadline);
            let answer = invoke(&simulation, "a mailer", INVOCATION, mail).await;
            let is_done = answer.is_some_and(|answer| answer.failures.is_empty());
            if is_done && rng.u8(..10) > 0 {
                break;
            }
        }
    }
}

async fn sweep_mails(simulation: Arc<Simulation>) {
    let process = mailer(&simulation, simulation.stores());
    loop {
        tokio::time::sleep(SWEEP).await;
        let event = json!({});
        let sweep = |deadline| presence_mailer::handle(&process, &event, deadline);
        invoke(&simulation, "a sweep of mails", INVOCATION, sweep).await;
    }
}

fn deliverer(simulation: &Arc<Simulation>) -> Deliverer<StoredTables, Receiver> {
    let stores = simulation.stores();
    let receiver = Receiver { simulation: Arc::clone(simulation), rng: Mutex::new(simulation.fork_rng()) };
    let tables = StoredTables { webhooks: stores.webhooks, feed: stores.feed };
    Deliverer { tables, sender: Arc::new(receiver), clock: simulation.clock_of_process(simulation.clock_error) }
}

async fn watch_feed(simulation: Arc<Simulation>, mut stream: Stream, queue: Queue) {
    let process = deliverer(&simulation);
    loop {
        let batch = stream.next().await;
        deliver(&simulation, &process, &queue, &batch).await;
    }
}

async fn receive_wakes(simulation: Arc<Simulation>, mut receiver: UnboundedReceiver<Wake>, queue: Queue) {
    let processes = [Arc::new(deliverer(&simulation)), Arc::new(deliverer(&simulation))];
    let mut invocations = JoinSet::new();
    let mut rng = simulation.fork_rng();
    while let Some(wake) = receiver.recv().await {
        let (process, queue) = (Arc::clone(&processes[rng.usize(..2)]), queue.clone());
        let simulation = Arc::clone(&simulation);
        invocations.spawn(async move {
            tokio::time::sleep(wake.delay).await;
            let message = json!({ "eventSource": "aws:sqs", "messageId": "1", "body": wake.id.to_string() });
            let event = json!({ "Records": [message] });
            deliver(&simulation, &process, &queue, &event).await;
        });
        while invocations.try_join_next().is_some() {}
    }
}

/// Hands an event to a deliverer, and again while it fails.
async fn deliver(simulation: &Simulation, process: &Deliverer<StoredTables, Receiver>, queue: &Queue, event: &Value) {
    for _ in 0..HAND_OVERS_TO_DELIVERERS {
        let deliver = |deadline| presence_deliverer::handle(process, queue, event, deadline);
        let answer = invoke(simulation, "a deliverer", INVOCATION, deliver).await;
        if answer.is_some_and(|answer| answer.failures.is_empty()) {
            break;
        }
    }
}

async fn sweep_webhooks(simulation: Arc<Simulation>, queue: Queue) {
    let process = deliverer(&simulation);
    loop {
        tokio::time::sleep(SWEEP).await;
        let event = json!({ "detail": {} });
        let sweep = |deadline| presence_deliverer::handle(&process, &queue, &event, deadline);
        invoke(&simulation, "a sweep of webhooks", INVOCATION, sweep).await;
    }
}

async fn audit(simulation: Arc<Simulation>) {
    loop {
        let day = simulation.audits.fetch_add(1, Ordering::Relaxed).min(DAYS);
        tokio::time::sleep(if day < DAYS { AUDIT_INTERVAL } else { LATER_AUDIT_INTERVAL }).await;
        let (reviews, clock) = (simulation.stores().reviews, simulation.clock(DAY * day));
        let settings = AuditSettings::new(1_000.0, true);
        let audit = |deadline| presence_auditor::handle(&reviews, clock.as_ref(), settings, deadline);
        let was_faulty = simulation.network.is_faulty();
        match invoke(&simulation, "an auditor", AUDIT_TIME, audit).await {
            Some(run) if run.wrong == 0 => {}
            None if was_faulty || simulation.network.is_faulty() => {}
            wrong => simulation.history().found(format!("an audit beside others ends with {wrong:?}")),
        }
    }
}

/// Judges the end, when all that waited is done. Returns the number of events.
pub(crate) async fn judge_end(simulation: &Arc<Simulation>) -> usize {
    let truth = simulation.truth();
    let users = truth.users.audit().await.expect("an answer");
    let reviews = truth.reviews.audit_reviews(None).await.expect("an answer");
    let found = |finding: String| simulation.history().found(finding);
    let audited = users.findings.iter().map(|one| format!("audit of users: {one:?}"));
    audited.chain(reviews.findings.iter().map(|one| format!("audit of reviews: {one:?}"))).for_each(found);
    let waiting = truth.outbox.list().await.expect("an answer");
    waiting.iter().map(|mail| format!("a mail waits: {mail:?}")).for_each(found);
    simulation.history().judge_invitations();
    replies::judge_handed_on(simulation);
    replies::judge_end(simulation).await;
    let mut all = 0;
    for org in [1, 2] {
        let events = feed(simulation, org).await;
        all += events.len();
        let numbers: Vec<_> = events.iter().map(|event| event.number).collect();
        if numbers != (1..=events.len() as u64).collect::<Vec<_>>() {
            found(format!("the numbers of the feed of {org} have gaps: {numbers:?}"));
        }
        judge_feed(simulation, org, &events).await;
        judge_acts(simulation, org).await;
        judge_events(simulation, org, &events);
        if org == 1 {
            judge_deliveries(simulation, &events);
        }
    }
    all
}

async fn feed(simulation: &Arc<Simulation>, org: u64) -> Vec<FeedEvent> {
    let (mut events, mut after) = (Vec::new(), 0);
    loop {
        let start = FeedStart::After(after);
        let page =
            simulation.truth().feed.read(Some(org_id(org)), start, PAGE, simulation.now()).await.expect("an answer");
        events.extend(page.events);
        after = page.last;
        if !page.has_more {
            return events;
        }
    }
}

/// Compares the feed of an organisation with the audit trail: each change of a user or a key is in it once.
async fn judge_feed(simulation: &Arc<Simulation>, org: u64, events: &[FeedEvent]) {
    let (expected, found) = (changes_of_trail(simulation, org).await, changes_of_feed(simulation, events));
    let names: BTreeSet<_> = expected.keys().chain(found.keys()).collect();
    let differ = names.into_iter().filter(|name| expected.get(*name) != found.get(*name));
    for name in differ {
        let (expected, found) = (expected.get(name), found.get(name));
        simulation.history().found(format!("feed of {org}, {name}: {found:?} in the place of {expected:?}"));
    }
    judge_shown_changes(simulation, org, events);
}

/// True for a user of the set-up: the streams were opened after it.
fn is_of_set_up(simulation: &Simulation, id: &str) -> bool {
    simulation.fixtures.people().iter().any(|(_, client)| client.id == id)
}

/// Returns a name of a change. Events of keys have no version of their user.
fn change(kind: EventKind, id: &str, version: Option<u64>) -> String {
    let version = version.filter(|_| kind.as_str().starts_with("user."));
    format!("{} {id} {version:?}", kind.as_str())
}

/// Returns the records of a source of the audit trail.
pub(crate) async fn trail(simulation: &Simulation, source: AuditSource) -> Vec<AuditRecord> {
    let mut pages = simulation.truth().audit_trail.pages(source, None);
    let mut records = Vec::new();
    while let Some(page) = pages.next_page().await.expect("an answer") {
        records.extend(page);
    }
    records
}

/// Counts the changes of users and keys by their names. For an organisation that a user left, the user is gone.
async fn changes_of_trail(simulation: &Simulation, org: u64) -> BTreeMap<String, usize> {
    let mut changes = BTreeMap::new();
    for source in [1, 2] {
        for record in trail(simulation, AuditSource::Org(Some(org_id(source)))).await {
            let (AuditTarget::User(id), Some(event)) = (&record.target, Event::of_record(&record)) else {
                continue;
            };
            let kind = match record.left_org {
                _ if source == org => event.kind,
                Some(Some(left)) if left.get() == org => EventKind::UserDeleted,
                _ => continue,
            };
            let id = id.to_string();
            if !is_of_set_up(simulation, &id) {
                *changes.entry(change(kind, &id, record.version)).or_default() += 1;
            }
        }
    }
    changes
}

/// Counts the events of users and keys by the names of their changes.
fn changes_of_feed(simulation: &Simulation, events: &[FeedEvent]) -> BTreeMap<String, usize> {
    let mut changes = BTreeMap::new();
    for event in events.iter().filter(|event| !event.kind.as_str().starts_with("invitation.")) {
        let object = event.object();
        if let Some(id) = object.strip_prefix("user/").filter(|id| !is_of_set_up(simulation, id)) {
            *changes.entry(change(event.kind, id, event.data.version.flatten())).or_default() += 1;
        }
    }
    changes
}

/// Judges that each change of a user that an answer shows is in the feed. A restore makes some of them again, in other tables.
fn judge_shown_changes(simulation: &Simulation, org: u64, events: &[FeedEvent]) {
    let changes = simulation.history().changes.clone();
    for (_, id, version) in changes.into_iter().filter(|(of, ..)| *of == Some(org)) {
        let tells = |event: &&FeedEvent| {
            let is_it = match version {
                Some(version) => event.data.version.flatten() == Some(version),
                None => event.kind == EventKind::UserDeleted,
            };
            is_it && event.data.id.as_deref() == Some(&*id) && event.kind.as_str().starts_with("user.")
        };
        if !events.iter().any(|event| tells(&event)) {
            simulation.history().found(format!("version {version:?} of user {id} is not in the feed of {org}"));
        }
    }
}

/// Each event was delivered, and first so in the order of its object.
fn judge_deliveries(simulation: &Arc<Simulation>, events: &[FeedEvent]) {
    let deliveries = simulation.deliveries().clone();
    let mut first: BTreeMap<&str, usize> = BTreeMap::new();
    for (at, id) in deliveries.iter().enumerate() {
        first.entry(id.as_str()).or_insert(at);
    }
    let mut latest: BTreeMap<String, usize> = BTreeMap::new();
    for event in events {
        let Some(at) = first.get(event.id.as_str()) else {
            simulation.history().found(format!("event {} {} was not delivered", event.number, event.kind.as_str()));
            continue;
        };
        let before = latest.insert(event.object(), *at);
        if before.is_some_and(|before| before > *at) {
            simulation.history().found(format!("event {} came before an earlier one of its object", event.number));
        }
    }
}
