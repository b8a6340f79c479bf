//! HTTP connector with the protocol of `DynamoDB`: it reads requests, cuts answers into pages and reports their capacity.

use std::sync::Arc;

use aws_sdk_dynamodb::config::RuntimeComponents;
use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_runtime_api::http::StatusCode;
use aws_smithy_types::body::SdkBody;
use presence_store::schema;
use serde_json::{Map, Value, json};

use super::recorder::Recorder;
use super::tables::{Item, SortKeyRange, SyntheticTables};
use super::writes::{self, WriteCost};

/// Bytes of items after which a page of a Query ends.
const PAGE_BYTES: usize = 1024 * 1024;
/// Bytes of a strongly consistent read that cost one unit.
const UNIT_BYTES: usize = 4096;

/// Connector that answers in the place of `DynamoDB`.
#[derive(Clone, Debug)]
pub(super) struct SyntheticConnector {
    tables: Arc<SyntheticTables>,
    recorder: Arc<Recorder>,
}

/// Answer of a call, and the capacity that it took.
pub(super) struct Answer {
    pub(super) status: StatusCode,
    pub(super) body: Value,
    pub(super) writes: Vec<WriteCost>,
    pub(super) reads: Vec<ReadCost>,
}

/// Units that a read takes from a partition.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ReadCost {
    pub(super) is_index: bool,
    /// Partition key of the table or of the index.
    pub(super) partition: String,
    pub(super) units: f64,
}

/// Page of a Query.
struct QueryPage {
    items: Vec<Item>,
    bytes: usize,
    /// True if the page ended by its limit or its size, so that more items may follow.
    has_more: bool,
}

impl SyntheticConnector {
    pub(super) fn new(tables: Arc<SyntheticTables>, recorder: Arc<Recorder>) -> Self {
        Self { tables, recorder }
    }

    /// Returns the answer of a read or write. Returns `None` for everything else.
    fn answer(&self, request: &HttpRequest) -> Option<Answer> {
        let operation = request.headers().get("x-amz-target")?.rsplit('.').next()?;
        let body: Value = serde_json::from_slice(request.body().bytes()?).ok()?;
        if self.recorder.throttles(operation, &body) {
            return Some(Answer::throttled(operation));
        }
        let answer = match operation {
            "Query" => self.query(&body),
            "GetItem" => Some(self.get(&body)),
            "BatchGetItem" => self.batch_get(&body),
            "PutItem" | "UpdateItem" | "DeleteItem" => writes::write(&self.tables, &body),
            "TransactWriteItems" => writes::transact(&self.tables, &body),
            _ => None,
        }?;
        self.recorder.record(&answer);
        Some(answer)
    }

    fn query(&self, body: &Value) -> Option<Answer> {
        let range = query_range(body)?;
        let partition = &body["ExpressionAttributeValues"][":partition"];
        let is_forward = body["ScanIndexForward"].as_bool().unwrap_or(true);
        let limit = usize::try_from(body["Limit"].as_u64()?).ok()?;
        let page = match body["IndexName"].as_str() {
            None => {
                take_page(directed(self.tables.query_partition(partition["S"].as_str()?, range), is_forward), limit)
            }
            Some(name) if name == schema::CITY_INDEX.name => {
                let entries = self.tables.city_entries(partition["N"].as_str()?, &range);
                take_page(directed(entries.into_iter(), is_forward), limit)
            }
            Some(_) => take_page(self.tables.listing(partition["N"].as_str()?, &range, is_forward), limit),
        };
        let mut answer = json!({ "Count": page.items.len(), "ScannedCount": page.items.len() });
        if page.has_more {
            answer["LastEvaluatedKey"] = key_of(page.items.last()?).into();
        }
        let units = read_units(page.bytes, body);
        answer["ConsumedCapacity"] = capacity(&body["TableName"], units);
        answer["Items"] = page.items.into();
        let partition = partition["S"].as_str().or(partition["N"].as_str()).unwrap_or_default().to_owned();
        Some(Answer::read(answer, vec![ReadCost { is_index: body["IndexName"].is_string(), partition, units }]))
    }

    fn get(&self, body: &Value) -> Answer {
        let item = self.get_item(&body["Key"]);
        let cost = read_cost(&body["Key"], item.as_ref(), body);
        let mut answer = json!({ "ConsumedCapacity": capacity(&body["TableName"], cost.units) });
        if let Some(item) = item {
            answer["Item"] = item.into();
        }
        Answer::read(answer, vec![cost])
    }

    fn batch_get(&self, body: &Value) -> Option<Answer> {
        let (table, request) = body["RequestItems"].as_object()?.iter().next()?;
        let (mut items, mut costs) = (Vec::new(), Vec::new());
        for key in request["Keys"].as_array()? {
            let item = self.get_item(key);
            costs.push(read_cost(key, item.as_ref(), request));
            items.extend(item);
        }
        let capacity = capacity(&json!(table), costs.iter().map(|cost| cost.units).sum());
        let body = json!({ "Responses": { table: items }, "UnprocessedKeys": {}, "ConsumedCapacity": [capacity] });
        Some(Answer::read(body, costs))
    }

