//! Simultaneous imports on a database that cancels overlapping transactions, as `DynamoDB` does.

use std::time::Duration;

use presence_local::{AwsLimits, Options};
use presence_ops::Exit;
use presence_store::RetryPolicy;
use presence_tests::long_timeouts;
use serde_json::{Value, json};

use super::import_env::{ImportEnv, faultless_content, rows};

const ROWS: usize = 90;
/// Time that a finished transaction keeps holding its items.
const WINDOW: Duration = Duration::from_millis(30);
/// Retry time for conflicts, which end by themselves, with room for a busy machine.
const RETRY_TIME: Duration = Duration::from_mins(1);

async fn start() -> ImportEnv {
    let aws_limits = Some(AwsLimits { conflicts: Some(WINDOW), ..AwsLimits::off() });
    ImportEnv::with_options(Options { aws_limits, retry_policy: RetryPolicy::For(RETRY_TIME), ..long_timeouts() }).await
}

/// Runs both imports at once, and compares the content with one import of all rows without faults.
async fn assert_same_as_one_import(env: &ImportEnv, files: [&str; 2], all: &str) {
    let exits = futures::join!(env.import("reviews", files[0]), env.import_in_another_process("reviews", files[1]));
    assert_eq!(exits, (Exit::Done, Exit::Done));
    assert_eq!(env.audit().await, []);
    assert_eq!(env.content().await, faultless_content(all).await);
}

/// Returns the rows of an edition, moved to these two months.
fn in_months(edition: usize, months: [&str; 2]) -> String {
    let date = |date: &str| date.replace("2024-02", months[0]).replace("2024-03", months[1]);
    let renamed = |line: &str| {
        let mut row: Value = serde_json::from_str(line).expect("a row");
        row["date"] = json!(date(row["date"].as_str().expect("a date")));
        row["partner_id"] = json!(format!("{} {}", months[0], row["partner_id"]));
        row.to_string() + "\n"
    };
    rows(ROWS, edition).lines().map(renamed).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn two_imports_of_one_file_at_once_end_in_exact_counts() {
    let env = start().await;
    let file = rows(ROWS, 1);
    assert_same_as_one_import(&env, [&file, &file], &file).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn imports_of_different_months_at_once_end_in_exact_counts() {
    let env = start().await;
    let files = [in_months(0, ["2024-02", "2024-03"]), in_months(1, ["2024-06", "2024-07"])];
    assert_same_as_one_import(&env, [&files[0], &files[1]], &files.concat()).await;
}
