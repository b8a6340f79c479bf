//! Measurement of every operation in rounds.

use std::time::Duration;

use anyhow::{Context as _, ensure};
use presence_local::gateway::MEMORY_MB;
use presence_runtime::clock::Stopwatch;

use super::environment::LambdaEnvironment;
use super::function::{InitTimes, Invocation, RunningFunction};
use super::memory::{Memory, PERIOD};
use super::operations::{Operation, OperationGroup};
use super::organisation::Organisation;
use super::results::{OperationResults, WarmTimes};
use super::{Settings, note};

/// Longest time for one operation in a round. The slowest requests take half a second each.
const ROUND_TIME: Duration = Duration::from_millis(2_500);
/// Smallest number of requests of a round, however long they take.
const MIN_REQUESTS: usize = 3;
/// Largest number of users whose directory is loaded in every round. Larger ones take the same time in each round, so they are
/// loaded once.
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
    memory: Memory,
    requests: usize,
}

impl OperationRounds<'_> {
    /// Measures a group: in organisations of all sizes if it depends on the size, else in the first one.
    pub(super) async fn measure(&self, group: &OperationGroup) -> anyhow::Result<Vec<OperationResults>> {
        let sizes = &self.settings.users;
        let mut results = Vec::new();
        for users in if group.depends_on_size { &sizes[..] } else { &sizes[..1] } {
            let org = self.environment.org(*users)?;
            let is_slow = group.depends_on_size && *users > MAX_USERS_OF_ALL_ROUNDS;
            let mut best = self.run_round(group, org).await?;
            for _ in 1..if is_slow { 1 } else { self.settings.rounds.get() } {
                let round = self.run_round(group, org).await?;
                best = best.into_iter().zip(round).map(|(best, round)| best.best_of(&round)).collect();
            }
            results.extend(best);
        }
        Ok(results)
    }

    /// Starts a process, and sends it all requests of the group.
    async fn run_round(&self, group: &OperationGroup, org: &Organisation) -> anyhow::Result<Vec<OperationResults>> {
        let memory = self.settings.memory.map_or_else(|| deployed_memory(group.function), Ok)?;
        let (function, init) = self.environment.launcher.start(group.function, memory).await?;
        let requests = self.settings.requests.div_ceil(self.settings.rounds.get()).max(MIN_REQUESTS);
        let mut context = RoundContext { function, environment: self.environment, org, memory, requests };
        let mut results = Vec::new();
        for (position, operation) in group.operations.iter().enumerate() {
            // Only the first operation of the group pays for the start.
            let init = (position == 0).then_some(init);
            results.push(context.measure(group, *operation, init).await?);
        }
        note(&format!("{} {}: {memory} MB", group.operations[0].name, org.users));
        context.function.stop().await?;
        Ok(results)
    }
}

impl RoundContext<'_> {
    /// Sends the first and the further requests of an operation. A random pause of one to two periods precedes each of these, so
    /// that requests begin anywhere in a period of the throttle, as on Lambda.
    async fn measure(
        &mut self,
        group: &OperationGroup,
        operation: Operation,
        init: Option<InitTimes>,
    ) -> anyhow::Result<OperationResults> {
        let first = self.invoke(operation).await?;
        let watch = Stopwatch::start();
        let mut invocations = Vec::new();
        while invocations.len() < self.requests && (invocations.len() < MIN_REQUESTS || watch.elapsed() < ROUND_TIME) {
            tokio::time::sleep(PERIOD + PERIOD.mul_f64(fastrand::f64())).await;
            invocations.push(self.invoke(operation).await?);
        }
        let WarmTimes { p50_ms, p99_ms, billed_ms, cpu_ms } = WarmTimes::of(&invocations).context("no requests")?;
        let log_bytes: u64 = invocations.iter().map(|invocation| invocation.log_bytes).sum();
        Ok(OperationResults {
            function: group.function.to_owned(),
            operation: operation.name.to_owned(),
            variant: operation.variant.to_owned(),
            users: group.depends_on_size.then_some(self.org.users),
            memory: self.memory,
            init_ms: init.map(|init| init.ms),
            init_cpu_ms: init.map(|init| init.cpu_ms),
            first_ms: first.ms,
            first_cpu_ms: first.cpu_ms,
            p50_ms,
            p99_ms,
            billed_ms,
            cpu_ms,
            peak_mb: self.function.peak_mb()?,
            answer_bytes: first.answer_bytes,
            log_bytes: log_bytes / invocations.len() as u64,
        })
    }

    async fn invoke(&mut self, operation: Operation) -> anyhow::Result<Invocation> {
        if let Some(event) = operation.preparation(self.environment) {
            self.send(operation, &event).await?;
        }
        let event = operation.event(self.environment, self.org).await?;
        self.send(operation, &event).await
    }

    async fn send(&mut self, operation: Operation, event: &str) -> anyhow::Result<Invocation> {
        let (invocation, status) = self.function.invoke(event).await?;
        ensure!(status == 200, "{} ({}) was answered {status}", operation.name, operation.variant);
        Ok(invocation)
    }
}

/// Returns the memory that the template gives a function.
pub(crate) fn deployed_memory(function: &str) -> anyhow::Result<Memory> {
    let (_, megabytes) = MEMORY_MB.iter().find(|(name, _)| *name == function).context("a function")?;
    Ok(Memory(u32::try_from(*megabytes)?))
}
