//! Bucket and queues of ingest: their names, and the alarm on them.

use std::collections::BTreeSet;

use presence_domain::ingest::delivery::{BATCH_MESSAGES, INVISIBLE_TIME, INVOCATION_TIME, MAX_RECEIVES};
use serde_json::{Value, json};

use super::policies::{list, statements};
use super::template::TEMPLATE;

/// Returns the name of the bucket as a text.
fn bucket_name(value: &Value) -> &str {
    let words = &value["Fn::Sub"];
    let id = json!({ "Fn::Select": [0, { "Fn::Split": ["-", { "Fn::Select": [2, { "Fn::Split": ["/", { "Ref": "AWS::StackId" }] }] }] }] });
    assert_eq!(words[1], json!({ "Id": id }), "{value}");
    words[0].as_str().expect("a name")
}

#[test]
fn function_role_and_permission_name_the_bucket_as_the_bucket_does() {
    let name = bucket_name(TEMPLATE.resource("Bucket").property("BucketName"));
    let variables = &TEMPLATE.resource("IngestFunction").property("Environment")["Variables"];
    assert_eq!(bucket_name(&variables["INGEST_BUCKET"]), name);
    let arn = format!("arn:${{AWS::Partition}}:s3:::{name}");
    assert_eq!(bucket_name(TEMPLATE.resource("InboxPermission").property("SourceArn")), arn);
    let role = statements(TEMPLATE.resource("IngestRole")).iter();
    let of_bucket = role.filter(|one| list(&one["Action"])[0].as_str().is_some_and(|action| action.starts_with("s3:")));
    let resources: BTreeSet<_> = of_bucket.flat_map(|one| list(&one["Resource"])).map(bucket_name).collect();
    let folders = ["", "/done/*", "/inbox/*", "/rejected/*", "/work/*"].map(|folder| format!("{arn}{folder}"));
    assert_eq!(resources, folders.iter().map(String::as_str).collect());
}

#[test]
fn messages_and_events_that_were_given_up_raise_the_alarm_of_dead_letters() {
    let alarm = TEMPLATE.resource("IngestDeadLettersAlarm").property("Metrics").to_string();
    for queue in ["DeadLetters", "FailedEvents"] {
        assert!(alarm.contains(&json!({ "Fn::GetAtt": [queue, "QueueName"] }).to_string()), "{queue}");
    }
}

#[test]
fn queue_and_function_have_the_numbers_of_the_code() {
    let (queue, function) = (TEMPLATE.resource("Queue"), TEMPLATE.resource("IngestFunction"));
    let messages = &function.property("Events")["Messages"]["Properties"];
    assert_eq!(queue.property("VisibilityTimeout"), &json!(INVISIBLE_TIME.as_secs()));
    assert_eq!(queue.property("RedrivePolicy")["maxReceiveCount"], json!(MAX_RECEIVES));
    assert_eq!(function.property("Timeout"), &json!(INVOCATION_TIME.as_secs()));
    assert_eq!(messages["BatchSize"], json!(BATCH_MESSAGES));
}
