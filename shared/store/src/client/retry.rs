//! Retries of calls that DynamoDB refused for now: throttled calls, conflicting transactions, unread keys of a batch.
//!
//! The SDK retries a throttled call up to three times within a quarter of a second, and never a cancelled transaction. That is
//! too short for DynamoDB, which refills its throughput once a second and splits a hot partition in minutes. So a request
//! retries until the deadline of its invocation, and an import as long as it makes progress.
//!
//! Patience is measured in progress, not in attempts: an attempt that another writer beats shows that the database works.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use aws_smithy_runtime_api::http::Response;
use tokio::time::Instant;

use crate::Database;
use crate::client::database::DynamoDb;
use crate::client::errors::{failed, is_condition_failed, is_refused_for_now};
use crate::client::write_rate::WriteRate;
use presence_domain::error::Error;
use presence_runtime::aws::OPERATION_TIMEOUT;

/// Longest pause before the second attempt; it doubles. A transaction holds its items for some milliseconds.
const FIRST_PAUSE: Duration = Duration::from_millis(25);
/// Longest pause of all: throughput is refilled every second.
const MAX_PAUSE: Duration = Duration::from_secs(1);
/// Doublings after which the longest pause is reached for sure, so that the shift does not overflow.
const MAX_DOUBLINGS: u32 = 16;
/// Time for retries without a known deadline: the time that the SDK takes for a call with its own retries.
const DEFAULT_TIME: Duration = OPERATION_TIMEOUT;
/// Longest time after which progress of others still prolongs a call. A writer that is so far away that it loses each race for ten minutes
/// ends with an error instead of an endless bill: DynamoDB charges for the attempts.
const MAX_CONTENTION: Duration = Duration::from_mins(10);
/// Least time for another attempt before the deadline. A transaction takes some 10 ms.
const ATTEMPT_TIME: Duration = Duration::from_millis(50);

tokio::task_local! {
    static DEADLINE: Instant;
}

/// Limit of the retries of calls that DynamoDB refused for now.
#[derive(Clone, Debug, Default)]
pub enum RetryPolicy {
    /// Retries until the deadline of the invocation; for some seconds without one.
    #[default]
    UntilDeadline,
    /// Retries for this time, whatever the deadline. For tests in which DynamoDB refuses for ever.
    For(Duration),
    /// Retries while an import makes progress, at its write rate.
    WhileImporting(Arc<WriteRate>),
}

/// Runs the future with a deadline, which its retries respect too. Returns `None` if the time is over first.
pub async fn with_deadline<F: Future>(time: Duration, future: F) -> Option<F::Output> {
    DEADLINE.scope(instant_in(time), tokio::time::timeout(time, future)).await.ok()
}

/// Runs the future, whose retries end before this time is over. Does not end the future itself.
pub async fn with_retries_for<F: Future>(time: Duration, future: F) -> F::Output {
    DEADLINE.scope(instant_in(time), future).await
}

/// Returns the instant after this time; of one that no clock reaches, that after a day.
fn instant_in(time: Duration) -> Instant {
    let now = Instant::now();
    now.checked_add(time).unwrap_or_else(|| now + Duration::from_hours(24))
}

/// Returns the time until the deadline, if there is one.
pub(crate) fn time_left() -> Option<Duration> {
    DEADLINE.try_with(|deadline| deadline.saturating_duration_since(Instant::now())).ok()
}

/// Pauses between the attempts of one call.
pub(crate) struct Retries {
    limit: RetryLimit,
    pauses: u32,
}

enum RetryLimit {
    /// Ends at an instant, which progress of others moves by the time, as long as they make it before the last instant.
    At { end: Instant, time: Duration, last: Instant },
    /// Ends when the import stalls, or at the deadline. `since` is the earliest start of the stall: the start of the call, or progress of
    /// others, as long as they make it before `last`.
    WhenStalled { rate: Arc<WriteRate>, since: Duration, last: Duration },
    /// Ends when a simulation says so.
    #[cfg(test)]
    Simulated(SimulatedPause),
}

/// Pause in a simulation. False if there is no time for another attempt.
#[cfg(test)]
pub(crate) type SimulatedPause = Box<dyn FnMut() -> futures::future::BoxFuture<'static, bool> + Send + Sync>;

impl Retries {
    fn start(policy: &RetryPolicy) -> Self {
        let start = Instant::now();
        let after = |time| RetryLimit::At { end: start + time, time, last: start + MAX_CONTENTION };
        let limit = match policy {
            RetryPolicy::UntilDeadline => match DEADLINE.try_with(|deadline| *deadline) {
                Ok(end) => RetryLimit::At { end, time: Duration::ZERO, last: end },
                Err(_) => after(DEFAULT_TIME),
            },
            RetryPolicy::For(time) => after(*time),
            RetryPolicy::WhileImporting(rate) => {
                let since = rate.now();
                RetryLimit::WhenStalled { rate: Arc::clone(rate), since, last: since + MAX_CONTENTION }
            }
        };
        Self { limit, pauses: 0 }
    }

