//! `ops import categories` with each kind of fault at each call: the functions serve the old directory or the new one.

use std::time::Duration;

use presence_ops::Exit;
use presence_tests::{FaultKind, Fixtures, Plan, calls_apart, rng};
use serde_json::{Value, json};

use super::import_env::ImportEnv;

/// Number of categories: more than one transaction takes.
const ROWS: usize = 110;
const PER_PAGE: usize = 100;

fn rows(word: &str) -> String {
    let row = |n: usize| json!({"id": format!("n{n:04}"), "code": format!("code_{n}"), "names": {"GB": format!("{word} {n}")}});
    (0..ROWS).fold(String::new(), |rows, n| rows + &row(n).to_string() + "\n")
}

/// Returns the names of all categories, as the function serves them.
async fn served(env: &ImportEnv, key: &str) -> Vec<String> {
    let mut names = Vec::new();
    for page in 1..=ROWS.div_ceil(PER_PAGE) {
        let reply = env.stack.get(&format!("/category/search?lang=GB&per_page={PER_PAGE}&page={page}"), key).await;
        let found = reply.json();
        assert_eq!((reply.status, &found["count"]), (200, &json!(ROWS)), "{}", reply.text);
        let name = |category: &Value| category["name"].as_str().expect("a name").to_owned();
        names.extend(found["categories"].as_array().expect("a list").iter().map(name));
    }
    names
}

#[tokio::test(flavor = "multi_thread")]
async fn import_of_categories_that_stops_counts_no_row_as_stored() {
    let env = ImportEnv::new().await;
    // The first transaction writes drafts, the second one publishes.
    let kind = FaultKind::RefuseConnection;
    env.faults.restart(Plan::Of { operation: "TransactWriteItems", call: 2, kind, times: u64::MAX });
    let stopped = env.import_with_output("categories", &rows("Shop")).await.expect(Exit::Failed);
    let counts = json!({"created": 0, "updated": 0, "unchanged": 0, "rejected": 0, "stopped": true});
    assert_eq!(stopped.json(), counts, "{}", stopped.stderr);
}

#[tokio::test(flavor = "multi_thread")]
async fn import_of_categories_with_a_fault_at_any_call_is_all_or_nothing_and_the_next_completes_it() {
    use FaultKind::{CutBody, Delay, Hang, LoseReply, RefuseConnection, ServerError, Throttle, TransactionConflict};
    let mut rng = rng("imports of categories");
    let env = ImportEnv::with_short_timeouts().await;
    let key = Fixtures::create(&env.stack).await.manager_1.key;
    let editions = [rows("Shop"), rows("Store")];
    env.import_without_faults("categories", &editions[1]).await;
    let new = served(&env, &key).await;
    env.import_without_faults("categories", &editions[0]).await;
    let directories = [served(&env, &key).await, new];
    let attempts = env.attempts("categories", &editions[1]).await;
    let late = Delay(Duration::from_millis(350));
    let kinds = [Throttle, ServerError, RefuseConnection, TransactionConflict, LoseReply, CutBody, Hang, late];
    let mut now = 1;
    for call in (1..=attempts).step_by(calls_apart(5)) {
        for kind in kinds {
            let (old, new) = (&directories[now], &directories[1 - now]);
            now = 1 - now;
            let plan = Plan::At { call, kind, times: if rng.bool() { 1 } else { u64::MAX } };
            env.faults.restart(plan.clone());
            let exit = env.import("categories", &editions[now]).await;
            let seen = served(&env, &key).await;
            assert!(seen == *new || (seen == *old && exit != Exit::Done), "{plan:?}: {exit:?}, and then {seen:?}");
            env.import_without_faults("categories", &editions[now]).await;
            assert_eq!(served(&env, &key).await, *new, "{plan:?}, and then again");
        }
    }
}
