//! Network between a process and its database, in the virtual time of a runtime with paused time. Calls take some time, are lost before or
//! after they are carried out, come late, are throttled, or meet another transaction. Now and then a table cannot be reached. Calls of
//! other services meet the same, more often, since there are fewer of them.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use aws_smithy_runtime_api::client::result::ConnectorError;
use fastrand::Rng;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use presence_runtime::aws::ATTEMPT_TIMEOUT;
use tokio::runtime::Handle;
use tokio::task::unconstrained;
use tokio::time::Instant;

use super::fault::replies;
use super::{Answer, ConnectorLayer, Next};
use crate::wire::{Call, RecordedReply};

/// Number of calls of the database among which each fault has its share.
const CALLS: u16 = 1_000;
/// Number of calls of another service.
const CALLS_OF_OTHERS: u16 = 200;

/// Work to do right after a write that was carried out, before anything else happens. It gets the full keys that were written.
pub type AfterWrite = Arc<dyn Fn(Vec<WrittenKey>) -> BoxFuture<'static, ()> + Send + Sync>;

/// Key of an item that a call wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenKey {
    /// Full name of the table.
    pub table: String,
    /// Partition key.
    pub pk: String,
    /// Sort key; empty if the table has none.
    pub sk: String,
}

/// Call that was made.
#[derive(Clone, Debug)]
pub struct NetworkCall {
    /// Instant at which it was made.
    pub at: Instant,
    /// Operation, tables, and the keys that it writes.
    pub what: String,
    /// Outcome in words.
    pub outcome: String,
    /// True if it was answered before its caller gave it up.
    pub is_prompt: bool,
}

/// Connector that is the network of a simulation. Clones share one network.
///
/// A call is carried out at one moment of virtual time: the thread waits for the database in real time. So a history is repeated by its seed.
#[derive(Clone)]
pub struct NetworkConnector(Arc<Shared>);

struct Shared {
    /// Runtime in real time, which makes the calls that are not answered at once.
    real_time: Handle,
    state: Mutex<NetworkState>,
    is_faulty: AtomicBool,
    calls: AtomicU64,
    late: AtomicU64,
    digest: AtomicU64,
    log: Mutex<Vec<NetworkCall>>,
    after_write: AfterWrite,
}

/// State of the network.
struct NetworkState {
    rng: Rng,
    /// Kinds of faults that do not happen.
    off: Vec<NetworkFault>,
    /// Table that cannot be reached, and the end of that.
    outage: Option<(String, Instant)>,
}

/// Kind of faults of the network, and of what is beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NetworkFault {
    /// A process ends in the middle of its work.
    Kill,
    /// A queue refuses messages, and hands them over late, again and in another order.
    UnorderedQueue,
    /// The body of an object breaks off.
    BrokenBody,
    /// An index shows what was.
    OldRead,
    /// A table cannot be reached for a while.
    Outage,
    /// A call hangs for seconds or minutes.
    Hang,
    /// A process stands still.
    Pause,
    /// A request arrives after its caller has given it up.
    LateRequest,
    /// A call is answered with 500.
    ServerError,
    /// A call is throttled.
    Throttling,
    /// A transaction or a single write meets another transaction.
    Conflict,
    /// A request never arrives.
    LostRequest,
    /// An answer never arrives.
    LostAnswer,
}

impl NetworkFault {
    /// All kinds.
    pub const ALL: [Self; 13] = [
        Self::Kill,
        Self::UnorderedQueue,
        Self::BrokenBody,
        Self::OldRead,
        Self::Outage,
        Self::Hang,
        Self::Pause,
        Self::LateRequest,
        Self::ServerError,
        Self::Throttling,
        Self::Conflict,
        Self::LostRequest,
        Self::LostAnswer,
    ];
}

/// Outcome of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CallOutcome {
    Answered,
    /// The request never arrives.
    RequestLost,
    /// The call is carried out, and its answer never arrives.
    AnswerLost,
    /// The request arrives after its caller has given it up.
    Late(Duration),
    /// A transaction is throttled in one of four forms, at one of its items.
    Throttled(usize),
    /// One of the items is in another transaction.
    Conflict(usize),
    ServerError,
    /// The table cannot be reached for a while.
    Unreachable,
    /// The request hangs for so long.
    Hanging(Duration),
}

impl CallOutcome {
    /// Returns the kind of fault that this is.
    fn kind(self) -> Option<NetworkFault> {
        match self {
            Self::Answered => None,
            Self::RequestLost => Some(NetworkFault::LostRequest),
            Self::AnswerLost => Some(NetworkFault::LostAnswer),
            Self::Late(_) => Some(NetworkFault::LateRequest),
            Self::Throttled(_) => Some(NetworkFault::Throttling),
            Self::Conflict(_) => Some(NetworkFault::Conflict),
            Self::ServerError => Some(NetworkFault::ServerError),
            Self::Unreachable => Some(NetworkFault::Outage),
            Self::Hanging(_) => Some(NetworkFault::Hang),
        }
    }
}

