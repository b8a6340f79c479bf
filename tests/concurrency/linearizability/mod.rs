//! Histories of concurrent clients, with a judge that is not ours: `todc-utils` checks linearizability after Wing, Gong and Lowe.
//!
//! The clients act on one object, through two stacks with caches of their own over the same tables. A history has each request, and the
//! instants at which it was sent and answered. It is right if the object, one request after the other, can give all these answers in an
//! order that keeps those apart which did not overlap. A request without an answer, or with 5xx, may take effect at any later time, or never.

mod reviews;
mod users;

use std::hash::Hash;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use fastrand::Rng;
use futures::future::join_all;
use presence_local::{AwsLimits, Options};
use presence_store::RetryPolicy;
use presence_tests::ConnectorLayer as _;
use presence_tests::{
    FaultConnector, FaultKind, Fixtures, Plan, Reply, TestStack, in_process_client, long_timeouts, rng, rounds, send,
};
use rstest::rstest;
use serde_json::Value;
use todc_utils::{Action, History, Specification, WGLChecker};

/// Clients of an object, and requests of each: a longer history takes the judge far longer, and shows no more.
const CLIENTS: usize = 4;
const REQUESTS: usize = 6;
/// Histories of a review and of an address, for each kind of trouble.
const ROUNDS: usize = 8;
/// Time that a finished transaction keeps holding its items.
const WINDOW: Duration = Duration::from_millis(2);
/// Faults of calls, which lose the reply of what was done, or do nothing.
const FAULTS: [FaultKind; 5] = [
    FaultKind::LoseReply,
    FaultKind::CutBody,
    FaultKind::RefuseConnection,
    FaultKind::TransactionConflict,
    FaultKind::TransactionInProgress,
];
/// Share of the calls to `DynamoDB` that are broken, in percent.
const BROKEN: u8 = 12;
/// Time for which a function tries again: so short that some requests end with 503.
const RETRY_TIME: Duration = Duration::from_millis(30);
/// A client gives up one request in so many, within this time in milliseconds.
const REQUESTS_PER_LOSS: usize = 8;
const PATIENCE: u64 = 20;

/// Method, path and body of a request.
type Call = (&'static str, String, Value);

/// Object whose operations take effect one after the other.
trait Object: Clone + Default + Eq + Hash + std::fmt::Debug {
    type Act: Clone + std::fmt::Debug;
    type Answer: Clone + Eq + std::fmt::Debug;

    /// Returns the object after an act, and the answer.
    fn after(&self, act: &Self::Act) -> (Self, Self::Answer);
}

#[derive(Clone, Debug)]
enum Outcome<A> {
    Answered(A),
    /// A conflict with other requests: nothing changed.
    Refused,
    Unknown,
}

#[derive(Clone, Debug)]
struct Request<O: Object> {
    act: O::Act,
    outcome: Outcome<O::Answer>,
    sent: u64,
    answered: u64,
}

/// Specification of an object for the judge.
struct OneByOne<O>(PhantomData<O>);

impl<O: Object> Specification for OneByOne<O> {
    type State = O;
    type Operation = Request<O>;

    fn init() -> O {
        O::default()
    }

    fn apply(request: &Request<O>, object: &O) -> (bool, O) {
        let (after, expected) = object.after(&request.act);
        match &request.outcome {
            Outcome::Answered(answer) => (*answer == expected, after),
            Outcome::Refused => (true, object.clone()),
            Outcome::Unknown => (true, after),
        }
    }
}

/// True if the object can give these answers. A request without one ends last: what never took effect does so after all others.
fn is_linearizable<O: Object>(requests: &[Request<O>]) -> bool {
    let mut actions = Vec::new();
    for (number, request) in requests.iter().enumerate() {
        let is_known = !matches!(request.outcome, Outcome::Unknown);
        actions.push((request.sent, (number, Action::Call(request.clone()))));
        let end = if is_known { request.answered } else { u64::MAX };
        actions.push((end, (number, Action::Response(request.clone()))));
    }
    actions.sort_by_key(|(at, _)| *at);
    WGLChecker::<OneByOne<O>>::is_linearizable(History::from_actions(
        actions.into_iter().map(|(_, action)| action).collect(),
    ))
}

/// Troubles of the clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Trouble {
    Nothing,
    /// Transactions that overlap are cancelled, as on AWS.
    Conflicts,
    /// Calls to `DynamoDB` fail, before or after they did their work, and clients give up.
    Faults,
}

impl Trouble {
    fn options(self, faults: &FaultConnector, options: Options) -> Options {
        let options = Options { http_client: Some(faults.over(in_process_client())), ..options };
        if self == Self::Nothing {
            return options;
        }
        let conflicts = (self == Self::Conflicts).then_some(WINDOW);
        let aws_limits = conflicts.map(|_| AwsLimits { conflicts, ..AwsLimits::off() });
        Options { aws_limits, retry_policy: RetryPolicy::For(RETRY_TIME), ..options }
    }
}

