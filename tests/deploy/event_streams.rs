//! Filters of the streams that invoke the publisher.

use serde_json::Value;

use super::template::TEMPLATE;
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
        let is_told = !presence_store::streamed_change::events_of(record).expect("a record").is_empty();
        let passes = fits(&pattern(source), Some(record));
        // A review that is written without a change looks like any other.
        let is_review = record["dynamodb"]["Keys"]["sk"]["S"] == "R";
        assert_eq!(passes, is_told || is_review, "{}", record["dynamodb"]["Keys"]);
        told += usize::from(is_told);
        left_out += usize::from(!passes);
    }
    assert_eq!(told, 21);
    assert!(left_out > 10, "{left_out} records of other items");
}
