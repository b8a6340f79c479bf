//! Imports into throttled tables: they slow down, and stop only when no write succeeds any more.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use presence_local::{AwsLimits, Options};
use presence_ops::Exit;
use presence_runtime::clock::{SystemTimer, Timer};
use presence_store::{RetryPolicy, WriteRate};
use presence_tests::{FaultKind, Plan, long_timeouts};
use serde_json::Value;

use super::import_env::{ImportEnv, faultless_content, rows};

/// Number of rows. The trial on AWS had 10,000 and 1,500 write units a second; here both are fewer.
const ROWS: usize = 250;
/// Limits of the table: write units of about two transactions of the import each second.
const LIMITS: &str = "seed=14,table-writes=150";
/// Operation that writes rows: each of 16 workers makes one transaction, and more where it loses its lane to another one.
const WRITES: &str = "TransactWriteItems";
/// Number of a transaction in the middle of an import of the rows. Whatever the order of the workers, one before it was written.
const MIDDLE: u64 = 8;

/// Returns the retries of an import by this timer.
pub(crate) fn importing(timer: impl Timer + 'static) -> RetryPolicy {
    RetryPolicy::WhileImporting(Arc::new(WriteRate::new(Arc::new(timer))))
}

/// Timer that advances at once when it is waited for, so that a minute without progress takes no minute.
#[derive(Debug, Default)]
pub(crate) struct InstantTimer(Mutex<Duration>);

impl Timer for InstantTimer {
    fn now(&self) -> Duration {
        *self.0.lock().expect("nobody panics with the time")
    }

    fn sleep(&self, time: Duration) -> BoxFuture<'_, ()> {
        *self.0.lock().expect("nobody panics with the time") += time;
        tokio::task::yield_now().boxed()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn import_into_a_throttled_table_writes_all_rows() {
    let limits: AwsLimits = LIMITS.parse().expect("settings");
    let aws_limits = Some(AwsLimits { throttling: limits.throttling, ..AwsLimits::off() });
    let env = ImportEnv::with_options(Options {
        aws_limits,
        retry_policy: importing(SystemTimer::start()),
        ..long_timeouts()
    })
    .await;
    let file = rows(ROWS, 0);
    let imported = env.import_with_output("reviews", &file).await;
    assert_eq!(imported.exit, Exit::Done, "{}", imported.stderr);
    assert_eq!(imported.json()["created"], ROWS, "{}", imported.stdout);
    assert_eq!(env.audit().await, []);
    assert_eq!(env.content().await, faultless_content(&file).await);
    let throttled = env.stack.local.limits().expect("there are limits").counts();
    assert!(throttled.throttled > 0, "the table throttled writes: {throttled:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn import_without_progress_stops_with_a_summary_and_continues_when_run_again() {
    for kind in [FaultKind::TransactionThrottle, FaultKind::Throttle, FaultKind::RefuseConnection] {
        let env =
            ImportEnv::with_options(Options { retry_policy: importing(InstantTimer::default()), ..long_timeouts() })
                .await;
        let file = rows(ROWS, 0);
        env.faults.restart(Plan::Of { operation: WRITES, call: MIDDLE, kind, times: u64::MAX });
        let stopped = env.import_with_output("reviews", &file).await;
        assert_eq!(stopped.exit, Exit::Failed, "{kind:?}: {}", stopped.stderr);
        let stored = env.content().await.keys().filter(|key| key.starts_with("R#")).count();
        let summary = stopped.json();
        assert_eq!((&summary["created"], &summary["stopped"]), (&Value::from(stored), &Value::from(true)), "{kind:?}");
        let message = format!("stopped after {stored} rows ({stored} created, 0 updated, 0 unchanged, 0 rejected)");
        assert!(stopped.stderr.contains(&message), "{kind:?}: {}", stopped.stderr);
        assert!(stored > 0 && stored < ROWS, "{kind:?}: {stored} rows were stored");
        assert_eq!(env.audit().await, []);

        env.faults.set_plan(Plan::None);
        let again = env.import_with_output("reviews", &file).await;
        let summary = again.json();
        assert_eq!((&summary["created"], &summary["unchanged"]), (&(ROWS - stored).into(), &stored.into()), "{kind:?}");
        assert_eq!(env.content().await, faultless_content(&file).await);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn import_continues_after_twelve_throttles_in_a_row() {
    let env =
        ImportEnv::with_options(Options { retry_policy: importing(InstantTimer::default()), ..long_timeouts() }).await;
    let file = rows(ROWS, 0);
    let kind = FaultKind::TransactionThrottle;
    env.faults.restart(Plan::Of { operation: WRITES, call: MIDDLE, kind, times: 12 });
    assert_eq!(env.import("reviews", &file).await, Exit::Done);
    assert_eq!(env.content().await, faultless_content(&file).await);
}
