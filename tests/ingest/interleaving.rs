//! Something else between any two calls of a process that writes: a business moves, or another process takes a newer object.

use std::sync::Arc;
use std::time::Duration;

use presence_domain::ids::{BusinessId, OrgId};
use presence_ingest::{Ingest, handle};
use presence_runtime::clock::Deadline;
use presence_store::{Business, FoldLimits, Stores};
use presence_tests::connectors::{Event, InterleavingConnector};
use presence_tests::{ConnectorLayer as _, calls_apart, in_process_client, long_timeouts};
use serde_json::json;

use super::ingest_env::{IngestEnv, json_lines, titled_row, uploaded};
use super::outside::{Outside, record};
use crate::imports::import_env::rows;

/// Number of calls after which a test stops to wait for the last one.
const MAX_CALLS: u64 = 300;

fn deadline() -> Deadline {
    Deadline::after(Duration::from_hours(1_000_000))
}

/// Delivers all messages that wait to a process, and deletes those that it did not fail.
async fn deliver_all(process: &Ingest, outside: &Outside) {
    let messages = outside.messages();
    let event = json!({ "Records": messages.iter().map(record).collect::<Vec<_>>() });
    let answer = Box::pin(handle(process, &event, deadline())).await.expect("an answer");
    let is_failed = |id: &String| answer.failures.iter().any(|failure| failure.id == *id);
    let done: Vec<String> = messages.into_iter().map(|message| message.id).filter(|id| !is_failed(id)).collect();
    outside.delete(&done);
}

/// Splits an object and writes its rows in a process in which the event runs before a call. Returns the event if the process made fewer
/// calls.
async fn arrive_with(env: &IngestEnv, object: &str, rows: &str, call: u64, event: Event) -> Option<Event> {
    env.outside.upload(&format!("inbox/{object}"), rows.as_bytes().to_vec());
    let connector = InterleavingConnector::new();
    let stores =
        env.stack.stores_through(connector.over(in_process_client()), long_timeouts(), env.stack.table_prefix());
    let outside = Arc::new(env.outside.clone());
    let limits = FoldLimits { fold_from: 1, ..FoldLimits::default() };
    let process = Ingest::new(&stores.database, Arc::clone(&outside) as _, outside).with_fold_limits(limits);
    connector.before(call, event).await;
    Box::pin(handle(&process, &uploaded(object), deadline())).await.expect("the object is split");
    deliver_all(&process, &env.outside).await;
    let (_, pending) = connector.end().await;
    env.drain().await;
    pending
}

/// Moves the business `s1` to organisation 2 with its reviews, as an import of businesses does.
async fn move_business(stores: Stores) {
    let (id, org_id) = (BusinessId::parse("s1").expect("an id"), OrgId::new(2).expect("an id"));
    let business = Business { id, org_id, name: "Shop".to_owned(), city: "Lyon".to_owned() };
    stores.reviews.put_business(&business).await.expect("the store answers");
}

#[tokio::test(flavor = "multi_thread")]
async fn reviews_follow_a_business_that_moves_while_they_are_written() {
    let arriving: Vec<_> = (0..2).map(|n| titled_row("s1", &format!("review {n}"), "t")).collect();
    for call in (1..MAX_CALLS).step_by(calls_apart(5)) {
        let env = IngestEnv::new().await;
        let moves = Box::pin(move_business(env.stack.stores().clone()));
        let pending = arrive_with(&env, "a.jsonl", &json_lines(&arriving), call, moves).await;
        if pending.is_some() {
            assert!(call > 10, "{call} calls");
            return;
        }
        let content = env.content().await;
        assert_eq!(content.len(), arriving.len(), "moved before call {call}");
        let is_moved = |review: &String| review.contains("\"org_id\": N(\"2\")");
        assert!(content.values().all(is_moved), "moved before call {call}: {content:?}");
        assert_eq!(env.audit().await, [], "moved before call {call}");
        let created = env.summary("a.jsonl").map(|summary| summary["created"].clone());
        assert_eq!(created, Some(json!(arriving.len())), "moved before call {call}");
    }
    panic!("the process makes more calls than expected");
}

#[tokio::test(flavor = "multi_thread")]
async fn reports_are_those_of_the_object_that_another_process_takes_meanwhile() {
    let (old, new) = (rows(2, 0) + "nonsense\n", rows(1, 1));
    for call in (1..MAX_CALLS).step_by(calls_apart(5)) {
        let env = IngestEnv::new().await;
        let (other, outside, new) = (env.process(), env.outside.clone(), new.clone());
        let replaced: Event = Box::pin(async move {
            outside.upload("inbox/a.jsonl", new.into_bytes());
            Box::pin(handle(&other, &uploaded("a.jsonl"), deadline())).await.expect("the object is split");
            deliver_all(&other, &outside).await;
        });
        let pending = arrive_with(&env, "a.jsonl", &old, call, replaced).await;
        if pending.is_some() {
            assert!(call > 10, "{call} calls");
            return;
        }
        let summary = env.summary("a.jsonl").expect("a summary");
        let counts = ["created", "updated", "unchanged"].map(|name| summary[name].as_u64().expect("a number"));
        assert_eq!((counts.iter().sum(), &summary["rejected"]), (1_u64, &json!(0)), "replaced before call {call}");
        assert_eq!(env.rejected("a.jsonl"), [], "replaced before call {call}");
    }
    panic!("the process makes more calls than expected");
}