impl NetworkConnector {
    /// Returns a network without faults, on which nothing takes time.
    pub fn instant(real_time: Handle) -> Self {
        let after_write: AfterWrite = Arc::new(|_| Box::pin(async {}));
        Self::of(real_time, Rng::with_seed(0), false, after_write)
    }

    /// Returns a network with faults, and with work to do after each write.
    pub fn faulty(real_time: Handle, rng: Rng, after_write: AfterWrite) -> Self {
        Self::of(real_time, rng, true, after_write)
    }

    fn of(real_time: Handle, rng: Rng, is_faulty: bool, after_write: AfterWrite) -> Self {
        let (state, is_faulty) =
            (Mutex::new(NetworkState { rng, off: Vec::new(), outage: None }), AtomicBool::new(is_faulty));
        let (calls, late, digest) = (AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
        let log = Mutex::default();
        Self(Arc::new(Shared { real_time, state, is_faulty, calls, late, digest, log, after_write }))
    }

    /// Begins or ends the faults. Without them, calls take no time.
    pub fn set_faulty(&self, is_faulty: bool) {
        self.0.is_faulty.store(is_faulty, Ordering::Relaxed);
    }

    /// True until the faults end.
    pub fn is_faulty(&self) -> bool {
        self.0.is_faulty.load(Ordering::Relaxed)
    }

    /// Ends faults of these kinds.
    pub fn switch_off(&self, kinds: &[NetworkFault]) {
        self.0.state.lock().expect("no panic").off = kinds.to_vec();
    }

    /// True if faults of a kind happen, in the network or beside it.
    pub fn has(&self, kind: NetworkFault) -> bool {
        self.is_faulty() && !self.0.state.lock().expect("no panic").off.contains(&kind)
    }

    /// Returns the number of calls that came late, or still will.
    pub fn late_calls(&self) -> u64 {
        self.0.late.load(Ordering::Relaxed)
    }

    /// Returns a digest of the kinds of all calls so far, in their order: two runs of a seed have the same.
    pub fn digest(&self) -> u64 {
        self.0.digest.load(Ordering::Relaxed)
    }

    /// Notes something beside the calls.
    pub fn tell(&self, what: String, outcome: String) {
        let call = NetworkCall { at: Instant::now(), what, outcome, is_prompt: true };
        self.0.log.lock().expect("no panic").push(call);
    }

    /// Returns the calls until the faults ended.
    pub fn log(&self) -> Vec<NetworkCall> {
        self.0.log.lock().expect("no panic").clone()
    }

    /// Returns the number of calls so far.
    pub fn calls(&self) -> u64 {
        self.0.calls.load(Ordering::Relaxed)
    }

    /// Makes a call of another service than the database. Returns `None` if its caller gets an error, or no answer within this time; it may be
    /// carried out then.
    pub async fn call_service<T: Send>(
        &self,
        service: &str,
        timeout: Duration,
        act: impl FnOnce() -> T + Send,
    ) -> Option<T> {
        let shared = &self.0;
        let called = [service.to_owned()];
        shared.count(service, &called);
        if !self.is_faulty() {
            return Some(act());
        }
        let (before, after, outcome) = shared.draw(&called, false, CALLS_OF_OTHERS);
        shared.note(service.to_owned(), before + after, outcome);
        tokio::time::sleep(before).await;
        match outcome {
            CallOutcome::Answered => {}
            CallOutcome::Hanging(time) => {
                tokio::time::sleep(time.min(timeout)).await;
                if time > timeout {
                    return None;
                }
            }
            CallOutcome::AnswerLost => {
                act();
                return None;
            }
            _ => return None,
        }
        let answer = act();
        tokio::time::sleep(after).await;
        Some(answer)
    }
}

impl Shared {
    /// Counts a call.
    fn count(&self, operation: &str, tables: &[String]) {
        self.calls.fetch_add(1, Ordering::Relaxed);
        let mut hasher = DefaultHasher::new();
        (self.digest.load(Ordering::Relaxed), operation, tables).hash(&mut hasher);
        self.digest.store(hasher.finish(), Ordering::Relaxed);
    }

    /// Notes a call that takes this time.
    fn note(&self, what: String, time: Duration, outcome: CallOutcome) {
        let is_prompt = outcome == CallOutcome::Answered && time < ATTEMPT_TIMEOUT;
        let call = NetworkCall { at: Instant::now(), what, outcome: format!("{outcome:?} in {time:?}"), is_prompt };
        self.log.lock().expect("no panic").push(call);
    }

