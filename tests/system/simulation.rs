//! Simulation of a run: the database, its network, the processes, and the history.

use std::fmt;
use std::sync::atomic::AtomicI64;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, mpsc};
use std::time::Duration;

use aws_smithy_runtime_api::client::http::SharedHttpClient;
use aws_types::SdkConfig;
use fastrand::Rng;
use futures::FutureExt as _;
use jiff::Timestamp;
use presence_domain::ids::UserId;
use presence_domain::random::seeded;
use presence_domain::restore::MARGIN;
use presence_runtime::clock::Clock;
use presence_store::keys::{REVIEW_SK, USER_PK_PREFIX, USER_SK, parse_review_pk};
use presence_store::{Database, Stores};
use presence_tests::connectors::{AfterWrite, NetworkConnector, NetworkFault, WrittenKey};
use presence_tests::{
    ConnectorLayer as _, Fixtures, LagConnector, SavedFixtures, TestStack, in_process_client, operator_scope,
};
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::bucket::Bucket;
use super::clients::Client;
use super::history::{History, Intent, Moment};
use super::limits::Pass;
use super::next_version::VersionConnector;
use super::pauses::Pauses;
use super::processes::{Api, LIFE, Life, Request, SimulatedClock};
use super::publishers::WriteNotifier;
use super::queue::Queue;
use super::rows::Sent;
use super::shortened::Setting;
use super::{background, end, imports, limits, replies, restore, reviews};

/// Processes of each function of the API.
const PROCESSES: usize = 2;
/// Virtual time in which all that waits is done, without faults.
const TIME_AFTER: Duration = Duration::from_mins(200);
/// Virtual time after the faults until the restored tables are used. All changes are in their streams then.
const TIME_UNTIL_SWITCH: Duration = Duration::from_secs(87);
/// Time after which every write is in its stream.
const STREAM_TIME: Duration = Duration::from_secs(3);
/// Number that is added to those of the clients of the restored tables, for the names of their requests.
const CLIENTS_OF_RESTORED: usize = 2_000;
/// Reads for which an index shows what was, at most.
const LONGEST_LAG: u64 = 3;
/// Time before a finding whose calls are shown.
const LAST_CALLS: Duration = Duration::from_secs(3);
/// Largest error of a clock in half of the runs, in milliseconds. In the others, clocks differ as little as limits of keys tolerate.
const CLOCK_ERROR: i64 = 30_000;

/// Numbers and findings of a run.
pub(crate) struct Report {
    calls: u64,
    digest: u64,
    answers: usize,
    states: Moment,
    mails: usize,
    events: usize,
    receives: usize,
    stale: u64,
    pub(crate) findings: Vec<String>,
    /// Calls and requests of the last seconds before the first finding, or before the end of the faults.
    pub(crate) last_calls: Vec<String>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { calls, digest, answers, states, mails, events, receives, stale, findings, .. } = self;
        let wrong = findings.len();
        write!(
            f,
            "{calls} calls ({digest:016x}), {stale} old reads, {states} states, {answers} answers, {mails} mails, {events} events, \
             {receives} receives, {wrong} wrong"
        )
    }
}

/// Tables of a run, read without faults.
struct Tables {
    first: Stores,
    /// Restored ones, from the switch to them on.
    restored: OnceLock<Stores>,
}

impl Tables {
    /// Returns those in use.
    fn in_use(&self) -> &Stores {
        self.restored.get().unwrap_or(&self.first)
    }
}

