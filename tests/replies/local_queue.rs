//! Local SQS: it serves what the publisher and a connector call, with the order of a FIFO queue.

use presence_tests::{TestStack, send};
use serde_json::{Value, json};

const KIND: &str = "application/x-amz-json-1.0";

/// Makes a call, and returns status and answer.
async fn call(stack: &TestStack, operation: &str, kind: &str, body: &Value) -> (u16, Value) {
    let request = stack.request_at("POST", &format!("{}/", stack.local.sqs_url()));
    let request = request.header("x-amz-target", operation).header("content-type", kind).body(body.to_string());
    let reply = send(request).await;
    (reply.status, serde_json::from_str(&reply.text).expect("JSON"))
}

fn entry(group: &str, version: u64) -> Value {
    let id = format!("{group}-{version}");
    json!({ "Id": id, "MessageBody": json!(id).to_string(), "MessageGroupId": group, "MessageDeduplicationId": id })
}

/// Receives up to ten messages. Returns the body and the receipt of each.
async fn receive(stack: &TestStack) -> Vec<(String, String)> {
    let (_, answer) = call(stack, "AmazonSQS.ReceiveMessage", KIND, &json!({ "MaxNumberOfMessages": 10 })).await;
    let text = |value: &Value| value.as_str().expect("a text").replace('"', "");
    answer["Messages"]
        .as_array()
        .expect("messages")
        .iter()
        .map(|one| (text(&one["Body"]), text(&one["ReceiptHandle"])))
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_waits_for_the_earlier_ones_of_its_review_and_for_no_other() {
    let stack = TestStack::start().await;
    let entries = [entry("a", 1), entry("a", 2), entry("b", 1), entry("a", 1)];
    let (status, answer) = call(&stack, "AmazonSQS.SendMessageBatch", KIND, &json!({ "Entries": entries })).await;
    assert_eq!((status, answer["Successful"].as_array().map(Vec::len), &answer["Failed"]), (200, Some(4), &json!([])));
    assert_eq!(
        stack.local.replies().messages(),
        [json!("a-1"), json!("a-2"), json!("b-1")],
        "the second a-1 is dropped"
    );
    let first = receive(&stack).await;
    let bodies = |messages: &[(String, String)]| messages.iter().map(|(body, _)| body.clone()).collect::<Vec<_>>();
    assert_eq!(bodies(&first), ["a-1", "b-1"]);
    assert!(receive(&stack).await.is_empty(), "those in flight are not handed out again, and a-2 waits");
    call(&stack, "AmazonSQS.DeleteMessage", KIND, &json!({ "ReceiptHandle": first[0].1 })).await;
    assert_eq!(bodies(&receive(&stack).await), ["a-2"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_local_queue_takes_calls_of_its_protocol_only() {
    let stack = TestStack::start().await;
    let send = "AmazonSQS.SendMessageBatch";
    for (operation, kind, body, code) in [
        ("AmazonSQS.PurgeQueue", KIND, json!({}), "UnsupportedOperation"),
        (send, "text/plain", json!({ "Entries": [entry("a", 1)] }), "UnsupportedOperation"),
        (send, KIND, json!({ "Entries": [] }), "InvalidParameterValue"),
        (send, KIND, json!({ "Entries": vec![entry("a", 1); 11] }), "InvalidParameterValue"),
        (send, KIND, json!({ "Entries": [{ "Id": "1" }] }), "InvalidParameterValue"),
        ("AmazonSQS.ReceiveMessage", KIND, json!({ "MaxNumberOfMessages": 11 }), "InvalidParameterValue"),
        ("AmazonSQS.ReceiveMessage", KIND, json!({ "WaitTimeSeconds": 21 }), "InvalidParameterValue"),
        ("AmazonSQS.DeleteMessage", KIND, json!({}), "InvalidParameterValue"),
    ] {
        let (status, answer) = call(&stack, operation, kind, &body).await;
        assert_eq!((status, &answer["__type"]), (400, &json!(code)), "{operation} {body}");
    }
    assert_eq!(stack.local.replies().messages(), Vec::<Value>::new());
}
