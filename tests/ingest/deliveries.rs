//! Deliveries: once, twice, and in any order.

use presence_tests::{rng, rounds};
use serde_json::json;

use super::ingest_env::{IngestEnv, json_lines, titled_row, uploaded};
use crate::imports::import_env::{ImportEnv, rows};

/// Number of rows of an object.
const ROWS: usize = 60;

/// Returns a stored review without its stamp and what comes with it.
pub(super) fn without_stamp(review: &str) -> String {
    let fields = review.trim_matches(['{', '}']).split(", \"");
    let fields = fields.map(|field| field.trim_start_matches('"'));
    let others = fields.filter(|field| !["seen_at", "format", "sk"].iter().any(|name| field.starts_with(name)));
    others.collect::<Vec<_>>().join(", ")
}

#[tokio::test(flavor = "multi_thread")]
async fn an_object_leaves_the_reviews_and_the_summary_of_an_import() {
    let (env, import) = (IngestEnv::new().await, ImportEnv::new().await);
    for edition in [0, 1, 1] {
        let file = rows(ROWS, edition) + "{\"nonsense\":1}\n\n" + &json_lines(&[titled_row("unknown", "x", "t")]);
        env.arrive("partner 8/März.jsonl", file.clone()).await;
        let imported = import.import_with_output("reviews", &file).await;
        assert_eq!(env.summary("partner 8/März.jsonl"), Some(imported.json()), "edition {edition}");
        let unknown = "business_id: there is no business unknown: import it first";
        let rejected = env.rejected("partner 8/März.jsonl");
        assert_eq!((rejected[0].0, rejected[1].clone()), (61, (63, unknown.to_owned())));
        assert_eq!(env.audit().await, []);
    }
    let reviews = |content: std::collections::BTreeMap<String, String>| -> Vec<String> {
        content.into_iter().filter(|(key, _)| key.starts_with("R#")).map(|(_, review)| without_stamp(&review)).collect()
    };
    assert_eq!(reviews(env.content().await), reviews(import.content().await));
}

#[tokio::test(flavor = "multi_thread")]
async fn objects_delivered_twice_and_out_of_order_leave_the_newest_rows_and_exact_summaries() {
    let mut rng = rng("ingest deliveries");
    let objects = ["a.jsonl", "b.jsonl", "c.jsonl"];
    let in_order = IngestEnv::new().await;
    for (edition, object) in objects.iter().enumerate() {
        in_order.arrive(object, rows(ROWS, edition)).await;
    }
    let stamps_apart = |content: std::collections::BTreeMap<String, String>| -> Vec<String> {
        content.into_values().map(|review| review.replace(['=', '+'], "")).collect()
    };
    let expected = stamps_apart(in_order.content().await);
    for round in 0..rounds(2) {
        let env = IngestEnv::new().await;
        for (edition, object) in objects.iter().enumerate() {
            env.outside.upload(&format!("inbox/{object}"), rows(ROWS, edition).into_bytes());
        }
        let mut events = [objects, objects].concat();
        rng.shuffle(&mut events);
        for object in events {
            assert!(env.invoke(&uploaded(object), None).await.is_some());
            // Each message stays in the queue at first, as one whose deletion is lost.
            let mut messages = env.outside.messages();
            rng.shuffle(&mut messages);
            for message in messages.iter().take(rng.usize(0..8)) {
                env.deliver(std::slice::from_ref(message), None).await;
                env.outside.send(message.message.clone());
            }
        }
        let mut messages = env.outside.messages();
        rng.shuffle(&mut messages);
        for message in messages {
            assert_eq!(env.deliver(&[message], None).await, Vec::<String>::new());
        }
        assert_eq!(stamps_apart(env.content().await), expected, "round {round}");
        assert_eq!(env.audit().await, []);
        for object in objects {
            let summary = env.summary(object).expect("a summary");
            let rows: u64 =
                ["created", "updated", "unchanged"].iter().map(|name| summary[name].as_u64().expect("n")).sum();
            assert_eq!((rows, &summary["rejected"]), (ROWS as u64, &json!(0)), "round {round}: {summary}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_older_row_counts_as_unchanged_and_seen_at_decides_before_the_time_of_the_object() {
    let env = IngestEnv::new().await;
    let seen = |title: &str, at: &str| {
        let mut row = titled_row("s1", "x", title);
        row["seen_at"] = json!(at);
        row
    };
    env.arrive("new.jsonl", json_lines(&[seen("new", "2026-01-02T00:00:00Z")])).await;
    env.arrive("old.jsonl", json_lines(&[seen("old", "2026-01-01T23:59:59.999Z")])).await;
    assert_eq!(env.summary("old.jsonl"), Some(json!({ "created": 0, "updated": 0, "unchanged": 1, "rejected": 0 })));
    assert_eq!(env.titles().await["x"], "new");
    env.arrive("newest.jsonl", json_lines(&[titled_row("s1", "x", "newest")])).await;
    assert_eq!(env.summary("newest.jsonl"), Some(json!({ "created": 0, "updated": 1, "unchanged": 0, "rejected": 0 })));
    assert_eq!(env.titles().await["x"], "newest", "the time of the object is later than any seen_at");
}

#[tokio::test(flavor = "multi_thread")]
async fn of_rows_about_one_review_in_an_object_the_last_one_wins_and_each_counts() {
    let env = IngestEnv::new().await;
    let titles = ["a", "b", "b", "c"];
    env.arrive("x.jsonl", json_lines(&titles.map(|title| titled_row("s1", "x", title)))).await;
    assert_eq!(env.titles().await["x"], "c");
    assert_eq!(env.summary("x.jsonl"), Some(json!({ "created": 1, "updated": 2, "unchanged": 1, "rejected": 0 })));
}

#[tokio::test(flavor = "multi_thread")]
async fn two_workers_at_once_leave_the_newer_row() {
    for round in 0..rounds(4) {
        let env = IngestEnv::new().await;
        for title in ["old", "new"] {
            let rows: Vec<_> = (0..20).map(|n| titled_row("s1", &format!("review {n}"), title)).collect();
            env.outside.upload(&format!("inbox/{title}.jsonl"), json_lines(&rows).into_bytes());
            assert!(env.invoke(&uploaded(&format!("{title}.jsonl")), None).await.is_some());
        }
        let messages = env.outside.messages();
        let (old, new): (Vec<_>, Vec<_>) =
            messages.into_iter().partition(|message| message.message.attributes["object"] == "old.jsonl");
        futures::join!(env.deliver(&old, None), env.deliver(&new, None));
        env.drain().await;
        assert!(env.titles().await.values().all(|title| title == "new"), "round {round}");
        assert_eq!(env.audit().await, []);
    }
}
