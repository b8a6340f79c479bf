//! Capacity that the answer of a call names.

use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_types::body::SdkBody;
use aws_smithy_types::byte_stream::ByteStream;
use serde_json::Value;

/// Returns the units of an answer, whose `ConsumedCapacity` is one object, or a list with one for each table. Reads the body to its
/// end, and leaves it in the answer.
pub(crate) async fn read_consumed_units(response: &mut HttpResponse) -> Result<f64, ConnectorError> {
    let bytes = ByteStream::new(response.take_body()).collect().await;
    let bytes = bytes.map_err(|error| ConnectorError::io(error.into()))?.into_bytes();
    let answer: Value = serde_json::from_slice(&bytes).unwrap_or_default();
    *response.body_mut() = SdkBody::from(bytes);
    let capacity = &answer["ConsumedCapacity"];
    let tables = capacity.as_array().map_or(std::slice::from_ref(capacity), Vec::as_slice);
    Ok(tables.iter().filter_map(|table| table["CapacityUnits"].as_f64()).sum())
}