    /// Draws the time before and after one of so many calls, and its outcome.
    fn draw(&self, tables: &[String], meets_others: bool, calls: u16) -> (Duration, Duration, CallOutcome) {
        let NetworkState { rng, off, outage } = &mut *self.state.lock().expect("no panic");
        let slow = if rng.u8(..60) == 0 { 1_500 } else { 12 };
        let (before, after) = (rng.u64(1..=slow), rng.u64(1..=slow));
        if outage.is_none() && rng.u16(..1_500) == 0 {
            let end = Instant::now() + Duration::from_secs(rng.u64(5..40));
            let table = tables.first().filter(|_| !off.contains(&NetworkFault::Outage));
            *outage = table.map(|table| (table.clone(), end));
        }
        let outcome = match rng.u16(..calls) {
            _ if outage.as_ref().is_some_and(|(table, _)| tables.contains(table)) => CallOutcome::Unreachable,
            0..5 => CallOutcome::RequestLost,
            5..12 => CallOutcome::AnswerLost,
            12..15 => CallOutcome::Late(Duration::from_millis(rng.u64(500..20_000))),
            15..20 => CallOutcome::Throttled(rng.usize(..)),
            20..26 if meets_others => CallOutcome::Conflict(rng.usize(..)),
            26..28 => CallOutcome::ServerError,
            28 => CallOutcome::Hanging(Duration::from_millis(rng.u64(5_000..300_000))),
            _ => CallOutcome::Answered,
        };
        if outage.as_ref().is_some_and(|(_, end)| *end <= Instant::now()) {
            *outage = None;
        }
        let is_off = outcome.kind().is_some_and(|kind| off.contains(&kind));
        let outcome = if is_off { CallOutcome::Answered } else { outcome };
        (Duration::from_millis(before), Duration::from_millis(after), outcome)
    }

    /// Carries a call out now.
    async fn carry_out(&self, request: HttpRequest, call: Call, next: Next) -> Result<RecordedReply, ConnectorError> {
        let mut reply = Box::pin(async move { RecordedReply::of(&next, request).await });
        // The embedded database lets others run, and answers when it is polled again. Now and then it waits for a lock, and is polled more often.
        // These polls take nothing of the budget after which tokio makes a task yield. Otherwise tasks would run in another order.
        let reply = if let Some(reply) = (0..2).find_map(|_| unconstrained(&mut reply).now_or_never()) {
            reply?
        } else {
            let (sender, receiver) = mpsc::channel();
            self.real_time.spawn(async move { sender.send(reply.await) });
            receiver.recv().map_err(|error| ConnectorError::other(error.into(), None))??
        };
        if call.is_write() && reply.is_success() {
            unconstrained((self.after_write)(call.written_keys())).await;
        }
        Ok(reply)
    }
}

impl ConnectorLayer for NetworkConnector {
    async fn call(&self, request: HttpRequest, next: Next) -> Answer {
        let shared = &self.0;
        let call = Call::read(&request);
        let tables = call.tables();
        shared.count(&call.operation, &tables);
        if !self.is_faulty() {
            return shared.carry_out(request, call, next).await?.into_response();
        }
        let meets_others = call.is_transaction() || call.is_single_write();
        let (before, after, outcome) = shared.draw(&tables, meets_others, CALLS);
        let keys = call.written_keys().into_iter().map(|key| format!("{} {}", key.pk, key.sk));
        let keys: Vec<String> = keys.collect();
        shared.note(format!("{} {tables:?} {keys:?}", call.operation), before + after, outcome);
        tokio::time::sleep(before).await;
        let reply = match outcome {
            CallOutcome::Answered => shared.carry_out(request, call, next).await?,
            CallOutcome::RequestLost => return Err(lost()),
            CallOutcome::AnswerLost => {
                shared.carry_out(request, call, next).await?;
                return Err(lost());
            }
            CallOutcome::Late(delay) => {
                shared.late.fetch_add(1, Ordering::Relaxed);
                let shared = Arc::clone(shared);
                tokio::spawn(async move {
                    tokio::time::sleep(delay).await;
                    shared.carry_out(request, call, next).await.map(drop)
                });
                return Err(lost());
            }
            CallOutcome::Throttled(drawn) if call.is_transaction() => {
                let place = drawn / 4 % call.actions().len();
                replies::throttled_transaction(&call, drawn as u64, place)
            }
            CallOutcome::Throttled(_) => replies::throttled(),
            CallOutcome::Conflict(drawn) => replies::conflict(&call, &[drawn % call.actions().len().max(1)]),
            CallOutcome::ServerError | CallOutcome::Unreachable => replies::server_error(),
            CallOutcome::Hanging(time) => {
                tokio::time::sleep(time).await;
                shared.carry_out(request, call, next).await?
            }
        };
        tokio::time::sleep(after).await;
        reply.into_response()
    }
}

fn lost() -> ConnectorError {
    ConnectorError::io("the network lost it".into())
}
