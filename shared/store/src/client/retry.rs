//! Trying again what DynamoDB refused only for now: throttled calls, transactions that met another one, keys of a batch that
//! were left unread.
//!
//! The SDK tries a throttled call again, at most three times within a quarter of a second, and never a transaction that was
//! cancelled. DynamoDB needs seconds to take a wave in: it fills its buckets of throughput once a second, and splits a hot
//! partition in minutes. A request has until the deadline of its invocation, and uses that time. An import has as long as it
//! gets on.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use aws_smithy_runtime_api::http::Response;
use tokio::time::Instant;

use crate::Database;
use crate::client::errors::{failed, is_throttled};
use crate::client::pace::Pace;
use presence_domain::error::Error;
use presence_runtime::aws::OPERATION_TIMEOUT;

/// The longest pause before the second attempt; it doubles. DynamoDB holds an item of a transaction for some milliseconds.
const FIRST_PAUSE: Duration = Duration::from_millis(25);
/// The longest pause: throughput comes back with every second.
const MAX_PAUSE: Duration = Duration::from_secs(1);
/// Doublings after which a pause is the longest one for sure.
const MAX_DOUBLINGS: u32 = 16;
/// A call is tried again for this time where no deadline is known: as long as the SDK takes for a call with its own retries.
const DEFAULT_TIME: Duration = OPERATION_TIMEOUT;
/// The least time that an attempt needs: without it before the deadline, there is none. A transaction takes some 10 ms.
const ATTEMPT_TIME: Duration = Duration::from_millis(50);

tokio::task_local! {
    static DEADLINE: Instant;
}

/// The time for which a store tries again what DynamoDB refuses for now.
#[derive(Clone, Debug, Default)]
pub enum Patience {
    /// Until the deadline of the invocation; for some seconds where there is none.
    #[default]
    Deadline,
    /// For this time, whatever the deadline: for tests in which DynamoDB never yields.
    Time(Duration),
    /// As long as an import gets on, and as fast as DynamoDB lets it.
    Import(Arc<Pace>),
}

/// Runs the future for at most this time, and tells the store in it how long it may try again. `None` when the time is over.
pub async fn within<F: Future>(time: Duration, future: F) -> Option<F::Output> {
    DEADLINE.scope(Instant::now() + time, tokio::time::timeout(time, future)).await.ok()
}

/// The pauses between the attempts of one call.
#[derive(Debug)]
pub(crate) struct Retries {
    end: End,
    pauses: u32,
}

#[derive(Debug)]
enum End {
    At(Instant),
    /// When the import did not get on for too long, counted from here at the earliest.
    WithoutProgress(Arc<Pace>, Duration),
}

impl Retries {
    fn start(patience: &Patience) -> Self {
        let deadline = || DEADLINE.try_with(|deadline| *deadline).unwrap_or_else(|_| Instant::now() + DEFAULT_TIME);
        let end = match patience {
            Patience::Deadline => End::At(deadline()),
            Patience::Time(time) => End::At(Instant::now() + *time),
            Patience::Import(pace) => End::WithoutProgress(Arc::clone(pace), pace.now()),
        };
        Self { end, pauses: 0 }
    }

    /// Pauses before the next attempt. False at once when there is no time for another one.
    pub(crate) async fn pause(&mut self) -> bool {
        match &self.end {
            End::At(instant) => {
                let left = instant.saturating_duration_since(Instant::now());
                let Some(pause) = self.next(left, fastrand::f64()) else { return false };
                tokio::time::sleep(pause).await;
            }
            End::WithoutProgress(pace, since) => {
                let (pace, left) = (Arc::clone(pace), pace.patience_left(*since));
                let Some(pause) = self.next(left, fastrand::f64()) else { return false };
                pace.sleep(pause).await;
            }
        }
        true
    }