/// Two stacks over the same tables.
struct StackPair {
    stacks: [TestStack; 2],
    fixtures: Fixtures,
    trouble: Trouble,
    /// Number of requests that were sent, and of those that ended.
    time: AtomicU64,
    /// Number of requests whose outcome nobody knows.
    unknown: AtomicU64,
}

impl StackPair {
    async fn new(trouble: Trouble, seed: u64) -> Self {
        let faults = FaultConnector::new();
        let first = TestStack::with(trouble.options(&faults, long_timeouts())).await;
        let fixtures = Fixtures::create(&first).await;
        let second = TestStack::with(trouble.options(&faults, first.second_stack_options())).await;
        if trouble == Trouble::Faults {
            faults.set_plan(Plan::Seeded { seed, percent: BROKEN, kinds: FAULTS.to_vec() });
        }
        Self { stacks: [first, second], fixtures, trouble, time: AtomicU64::new(0), unknown: AtomicU64::new(0) }
    }

    fn tick(&self) -> u64 {
        self.time.fetch_add(1, Ordering::SeqCst)
    }

    /// Lets the clients act at the same time. `draw` draws an act, with its request; `read` reads the answer.
    async fn record<O: Object>(
        &self,
        rng: &mut Rng,
        draw: impl Fn(&mut Rng) -> (O::Act, Call),
        read: impl Fn(&O::Act, &Reply) -> O::Answer,
    ) -> Vec<Request<O>> {
        // One request comes before all others: an object that is there from the first has more to lose.
        let mut requests = vec![self.request(rng, &draw, &read).await];
        let clients = (0..CLIENTS).map(|_| rng.fork()).map(async |mut rng| {
            let mut requests = Vec::new();
            for _ in 0..REQUESTS {
                requests.push(self.request(&mut rng, &draw, &read).await);
            }
            requests
        });
        requests.extend(join_all(clients).await.into_iter().flatten());
        requests
    }

    async fn request<O: Object>(
        &self,
        rng: &mut Rng,
        draw: impl Fn(&mut Rng) -> (O::Act, Call),
        read: impl Fn(&O::Act, &Reply) -> O::Answer,
    ) -> Request<O> {
        let (act, call) = draw(rng);
        let sent = self.tick();
        let outcome = match self.send(rng, call).await {
            Some(reply) if reply.status == 409 => Outcome::Refused,
            Some(reply) if reply.status < 500 => Outcome::Answered(read(&act, &reply)),
            _ => {
                self.unknown.fetch_add(1, Ordering::SeqCst);
                Outcome::Unknown
            }
        };
        Request { act, outcome, sent, answered: self.tick() }
    }

    /// Sends a request to one of the stacks. Returns `None` if the client gave up.
    async fn send(&self, rng: &mut Rng, (method, path, body): Call) -> Option<Reply> {
        let stack = &self.stacks[rng.usize(..2)];
        let request = stack.request(method, &path).header("x-api-key", &self.fixtures.admin_1.key);
        let request = send(if body.is_null() { request } else { request.json(&body) });
        let gives_up = self.trouble == Trouble::Faults && rng.usize(..REQUESTS_PER_LOSS) == 0;
        let patience = if gives_up { Duration::from_millis(rng.u64(..PATIENCE)) } else { Duration::MAX };
        tokio::time::timeout(patience, request).await.ok()
    }
}

/// Asserts that a history is right.
#[track_caller]
fn judge<O: Object>(requests: &mut [Request<O>], what: &str) {
    if is_linearizable(requests) {
        return;
    }
    requests.sort_by_key(|request| request.sent);
    let lines: Vec<_> = requests
        .iter()
        .map(|Request { act, outcome, sent, answered }| format!("{sent:4} to {answered:4} {act:?}: {outcome:?}"))
        .collect();
    panic!("{what}: no order of these requests gives these answers\n{}", lines.join("\n"));
}

#[rstest]
#[case::nothing(Trouble::Nothing)]
#[case::conflicts(Trouble::Conflicts)]
#[case::faults(Trouble::Faults)]
#[tokio::test(flavor = "multi_thread")]
async fn answers_are_those_of_one_request_after_the_other(#[case] trouble: Trouble) {
    let mut rng = rng("histories of concurrent clients");
    let pair = StackPair::new(trouble, rng.u64(..)).await;
    for round in 0..rounds(ROUNDS) {
        reviews::act_on_review(&pair, &mut rng, round).await;
        users::act_on_address(&pair, &mut rng, round).await;
    }
    let unknown = pair.unknown.into_inner();
    assert!(trouble != Trouble::Faults || unknown > 0, "no request was lost");
}
