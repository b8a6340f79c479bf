//! Objects that change while they are read, and objects that cannot be read to their end.

use async_compression::tokio::bufread::GzipEncoder;
use presence_tests::{CrashPoint, calls_apart};
use serde_json::json;
use tokio::io::AsyncReadExt as _;

use super::ingest_env::{IngestEnv, json_lines, titled_row, uploaded};
use crate::imports::import_env::rows;

async fn gzip(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    GzipEncoder::new(text.as_bytes()).read_to_end(&mut bytes).await.expect("memory can be read");
    bytes
}

#[tokio::test(flavor = "multi_thread")]
async fn a_compressed_object_is_read_like_a_plain_one() {
    let (plain, compressed) = (IngestEnv::new().await, IngestEnv::new().await);
    plain.arrive("a.jsonl", rows(40, 0)).await;
    let (first, second) = (gzip(&rows(20, 0)).await, rows(40, 0)[rows(20, 0).len()..].to_owned());
    // Two members, as `cat a.gz b.gz` makes them.
    compressed.arrive("a.jsonl.gz", [first, gzip(&second).await].concat()).await;
    assert_eq!(compressed.summary("a.jsonl.gz"), plain.summary("a.jsonl"));
    assert_eq!(compressed.content().await, plain.content().await);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_compressed_data_that_end_too_early_the_whole_lines_are_taken() {
    let env = IngestEnv::new().await;
    let texts: Vec<_> = (0..1_000).map(|n| titled_row("s1", &format!("{n}"), &format!("{:x}", n * 7_919))).collect();
    let whole = gzip(&json_lines(&texts)).await;
    env.arrive("cut.jsonl.gz", whole[..whole.len() / 2].to_vec()).await;
    let summary = env.summary("cut.jsonl.gz").expect("a summary");
    assert_eq!(summary["error"], "the gzip data end too early");
    let created = summary["created"].as_u64().expect("a number");
    assert!(created > 100 && created < 1_000 && summary["rejected"] == 0, "{summary}");
    assert_eq!(env.titles().await.len() as u64, created);
    env.arrive("damaged.jsonl.gz", b"no gzip at all".to_vec()).await;
    let summary = env.summary("damaged.jsonl.gz").expect("a summary");
    assert!(summary["error"].as_str().is_some_and(|error| error.starts_with("the gzip data are damaged")), "{summary}");
    env.arrive("cut.jsonl.gz", whole).await;
    assert_eq!(env.summary("cut.jsonl.gz").expect("a summary")["error"], json!(null), "it was replaced");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_object_of_another_type_is_reported() {
    let env = IngestEnv::new().await;
    env.arrive("a.csv", "id,name\n").await;
    let summary = env.summary("a.csv").expect("a summary");
    assert_eq!(summary["error"], "its name ends neither with .jsonl nor with .jsonl.gz");
    env.arrive("empty.jsonl", "\n\n").await;
    assert_eq!(env.summary("empty.jsonl"), Some(json!({ "created": 0, "updated": 0, "unchanged": 0, "rejected": 0 })));
}

#[tokio::test(flavor = "multi_thread")]
async fn of_equal_rows_in_one_object_each_is_settled_and_the_last_one_wins() {
    let env = IngestEnv::new().await;
    let content = "x".repeat(5_000);
    let row = |title| {
        let mut row = titled_row("s1", "1", title);
        row["content"] = json!(content);
        row
    };
    // Of each title there are several messages that differ in the numbers of their lines only.
    let rows: Vec<_> = ["a", "b", "a"].iter().flat_map(|title| vec![row(title); 80]).collect();
    env.arrive("a.jsonl", json_lines(&rows)).await;
    let summary = env.summary("a.jsonl").expect("a summary");
    let settled: u64 = ["created", "updated", "unchanged"].iter().filter_map(|name| summary[name].as_u64()).sum();
    assert_eq!((settled, &summary["rejected"]), (240, &json!(0)));
    assert_eq!(env.titles().await.values().collect::<Vec<_>>(), ["a"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_queue_does_not_transport_is_rejected_with_a_reason() {
    let env = IngestEnv::new().await;
    let rows = ["fine", "no \u{ffff}", "no \u{fffe}"].map(|title| titled_row("s1", title, title));
    env.arrive("a.jsonl", json_lines(&rows)).await;
    let reason = "partner_id: must have neither U+FFFE nor U+FFFF, which are no characters";
    assert_eq!(env.rejected("a.jsonl"), [(2, reason.to_owned()), (3, reason.to_owned())]);
    assert_eq!(env.titles().await.values().collect::<Vec<_>>(), ["fine"]);
    env.arrive("no \u{ffff}.jsonl", json_lines(&rows)).await;
    let summary = env.summary("no \u{ffff}.jsonl").expect("a summary");
    assert_eq!(summary["error"], "its name has a control character, or U+FFFE or U+FFFF, which are no characters");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_object_whose_reports_cannot_have_its_name_is_reported_by_a_shorter_one() {
    let env = IngestEnv::new().await;
    let of_length = |bytes: usize| "é".repeat((bytes - ".jsonl".len()) / 2) + ".jsonl";
    let (longest, too_long) = (of_length(1_008), of_length(1_018));
    env.arrive(&longest, rows(3, 0) + "nonsense\n").await;
    assert_eq!(env.summary(&longest).expect("a summary")["created"], 3);
    env.arrive(&too_long, rows(3, 0)).await;
    let keys = env.outside.keys("done/");
    let key = keys.iter().find(|key| !key.contains(&longest)).expect("a report");
    let summary = env.outside.text(key).expect("a report");
    assert!(key.len() <= 1_024 && summary.contains("its name has more than 1009 bytes"), "{key}: {summary}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replaced_object_replaces_both_reports_whenever_it_is_replaced() {
    let old = rows(12, 0) + "nonsense\n";
    let new = rows(9, 1);
    for call in (1..200).step_by(calls_apart(5)) {
        let env = IngestEnv::new().await;
        env.arrive("a.jsonl", "older nonsense\n").await;
        env.outside.upload("inbox/a.jsonl", old.clone().into_bytes());
        env.outside.replace_at(call, "inbox/a.jsonl", Some(new.clone().into_bytes()));
        assert!(env.invoke(&uploaded("a.jsonl"), None).await.is_some());
        env.drain().await;
        let is_over = !env.outside.is_replaced();
        if !is_over {
            assert!(env.invoke(&uploaded("a.jsonl"), None).await.is_some(), "the event of the second upload");
            env.drain().await;
            let summary = env.summary("a.jsonl").expect("a summary");
            let rows: u64 =
                ["created", "updated", "unchanged"].iter().map(|name| summary[name].as_u64().expect("n")).sum();
            assert_eq!((rows, &summary["rejected"]), (9, &json!(0)), "replaced at call {call}");
            assert_eq!(env.rejected("a.jsonl"), [], "replaced at call {call}");
            assert!(env.outside.is_summary_of_present_content("a.jsonl"), "replaced at call {call}");
        }
        assert_eq!(env.audit().await, []);
        if is_over {
            assert!(call > 10, "bucket and queue are called");
            return;
        }
    }
    panic!("an object has no end");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_object_that_is_replaced_within_a_second_is_newer_than_the_one_before() {
    let env = IngestEnv::new().await;
    env.outside.hold_clock();
    // The greater content comes first: of the same stamp, it would stay.
    let [first, second] = ["z", "a"].map(|title| json_lines(&[0, 1].map(|n| titled_row("s1", &format!("{n}"), title))));
    let counts = |created, updated, unchanged| json!({ "created": created, "updated": updated, "unchanged": unchanged, "rejected": 0 });
    for (content, extra, expected) in [
        (&first, "", counts(2, 0, 0)),
        (&second, "", counts(0, 2, 0)),
        (&second, "\n", counts(0, 0, 2)),
        (&first, "", counts(0, 2, 0)),
    ] {
        env.arrive("a.jsonl", format!("{content}{extra}")).await;
        assert_eq!(env.summary("a.jsonl"), Some(expected.clone()));
        // The same content in the same second is the same version: nothing is written, and the report stays.
        env.arrive("a.jsonl", format!("{content}{extra}")).await;
        assert_eq!(env.summary("a.jsonl"), Some(expected));
    }
    assert_eq!(env.titles().await.values().collect::<Vec<_>>(), ["z", "z"]);
    assert_eq!(env.audit().await, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_object_that_is_deleted_leaves_reports_of_what_was_read() {
    for call in 1..8 {
        let env = IngestEnv::new().await;
        env.outside.upload("inbox/a.jsonl", rows(12, 0).into_bytes());
        env.outside.replace_at(call, "inbox/a.jsonl", None);
        assert!(env.invoke(&uploaded("a.jsonl"), None).await.is_some());
        env.drain().await;
        let reviews = env.content().await.len();
        match env.summary("a.jsonl") {
            None => assert_eq!((call, reviews), (1, 0), "it was deleted before it was opened"),
            Some(summary) => assert_eq!((summary["created"].as_u64(), reviews), (Some(12), 12), "{summary}"),
        }
    }
    let env = IngestEnv::new().await;
    env.outside.upload("inbox/a.jsonl", rows(12, 0).into_bytes());
    // The splitter dies behind its registration, and the object is gone when it runs again.
    assert!(env.invoke(&uploaded("a.jsonl"), Some((4, CrashPoint::Before))).await.is_none());
    env.outside.remove("inbox/a.jsonl");
    assert!(env.invoke(&uploaded("a.jsonl"), None).await.is_some());
    env.drain().await;
    let summary = env.summary("a.jsonl").expect("a summary");
    assert_eq!(summary["error"], "the object was deleted before it was read to its end");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_object_that_is_deleted_after_its_splitter_died_at_any_call_has_a_report() {
    let file = rows(4, 0) + "nonsense\n";
    let upload = async || {
        let env = IngestEnv::new().await;
        env.outside.upload("inbox/a.jsonl", file.clone().into_bytes());
        env
    };
    let whole = upload().await;
    whole.outside.crash_at(None);
    assert!(whole.invoke(&uploaded("a.jsonl"), None).await.is_some());
    let (calls, outside_calls) = (whole.crash.calls(), whole.outside.calls());
    // The object is registered before the fourth call of DynamoDB, and before the second one of bucket and queue.
    let database = (4..=calls).step_by(calls_apart(3)).map(|call| (Some(call), None));
    let outside = (2..=outside_calls).step_by(calls_apart(2)).map(|call| (None, Some(call)));
    for (database, outside) in database.chain(outside) {
        for point in [CrashPoint::Before, CrashPoint::After] {
            let env = upload().await;
            env.outside.crash_at(outside.map(|call| (call, point)));
            let killed = format!("killed {point:?} call {database:?} of DynamoDB, or {outside:?} of bucket and queue");
            let answer = env.invoke(&uploaded("a.jsonl"), database.map(|call| (call, point))).await;
            assert!(answer.is_none(), "{killed}");
            env.outside.crash_at(None);
            env.outside.remove("inbox/a.jsonl");
            assert!(env.invoke(&uploaded("a.jsonl"), None).await.is_some(), "{killed}");
            env.drain().await;
            assert!(env.summary("a.jsonl").is_some(), "{killed}");
            assert_eq!(env.audit().await, [], "{killed}");
        }
    }
}