    /// Returns the pauses of a simulation.
    #[cfg(test)]
    pub(crate) fn simulated(pause: SimulatedPause) -> Self {
        Self { limit: RetryLimit::Simulated(pause), pauses: 0 }
    }

    /// Pauses before the next attempt. Returns false at once if there is no time for one.
    pub(crate) async fn pause(&mut self) -> bool {
        match &mut self.limit {
            RetryLimit::At { end, .. } => {
                let left = end.saturating_duration_since(Instant::now());
                let Some(pause) = self.next(left, fastrand::f64()) else { return false };
                tokio::time::sleep(pause).await;
            }
            RetryLimit::WhenStalled { rate, since, .. } => {
                let left = rate.time_until_stalled(*since).min(time_left().unwrap_or(Duration::MAX));
                let rate = Arc::clone(rate);
                let Some(pause) = self.next(left, fastrand::f64()) else { return false };
                rate.sleep(pause).await;
            }
            #[cfg(test)]
            RetryLimit::Simulated(pause) => return pause().await,
        }
        true
    }

    /// Pauses as [`Retries::pause`], after an attempt that another writer's progress beat: the condition on a number that only rises failed.
    ///
    /// Progress is no reason to give up: the time for attempts begins again, within the time that the caller has. The pauses stay as long as
    /// they are, because they keep the writers apart.
    pub(crate) async fn pause_after_progress(&mut self) -> bool {
        match &mut self.limit {
            RetryLimit::At { end, time, last } => *end = (*end).max(Instant::now().min(*last) + *time),
            RetryLimit::WhenStalled { rate, since, last } => *since = rate.now().min(*last),
            #[cfg(test)]
            RetryLimit::Simulated(_) => {}
        }
        self.pause().await
    }

    /// Returns the next pause: a random part of a longest pause that doubles. `left` is the time until the limit, `random` is
    /// from 0 to 1. Full jitter keeps writers that conflicted from conflicting again.
    fn next(&mut self, left: Duration, random: f64) -> Option<Duration> {
        // A pause of no time would repeat itself for ever by a clock that only pauses advance.
        let spare = left.checked_sub(ATTEMPT_TIME).filter(|spare| !spare.is_zero())?;
        let longest = FIRST_PAUSE.saturating_mul(1 << self.pauses.min(MAX_DOUBLINGS)).min(MAX_PAUSE);
        self.pauses += 1;
        Some(longest.mul_f64(random).min(spare))
    }
}

impl Database {
    /// Returns the same connection with another retry policy.
    #[must_use]
    pub fn with_retry_policy(self, retry_policy: RetryPolicy) -> Self {
        DynamoDb { retry_policy, ..self.dynamo }.into()
    }

    /// Returns the pauses of a call that begins now.
    pub(crate) fn retries(&self) -> Retries {
        self.tables.retries()
    }

    /// Waits.
    pub(crate) async fn sleep(&self, time: Duration) {
        self.tables.sleep(time).await;
    }

    /// Returns the write rate of an import; none for everything else.
    pub(crate) fn write_rate(&self) -> Option<&WriteRate> {
        self.dynamo.write_rate()
    }

    /// Records that the import made progress.
    pub fn note_progress(&self) {
        self.dynamo.note_progress();
    }

    /// Ends all retries of an import, so that it ends.
    pub fn stop_retries(&self) {
        if let Some(rate) = self.write_rate() {
            rate.stop();
        }
    }

    /// Makes a call, and retries it while it is throttled, or a transaction holds its item. The call must be idempotent.
    pub(crate) async fn retry_throttled<T, E, F>(&self, call: impl Fn() -> F) -> Result<T, Error>
    where
        F: Future<Output = Result<T, SdkError<E, Response>>>,
        E: ProvideErrorMetadata + std::error::Error + Send + Sync + 'static,
    {
        self.dynamo.retry_throttled(call).await
    }

    /// Makes a conditional call, and retries it while DynamoDB refuses it for now. False if its condition does not hold.
    pub(crate) async fn retry_conditional<T, E, F>(&self, call: impl Fn() -> F) -> Result<bool, Error>
    where
        F: Future<Output = Result<T, SdkError<E, Response>>>,
        E: ProvideErrorMetadata + std::error::Error + Send + Sync + 'static,
    {
        self.dynamo.retry_conditional(call).await.map(|output| output.is_some())
    }
}

impl DynamoDb {
    pub(super) fn start_retries(&self) -> Retries {
        Retries::start(&self.retry_policy)
    }

    pub(super) fn write_rate(&self) -> Option<&WriteRate> {
        match &self.retry_policy {
            RetryPolicy::WhileImporting(rate) => Some(rate),
            RetryPolicy::UntilDeadline | RetryPolicy::For(_) => None,
        }
    }

    pub(super) fn note_progress(&self) {
        if let Some(rate) = self.write_rate() {
            rate.note_progress();
        }
    }

