//! Environment of an import: a stack with businesses, rows of reviews, and an operator whose calls can be broken.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use aws_sdk_dynamodb::config::SharedHttpClient;
use aws_sdk_dynamodb::config::timeout::TimeoutConfig;
use aws_sdk_dynamodb::types::AttributeValue;
use presence_local::Options;
use presence_ops::Exit;
use presence_runtime::clock::SystemClock;
use presence_store::{Finding, FoldLimits, RetryPolicy, Stores, schema};
use presence_tests::ops::import;
use presence_tests::{
    ConnectorLayer as _, FaultConnector, OpsOutput, Plan, TestStack, in_process_client, long_timeouts,
};
use serde_json::json;

/// Days on both sides of the end of a leap February.
const DAYS: [&str; 4] = ["2024-02-28", "2024-02-29", "2024-03-01", "2024-03-02"];
/// Timeouts of one attempt and of one call, for faults that hang.
const SHORT_TIMEOUTS: [Duration; 2] = [Duration::from_millis(200), Duration::from_millis(450)];

/// Retry time for faults that may last for ever. A single fault is over much sooner.
const SHORT_RETRY: Duration = Duration::from_millis(300);
/// Retry time for conflicts, which end by themselves, with room for a busy machine.
const LONG_RETRY: Duration = Duration::from_mins(1);

/// Stack that reviews are imported into.
pub(crate) struct ImportEnv {
    pub(crate) stack: TestStack,
    /// Faults in the calls of the operator only.
    pub(crate) faults: FaultConnector,
    store: Stores,
    /// The same tables without faults.
    faultless_store: Stores,
}

/// Returns limits with which the small imports of the tests fold some times, so that faults hit folds too.
fn fold_often() -> FoldLimits {
    FoldLimits { fold_from: 1, ..FoldLimits::default() }
}

impl ImportEnv {
    /// Starts an environment whose operator has long timeouts and short retries.
    pub(crate) async fn new() -> Self {
        Self::with_options(Options { retry_policy: RetryPolicy::For(SHORT_RETRY), ..long_timeouts() }).await
    }

    /// Starts an environment whose operator retries for a long time.
    pub(crate) async fn with_long_retries() -> Self {
        Self::with_options(Options { retry_policy: RetryPolicy::For(LONG_RETRY), ..long_timeouts() }).await
    }

    /// Starts an environment whose operator has short timeouts and short retries.
    pub(crate) async fn with_short_timeouts() -> Self {
        let [attempt, operation] = SHORT_TIMEOUTS;
        let timeouts = TimeoutConfig::builder().operation_attempt_timeout(attempt).operation_timeout(operation);
        Self::with_options(Options {
            timeouts: Some(timeouts.build()),
            retry_policy: RetryPolicy::For(SHORT_RETRY),
            ..long_timeouts()
        })
        .await
    }

    /// Starts an environment with these options for the operator, and their limits for the database.
    pub(crate) async fn with_options(options: Options) -> Self {
        let stack = TestStack::with(Options { aws_limits: options.aws_limits.clone(), ..long_timeouts() }).await;
        for (org, id, city) in [(1, "s1", "Saint-Étienne"), (1, "s2", "Lyon"), (2, "s3", "Lyon")] {
            stack.create_business(org, id, city).await;
        }
        let faults = FaultConnector::new();
        let mut store = stack.stores_through(faults.over(in_process_client()), options, stack.table_prefix());
        store.reviews = store.reviews.with_fold_limits(fold_often());
        let faultless_store = stack.stores().clone();
        Self { stack, faults, store, faultless_store }
    }

    /// Runs `ops import` for these rows, with the planned faults.
    pub(crate) async fn import(&self, what: &str, rows: &str) -> Exit {
        self.import_by(&self.store, what, rows).await.exit
    }

    /// Does the same in another process: its writers do not wait for those of the first one.
    pub(crate) async fn import_in_another_process(&self, what: &str, rows: &str) -> Exit {
        let mut store = Stores::new(self.store.database.clone());
        store.reviews = store.reviews.with_fold_limits(fold_often());
        self.import_by(&store, what, rows).await.exit
    }

    /// Runs `ops import` with the planned faults, and returns its output too.
    pub(crate) async fn import_with_output(&self, what: &str, rows: &str) -> OpsOutput {
        self.import_by(&self.store, what, rows).await
    }

    /// Imports the rows without faults, as an operator does after a failure.
    pub(crate) async fn import_without_faults(&self, what: &str, rows: &str) {
        assert_eq!(self.import_by(&self.faultless_store, what, rows).await.exit, Exit::Done);
    }

    async fn import_by(&self, store: &Stores, what: &str, rows: &str) -> OpsOutput {
        import(store, Arc::new(SystemClock), what, rows).await
    }

    /// Returns the number of attempts of an import without faults.
    pub(crate) async fn attempts(&self, what: &str, rows: &str) -> u64 {
        let store = store_with_long_timeouts(&self.stack, self.faults.over(in_process_client()));
        self.faults.restart(Plan::None);
        assert_eq!(self.import_by(&store, what, rows).await.exit, Exit::Done);
        self.faults.attempts()
    }

    /// Returns the findings of the audit of reviews.
    pub(crate) async fn audit(&self) -> Vec<Finding> {
        self.faultless_store.reviews.audit_reviews(None).await.expect("the store answers").findings
    }

    /// Returns the content of the table, independent of the writes that led to it: reviews without versions, and the list of
    /// organisations. The audit compares the trees with the reviews.
    pub(crate) async fn content(&self) -> BTreeMap<String, String> {
        let mut content = BTreeMap::new();
        for item in self.stack.scan(&self.store.database.name(&schema::REVIEWS)).await {
            let mut item: BTreeMap<String, AttributeValue> = item.into_iter().collect();
            let mut key = |name| item.remove(name).and_then(|value| value.as_s().ok().cloned()).expect("a key");
            let (pk, sk) = (key("pk"), key("sk"));
            item.remove("version");
            if pk == "BOOKS" || pk.starts_with("R#") {
                content.insert(format!("{pk} {sk}"), format!("{item:?}"));
            }
        }
        content
    }
}

/// Returns the content of the table after an import of these rows without faults.
pub(crate) async fn faultless_content(rows: &str) -> BTreeMap<String, String> {
    let env = ImportEnv::new().await;
    env.import_without_faults("reviews", rows).await;
    env.content().await
}

/// Returns rows of reviews. Another `edition` has the same reviews with other months, states and ratings.
pub(crate) fn rows(count: usize, edition: usize) -> String {
    rows_of(&["s1", "s2", "s3"], count, edition)
}

/// Returns rows of reviews of these businesses.
pub(crate) fn rows_of(businesses: &[&str], count: usize, edition: usize) -> String {
    let row = |n: usize| {
        json!({
            "business_id": (businesses[n % businesses.len()]),
            "partner": (["partner_8", "partner_1", "partner_9"][n / 3 % 3]),
            "partner_id": format!("review {n}"),
            "date": (DAYS[(n / 9 + edition) % DAYS.len()]),
            "rating": (n + edition) % 5 + 1,
            "content": (["Très bon accueil", " "][n % 2]),
            "state": (["treated", "not_treated", "deleted"][(n / 2 + edition) % 3]),
        })
    };
    (0..count).fold(String::new(), |rows, n| rows + &row(n).to_string() + "\n")
}

/// Returns the stores of a stack through this client, with timeouts for a busy machine.
pub(crate) fn store_with_long_timeouts(stack: &TestStack, client: SharedHttpClient) -> Stores {
    stack.stores_through(client, long_timeouts(), stack.table_prefix())
}
