//! Searches, changes of users, invitations, imports and faults on a `DynamoDB` with the limits of AWS: nothing is lost or
//! duplicated, every count is right, and no answer is 500.
//!
//! The deadline of the functions is two minutes here, so that a 503 means that a retry ended before it.

mod imports;
mod random_operations;
mod searches;

use std::panic::{AssertUnwindSafe, resume_unwind};
use std::time::Duration;

use futures::FutureExt as _;
use futures::stream::{self, StreamExt as _};
use presence_local::aws_limits::{PageTruncation, Throttling};
use presence_local::{AwsLimits, LimitCounts, Options};
use presence_store::with_retries_for;
use presence_tests::{TestStack, long_timeouts, setting};

/// Environment variable with the number of seeds for each scenario.
const SEEDS: &str = "PRESENCE_LIMIT_SEEDS";
/// Number of calls after which every limit was certainly met. A single seed makes fewer.
const ENOUGH: u64 = 1_000;
/// Time for which a scenario's own calls are tried again. A busy machine may take seconds for one attempt.
const PATIENCE: Duration = Duration::from_mins(5);
/// Number of seeds in parallel: they mostly wait.
const PARALLEL_SEEDS: usize = 10;

/// Returns the number of seeds: few by default, since each takes some seconds.
fn seeds() -> u64 {
    setting(SEEDS, 2) as u64
}

/// Runs a scenario with each seed, and returns the sum of the limit counts. A failure names its seed.
#[expect(clippy::print_stdout, reason = "the seed belongs to the failure")]
async fn each_seed<F: Future<Output = LimitCounts>>(scenario: &str, run: impl Fn(u64) -> F) -> LimitCounts {
    let runs = (1..=seeds()).map(|seed| {
        let running = AssertUnwindSafe(with_retries_for(PATIENCE, run(seed))).catch_unwind();
        async move {
            running.await.unwrap_or_else(|panic| {
                println!("{scenario}: failed with seed {seed} of the limits");
                resume_unwind(panic)
            })
        }
    });
    let counts: Vec<LimitCounts> = stream::iter(runs).buffer_unordered(PARALLEL_SEEDS).collect().await;
    let sum = counts.into_iter().fold(LimitCounts::default(), |sum, counts| LimitCounts {
        calls: sum.calls + counts.calls,
        throttled: sum.throttled + counts.throttled,
        unprocessed: sum.unprocessed + counts.unprocessed,
        conflicted: sum.conflicted + counts.conflicted,
        mixed_cancellations: sum.mixed_cancellations + counts.mixed_cancellations,
        truncated_pages: sum.truncated_pages + counts.truncated_pages,
        empty_pages: sum.empty_pages + counts.empty_pages,
        stale_pages: sum.stale_pages + counts.stale_pages,
        too_large: sum.too_large + counts.too_large,
    });
    println!("{scenario}: {} seeds, {sum:?}", seeds());
    assert_eq!(sum.too_large, 0, "nothing is too large");
    sum
}

/// Returns limits that are tighter than those of AWS, so that a short scenario meets all of them.
pub(crate) fn limits(seed: u64) -> AwsLimits {
    let throttling = Throttling {
        table_writes: 1_500.0,
        table_reads: 6_000.0,
        partition_writes: 400.0,
        partition_reads: 3_000.0,
        spurious: 0.05,
    };
    AwsLimits {
        seed: Some(seed),
        throttling: Some(throttling),
        conflicts: Some(Duration::from_millis(5)),
        page_truncation: Some(PageTruncation { short: 0.3, empty: 0.1 }),
        lag: Some(Duration::from_millis(20)),
        sizes: true,
        latency: Some(Duration::from_millis(1)),
    }
}

/// Starts an empty stack with limits.
async fn stack(seed: u64) -> TestStack {
    stack_with(limits(seed)).await
}

/// Starts an empty stack with these limits.
async fn stack_with(limits: AwsLimits) -> TestStack {
    TestStack::with(Options { aws_limits: Some(limits), ..long_timeouts() }).await
}

/// Returns the counts of the limits of a stack.
fn counts(stack: &TestStack) -> LimitCounts {
    stack.local.limits().expect("the limits are on").counts()
}
