//! Events of the template: the streams that invoke the publisher, their filters, and its rights.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::policies::{list, statements};
use super::template::{TEMPLATE, main_template, read};
use crate::events::fixture::EventFixture;

/// Returns the event sources of the publisher: the table, and the properties.
fn sources() -> Vec<(&'static str, &'static Value)> {
    let events = TEMPLATE.resource("PublisherFunction").property("Events").as_object().expect("events");
    let sources = events.values().map(|event| {
        assert_eq!(event["Type"], "DynamoDB");
        let properties = &event["Properties"];
        assert_eq!(properties["Stream"]["Fn::GetAtt"][1], "StreamArn");
        (properties["Stream"]["Fn::GetAtt"][0].as_str().expect("a table"), properties)
    });
    sources.collect()
}

/// Returns the pattern of a source.
fn pattern(properties: &Value) -> Value {
    let filters = properties["FilterCriteria"]["Filters"].as_array().expect("filters");
    assert_eq!(filters.len(), 1);
    serde_json::from_str(filters[0]["Pattern"].as_str().expect("a pattern")).expect("JSON")
}

/// True if a record fits a pattern, by the rules of Lambda that the patterns use: a list has the values, or `exists`.
fn fits(pattern: &Value, record: Option<&Value>) -> bool {
    match pattern {
        Value::Object(members) => {
            members.iter().all(|(name, pattern)| fits(pattern, record.and_then(|record| record.get(name))))
        }
        Value::Array(rules) => rules.iter().any(|rule| match rule.get("exists") {
            Some(exists) => record.is_some() == *exists,
            None => record == Some(rule),
        }),
        other => panic!("no rule: {other}"),
    }
}

#[test]
fn events_are_off_by_default_and_a_stack_of_its_own() {
    let main = main_template();
    assert_eq!(main["Parameters"]["Events"]["Default"], "false");
    assert_eq!(main["Conditions"]["SendsEvents"], json!({ "Fn::Equals": [{ "Ref": "Events" }, "true"] }));
    assert_eq!(main["Resources"]["EventsStack"]["Condition"], "SendsEvents");
    // A condition of its own would hide a resource from the other tests.
    let nested = read("shared/stacks/events.yaml");
    let conditions = nested["Conditions"].as_object().expect("conditions");
    assert_eq!(conditions.keys().collect::<Vec<_>>(), ["IsTraced"]);
    // Turning events on changes no table.
    for table in TEMPLATE.of_type("AWS::DynamoDB::Table") {
        assert!(!table.attribute("Properties").to_string().contains("SendsEvents"), "{}", table.name);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn filters_let_through_the_records_that_have_events_and_of_others_only_reviews() {
    let mut fixture = EventFixture::new().await;
    fixture.change_everything().await;
    let batches = fixture.batches().await;
    let (mut told, mut left_out) = (0, 0);
    for record in batches.iter().flat_map(|batch| batch["Records"].as_array().expect("records")) {
        let arn = record["eventSourceARN"].as_str().expect("an ARN");
        let (_, table) = arn.split_once(&format!("table/{}", fixture.stack.table_prefix())).expect("a table");
        let (table, _) = table.split_once('/').expect("a stream");
        let logical = format!("{}Table", table[..1].to_uppercase() + &table[1..]);
        let (_, source) = sources().into_iter().find(|(name, _)| *name == logical).expect("a source of the table");
        let is_told = presence_store::streamed_change::event_of(record).expect("a record").is_some();
        let passes = fits(&pattern(source), Some(record));
        // A review that is written without a change looks like any other.
        let is_review = record["dynamodb"]["Keys"]["sk"]["S"] == "R";
        assert_eq!(passes, is_told || is_review, "{}", record["dynamodb"]["Keys"]);
        told += usize::from(is_told);
        left_out += usize::from(!passes);
    }
    assert_eq!(told, 10);
    assert!(left_out > 10, "{left_out} records of other items");
}

#[test]
fn each_stream_goes_on_at_the_record_that_failed_and_gives_up_into_a_queue_before_it_forgets() {
    let tables: BTreeSet<_> = sources().into_iter().map(|(table, _)| table).collect();
    assert_eq!(tables, ["AuditTable", "ReviewsTable", "UsersTable"].into());
    for (table, source) in sources() {
        assert_eq!(source["FunctionResponseTypes"], json!(["ReportBatchItemFailures"]), "{table}");
        assert_eq!(source["BisectBatchOnFunctionError"], true, "{table}");
        // A stream forgets after a day. No number of attempts ends an event.
        assert_eq!(
            (&source["MaximumRecordAgeInSeconds"], &source["MaximumRetryAttempts"]),
            (&json!(82_800), &Value::Null)
        );
        let queue = json!({ "Type": "SQS", "Destination": { "Fn::GetAtt": ["PublisherDeadLetters", "Arn"] } });
        assert_eq!(source["DestinationConfig"]["OnFailure"], queue, "{table}");
        assert_eq!(source["StartingPosition"], "TRIM_HORIZON", "{table}");
    }
    let alarm = TEMPLATE.resource("EventsDeadLettersAlarm").property("Dimensions");
    assert_eq!(alarm[0]["Value"], json!({ "Fn::GetAtt": ["PublisherDeadLetters", "QueueName"] }));
}

#[test]
fn publisher_reads_three_streams_writes_to_its_bus_and_queue_and_reads_no_table() {
    let role = statements(TEMPLATE.resource("PublisherRole")).iter();
    let rights: Vec<_> = role.map(|one| json!([one["Sid"], one["Action"], one["Resource"]])).collect();
    let stream = |table: &str| json!({ "Fn::GetAtt": [table, "StreamArn"] });
    let calls =
        ["DescribeStream", "GetRecords", "GetShardIterator", "ListStreams"].map(|call| format!("dynamodb:{call}"));
    let expected = [
        json!(["Logs", ["logs:CreateLogStream", "logs:PutLogEvents"], { "Fn::GetAtt": ["PublisherLogs", "Arn"] }]),
        json!(["Changes", calls, [stream("UsersTable"), stream("AuditTable"), stream("ReviewsTable")]]),
        json!(["DeadLetters", "sqs:SendMessage", { "Fn::GetAtt": ["PublisherDeadLetters", "Arn"] }]),
        json!(["Send", "events:PutEvents", { "Fn::GetAtt": ["EventBus", "Arn"] }]),
    ];
    assert_eq!(rights, expected);
    let function = TEMPLATE.resource("PublisherFunction");
    let variables = &function.property("Environment")["Variables"];
    assert_eq!(list(&variables["EVENT_BUS"]), list(TEMPLATE.resource("EventBus").property("Name")));
    // It has no name of a table.
    assert_eq!(variables.as_object().map(serde_json::Map::len), Some(3));
}
