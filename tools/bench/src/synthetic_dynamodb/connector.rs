//! `DynamoDB`'s protocol: requests read, answers cut into pages and paid for.

use std::sync::Arc;

use aws_sdk_dynamodb::config::RuntimeComponents;
use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_types::body::SdkBody;
use serde_json::{Map, Value, json};

use super::tables::{Bounds, Item, SyntheticTables};

/// Bytes of items after which a page of a Query ends.
const PAGE_BYTES: usize = 1024 * 1024;
/// Bytes that a read unit reads strongly.
const UNIT_BYTES: usize = 4096;

/// Answers in `DynamoDB`'s stead.
#[derive(Clone, Debug)]
pub(super) struct SyntheticConnector {
    tables: Arc<SyntheticTables>,
}

impl SyntheticConnector {
    pub(super) fn new(tables: Arc<SyntheticTables>) -> Self {
        Self { tables }
    }

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
        let bounds: Option<Bounds> =
            value(":from").zip(value(":to")).map(|(from, to)| (from.to_owned(), to.to_owned()));
        let partition = value(":partition")?;
        let (sort, items) = match body["IndexName"].as_str() {
            None => ("sk", self.tables.partition(partition, bounds.as_ref())),
            Some(_) => ("effective_listing", self.tables.business_index(partition, bounds.as_ref())),
        };
        let after = body["ExclusiveStartKey"][sort]["S"].as_str();
        let left =
            items.into_iter().skip_while(|item| after.is_some_and(|after| item[sort]["S"].as_str() <= Some(after)));
        let limit = usize::try_from(body["Limit"].as_u64()?).ok()?;
        let (items, bytes, more) = page(left, limit);
        let mut answer = json!({ "Count": items.len(), "ScannedCount": items.len() });
        if more {
            let last = items.last()?;
            let names = ["pk", "sk", "business_id", "effective_listing"];
            let key = names.iter().filter_map(|name| Some(((*name).to_owned(), last.get(*name)?.clone())));
            answer["LastEvaluatedKey"] = key.collect::<Map<_, _>>().into();
        }
        let strong = body["ConsistentRead"].as_bool().unwrap_or(false);
        answer["ConsumedCapacity"] = capacity(&body["TableName"], units(bytes) * if strong { 1.0 } else { 0.5 });
        answer["Items"] = items.into();
        Some(answer)
    }

    fn batch_get(&self, body: &Value) -> Option<Value> {
        let (table, wanted) = body["RequestItems"].as_object()?.iter().next()?;
        let keys = wanted["Keys"].as_array()?;
        let (mut items, mut spent) = (Vec::new(), 0.0);
        for key in keys {
            let item = self.tables.get(key["pk"]["S"].as_str()?);
            spent += units(item.as_ref().map_or(0, item_bytes));
            items.extend(item);
        }
        let spent = capacity(&json!(table), spent);
        Some(json!({ "Responses": { table: items }, "UnprocessedKeys": {}, "ConsumedCapacity": [spent] }))
    }
}

impl HttpConnector for SyntheticConnector {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let (connector, status) = (self.clone(), 200_u16);
        HttpConnectorFuture::new(async move {
            let answer = connector.answer(&request);
            let answer = answer.ok_or_else(|| ConnectorError::user("not a read that is counted here".into()))?;
            let status = status.try_into().map_err(|source| ConnectorError::other(Box::new(source), None))?;
            Ok(HttpResponse::new(status, SdkBody::from(answer.to_string())))
        })
    }
}

impl HttpClient for SyntheticConnector {
    fn http_connector(&self, _: &HttpConnectorSettings, _: &RuntimeComponents) -> SharedHttpConnector {
        SharedHttpConnector::new(self.clone())
    }
}

/// The first of the items that make a page, their bytes, and whether the page was ended by its size.
fn page(items: impl Iterator<Item = Item>, limit: usize) -> (Vec<Item>, usize, bool) {
    let (mut page, mut bytes) = (Vec::new(), 0);
    for item in items {
        let more = item_bytes(&item);
        if bytes + more > PAGE_BYTES && !page.is_empty() {
            return (page, bytes, true);
        }
        bytes += more;
        page.push(item);
        if page.len() == limit {
            return (page, bytes, true);
        }
    }
    (page, bytes, false)
}

fn capacity(table: &Value, units: f64) -> Value {
    json!({ "TableName": table, "CapacityUnits": units })
}

/// Read units of so many bytes, read strongly at once; nothing costs one, too.
#[expect(clippy::cast_precision_loss, reason = "a page has a few hundred units")]
fn units(bytes: usize) -> f64 {
    bytes.div_ceil(UNIT_BYTES).max(1) as f64
}

/// An item's size: names and values, a text by its bytes and a number by its digits.
fn item_bytes(item: &Item) -> usize {
    let value = |value: &Value| match value["S"].as_str() {
        Some(text) => text.len(),
        None => value["N"].as_str().map_or(0, number_bytes),
    };
    item.iter().map(|(name, attribute)| name.len() + value(attribute)).sum()
}

/// A byte, and one for every two digits; zeros at the end take no place.
fn number_bytes(digits: &str) -> usize {
    digits.trim_start_matches('-').trim_end_matches('0').len().div_ceil(2) + 1 + usize::from(digits.starts_with('-'))
}
