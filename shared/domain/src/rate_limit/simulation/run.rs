//! Run: functions, one bucket, a network, and the order of events.

use std::cmp::Reverse;
use std::collections::{BTreeMap, VecDeque};

use fastrand::Rng;
use jiff::{SignedDuration, Timestamp};

use super::caller::Traffic;
use super::fault::PlantedFault;
use crate::rate_limit::{KeyLimiter, LeaseRequest, LimitDecision, RateLimit};

/// Largest number of calls that wait for a function, above the largest burst.
const MAX_WAITING: usize = 4_000;

/// Behaviour of the network between functions and database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Network {
    /// A write takes some milliseconds.
    Kind,
    /// Some writes arrive seconds late, some arrive twice, and some replies are lost.
    Unkind,
}

/// Choice of the function that serves a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Routing {
    /// Any idle function.
    Any,
    /// The first idle function; their clocks are in ascending order.
    FirstIdle,
}

/// Settings of a run.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    pub(super) seed: u64,
    pub(super) limit: RateLimit,
    pub(super) functions: usize,
    pub(super) clock_spread_ms: i64,
    pub(super) routing: Routing,
    pub(super) network: Network,
    pub(super) traffic: Vec<Traffic>,
    pub(super) seconds: i64,
    pub(super) fault: Option<PlantedFault>,
}

/// Report of a run.
#[derive(Debug, Default)]
pub(super) struct Report {
    /// Instants at which requests passed, in real time.
    pub(super) passes: Vec<Timestamp>,
    pub(super) refused: usize,
    /// Refusals of a caller directly after it waited for the seconds of another one.
    pub(super) refused_again: usize,
    pub(super) writes: usize,
}

impl std::fmt::Display for Report {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { passes, refused, refused_again, writes } = self;
        write!(f, "{} passed, {refused} refused, {refused_again} again, {writes} writes", passes.len())
    }
}

#[derive(Clone, Copy, Debug)]
enum Event {
    /// Calls of a caller; `first` starts its next calls too.
    Call { caller: usize, count: u32, first: bool },
    /// Write that reaches the database. A copy gets no reply.
    Write { function: usize, request: LeaseRequest, copy: bool },
    /// Reply that reaches the function.
    Reply { function: usize, request: LeaseRequest, outcome: Result<Timestamp, Timestamp> },
    /// End of a request.
    Answer { function: usize, retry_after_seconds: Option<u32> },
}

#[derive(Debug)]
struct Function {
    limiter: KeyLimiter,
    clock: SignedDuration,
    /// Caller of the request in progress, and its writes so far. A function serves one request at a time.
    serving: Option<(usize, u32)>,
}

#[derive(Debug)]
pub(super) struct LimiterRun {
    settings: Settings,
    rng: Rng,
    now: Timestamp,
    events: BTreeMap<Reverse<(Timestamp, u64)>, Event>,
    count: u64,
    bucket: Option<Timestamp>,
    functions: Vec<Function>,
    /// Callers that wait for a function.
    waiting: VecDeque<usize>,
    was_refused: Vec<bool>,
    report: Report,
}

impl LimiterRun {
    pub(super) fn new(settings: Settings) -> Self {
        let mut rng = Rng::with_seed(settings.seed);
        let now = Timestamp::from_second(1_700_000_000).expect("an instant");
        let functions = (0..settings.functions).map(|_| Function {
            limiter: KeyLimiter::new(settings.limit),
            clock: SignedDuration::from_millis(rng.i64(0..=settings.clock_spread_ms)),
            serving: None,
        });
        let mut functions: Vec<Function> = functions.collect();
        if settings.routing == Routing::FirstIdle {
            functions.sort_by_key(|function| function.clock);
        }
        let mut run = Self {
            now,
            events: BTreeMap::new(),
            count: 0,
            bucket: None,
            functions,
            waiting: VecDeque::new(),
            was_refused: vec![false; settings.traffic.len()],
            report: Report::default(),
            rng,
            settings,
        };
        for caller in 0..run.settings.traffic.len() {
            run.schedule(SignedDuration::ZERO, Event::Call { caller, count: 1, first: true });
        }
        run
    }

    /// Runs until the time is over.
    pub(super) fn run(mut self) -> Report {
        let end = self.now + SignedDuration::from_secs(self.settings.seconds);
        while let Some((Reverse((at, _)), event)) = self.events.pop_last() {
            if at > end {
                break;
            }
            self.now = at;
            self.step(event);
        }
        self.report
    }

    fn schedule(&mut self, after: SignedDuration, event: Event) {
        self.count += 1;
        self.events.insert(Reverse((self.now + after, self.count)), event);
    }

    fn step(&mut self, event: Event) {
        match event {
            Event::Call { caller, count, first } => self.call(caller, count, first),
            Event::Write { function, request, copy } => self.write(function, request, copy),
            Event::Reply { function, request, outcome } => self.reply(function, request, outcome),
            Event::Answer { function, retry_after_seconds } => self.answer(function, retry_after_seconds),
        }
    }

    fn call(&mut self, caller: usize, count: u32, first: bool) {
        if first && let Some((after, count)) = self.settings.traffic[caller].next_calls(&mut self.rng) {
            self.schedule(after, Event::Call { caller, count, first: true });
        }
        for _ in 0..count {
            match self.idle_function() {
                Some(function) => self.serve(function, caller),
                None if self.waiting.len() < MAX_WAITING => self.waiting.push_back(caller),
                // Nobody waits for a lost call but its caller, which makes the next one in its own time.
                None => {}
            }
        }
    }

