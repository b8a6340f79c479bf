//! Imports: one after the other, and two at once.

use std::sync::Arc;

use presence_local::Options;
use presence_ops::Exit;
use presence_runtime::clock::SystemTimer;
use presence_store::{RetryPolicy, WriteRate};
use presence_tests::long_timeouts;

use super::{ENOUGH, counts, each_seed, limits};
use crate::imports::import_env::{ImportEnv, faultless_content, rows};

/// Enough for several transactions of a month.
const ROWS: usize = 36;

#[tokio::test(flavor = "multi_thread")]
async fn imports_end_in_exact_tables_under_the_limits_of_aws() {
    let editions = [rows(ROWS, 0), rows(ROWS, 1)];
    let contents = [faultless_content(&editions[0]).await, faultless_content(&editions[1]).await];
    let (editions, contents) = (&editions, &contents);
    let run = |seed| async move {
        let pace = Arc::new(WriteRate::new(Arc::new(SystemTimer::start())));
        let options = Options {
            aws_limits: Some(limits(seed)),
            retry_policy: RetryPolicy::WhileImporting(pace),
            ..long_timeouts()
        };
        let env = ImportEnv::with_options(options).await;
        assert_eq!(env.import("reviews", &editions[0]).await, Exit::Done);
        assert_eq!(env.content().await, contents[0]);
        let second = env.import_in_another_process("reviews", &editions[1]);
        let both = futures::join!(env.import("reviews", &editions[1]), second);
        assert_eq!(both, (Exit::Done, Exit::Done), "two at once");
        assert_eq!(env.audit().await, []);
        assert_eq!(env.content().await, contents[1]);
        counts(&env.stack)
    };
    let sum = each_seed("imports", run).await;
    assert!(sum.calls < ENOUGH || (sum.throttled > 0 && sum.conflicted > 0), "{sum:?}");
}
