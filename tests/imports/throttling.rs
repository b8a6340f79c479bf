//! Imports into tables that take little: they slow down, and end only when nothing gets through any more.

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

use super::import_env::{ImportEnv, rows, undisturbed};

/// The trial had 10,000 rows and 1,500 write units a second: here both are less.
const ROWS: usize = 250;
/// About two transactions of the import.
const UNITS_A_SECOND: &str = "seed=14,table-writes=500";
/// A transaction in the middle of an import of the rows.
const MIDDLE: u64 = 12;

fn importing(timer: impl Timer + 'static) -> RetryPolicy {
    RetryPolicy::WhileImporting(Arc::new(WriteRate::new(Arc::new(timer))))
}

/// Time that passes only where somebody waits, and at once: a minute without progress takes no minute.
#[derive(Debug, Default)]
struct Skipping(Mutex<Duration>);

impl Timer for Skipping {
    fn now(&self) -> Duration {
        *self.0.lock().expect("nobody panics with the time")
    }

    fn sleep(&self, time: Duration) -> BoxFuture<'_, ()> {
        *self.0.lock().expect("nobody panics with the time") += time;
        tokio::task::yield_now().boxed()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_import_into_a_table_that_throttles_most_of_it_ends_with_all_rows() {
    let limits: AwsLimits = UNITS_A_SECOND.parse().expect("settings");
    let aws_limits = Some(AwsLimits { throttling: limits.throttling, ..AwsLimits::off() });
    let env =
        ImportEnv::waiting(Options { aws_limits, retry_policy: importing(SystemTimer::start()), ..long_timeouts() })
            .await;
    let file = rows(ROWS, 0);
    let imported = env.import_aloud("reviews", &file).await;
    assert_eq!(imported.exit, Exit::Done, "{}", imported.stderr);
    assert_eq!(imported.summary()["created"], ROWS, "{}", imported.stdout);
    assert_eq!(env.audit().await, []);
    assert_eq!(env.content().await, undisturbed(&file).await);
    let throttled = env.stack.local.limits().expect("there are limits").counts();
    assert!(throttled.throttled > 0, "the table was pressed: {throttled:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_import_that_gets_nothing_through_stops_and_says_what_was_written_and_goes_on_when_run_again() {
    for kind in [FaultKind::TransactionThrottle, FaultKind::Throttle, FaultKind::RefuseConnection] {
        let env = ImportEnv::waiting(Options { retry_policy: importing(Skipping::default()), ..long_timeouts() }).await;
        let file = rows(ROWS, 0);
        env.faults.restart(Plan::At { call: MIDDLE, kind, times: u64::MAX });
        let stopped = env.import_aloud("reviews", &file).await;
        assert_eq!(stopped.exit, Exit::Failed, "{kind:?}: {}", stopped.stderr);
        let stored = env.content().await.keys().filter(|key| key.starts_with("R#")).count();
        let summary = stopped.summary();
        assert_eq!((&summary["created"], &summary["stopped"]), (&Value::from(stored), &Value::from(true)), "{kind:?}");
        let told = format!("stopped after {stored} rows ({stored} created, 0 updated, 0 unchanged, 0 rejected)");
        assert!(stopped.stderr.contains(&told), "{kind:?}: {}", stopped.stderr);
        assert!(stored > 0 && stored < ROWS, "{kind:?}: {stored} rows were stored");
        assert_eq!(env.audit().await, []);

        env.faults.set_plan(Plan::None);
        let again = env.import_aloud("reviews", &file).await;
        let summary = again.summary();
        assert_eq!((&summary["created"], &summary["unchanged"]), (&(ROWS - stored).into(), &stored.into()), "{kind:?}");
        assert_eq!(env.content().await, undisturbed(&file).await);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn as_many_throttles_in_a_row_as_once_stopped_an_import_do_not() {
    let env = ImportEnv::waiting(Options { retry_policy: importing(Skipping::default()), ..long_timeouts() }).await;
    let file = rows(ROWS, 0);
    env.faults.restart(Plan::At { call: MIDDLE, kind: FaultKind::TransactionThrottle, times: 12 });
    assert_eq!(env.import("reviews", &file).await, Exit::Done);
    assert_eq!(env.content().await, undisturbed(&file).await);
}
