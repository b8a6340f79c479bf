//! Ingest on a database that throttles, conflicts, lags, and breaks calls.

use std::sync::Arc;

use presence_local::Options;
use presence_runtime::clock::SystemTimer;
use presence_store::{RetryPolicy, WriteRate};
use presence_tests::{FaultKind, Plan, long_timeouts, rounds};

use super::ingest_env::{IngestEnv, uploaded};
use crate::imports::import_env::rows;
use crate::limits::limits;

const ROWS: usize = 36;

#[tokio::test(flavor = "multi_thread")]
async fn objects_arrive_under_the_limits_of_aws() {
    for seed in 0..rounds(2) as u64 {
        let pace = Arc::new(WriteRate::new(Arc::new(SystemTimer::start())));
        let retry_policy = RetryPolicy::WhileImporting(pace);
        let env =
            IngestEnv::with_options(Options { aws_limits: Some(limits(seed)), retry_policy, ..long_timeouts() }).await;
        let expected = IngestEnv::new().await;
        for edition in [0, 1] {
            env.arrive("a.jsonl", rows(ROWS, edition)).await;
            expected.arrive("a.jsonl", rows(ROWS, edition)).await;
            assert_eq!(env.summary("a.jsonl"), expected.summary("a.jsonl"), "seed {seed}");
        }
        assert_eq!(env.audit().await, [], "seed {seed}");
        assert_eq!(env.content().await, expected.content().await, "seed {seed}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn broken_calls_leave_exact_reviews_and_every_row_counted_once() {
    let kinds = [FaultKind::Throttle, FaultKind::ServerError, FaultKind::RefuseConnection, FaultKind::LoseReply];
    for seed in 0..rounds(2) as u64 {
        let short = RetryPolicy::For(std::time::Duration::from_millis(300));
        let env = IngestEnv::with_options(Options { retry_policy: short, ..long_timeouts() }).await;
        let expected = IngestEnv::new().await;
        for edition in [0, 1] {
            env.outside.upload("inbox/a.jsonl", rows(ROWS, edition).into_bytes());
            env.faults.restart(Plan::Seeded { seed, percent: 15, kinds: kinds.to_vec() });
            while env.invoke(&uploaded("a.jsonl"), None).await.is_none() {}
            env.drain().await;
            env.faults.restart(Plan::None);
            expected.arrive("a.jsonl", rows(ROWS, edition)).await;
            assert_eq!(env.summary("a.jsonl"), expected.summary("a.jsonl"), "seed {seed}");
        }
        assert_eq!(env.audit().await, [], "seed {seed}");
        assert_eq!(env.content().await, expected.content().await, "seed {seed}");
    }
}