/// Simulation of a run.
pub(crate) struct Simulation {
    pub(crate) stack: TestStack,
    pub(crate) fixtures: Fixtures,
    pub(crate) network: NetworkConnector,
    lag: LagConnector,
    pub(crate) bucket: Arc<Bucket>,
    pub(crate) queue: Arc<Queue>,
    /// Queue of requests of replies.
    pub(crate) replies: Arc<Queue>,
    tables: Arc<Tables>,
    history: Arc<Mutex<History>>,
    /// Events that the webhook received, in their order.
    deliveries: Mutex<Vec<String>>,
    /// Queries of the links in mails.
    links: Mutex<Vec<String>>,
    /// Requests for users, with the last name of each.
    creations: Mutex<Vec<(String, Intent, Request)>>,
    sent: Mutex<Sent>,
    /// Requests with the key of the eager callers that passed its limit.
    passes: Mutex<Vec<Pass>>,
    /// Largest error of a clock, in milliseconds.
    pub(crate) clock_error: i64,
    pub(crate) seed: u64,
    real_time: Handle,
    pub(crate) writes: Arc<WriteNotifier>,
    pub(crate) pauses: Arc<Pauses>,
    apis: Mutex<Vec<Arc<Api>>>,
    /// Number of the runs of the auditor.
    pub(crate) audits: AtomicI64,
    start: Instant,
    at_start: Timestamp,
    rng: Mutex<Rng>,
}

/// Tables with which each run begins.
static SAVED: SavedFixtures = SavedFixtures::const_new();

/// Writes the tables with which each run begins. Their random bytes repeat, since the order of items in a table is that of their hashes.
async fn set_up(stack: &TestStack) -> Fixtures {
    fastrand::seed(0);
    seeded::start(0);
    let fixtures = Fixtures::write(stack).await;
    reviews::seed(stack).await;
    limits::set(stack, &fixtures).await;
    fixtures
}

/// Runs a setting.
pub(crate) fn run(setting: &Setting) -> Report {
    let real_time = Runtime::new().expect("a runtime");
    let (stack, fixtures) = real_time.block_on(async {
        let stack = TestStack::start().await;
        let fixtures = Fixtures::copy(&stack, &SAVED, |stack| Box::pin(set_up(stack))).await;
        (stack, fixtures)
    });
    // The restore does not look at the set-up.
    stack.clock.advance(MARGIN + MARGIN);
    fastrand::seed(setting.seed);
    seeded::start(setting.seed);
    let virtual_time = Builder::new_current_thread().enable_all().start_paused(true).build().expect("a runtime");
    let handle = real_time.handle().clone();
    virtual_time.block_on(async {
        let simulation = Arc::new(Simulation::new(stack, fixtures, handle, setting.seed).await);
        simulation.run(setting).await
    })
}

/// Returns the configuration of an HTTP client, with the timeouts of the service.
fn config(stack: &TestStack, client: SharedHttpClient) -> SdkConfig {
    presence_local::sdk_config(stack.local.database_url()).into_builder().http_client(client).build()
}

/// Returns stores over an HTTP client, with the timeouts and retries of the service.
pub(crate) fn stores(stack: &TestStack, client: SharedHttpClient) -> Stores {
    Stores::new(Database::new(&config(stack, client), stack.table_prefix()))
}

/// Returns the work after a write: the written users and reviews are read, and noted in the history.
fn noting(tables: Arc<Tables>, history: Arc<Mutex<History>>, writes: Arc<WriteNotifier>) -> AfterWrite {
    Arc::new(move |keys: Vec<WrittenKey>| {
        let (truth, history) = (tables.in_use().clone(), Arc::clone(&history));
        writes.notify(keys.iter().map(|key| key.table.as_str()));
        async move {
            for key in keys {
                let history = || history.lock().expect("no panic");
                if let (USER_SK, Some(id)) = (key.sk.as_str(), key.pk.strip_prefix(USER_PK_PREFIX)) {
                    let user = UserId::parse(id).expect("an id");
                    let user = truth.users.get(operator_scope(), user).await.expect("an answer");
                    history().wrote_user(id, user);
                } else if let (REVIEW_SK, Some(id)) = (key.sk.as_str(), parse_review_pk(&key.pk)) {
                    let review = truth.reviews.get_review(operator_scope(), &id).await.expect("an answer");
                    if let Some(review) = review {
                        history().wrote_review(review);
                    }
                }
            }
        }
        .boxed()
    })
}

