//! Measurement of every operation in rounds.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::ensure;
use presence_runtime::clock::Stopwatch;

use super::environment::{LambdaEnvironment, Organisation};
use super::function::{InitTimes, Invocation, RunningFunction};
use super::memory::{Memory, PERIOD};
use super::operations::{Operation, OperationGroup};
use super::results::{ColdStart, MemoryResults, OperationResults, WarmRequests};
use super::{Settings, note};

/// Longest time for one operation in a round. The slowest requests take half a second each.
const ROUND_TIME: Duration = Duration::from_millis(2_500);
/// Smallest number of requests of a round, however long they take.
const MIN_REQUESTS: usize = 3;
/// Attempts at a first request that is answered 503. After two of them, further attempts fail too.
const MAX_ATTEMPTS: u32 = 2;
/// Largest number of users whose directory is loaded in every round. Larger ones take the same time in each round, so they are
/// loaded once for each size of memory.
const MAX_USERS_OF_ALL_ROUNDS: usize = 10_000;

/// Rounds over the operations of one benchmark run.
pub(super) struct OperationRounds<'a> {
    pub(super) environment: &'a LambdaEnvironment,
    pub(super) settings: &'a Settings,
}

/// Function under test with the organisation of its callers.
struct RoundContext<'a> {
    function: RunningFunction,
    environment: &'a LambdaEnvironment,
    org: &'a Organisation,
}

/// Measurements of an operation from all rounds.
#[derive(Default)]
struct OperationSamples {
    sizes: BTreeMap<Memory, MemoryResults>,
    answer_bytes: u64,
    log_bytes: u64,
    requests: u64,
}

impl OperationRounds<'_> {
    /// Measures a group: in organisations of all sizes if it depends on the size, else in the first one.
    pub(super) async fn measure(&self, group: &OperationGroup) -> anyhow::Result<Vec<OperationResults>> {
        let sizes = &self.settings.users;
        let mut results = Vec::new();
        for users in if group.depends_on_size { &sizes[..] } else { &sizes[..1] } {
            let org = self.environment.org(*users)?;
            let mut samples: Vec<OperationSamples> =
                group.operations.iter().map(|_| OperationSamples::default()).collect();
            for round in 0..self.settings.rounds.get() {
                for memory in &self.settings.memory {
                    if round == 0 || *users <= MAX_USERS_OF_ALL_ROUNDS || !group.depends_on_size {
                        self.run_round(group, org, *memory, &mut samples).await?;
                    }
                }
            }
            for (operation, samples) in group.operations.iter().zip(samples) {
                results.push(samples.into_results(group, *operation, group.depends_on_size.then_some(*users)));
            }
        }
        Ok(results)
    }

    /// Starts a process with one size of memory, and sends it all requests of the group.
    async fn run_round(
        &self,
        group: &OperationGroup,
        org: &Organisation,
        memory: Memory,
        samples: &mut [OperationSamples],
    ) -> anyhow::Result<()> {
        let (function, init) = self.environment.launcher.start(group.function, memory).await?;
        let mut context = RoundContext { function, environment: self.environment, org };
        // Only the first operation of the group pays for the start.
        let inits = std::iter::once(init).chain(std::iter::repeat(InitTimes::default()));
        for ((operation, samples), init) in group.operations.iter().zip(samples).zip(inits) {
            let cold = context.measure_first(*operation, samples, init).await?;
            samples.add_cold(memory, cold);
            if cold.status == 200 {
                let warm = context.measure_warm(*operation, samples, self.requests_per_round()).await?;
                samples.add_warm(memory, warm);
            }
        }
        note(&format!("{} {}: {} MB", group.operations[0].name, org.users, memory));
        context.function.stop().await
    }

    fn requests_per_round(&self) -> usize {
        self.settings.requests.div_ceil(self.settings.rounds.get()).max(MIN_REQUESTS)
    }
}

impl RoundContext<'_> {
    /// Sends the first request of an operation. Repeats a request that is answered 503, and returns the last attempt.
    async fn measure_first(
        &mut self,
        operation: Operation,
        samples: &mut OperationSamples,
        init: InitTimes,
    ) -> anyhow::Result<ColdStart> {
        let mut attempts = 0;
        loop {
            let invocation = self.invoke(operation, samples).await?;
            attempts += 1;
            if invocation.status == 200 || attempts == MAX_ATTEMPTS {
                return Ok(ColdStart {
                    init_ms: init.ms,
                    init_cpu_ms: init.cpu_ms,
                    first_ms: invocation.ms,
                    first_cpu_ms: invocation.cpu_ms,
                    peak_mb: self.function.peak_mb()?,
                    status: invocation.status,
                    attempts,
                });
            }
        }
    }

    /// Sends the further requests of a round. A random pause of one to two periods precedes each, so that requests begin
    /// anywhere in a period of the throttle, as on Lambda.
    async fn measure_warm(
        &mut self,
        operation: Operation,
        samples: &mut OperationSamples,
        requests: usize,
    ) -> anyhow::Result<Option<WarmRequests>> {
        let watch = Stopwatch::start();
        let mut invocations = Vec::new();
        while invocations.len() < requests && (invocations.len() < MIN_REQUESTS || watch.elapsed() < ROUND_TIME) {
            tokio::time::sleep(PERIOD + PERIOD.mul_f64(fastrand::f64())).await;
            invocations.push(self.invoke(operation, samples).await?);
        }
        Ok(WarmRequests::summarise(&invocations, self.function.peak_mb()?))
    }

    async fn invoke(&mut self, operation: Operation, samples: &mut OperationSamples) -> anyhow::Result<Invocation> {
        let event = operation.event(self.environment, self.org).await?;
        let invocation = self.function.invoke(&event).await?;
        let status = invocation.status;
        let is_expected = matches!(status, 200 | 503);
        ensure!(is_expected, "{} ({}) was answered {status}", operation.name, operation.variant);
        samples.add_sizes(&invocation);
        Ok(invocation)
    }
}

impl OperationSamples {
    fn add_sizes(&mut self, invocation: &Invocation) {
        if invocation.status == 200 {
            self.answer_bytes = invocation.answer_bytes;
        }
        self.log_bytes += invocation.log_bytes;
        self.requests += 1;
    }

    fn add_cold(&mut self, memory: Memory, cold: ColdStart) {
        let results = self.results_of(memory);
        results.cold = Some(results.cold.map_or(cold, |earlier| cold.best_of(earlier)));
    }

    fn add_warm(&mut self, memory: Memory, warm: Option<WarmRequests>) {
        let results = self.results_of(memory);
        results.warm = match (results.warm, warm) {
            (Some(earlier), Some(warm)) => Some(earlier.best_of(warm)),
            (earlier, warm) => earlier.or(warm),
        };
    }

    fn results_of(&mut self, memory: Memory) -> &mut MemoryResults {
        self.sizes.entry(memory).or_insert(MemoryResults { memory, cold: None, warm: None })
    }

    fn into_results(self, group: &OperationGroup, operation: Operation, users: Option<usize>) -> OperationResults {
        OperationResults {
            function: group.function.to_owned(),
            operation: operation.name.to_owned(),
            variant: operation.variant.to_owned(),
            users,
            answer_bytes: self.answer_bytes,
            log_bytes: self.log_bytes / self.requests.max(1),
            sizes: self.sizes.into_values().collect(),
        }
    }
}
