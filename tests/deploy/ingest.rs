//! Ingest of the template: the bucket, the queue and the function, and how they hold together.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::policies::{list, statements};
use super::template::{Resource, TEMPLATE, main_template, read};

/// Seconds after which a failed message is given up at the latest: long enough for an outage, and within the alarm's reach.
const LONGEST_UNTIL_GIVEN_UP: u64 = 2 * 60 * 60;

/// Returns the name of the bucket as a text.
fn bucket_name(value: &Value) -> &str {
    let words = &value["Fn::Sub"];
    let id = json!({ "Fn::Select": [0, { "Fn::Split": ["-", { "Fn::Select": [2, { "Fn::Split": ["/", { "Ref": "AWS::StackId" }] }] }] }] });
    assert_eq!(words[1], json!({ "Id": id }), "{value}");
    words[0].as_str().expect("a name")
}

fn bucket() -> Resource<'static> {
    TEMPLATE.resource("Bucket")
}

fn event_source() -> &'static Value {
    &TEMPLATE.resource("IngestFunction").property("Events")["Messages"]["Properties"]
}

#[test]
fn ingest_is_off_by_default_and_a_stack_of_its_own() {
    let main = main_template();
    assert_eq!(main["Parameters"]["Ingest"]["Default"], "false");
    assert_eq!(main["Conditions"]["UsesIngest"], json!({ "Fn::Equals": [{ "Ref": "Ingest" }, "true"] }));
    for (section, names) in
        [("Resources", ["IngestStack"].as_slice()), ("Outputs", &["IngestBucket", "IngestDeadLetterQueueUrl"])]
    {
        for name in names {
            assert_eq!(main[section][name]["Condition"], "UsesIngest", "{name}");
        }
    }
    // A condition of its own would hide a resource from the other tests.
    let nested = read("shared/stacks/ingest.yaml");
    let conditions = nested["Conditions"].as_object().expect("conditions");
    assert_eq!(conditions.keys().collect::<Vec<_>>(), ["IsTraced"]);
}

#[test]
fn function_role_and_permission_name_the_bucket_as_the_bucket_does() {
    let name = bucket_name(bucket().property("BucketName"));
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
fn bucket_is_private_encrypted_kept_and_forgets() {
    let bucket = bucket();
    assert_eq!(bucket.attribute("DeletionPolicy"), "RetainExceptOnCreate");
    assert_eq!(bucket.attribute("UpdateReplacePolicy"), "Retain");
    let encryption = &bucket.property("BucketEncryption")["ServerSideEncryptionConfiguration"][0];
    assert_eq!(encryption["ServerSideEncryptionByDefault"]["SSEAlgorithm"], "AES256");
    let blocked = bucket.property("PublicAccessBlockConfiguration").as_object().expect("settings");
    assert_eq!((blocked.len(), blocked.values().all(|is| *is == true)), (4, true));
    let rules = bucket.property("LifecycleConfiguration")["Rules"].as_array().expect("rules");
    let expiring = rules.iter().filter(|rule| rule["ExpirationInDays"].is_u64()).map(|rule| rule["Prefix"].as_str());
    assert_eq!(
        expiring.collect::<BTreeSet<_>>(),
        [Some("done/"), Some("inbox/"), Some("rejected/"), Some("work/")].into()
    );
    let policy = &TEMPLATE.resource("BucketRules").property("PolicyDocument")["Statement"][0];
    assert_eq!(
        (&policy["Effect"], &policy["Condition"]["Bool"]["aws:SecureTransport"]),
        (&json!("Deny"), &json!("false"))
    );
}

#[test]
fn new_objects_of_the_inbox_alone_invoke_the_alias_of_the_function() {
    let configurations = bucket().property("NotificationConfiguration");
    let [configuration] = &configurations["LambdaConfigurations"].as_array().expect("a list")[..] else {
        panic!("one")
    };
    assert_eq!(configuration["Event"], "s3:ObjectCreated:*");
    // A report that invoked the function would go round in a circle.
    assert_eq!(configuration["Filter"]["S3Key"]["Rules"], json!([{ "Name": "prefix", "Value": "inbox/" }]));
    let alias = json!({ "Ref": "IngestFunction.Alias" });
    assert_eq!(configuration["Function"], alias);
    let permission = TEMPLATE.resource("InboxPermission");
    assert_eq!(permission.property("FunctionName"), &alias);
    assert_eq!(permission.property("SourceAccount"), &json!({ "Ref": "AWS::AccountId" }));
    assert_eq!(bucket().attribute("DependsOn"), "InboxPermission");
}

#[test]
fn queue_keeps_order_within_a_group_and_hands_out_what_the_function_can_finish() {
    let queue = TEMPLATE.resource("Queue");
    assert_eq!(queue.property("FifoQueue"), true);
    for name in ["Queue", "DeadLetters"] {
        let queue = TEMPLATE.resource(name);
        assert!(
            queue.property("QueueName")["Fn::Sub"].as_str().is_some_and(|name| name.strip_suffix(".fifo").is_some()),
            "{name}"
        );
        assert_eq!(queue.property("SqsManagedSseEnabled"), true, "{name}");
        assert_eq!(queue.property("MessageRetentionPeriod"), 1_209_600, "{name}");
    }
    let of = |value: &Value| value.as_u64().expect("a number");
    let visibility = of(queue.property("VisibilityTimeout"));
    assert!(visibility >= 3 * of(TEMPLATE.resource("IngestFunction").property("Timeout")), "{visibility}");
    let redrive = queue.property("RedrivePolicy");
    assert_eq!(redrive["deadLetterTargetArn"], json!({ "Fn::GetAtt": ["DeadLetters", "Arn"] }));
    let until_given_up = visibility * of(&redrive["maxReceiveCount"]);
    assert!((3_600..LONGEST_UNTIL_GIVEN_UP).contains(&until_given_up), "{until_given_up}");

    assert_eq!(event_source()["Queue"], json!({ "Fn::GetAtt": ["Queue", "Arn"] }));
    assert_eq!(event_source()["FunctionResponseTypes"], json!(["ReportBatchItemFailures"]));
    assert_eq!(event_source()["BatchSize"], 10, "a FIFO queue hands out no more");
}

#[test]
fn number_of_batches_at_a_time_is_a_parameter_within_the_bounds_of_lambda() {
    let concurrency = json!({ "MaximumConcurrency": { "Ref": "IngestConcurrency" } });
    assert_eq!(event_source()["ScalingConfig"], concurrency);
    let parameter = TEMPLATE.at(&["Parameters", "IngestConcurrency"]);
    assert_eq!((&parameter["MinValue"], &parameter["MaxValue"]), (&json!(2), &json!(1_000)));
}

#[test]
fn events_that_cannot_be_served_are_kept_and_raise_the_alarm_of_dead_letters() {
    let settings = TEMPLATE.resource("IngestFunction").property("EventInvokeConfig");
    let kept = json!({ "Type": "SQS", "Destination": { "Fn::GetAtt": ["FailedEvents", "Arn"] } });
    assert_eq!(settings["DestinationConfig"]["OnFailure"], kept);
    let alarm = TEMPLATE.resource("IngestDeadLettersAlarm").property("Metrics").to_string();
    for queue in ["DeadLetters", "FailedEvents"] {
        assert!(alarm.contains(&json!({ "Fn::GetAtt": [queue, "QueueName"] }).to_string()), "{queue}");
    }
}
