//! Lambda events built from the records of a `DynamoDB` stream.
//!
//! Shape: <https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html>.

use std::collections::HashMap;

use aws_sdk_dynamodbstreams::types::{AttributeValue, OperationType, Record, StreamRecord, StreamViewType};
use aws_smithy_types::{Blob, DateTime};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Map, Value, json};

/// Builds the event of a batch of records of a shard. Lambda names the shard where the stream's events are in windows.
pub(super) fn build(records: &[Record], stream_arn: &str, shard_id: &str) -> Value {
    let records: Vec<_> = records.iter().map(|record| record_json(record, stream_arn)).collect();
    json!({ "Records": records, "shardId": shard_id })
}

/// Returns the event with the record of this number and all later ones, as Lambda hands them over again; `None` if it has no such record.
pub(crate) fn with_records_from(event: &Value, sequence_number: &str) -> Option<Value> {
    let records = event["Records"].as_array()?;
    let first = records.iter().position(|record| record["dynamodb"]["SequenceNumber"] == sequence_number)?;
    Some(json!({ "Records": records[first..], "shardId": event["shardId"] }))
}

/// Returns the event with only the records of these sequence numbers, or `None` if it has none of them.
pub(crate) fn with_records(event: &Value, sequence_numbers: &[String]) -> Option<Value> {
    let records = event["Records"].as_array()?;
    let selected: Vec<_> = records.iter().filter(|record| has_sequence_number(record, sequence_numbers)).collect();
    (!selected.is_empty()).then(|| json!({ "Records": selected }))
}

fn has_sequence_number(record: &Value, sequence_numbers: &[String]) -> bool {
    let number = record["dynamodb"]["SequenceNumber"].as_str();
    number.is_some_and(|number| sequence_numbers.iter().any(|wanted| wanted == number))
}

fn record_json(record: &Record, stream_arn: &str) -> Value {
    json!({
        "eventID": record.event_id,
        "eventName": record.event_name.as_ref().map(OperationType::as_str),
        "eventVersion": record.event_version,
        "eventSource": "aws:dynamodb",
        "awsRegion": record.aws_region,
        "dynamodb": record.dynamodb.as_ref().map(change_json),
        "eventSourceARN": stream_arn,
    })
}

fn change_json(change: &StreamRecord) -> Value {
    let mut fields = json!({
        "ApproximateCreationDateTime": change.approximate_creation_date_time.as_ref().map(DateTime::as_secs_f64),
        "SequenceNumber": change.sequence_number,
        "SizeBytes": change.size_bytes,
        "StreamViewType": change.stream_view_type.as_ref().map(StreamViewType::as_str),
    });
    for (name, item) in [("Keys", &change.keys), ("NewImage", &change.new_image), ("OldImage", &change.old_image)] {
        if let Some(item) = item {
            fields[name] = item_json(item);
        }
    }
    fields
}

fn item_json(item: &HashMap<String, AttributeValue>) -> Value {
    item.iter().map(|(name, value)| (name.clone(), value_json(value))).collect::<Map<_, _>>().into()
}

fn value_json(value: &AttributeValue) -> Value {
    match value {
        AttributeValue::S(text) => json!({ "S": text }),
        AttributeValue::N(digits) => json!({ "N": digits }),
        AttributeValue::B(bytes) => json!({ "B": base64(bytes) }),
        AttributeValue::Bool(is_true) => json!({ "BOOL": is_true }),
        AttributeValue::Null(is_null) => json!({ "NULL": is_null }),
        AttributeValue::Ss(texts) => json!({ "SS": texts }),
        AttributeValue::Ns(numbers) => json!({ "NS": numbers }),
        AttributeValue::Bs(blobs) => json!({ "BS": blobs.iter().map(base64).collect::<Vec<_>>() }),
        AttributeValue::L(list) => json!({ "L": list.iter().map(value_json).collect::<Vec<_>>() }),
        AttributeValue::M(map) => json!({ "M": item_json(map) }),
        _ => Value::Null,
    }
}

fn base64(bytes: &Blob) -> String {
    BASE64_STANDARD.encode(bytes)
}
