//! Processes that are killed at any call, and run again by S3 and SQS.

use std::collections::BTreeMap;

use futures::future::join_all;
use presence_tests::{CrashPoint, SavedTables, calls_apart};
use serde_json::{Value, json};

use super::ingest_env::{IngestEnv, json_lines, titled_row, uploaded};
use crate::imports::import_env::rows;

const POINTS: [CrashPoint; 2] = [CrashPoint::Before, CrashPoint::After];
/// Number of stacks in parallel: they mostly wait.
const STACKS: usize = 4;
const OBJECT: &str = "a.jsonl";

/// Everything that is left when an object has arrived.
#[derive(Debug, PartialEq)]
struct Arrival {
    content: BTreeMap<String, String>,
    summary: Option<Value>,
    rejected: Vec<(u64, String)>,
}

async fn left(env: &IngestEnv) -> Arrival {
    assert_eq!(env.audit().await, []);
    Arrival { content: env.content().await, summary: env.summary(OBJECT), rejected: env.rejected(OBJECT) }
}

/// Returns rows with updates of stored reviews, new ones, rows about one review, and rejected rows.
fn file() -> String {
    let twice = [titled_row("s2", "review 1", "first"), titled_row("s2", "review 1", "second")];
    let wrong = [json!({ "nonsense": 1 }), titled_row("nowhere", "x", "t")];
    rows(12, 1) + &json_lines(&twice) + &json_lines(&wrong)
}

/// Returns tables that have some of the reviews already.
async fn tables() -> SavedTables {
    let env = IngestEnv::new().await;
    env.arrive("before.jsonl", rows(6, 0)).await;
    SavedTables::of(&env.stack)
}

/// Returns an environment with these tables, in which the object was uploaded.
async fn env(tables: &SavedTables) -> IngestEnv {
    let env = IngestEnv::with_tables(tables).await;
    env.outside.upload(&format!("inbox/{OBJECT}"), file().into_bytes());
    env
}

#[tokio::test(flavor = "multi_thread")]
async fn a_splitter_killed_at_any_call_and_run_again_leaves_the_reports_of_one_run() {
    let tables = &tables().await;
    let whole = env(tables).await;
    assert!(whole.invoke(&uploaded(OBJECT), None).await.is_some());
    let calls = whole.crash.calls();
    whole.outside.crash_at(None);
    assert!(whole.invoke(&uploaded(OBJECT), None).await.is_some(), "an event may come twice");
    whole.drain().await;
    let expected = left(&whole).await;
    assert_eq!(expected.summary.as_ref().map(|summary| summary["rejected"].clone()), Some(json!(2)));
    for (call, point) in (1..=calls).step_by(calls_apart(5)).flat_map(|call| POINTS.map(|point| (call, point))) {
        let env = env(tables).await;
        assert!(env.invoke(&uploaded(OBJECT), Some((call, point))).await.is_none(), "killed at call {call}");
        assert!(env.invoke(&uploaded(OBJECT), None).await.is_some());
        env.drain().await;
        assert_eq!(left(&env).await, expected, "killed {point:?} call {call} of DynamoDB");
    }
    for call in (1..100).step_by(calls_apart(5)) {
        let env = env(tables).await;
        env.outside.crash_at(Some((call, POINTS[usize::from(call.is_multiple_of(2))])));
        if env.invoke(&uploaded(OBJECT), None).await.is_some() {
            assert!(call > 5, "the splitter calls bucket and queue");
            return;
        }
        env.outside.crash_at(None);
        assert!(env.invoke(&uploaded(OBJECT), None).await.is_some());
        env.drain().await;
        assert_eq!(left(&env).await, expected, "killed at call {call} of the bucket or queue");
    }
    panic!("the splitter has no end");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_writer_killed_at_any_call_and_run_again_leaves_the_reviews_and_counts_of_one_run() {
    let tables = &tables().await;
    let whole = env(tables).await;
    assert!(whole.invoke(&uploaded(OBJECT), None).await.is_some());
    let messages = whole.outside.messages();
    whole.outside.crash_at(None);
    whole.faults.reset();
    assert_eq!(whole.deliver(&messages, None).await, Vec::<String>::new());
    let (calls, outside_calls) = (whole.faults.observed(), whole.outside.calls());
    // A death at any other call, or before a write, is one after the write before it.
    let writes = calls.iter().filter(|call| call.is_write()).map(|call| (call.number, CrashPoint::After));
    let writes: Vec<_> = writes.collect();
    assert!(writes.len() > 10 && outside_calls > 2, "{} {outside_calls}", writes.len());
    let expected = left(&whole).await;
    let database = writes.into_iter().step_by(calls_apart(5)).map(|write| (Some(write), None));
    let outside =
        (1..=outside_calls).step_by(calls_apart(5)).flat_map(|call| POINTS.map(|point| (None, Some((call, point)))));
    let kills: Vec<_> = database.chain(outside).collect();
    let expected = &expected;
    let share = |first| {
        let kills: Vec<_> = kills.iter().skip(first).step_by(STACKS).copied().collect();
        async move {
            for (database, outside) in kills {
                let env = env(tables).await;
                assert!(env.invoke(&uploaded(OBJECT), None).await.is_some());
                env.outside.crash_at(outside);
                // Groups run at the same time, so that the number of calls may be smaller by some.
                env.deliver(&env.outside.messages(), database).await;
                env.outside.crash_at(None);
                env.drain().await;
                let kill = format!("killed at call {database:?} of DynamoDB, or {outside:?} of the bucket");
                assert_eq!(left(&env).await, *expected, "{kill}");
            }
        }
    };
    join_all((0..STACKS).map(share)).await;
}
