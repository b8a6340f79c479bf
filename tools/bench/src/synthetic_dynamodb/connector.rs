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
use serde_json::{Map, Value, json};

use super::tables::{Item, SortKeyRange, SyntheticTables};

/// Bytes of items after which a page of a Query ends.
const PAGE_BYTES: usize = 1024 * 1024;
/// Bytes of a strongly consistent read that cost one unit.
const UNIT_BYTES: usize = 4096;

/// Connector that answers in the place of `DynamoDB`.
#[derive(Clone, Debug)]
pub(super) struct SyntheticConnector {
    tables: Arc<SyntheticTables>,
}

/// Page of a Query.
struct QueryPage {
    items: Vec<Item>,
    bytes: usize,
    /// True if the page ended by its limit or its size, so that more items may follow.
    has_more: bool,
}

impl SyntheticConnector {
    pub(super) fn new(tables: Arc<SyntheticTables>) -> Self {
        Self { tables }
    }

    /// Returns the answer of a read. Returns `None` for everything else.
    fn answer(&self, request: &HttpRequest) -> Option<Value> {
        let operation = request.headers().get("x-amz-target")?.rsplit('.').next()?;
        let body: Value = serde_json::from_slice(request.body().bytes()?).ok()?;
        match operation {
            "Query" => self.query(&body),
            "BatchGetItem" => self.batch_get(&body),
            _ => None,
        }
    }

    fn query(&self, body: &Value) -> Option<Value> {
        let value = |name: &str| body["ExpressionAttributeValues"][name]["S"].as_str();
        let range = value(":from").zip(value(":to"));
        let range = range.map(|(from, to)| SortKeyRange { from: from.to_owned(), to: to.to_owned() });
        let partition = value(":partition")?;
        let (sort_key, items) = match body["IndexName"].as_str() {
            None => ("sk", self.tables.query_partition(partition, range.as_ref())),
            Some(_) => ("effective_listing", self.tables.query_business_index(partition, range.as_ref())),
        };
        let start = body["ExclusiveStartKey"][sort_key]["S"].as_str();
        let remaining =
            items.into_iter().skip_while(|item| start.is_some_and(|start| item[sort_key]["S"].as_str() <= Some(start)));
        let limit = usize::try_from(body["Limit"].as_u64()?).ok()?;
        let page = take_page(remaining, limit);
        let mut answer = json!({ "Count": page.items.len(), "ScannedCount": page.items.len() });
        if page.has_more {
            answer["LastEvaluatedKey"] = key_of(page.items.last()?).into();
        }
        let is_consistent = body["ConsistentRead"].as_bool().unwrap_or(false);
        let units = read_units(page.bytes) * if is_consistent { 1.0 } else { 0.5 };
        answer["ConsumedCapacity"] = capacity(&body["TableName"], units);
        answer["Items"] = page.items.into();
        Some(answer)
    }

    fn batch_get(&self, body: &Value) -> Option<Value> {
        let (table, request) = body["RequestItems"].as_object()?.iter().next()?;
        let (mut items, mut units) = (Vec::new(), 0.0);
        for key in request["Keys"].as_array()? {
            let item = self.tables.get(key["pk"]["S"].as_str()?);
            units += read_units(item.as_ref().map_or(0, item_bytes));
            items.extend(item);
        }
        let capacity = capacity(&json!(table), units);
        Some(json!({ "Responses": { table: items }, "UnprocessedKeys": {}, "ConsumedCapacity": [capacity] }))
    }
}

impl HttpConnector for SyntheticConnector {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let connector = self.clone();
        HttpConnectorFuture::new(async move {
            let answer = connector.answer(&request);
            let answer = answer.ok_or_else(|| ConnectorError::user("only reads of reviews are supported".into()))?;
            let ok = StatusCode::try_from(200).map_err(|error| ConnectorError::other(Box::new(error), None))?;
            Ok(HttpResponse::new(ok, SdkBody::from(answer.to_string())))
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
    let names = ["pk", "sk", "business_id", "effective_listing"];
    names.iter().filter_map(|name| Some(((*name).to_owned(), item.get(*name)?.clone()))).collect()
}

fn capacity(table: &Value, units: f64) -> Value {
    json!({ "TableName": table, "CapacityUnits": units })
}

/// Returns the units of a strongly consistent read. A read of nothing costs one unit too.
#[expect(clippy::cast_precision_loss, reason = "a page has a few hundred units")]
fn read_units(bytes: usize) -> f64 {
    bytes.div_ceil(UNIT_BYTES).max(1) as f64
}

/// Returns the size of an item: names, texts by their bytes, numbers by their digits.
fn item_bytes(item: &Item) -> usize {
    let value_bytes = |value: &Value| match value["S"].as_str() {
        Some(text) => text.len(),
        None => value["N"].as_str().map_or(0, number_bytes),
    };
    item.iter().map(|(name, value)| name.len() + value_bytes(value)).sum()
}

/// Returns the size of a number: one byte, and one for every two digits. Zeros at the end take no space.
fn number_bytes(digits: &str) -> usize {
    digits.trim_start_matches('-').trim_end_matches('0').len().div_ceil(2) + 1 + usize::from(digits.starts_with('-'))
}
