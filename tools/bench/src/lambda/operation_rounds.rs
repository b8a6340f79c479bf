//! Measures every operation, in rounds.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::ensure;
use presence_runtime::clock::Stopwatch;

use super::environment::{LambdaEnvironment, Organisation};
use super::function::{InitTimes, Invocation, RunningFunction};
use super::memory::{Memory, PERIOD};
use super::operations::{Operation, OperationGroup};
use super::results::{ColdStart, MemoryResults, OperationResults, WarmRequests, best_cold_start, best_of_rounds, warm};
use super::{Settings, note};

/// The longest that one operation is asked for in a round. The slowest take half a second each.
const ROUND_TIME: Duration = Duration::from_millis(2_500);
/// The fewest requests of a round, however long they take.
const FEWEST: usize = 3;
/// Attempts at a first request that is answered 503: where it fails so often it always does.
const ATTEMPTS: u32 = 2;

/// The figures of an operation.
#[derive(Default)]
struct OperationSamples {
    sizes: BTreeMap<Memory, MemoryResults>,
    answer_bytes: u64,
    /// Bytes of log, and the requests that wrote them.
    logged: (u64, u64),
}

/// A run of rounds.
pub(super) struct OperationRounds<'a> {
    pub(super) stage: &'a LambdaEnvironment,
    pub(super) settings: &'a Settings,
}

impl OperationRounds<'_> {
    /// Measures a group in the organisations that it is for.
    pub(super) async fn measure(&self, group: &OperationGroup) -> anyhow::Result<Vec<OperationResults>> {
        let sizes = &self.settings.users;
        let mut figures = Vec::new();
        for users in if group.grows { &sizes[..] } else { &sizes[..1] } {
            let org = self.stage.org(*users)?;
            let mut collected: Vec<OperationSamples> =
                group.operations.iter().map(|_| OperationSamples::default()).collect();
            for round in 0..self.settings.rounds.get() {
                for memory in &self.settings.memory {
                    // A first request that loads a large directory is always as slow: it is tried once.
                    if round == 0 || *users <= LARGE || !group.grows {
                        self.round(group, org, *memory, &mut collected).await?;
                    }
                }
            }
            for (operation, collected) in group.operations.iter().zip(collected) {
                figures.push(collected.finish(group, *operation, group.grows.then_some(*users)));
            }
        }
        Ok(figures)
    }

    /// Starts a process with so much memory and lets it answer all requests of the group.
    async fn round(
        &self,
        group: &OperationGroup,
        org: &Organisation,
        memory: Memory,
        collected: &mut [OperationSamples],
    ) -> anyhow::Result<()> {
        let (mut function, init) = self.stage.launcher.start(group.function, memory).await?;
        for (place, operation) in group.operations.iter().enumerate() {
            let kept = &mut collected[place];
            let spent = if place == 0 { init } else { InitTimes::default() };
            let first = self.first(&mut function, *operation, org, kept, spent).await?;
            kept.cold(memory, first);
            if first.status == 200 {
                let warm = self.warm(&mut function, *operation, org, kept).await?;
                kept.warm(memory, warm);
            }
        }
        note(&format!("{} {}: {} MB", group.operations[0].name, org.users, memory));
        function.stop().await
    }

    /// Asks for an operation for the first time. A request that is answered 503 is made again: the figures are those of the last
    /// one, and say which it was.
    async fn first(
        &self,
        function: &mut RunningFunction,
        operation: Operation,
        org: &Organisation,
        kept: &mut OperationSamples,
        init: InitTimes,
    ) -> anyhow::Result<ColdStart> {
        let mut attempts = 0;
        loop {
            let found = self.ask(function, operation, org, kept).await?;
            attempts += 1;
            if found.status == 200 || attempts == ATTEMPTS {
                return Ok(ColdStart {
                    init_ms: init.ms,
                    init_cpu_ms: init.cpu_ms,
                    first_ms: found.ms,
                    first_cpu_ms: found.cpu_ms,
                    peak_mb: function.peak_mb()?,
                    status: found.status,
                    attempts,
                });
            }
        }
    }

    /// Asks for an operation as often as a round does, with a pause of one to two periods before each: requests meet Lambda's
    /// periods anywhere.
    async fn warm(
        &self,
        function: &mut RunningFunction,
        operation: Operation,
        org: &Organisation,
        kept: &mut OperationSamples,
    ) -> anyhow::Result<Option<WarmRequests>> {
        let watch = Stopwatch::start();
        let mut times = Vec::new();
        while times.len() < self.settings.requests.div_ceil(self.settings.rounds.get()).max(FEWEST)
            && (times.len() < FEWEST || watch.elapsed() < ROUND_TIME)
        {
            tokio::time::sleep(PERIOD + PERIOD.mul_f64(fastrand::f64())).await;
            let found = self.ask(function, operation, org, kept).await?;
            times.push((found.ms, found.cpu_ms, found.status));
        }
        Ok(warm(&times, function.peak_mb()?))
    }

    async fn ask(
        &self,
        function: &mut RunningFunction,
        operation: Operation,
        org: &Organisation,
        kept: &mut OperationSamples,
    ) -> anyhow::Result<Invocation> {
        let event = operation.event(self.stage, org).await?;
        let found = function.invoke(&event).await?;
        let (name, status) = (operation.name, found.status);
        ensure!(status == 200 || status == 503, "{name} ({}) was answered {status}", operation.what);
        if status == 200 {
            kept.answer_bytes = found.answer_bytes;
        }
        kept.logged = (kept.logged.0 + found.log_bytes, kept.logged.1 + 1);
        Ok(found)
    }
}

/// Users of an organisation whose directory is loaded once for each memory, and not in each round.
const LARGE: usize = 10_000;

impl OperationSamples {
    fn at(&mut self, memory: Memory) -> &mut MemoryResults {
        self.sizes.entry(memory).or_insert(MemoryResults { memory, cold: None, warm: None })
    }

    fn cold(&mut self, memory: Memory, cold: ColdStart) {
        let known = self.at(memory);
        known.cold = Some(known.cold.map_or(cold, |other| best_cold_start(cold, other)));
    }

    fn warm(&mut self, memory: Memory, warm: Option<WarmRequests>) {
        let known = self.at(memory);
        known.warm = match (known.warm, warm) {
            (Some(one), Some(other)) => Some(best_of_rounds(one, other)),
            (one, other) => one.or(other),
        };
    }

    fn finish(self, group: &OperationGroup, operation: Operation, users: Option<usize>) -> OperationResults {
        OperationResults {
            function: group.function.to_owned(),
            operation: operation.name.to_owned(),
            what: operation.what.to_owned(),
            users,
            answer_bytes: self.answer_bytes,
            log_bytes: self.logged.0 / self.logged.1.max(1),
            sizes: self.sizes.into_values().collect(),
        }
    }
}