    fn get_item(&self, key: &Value) -> Option<Item> {
        self.tables.get(key["pk"]["S"].as_str()?, key["sk"]["S"].as_str())
    }
}

impl Answer {
    fn read(body: Value, reads: Vec<ReadCost>) -> Self {
        let status = StatusCode::try_from(200).expect("a status");
        Self { status, body, writes: Vec::new(), reads }
    }
}

/// Returns the cost of a read of one item.
fn read_cost(key: &Value, item: Option<&Item>, request: &Value) -> ReadCost {
    let partition = key["pk"]["S"].as_str().unwrap_or_default().to_owned();
    ReadCost { is_index: false, partition, units: read_units(item.map_or(0, item_bytes), request) }
}

/// Returns the range of sort keys of a Query. The key after which it starts is no part of it.
fn query_range(body: &Value) -> Option<SortKeyRange> {
    let value = |name: &str| body["ExpressionAttributeValues"][name]["S"].as_str();
    let between = value(":from").zip(value(":to"));
    let between = between.map(|(from, to)| SortKeyRange { from: from.to_owned(), to: to.to_owned() });
    let mut range = between.unwrap_or_else(SortKeyRange::all);
    let start = &body["ExclusiveStartKey"];
    if !start.is_null() {
        // No search reads a second page, and only a log has several: forwards, in the table.
        let is_forward = body["ScanIndexForward"].as_bool().unwrap_or(true) && body["IndexName"].is_null();
        range.from = start["sk"]["S"].as_str().filter(|_| is_forward)?.to_owned() + "\0";
    }
    Some(range)
}

/// Returns the items in the order of a Query.
fn directed<'a>(
    items: impl DoubleEndedIterator<Item = Item> + 'a,
    is_forward: bool,
) -> Box<dyn Iterator<Item = Item> + 'a> {
    if is_forward { Box::new(items) } else { Box::new(items.rev()) }
}

impl HttpConnector for SyntheticConnector {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let connector = self.clone();
        HttpConnectorFuture::new(async move {
            let answer = connector.answer(&request);
            connector.recorder.pause().await;
            let answer = answer.ok_or_else(|| ConnectorError::user("this call is not supported".into()))?;
            Ok(HttpResponse::new(answer.status, SdkBody::from(answer.body.to_string())))
        })
    }
}

impl HttpClient for SyntheticConnector {
    fn http_connector(&self, _: &HttpConnectorSettings, _: &RuntimeComponents) -> SharedHttpConnector {
        SharedHttpConnector::new(self.clone())
    }
}

/// Takes the items of one page. The item that exceeds the size belongs to the next page, unless it is the only one.
fn take_page(items: impl Iterator<Item = Item>, limit: usize) -> QueryPage {
    let mut page = QueryPage { items: Vec::new(), bytes: 0, has_more: false };
    for item in items {
        let bytes = item_bytes(&item);
        page.has_more = page.bytes + bytes > PAGE_BYTES && !page.items.is_empty();
        if page.has_more {
            break;
        }
        page.bytes += bytes;
        page.items.push(item);
        page.has_more = page.items.len() == limit;
        if page.has_more {
            break;
        }
    }
    page
}

/// Returns the key attributes that an item has, of the table and of its index.
fn key_of(item: &Item) -> Map<String, Value> {
    let names = ["pk", "sk", "org_id", "effective_listing"];
    names.iter().filter_map(|name| Some(((*name).to_owned(), item.get(*name)?.clone()))).collect()
}

fn capacity(table: &Value, units: f64) -> Value {
    json!({ "TableName": table, "CapacityUnits": units })
}

/// Returns the units of a read. An eventual one costs half of a strong one. A read of nothing costs as much as one of 4 KB.
#[expect(clippy::cast_precision_loss, reason = "a page has a few hundred units")]
fn read_units(bytes: usize, request: &Value) -> f64 {
    let is_strong = request["ConsistentRead"].as_bool().unwrap_or(false);
    bytes.div_ceil(UNIT_BYTES).max(1) as f64 * if is_strong { 1.0 } else { 0.5 }
}

/// Returns the size of an item: names, texts and binary values by their bytes, numbers by their digits.
pub(super) fn item_bytes(item: &Item) -> usize {
    item.iter().map(|(name, value)| name.len() + value_bytes(value)).sum()
}

fn value_bytes(value: &Value) -> usize {
    match (value["S"].as_str(), value["B"].as_str(), value["N"].as_str()) {
        (Some(text), _, _) => text.len(),
        // Four characters of base 64 stand for three bytes, and each `=` at the end for one byte fewer.
        (_, Some(encoded), _) => encoded.len() / 4 * 3 - encoded.bytes().rev().take_while(|byte| *byte == b'=').count(),
        (_, _, Some(digits)) => number_bytes(digits),
        _ => 0,
    }
}

/// Returns the size of a number: one byte, and one for every two digits. Zeros at the end take no space.
fn number_bytes(digits: &str) -> usize {
    digits.trim_start_matches('-').trim_end_matches('0').len().div_ceil(2) + 1 + usize::from(digits.starts_with('-'))
}