impl Simulation {
    async fn new(stack: TestStack, fixtures: Fixtures, real_time: Handle, seed: u64) -> Self {
        let mut rng = Rng::with_seed(seed);
        let at_start = stack.clock.now();
        let instant = NetworkConnector::instant(real_time.clone());
        let truth = stores(&stack, instant.over(in_process_client()));
        let (mut users, mut reviews) = (Vec::new(), Vec::new());
        for (_, client) in fixtures.people() {
            let id = UserId::parse(&client.id).expect("an id");
            users.push(truth.users.get(operator_scope(), id).await.expect("an answer").expect("a user"));
        }
        for id in reviews::ids() {
            reviews.push(truth.reviews.get_review(operator_scope(), &id).await.expect("an answer").expect("a review"));
        }
        let history = Arc::new(Mutex::new(History::starting_with(users, reviews)));
        let writes = Arc::new(WriteNotifier::default());
        let tables = Arc::new(Tables { first: truth, restored: OnceLock::new() });
        let after_write = noting(Arc::clone(&tables), Arc::clone(&history), Arc::clone(&writes));
        let network = NetworkConnector::faulty(real_time.clone(), rng.fork(), after_write);
        let bucket = Arc::new(Bucket::new(network.clone(), rng.fork()));
        let [queue, replies] = [(), ()].map(|()| Arc::new(Queue::new(network.clone(), rng.fork(), at_start)));
        let lag = LagConnector::new(0);
        let (apis, start) = (Mutex::default(), Instant::now());
        let (deliveries, rng) = (Mutex::default(), Mutex::new(rng));
        Self {
            stack,
            fixtures,
            network,
            lag,
            bucket,
            queue,
            replies,
            tables,
            history,
            deliveries,
            links: Mutex::default(),
            creations: Mutex::default(),
            sent: Mutex::default(),
            passes: Mutex::default(),
            clock_error: if seed.is_multiple_of(2) { limits::CLOCK_TOLERANCE } else { CLOCK_ERROR },
            seed,
            real_time,
            writes,
            pauses: Arc::new(Pauses::of(seed)),
            apis,
            audits: AtomicI64::new(0),
            start,
            at_start,
            rng,
        }
    }

    /// Returns the tables in use, without faults.
    pub(crate) fn truth(&self) -> &Stores {
        self.tables.in_use()
    }

