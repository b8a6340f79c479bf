//! Rows and messages that nobody can use.

use std::collections::BTreeMap;

use presence_ingest::QueueMessage;
use presence_runtime::batch_response::BatchResponse;
use serde_json::{Value, json};

use super::ingest_env::{IngestEnv, json_lines, titled_row, uploaded};

fn message(group_id: &str, name: &str, body: &str, attributes: &[(&str, &str)]) -> QueueMessage {
    let attributes: BTreeMap<String, String> =
        attributes.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    QueueMessage { group_id: group_id.to_owned(), deduplication_id: name.to_owned(), body: body.to_owned(), attributes }
}

/// Fields of a row in the order in which they are declared.
const FIELDS: &str = "business_id partner partner_id key author_name date update_date delete_date rating title content \
                      reply_comment state link seen_at stamp acts";

/// Returns a line with the values of a row in a list.
fn values_of(row: &Value) -> String {
    let values: Vec<Value> = FIELDS.split(' ').map(|name| row[name].clone()).collect();
    format!("{}\n", Value::from(values))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_poison_row_is_reported_and_holds_nothing_up() {
    let env = IngestEnv::new().await;
    let long = format!("{{\"business_id\":\"{}\"}}", "x".repeat(2 << 20));
    let file = [
        json_lines(&[titled_row("s1", "before", "t")]).into_bytes(),
        b"\xff\xfe\n{\"a\":\n".to_vec(),
        values_of(&titled_row("s1", "a list", "t")).into_bytes(),
        (long + "\n").into_bytes(),
        json_lines(&[titled_row("s1", "behind", "t")]).into_bytes(),
    ];
    env.arrive("a.jsonl", file.concat()).await;
    assert_eq!(env.summary("a.jsonl"), Some(json!({ "created": 2, "updated": 0, "unchanged": 0, "rejected": 4 })));
    let rejected = env.rejected("a.jsonl");
    assert_eq!(rejected.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [2, 3, 4, 5]);
    assert_eq!(rejected[0].1, "is not valid UTF-8 (byte 1)");
    assert_eq!(rejected[2].1, "must be a JSON object");
    assert_eq!(rejected[3].1, "the line is longer than 1048576 bytes");
    assert_eq!(env.titles().await.len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_of_a_message_of_another_sender_are_written_and_its_rejected_rows_are_kept() {
    let env = IngestEnv::new().await;
    let body = json_lines(&[titled_row("s1", "x", "t"), json!({ "nonsense": 1 }), titled_row("s9", "y", "t")]);
    env.outside.send(message("1-0", "live", &body, &[]));
    env.drain().await;
    assert_eq!(env.titles().await.len(), 1);
    let keys = env.outside.keys("rejected/");
    assert_eq!(keys, ["rejected/messages/message-1.jsonl"]);
    assert_eq!(env.outside.text(&keys[0]).expect("a report").lines().count(), 2);
    assert_eq!(env.audit().await, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_messages_of_one_millisecond_the_one_that_was_sent_last_wins_also_when_another_one_comes_again() {
    let env = IngestEnv::new().await;
    let send = |name: &str, rows: &[Value]| env.outside.send(message("1-0", name, &json_lines(rows), &[]));
    // The last word has the smaller text, and the smaller line.
    send("first", &[titled_row("s1", "y", "y"), titled_row("s1", "x", "the first word")]);
    send("second", &[titled_row("s1", "x", "another word")]);
    send("third", &[titled_row("s1", "x", "a last word")]);
    let in_order = env.outside.messages();
    env.drain().await;
    assert_eq!(env.titles().await["x"], "a last word");
    for again in [&in_order[..1], &in_order[1..2], &in_order[..2], &in_order[..]] {
        assert_eq!(env.deliver(again, None).await, Vec::<String>::new());
        assert_eq!(env.titles().await["x"], "a last word");
    }
    assert_eq!(env.audit().await, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_row_of_the_far_future_is_rejected_and_does_not_block_later_rows() {
    let env = IngestEnv::new().await;
    let future = |title: &str| {
        let mut row = titled_row("s1", "x", title);
        row["seen_at"] = json!("9999-12-31");
        row
    };
    let reason = "seen_at: must not be more than 24 hours in the future";
    env.arrive("future.jsonl", json_lines(&[titled_row("s1", "x", "first"), future("future")])).await;
    let counts = json!({ "created": 1, "updated": 0, "unchanged": 0, "rejected": 1 });
    assert_eq!(env.summary("future.jsonl"), Some(counts));
    assert_eq!(env.rejected("future.jsonl"), [(2, reason.to_owned())]);
    env.outside.send(message("1-0", "live", &json_lines(&[future("live")]), &[]));
    env.drain().await;
    let report = env.outside.text("rejected/messages/message-2.jsonl").expect("a report of the rejected row");
    assert!(report.contains(reason), "{report}");
    assert_eq!(env.titles().await["x"], "first");
    env.arrive("later.jsonl", json_lines(&[titled_row("s1", "x", "later")])).await;
    assert_eq!(env.titles().await["x"], "later");
    assert_eq!(env.audit().await, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_that_cannot_be_read_fails_alone_and_those_behind_it_are_written() {
    let env = IngestEnv::new().await;
    let row = |name: &str| json_lines(&[titled_row("s1", name, "t")]);
    env.outside.send(message("1-0", "before", &row("before"), &[]));
    env.outside.send(message("1-0", "poison", &row("poison"), &[("object", "a.jsonl"), ("lines", "x")]));
    env.outside.send(message("1-1", "other", &row("other"), &[]));
    env.outside.send(message("1-0", "behind", &row("behind"), &[]));
    let failed = env.deliver(&env.outside.messages(), None).await;
    // The queue moves it to the dead-letter queue in the end, and what was received as often would go with it.
    assert_eq!(failed, ["message-2"]);
    assert_eq!(env.titles().await.into_keys().collect::<Vec<_>>(), ["before", "behind", "other"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn other_events_are_ignored() {
    let env = IngestEnv::new().await;
    for event in [json!({ "Service": "Amazon S3", "Event": "s3:TestEvent" }), json!({}), json!({ "Records": [] })] {
        assert_eq!(env.invoke(&event, None).await, Some(BatchResponse::default()), "{event}");
    }
    assert!(env.invoke(&uploaded("never there.jsonl"), None).await.is_some());
    assert_eq!((env.outside.keys("done/"), env.outside.messages().len()), (vec![], 0));
}