    /// Makes a call as [`Database::retry_throttled`].
    pub(super) async fn retry_throttled<T, E, F>(&self, call: impl Fn() -> F) -> Result<T, Error>
    where
        F: Future<Output = Result<T, SdkError<E, Response>>>,
        E: ProvideErrorMetadata + std::error::Error + Send + Sync + 'static,
    {
        let mut retries = self.start_retries();
        loop {
            // On the heap: the SDK's futures are large, and every caller would hold a copy.
            match Box::pin(call()).await {
                Ok(answer) => return Ok(answer),
                Err(error) if is_refused_for_now(&error) && retries.pause().await => {}
                Err(error) => return Err(failed(error)),
            }
        }
    }

    /// Makes a conditional call, and retries it while DynamoDB refuses it for now. `None` if its condition does not hold.
    pub(super) async fn retry_conditional<T, E, F>(&self, call: impl Fn() -> F) -> Result<Option<T>, Error>
    where
        F: Future<Output = Result<T, SdkError<E, Response>>>,
        E: ProvideErrorMetadata + std::error::Error + Send + Sync + 'static,
    {
        let mut retries = self.start_retries();
        loop {
            // On the heap: the SDK's futures are large, and every caller would hold a copy.
            match Box::pin(call()).await {
                Ok(output) => {
                    self.note_progress();
                    return Ok(Some(output));
                }
                Err(error) if is_condition_failed(&error) => return Ok(None),
                Err(error) if is_refused_for_now(&error) && retries.pause().await => {}
                Err(error) => return Err(failed(error)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use presence_runtime::clock::SystemTimer;

    use super::*;

    /// Returns the pauses within a time, for attempts that take none.
    fn pauses(time: Duration, random: f64) -> Vec<Duration> {
        let mut retries = Retries::start(&RetryPolicy::For(time));
        let (mut left, mut pauses) = (time, Vec::new());
        while pauses.len() < 1_000
            && let Some(pause) = retries.next(left, random)
        {
            left -= pause;
            pauses.push(pause);
        }
        pauses
    }

    #[tokio::test]
    async fn a_runtime_without_a_deadline_leaves_all_the_time_there_is() {
        assert_eq!(with_deadline(Duration::MAX, async { 1 }).await, Some(1));
        assert_eq!(with_retries_for(Duration::MAX, async { 1 }).await, 1);
    }

    #[test]
    fn pauses_double_up_to_a_second_and_end_where_no_attempt_would_fit() {
        let milliseconds =
            |time, random| -> Vec<_> { pauses(time, random).iter().map(Duration::as_millis).take(8).collect() };
        assert_eq!(milliseconds(Duration::from_secs(10), 1.0), [25, 50, 100, 200, 400, 800, 1_000, 1_000]);
        assert_eq!(milliseconds(Duration::from_millis(300), 1.0)[..4], [25, 50, 100, 75]);
        assert_eq!(milliseconds(ATTEMPT_TIME / 2, 1.0), [0_u128; 0]);
    }

    #[test]
    fn an_attempt_always_has_its_time_before_the_deadline() {
        for (seconds, random) in [(1, 1.0), (1, 0.3), (10, 1.0), (10, 0.01)] {
            let time = Duration::from_secs(seconds);
            let total: Duration = pauses(time, random).iter().sum();
            assert!(total + ATTEMPT_TIME <= time, "{total:?} of {time:?}");
        }
    }

    /// Returns the simulated time after which a call gives up, by the tokio clock. Others beat each attempt.
    async fn time_of_a_loser(policy: &RetryPolicy, deadline: Option<Duration>, is_progress: bool) -> Duration {
        let start = Instant::now();
        let call = async {
            let mut retries = Retries::start(policy);
            while if is_progress { retries.pause_after_progress().await } else { retries.pause().await } {}
            start.elapsed()
        };
        match deadline {
            Some(time) => with_retries_for(time, call).await,
            None => call.await,
        }
    }

    #[tokio::test(start_paused = true)]
    async fn progress_of_others_prolongs_a_call_within_the_time_of_its_caller_and_never_without_end() {
        let (second, stall) = (Duration::from_secs(1), Duration::from_mins(1));
        let importing = || RetryPolicy::WhileImporting(Arc::new(WriteRate::new(Arc::new(SystemTimer::start()))));
        let for_a_second = || RetryPolicy::For(second);
        // Policy, deadline, and the time after which a call gives up, without and with progress of others.
        let cases = [
            (RetryPolicy::UntilDeadline, Some(20 * second), 20 * second, 20 * second),
            (RetryPolicy::UntilDeadline, None, DEFAULT_TIME, MAX_CONTENTION + DEFAULT_TIME),
            (for_a_second(), None, second, MAX_CONTENTION + second),
            (importing(), None, stall, MAX_CONTENTION + stall),
            (importing(), Some(20 * second), 20 * second, 20 * second),
        ];
        for (policy, deadline, alone, beaten) in cases {
            for (is_progress, expected) in [(false, alone), (true, beaten)] {
                let time = time_of_a_loser(&policy, deadline, is_progress).await;
                let least = expected.saturating_sub(ATTEMPT_TIME + MAX_PAUSE);
                assert!((least..=expected).contains(&time), "{policy:?} {is_progress}: {time:?} of {expected:?}");
            }
        }
    }
}