    fn idle_function(&mut self) -> Option<usize> {
        let mut idle = (0..self.functions.len()).filter(|function| self.functions[*function].serving.is_none());
        match self.settings.routing {
            Routing::FirstIdle => idle.next(),
            Routing::Any => {
                let idle: Vec<usize> = idle.collect();
                self.rng.choice(idle)
            }
        }
    }

    fn serve(&mut self, function: usize, caller: usize) {
        self.functions[function].serving = Some((caller, 0));
        let now = self.clock(function);
        self.functions[function].limiter.count_request(now);
        self.decide(function);
    }

    /// Returns the time by a function's clock.
    fn clock(&self, function: usize) -> Timestamp {
        self.now + self.functions[function].clock
    }

    fn decide(&mut self, function: usize) {
        if self.settings.fault == Some(PlantedFault::WrongClocks) {
            self.functions[function].clock = SignedDuration::from_secs(self.rng.i64(0..60));
        }
        let now = self.clock(function);
        match self.functions[function].limiter.decide(now) {
            LimitDecision::Pass(_) => self.pass(function, self.now),
            LimitDecision::Refuse(refusal) => self.refuse(function, refusal.retry_after_seconds),
            LimitDecision::Lease(request) => self.ask(function, request),
        }
    }

    fn ask(&mut self, function: usize, mut request: LeaseRequest) {
        let Some((_, writes)) = &mut self.functions[function].serving else { unreachable!("a request is served") };
        *writes += 1;
        let is_refused = *writes > KeyLimiter::MAX_WRITES
            || (self.settings.fault == Some(PlantedFault::NoSecondWrite) && *writes > 1);
        if is_refused {
            let now = self.clock(function);
            let refusal = self.functions[function].limiter.give_up(now);
            return self.refuse(function, refusal.retry_after_seconds);
        }
        if self.settings.fault == Some(PlantedFault::LargeLeases) {
            let terms = super::super::terms::Terms::of(self.settings.limit);
            request = LeaseRequest::advance(&terms, terms.max_tokens, request.asked_at);
        }
        self.report.writes += 1;
        let delay = self.delay();
        self.schedule(delay, Event::Write { function, request, copy: false });
        if self.settings.network == Network::Unkind && self.rng.u8(..100) < 3 {
            let delay = self.delay();
            self.schedule(delay, Event::Write { function, request, copy: true });
        }
    }

    fn write(&mut self, function: usize, request: LeaseRequest, copy: bool) {
        let outcome = match self.settings.fault {
            Some(fault) => fault.apply(request.change, request.tokens, self.bucket),
            None => request.change.apply(self.bucket),
        };
        self.bucket = Some(outcome.unwrap_or_else(|tat| tat));
        if copy {
            return;
        }
        let delay = self.delay();
        if self.settings.network == Network::Unkind && self.rng.u8(..100) < 3 {
            // The reply is lost: the client makes the same write again.
            self.schedule(delay + SignedDuration::from_millis(200), Event::Write { function, request, copy });
        } else {
            self.schedule(delay, Event::Reply { function, request, outcome });
        }
    }

    fn reply(&mut self, function: usize, request: LeaseRequest, outcome: Result<Timestamp, Timestamp>) {
        let now = self.clock(function);
        let asked_at = request.asked_at - self.functions[function].clock;
        let limiter = &mut self.functions[function].limiter;
        match outcome {
            Ok(tat) => {
                limiter.grant(&request, tat, now);
                if self.settings.fault == Some(PlantedFault::LongLeases) {
                    limiter.prolong_lease(SignedDuration::from_mins(1));
                }
                // The request that asked passes at the instant of its question, and the lease counts from that instant.
                self.pass(function, asked_at);
            }
            Err(tat) => {
                limiter.decline(&request, tat);
                self.decide(function);
            }
        }
    }

    fn pass(&mut self, function: usize, at: Timestamp) {
        self.report.passes.push(at);
        let time = SignedDuration::from_millis(self.rng.i64(3..40));
        self.schedule(time, Event::Answer { function, retry_after_seconds: None });
    }

    fn refuse(&mut self, function: usize, retry_after_seconds: u32) {
        if self.settings.fault == Some(PlantedFault::IgnoredRefusals) {
            return self.pass(function, self.now);
        }
        let time = SignedDuration::from_millis(self.rng.i64(3..6));
        self.schedule(time, Event::Answer { function, retry_after_seconds: Some(retry_after_seconds) });
    }

    fn answer(&mut self, function: usize, retry_after_seconds: Option<u32>) {
        let Some((caller, _)) = self.functions[function].serving.take() else { unreachable!("a request is served") };
        let is_refused = retry_after_seconds.is_some();
        self.report.refused += usize::from(is_refused);
        self.report.refused_again += usize::from(is_refused && self.was_refused[caller]);
        self.was_refused[caller] = is_refused;
        if let Some(pause) = self.settings.traffic[caller].pause(retry_after_seconds, &mut self.rng) {
            self.schedule(pause, Event::Call { caller, count: 1, first: false });
        }
        if let Some(caller) = self.waiting.pop_front() {
            self.serve(function, caller);
        }
    }

    fn delay(&mut self) -> SignedDuration {
        let is_late = self.settings.network == Network::Unkind && self.rng.u8(..100) < 5;
        SignedDuration::from_micros(if is_late { self.rng.i64(5_000..4_000_000) } else { self.rng.i64(500..5_000) })
    }
}