    /// The next pause, where so much time is left and this part of it was drawn: between nothing and a longest pause that
    /// doubles, since full jitter keeps writers that met from meeting again.
    fn next(&mut self, left: Duration, drawn: f64) -> Option<Duration> {
        let spare = left.checked_sub(ATTEMPT_TIME)?;
        let longest = FIRST_PAUSE.saturating_mul(1 << self.pauses.min(MAX_DOUBLINGS)).min(MAX_PAUSE);
        self.pauses += 1;
        Some(longest.mul_f64(drawn).min(spare))
    }
}

impl Database {
    /// The same tables, tried again for as long as this says.
    #[must_use]
    pub fn with_patience(self, patience: Patience) -> Self {
        Self { patience, ..self }
    }

    /// The pauses of a call that begins now.
    pub(crate) fn retries(&self) -> Retries {
        Retries::start(&self.patience)
    }

    /// Returns the pace that an import writes by; none for anything else.
    pub(crate) fn pace(&self) -> Option<&Pace> {
        match &self.patience {
            Patience::Import(pace) => Some(pace),
            Patience::Deadline | Patience::Time(_) => None,
        }
    }

    /// Tells an import that it got on.
    pub fn note_progress(&self) {
        if let Some(pace) = self.pace() {
            pace.note_progress();
        }
    }

    /// Has an import try nothing again any more: it ends.
    pub fn stop_trying(&self) {
        if let Some(pace) = self.pace() {
            pace.stop();
        }
    }

    /// Makes a call, again and again while it is throttled. Only for what may be done twice.
    pub(crate) async fn patiently<T, E, F>(&self, call: impl Fn() -> F) -> Result<T, Error>
    where
        F: Future<Output = Result<T, SdkError<E, Response>>>,
        E: ProvideErrorMetadata + std::error::Error + Send + Sync + 'static,
    {
        let mut retries = self.retries();
        loop {
            // On the heap: the SDK's futures are large, and every caller would hold a copy.
            match Box::pin(call()).await {
                Ok(answer) => return Ok(answer),
                Err(error) if is_throttled(&error) && retries.pause().await => {}
                Err(error) => return Err(failed(error)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pauses in so much time, of which attempts take none.
    fn pauses(time: Duration, drawn: f64) -> Vec<Duration> {
        let mut retries = Retries { end: End::At(Instant::now()), pauses: 0 };
        let (mut left, mut pauses) = (time, Vec::new());
        while pauses.len() < 1_000
            && let Some(pause) = retries.next(left, drawn)
        {
            left -= pause;
            pauses.push(pause);
        }
        pauses
    }

    #[test]
    fn pauses_double_up_to_a_second_and_end_where_no_attempt_would_fit() {
        let milliseconds =
            |time, drawn| -> Vec<_> { pauses(time, drawn).iter().map(Duration::as_millis).take(8).collect() };
        assert_eq!(milliseconds(Duration::from_secs(10), 1.0), [25, 50, 100, 200, 400, 800, 1_000, 1_000]);
        assert_eq!(milliseconds(Duration::from_millis(300), 1.0)[..4], [25, 50, 100, 75]);
        assert_eq!(milliseconds(ATTEMPT_TIME / 2, 1.0), [0_u128; 0]);
    }

    #[test]
    fn an_attempt_always_has_its_time_before_the_deadline() {
        for (seconds, drawn) in [(1, 1.0), (1, 0.3), (10, 1.0), (10, 0.01)] {
            let time = Duration::from_secs(seconds);
            let total: Duration = pauses(time, drawn).iter().sum();
            assert!(total + ATTEMPT_TIME <= time, "{total:?} of {time:?}");
        }
    }

    #[tokio::test]
    async fn the_store_knows_the_deadline_and_without_one_takes_some_seconds() {
        let end = || match Retries::start(&Patience::Deadline).end {
            End::At(instant) => instant,
            End::WithoutProgress(..) => unreachable!("there is no import"),
        };
        let long = DEFAULT_TIME * 100;
        let known = within(long, async { end() }).await.expect("it is done at once");
        assert!(known > Instant::now() + DEFAULT_TIME);
        assert!(end() < Instant::now() + long);
    }
}
