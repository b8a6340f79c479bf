//! Records of a table's stream, in the form in which Lambda hands them to a function.

use aws_sdk_dynamodbstreams::types::{AttributeValue, OperationType, Record, StreamRecord, StreamViewType};
use aws_smithy_types::{Blob, DateTime};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Map, Value, json};

/// The event of a batch.
pub(super) fn event(records: &[Record], stream_arn: &str) -> Value {
    json!({ "Records": records.iter().map(|one| record(one, stream_arn)).collect::<Vec<_>>() })
}

/// The same event with only the records of these sequence numbers; none when there are none.
pub(super) fn only(event: &Value, sequence_numbers: &[String]) -> Option<Value> {
    let records = event["Records"].as_array()?;
    let wanted = |record: &&Value| {
        let number = record["dynamodb"]["SequenceNumber"].as_str();
        number.is_some_and(|number| sequence_numbers.iter().any(|wanted| wanted == number))
    };
    let records: Vec<_> = records.iter().filter(wanted).collect();
    (!records.is_empty()).then(|| json!({ "Records": records }))
}

fn record(record: &Record, stream_arn: &str) -> Value {
    json!({
        "eventID": record.event_id,
        "eventName": record.event_name.as_ref().map(OperationType::as_str),
        "eventVersion": record.event_version,
        "eventSource": "aws:dynamodb",
        "awsRegion": record.aws_region,
        "dynamodb": record.dynamodb.as_ref().map(change),
        "eventSourceARN": stream_arn,
    })
}

fn change(change: &StreamRecord) -> Value {
    let mut fields = json!({
        "ApproximateCreationDateTime": change.approximate_creation_date_time.as_ref().map(DateTime::as_secs_f64),
        "SequenceNumber": change.sequence_number,
        "SizeBytes": change.size_bytes,
        "StreamViewType": change.stream_view_type.as_ref().map(StreamViewType::as_str),
    });
    for (name, item) in [("Keys", &change.keys), ("NewImage", &change.new_image), ("OldImage", &change.old_image)] {
        if let Some(item) = item {
            fields[name] =
                item.iter().map(|(name, value)| (name.clone(), attribute(value))).collect::<Map<_, _>>().into();
        }
    }
    fields
}

fn attribute(value: &AttributeValue) -> Value {
    let base64 = |bytes: &Blob| BASE64_STANDARD.encode(bytes);
    match value {
        AttributeValue::S(text) => json!({ "S": text }),
        AttributeValue::N(digits) => json!({ "N": digits }),
        AttributeValue::B(bytes) => json!({ "B": base64(bytes) }),
        AttributeValue::Bool(is) => json!({ "BOOL": is }),
        AttributeValue::Null(is) => json!({ "NULL": is }),
        AttributeValue::Ss(texts) => json!({ "SS": texts }),
        AttributeValue::Ns(numbers) => json!({ "NS": numbers }),
        AttributeValue::Bs(all) => json!({ "BS": all.iter().map(base64).collect::<Vec<_>>() }),
        AttributeValue::L(list) => json!({ "L": list.iter().map(attribute).collect::<Vec<_>>() }),
        AttributeValue::M(map) => {
            json!({ "M": map.iter().map(|(name, value)| (name.clone(), attribute(value))).collect::<Map<_, _>>() })
        }
        _ => Value::Null,
    }
}
