//! Imports at the same time, on a database that cancels transactions that meet, as `DynamoDB` does.

use std::time::Duration;

use presence_ops::Exit;
use presence_tests::Plan;
use serde_json::{Value, json};

use super::import_env::{ImportEnv, rows, undisturbed};

const ROWS: usize = 90;
/// How long a finished transaction goes on holding its items.
const WINDOW: Duration = Duration::from_millis(30);

/// Runs the imports at once, and holds what they end in against the rows imported in one go, in calm weather.
async fn end_in(env: &ImportEnv, files: [&str; 2], all: &str) {
    env.faults.restart(Plan::OverlapConflicts { window: WINDOW });
    let exits = futures::join!(env.import("reviews", files[0]), env.import("reviews", files[1]));
    assert_eq!(exits, (Exit::Done, Exit::Done));
    assert_eq!(env.audit().await, []);
    assert_eq!(env.content().await, undisturbed(all).await);
}

/// The rows with each review in a month of these; their texts are those of `edition`.
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
    let env = ImportEnv::lasting().await;
    let file = rows(ROWS, 1);
    end_in(&env, [&file, &file], &file).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_updates_of_one_file_at_once_end_in_exact_counts() {
    let env = ImportEnv::lasting().await;
    env.import_calmly("reviews", &rows(ROWS, 0)).await;
    let file = rows(ROWS, 1);
    end_in(&env, [&file, &file], &file).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn imports_of_different_months_at_once_end_in_exact_counts() {
    let env = ImportEnv::lasting().await;
    let files = [in_months(0, ["2024-02", "2024-03"]), in_months(1, ["2024-06", "2024-07"])];
    end_in(&env, [&files[0], &files[1]], &files.concat()).await;
}