    pub(crate) fn history(&self) -> MutexGuard<'_, History> {
        self.history.lock().expect("no panic")
    }

    pub(crate) fn deliveries(&self) -> MutexGuard<'_, Vec<String>> {
        self.deliveries.lock().expect("no panic")
    }

    pub(crate) fn links(&self) -> MutexGuard<'_, Vec<String>> {
        self.links.lock().expect("no panic")
    }

    pub(crate) fn creations(&self) -> MutexGuard<'_, Vec<(String, Intent, Request)>> {
        self.creations.lock().expect("no panic")
    }

    pub(crate) fn passes(&self) -> MutexGuard<'_, Vec<Pass>> {
        self.passes.lock().expect("no panic")
    }

    pub(crate) fn sent(&self) -> MutexGuard<'_, Sent> {
        self.sent.lock().expect("no panic")
    }

    /// Returns the configuration of a client without faults.
    pub(crate) fn instant_config(&self) -> SdkConfig {
        config(&self.stack, NetworkConnector::instant(self.real_time.clone()).over(in_process_client()))
    }

    /// Returns random numbers of their own for a part of the simulation.
    pub(crate) fn fork_rng(&self) -> Rng {
        self.rng.lock().expect("no panic").fork()
    }

    /// Does work that takes time, at one moment of virtual time.
    pub(crate) fn in_real_time<T: Send + 'static>(&self, work: impl Future<Output = T> + Send + 'static) -> T {
        let (sender, receiver) = mpsc::channel();
        self.real_time.spawn(async move { sender.send(work.await) });
        receiver.recv().expect("an end")
    }

    /// Returns the stores of a process that was just started.
    pub(crate) fn stores(&self) -> Stores {
        self.stores_over(self.network.over(self.lag.over(in_process_client())))
    }

    fn stores_over(&self, client: SharedHttpClient) -> Stores {
        let version = VersionConnector { is_next: self.rng.lock().expect("no panic").bool() };
        let first = stores(&self.stack, version.over(client));
        match self.tables.restored.get() {
            Some(restored) => Stores::new(first.database.with_prefix(restored.database.prefix())),
            None => first,
        }
    }

    /// Returns a clock with an error in milliseconds that stays.
    pub(crate) fn clock(&self, error: i64) -> Arc<dyn Clock> {
        Arc::new(SimulatedClock { start: self.start, at_start: self.at_start, errors: vec![error], phase: 0 })
    }

    /// Returns the clock of a process that was just started, with errors up to this one, in milliseconds.
    pub(crate) fn clock_of_process(&self, largest_error: i64) -> Arc<dyn Clock> {
        let mut rng = self.rng.lock().expect("no panic");
        Arc::new(SimulatedClock::draw(self.start, self.at_start, largest_error, &mut rng))
    }

    /// Returns the time by a clock that is right.
    pub(crate) fn now(&self) -> Timestamp {
        self.clock(0).now()
    }

    /// Starts processes of the API in the place of others.
    pub(crate) async fn replace_api(&self, rng: &mut Rng) {
        let clock = self.clock_of_process(self.clock_error);
        let life = Life::start(&self.network, &self.pauses, rng.bool());
        let stores = self.stores_over(life.over(self.network.over(self.lag.over(in_process_client()))));
        let api = Arc::new(Api::start(&stores.database, clock, life).await);
        api.life.end_at(rng.i64(LIFE));
        let mut apis = self.apis.lock().expect("no panic");
        if apis.len() == PROCESSES {
            apis.remove(rng.usize(..PROCESSES));
        }
        apis.push(api);
    }

    /// Returns the processes of the API. Others take the place of those that have died.
    pub(crate) async fn living_apis(&self, rng: &mut Rng) -> Vec<Arc<Api>> {
        let living = || {
            let mut apis = self.apis.lock().expect("no panic");
            apis.retain(|api| !api.life.is_over());
            apis.clone()
        };
        while living().len() < PROCESSES {
            self.replace_api(rng).await;
        }
        living()
    }

    /// Sends a request to one of the processes. Returns status and body; `None` if the answer, or the request, is lost.
    pub(crate) async fn send(&self, request: &Request, rng: &mut Rng) -> Option<(u16, serde_json::Value)> {
        let apis = self.living_apis(rng).await;
        let api = rng.choice(&apis).expect("a process");
        let sent = Instant::now();
        let answer = api.answer(request).await;
        limits::note(self, request, sent, answer.0);
        if answer.0 >= 500 && answer.0 != 503 {
            self.history().found(format!("{} {} is answered with {answer:?}", request.method, request.path));
        }
        let time = sent.elapsed();
        self.network.tell(format!("{} {}", request.method, request.path), format!("{} after {time:?}", answer.0));
        (rng.u8(..25) > 0).then_some(answer)
    }

    /// Switches all processes to restored tables, after the last change of the others. The history begins again with what they have.
    pub(crate) async fn switch_to(&self, restored: Stores) {
        limits::judge_end(self);
        self.passes().clear();
        replies::judge_handed_on(self);
        // A connector forgets what it has seen: versions begin again at those of the restore.
        self.replies.purge();
        let (mut users, mut reviews) = (Vec::new(), Vec::new());
        let (user_ids, review_ids) = self.history().ids();
        for id in user_ids {
            users.extend(restored.users.get(operator_scope(), id).await.expect("an answer"));
        }
        for id in review_ids {
            reviews.extend(restored.reviews.get_review(operator_scope(), &id).await.expect("an answer"));
        }
        self.history().start_again_with(users, reviews);
        self.apis.lock().expect("no panic").clear();
        assert!(self.tables.restored.set(restored).is_ok(), "one switch");
    }

    /// Begins the faults, with other processes of the API.
    async fn begin_faults(&self, rng: &mut Rng) {
        self.network.set_faulty(true);
        let lag = rng.u64(..=LONGEST_LAG);
        self.lag.set_reads(if self.network.has(NetworkFault::OldRead) { lag } else { 0 });
        for _ in 0..PROCESSES {
            self.replace_api(rng).await;
        }
    }

    fn end_faults(&self) {
        self.network.set_faulty(false);
        self.lag.set_reads(0);
    }

    /// Starts clients with numbers from this one on.
    fn start_clients(self: &Arc<Self>, first: usize, setting: &Setting, time: Duration) -> JoinSet<()> {
        (first..first + setting.clients).map(|number| Client::new(self, number).work(time)).collect()
    }

    async fn run(self: Arc<Self>, setting: &Setting) -> Report {
        let mut rng = self.fork_rng();
        self.network.switch_off(&setting.off);
        self.begin_faults(&mut rng).await;
        let feed = background::start_feed(&self).await;
        let mut workers = background::start(&self).await;
        imports::start(&self, &mut workers);
        let mut clients = self.start_clients(0, setting, setting.time);
        clients.spawn(imports::send(Arc::clone(&self), setting.time));
        clients.spawn(limits::send_too_many(Arc::clone(&self), setting.time));
        clients.spawn(limits::send_few(Arc::clone(&self), setting.time));
        // The program of an operator cannot move to another thread.
        let operator = Box::pin(restore::restore(Arc::clone(&self), setting.time));
        let (_, operator) = futures::join!(clients.join_all(), operator);
        self.end_faults();
        if setting.uses_restored_tables() {
            tokio::time::sleep(TIME_UNTIL_SWITCH).await;
            while tokio::time::timeout(STREAM_TIME, self.writes.notified()).await.is_ok() {}
            background::stop(&self, workers).await;
            operator.switch().await;
            workers = background::start(&self).await;
            operator.resend_replies().await;
            self.begin_faults(&mut rng).await;
            let sent_before = std::mem::take(&mut *self.creations());
            let mut clients = self.start_clients(CLIENTS_OF_RESTORED, setting, setting.time / 2);
            clients.spawn(Client::new(&self, CLIENTS_OF_RESTORED).create_again(sent_before));
            clients.join_all().await;
            self.end_faults();
        }
        tokio::time::sleep(TIME_AFTER).await;
        background::stop(&self, workers).await;
        background::stop(&self, feed).await;
        let events = background::judge_end(&self).await;
        limits::judge_end(&self);
        if !setting.uses_restored_tables() {
            imports::judge_end(&self);
            operator.judge_end().await;
        }
        let (calls, digest, stale) = (self.network.calls(), self.network.digest(), self.lag.stale_answers());
        // Behind the end of the calls that are counted.
        end::judge_audit(&self).await;
        end::judge_answers(&self).await;
        let history = self.history();
        Report {
            calls,
            digest,
            answers: history.answers,
            states: history.now(),
            mails: history.mails(),
            events,
            receives: self.queue.receives(),
            stale,
            findings: history.findings.clone(),
            last_calls: self.last_calls(history.first_found),
        }
    }

    fn last_calls(&self, found: Option<Instant>) -> Vec<String> {
        let log = self.network.log();
        let until = log.last().map_or(self.start, |last| last.at).min(found.unwrap_or(self.start));
        let is_last = |at: Instant| at <= until && at + LAST_CALLS > until;
        let last = log.iter().filter(|call| is_last(call.at));
        last.map(|call| format!("{:?} {}: {}", call.at - self.start, call.what, call.outcome)).collect()
    }
}
