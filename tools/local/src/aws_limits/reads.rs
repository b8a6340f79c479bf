//! Reads of one item, of a batch, and of a page.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::{Value, json};

use super::item::Item;
use super::lag::{IndexQuery, OldImages};
use super::layer::{Call, Layer};
use super::pages::{PageOutcome, draw, empty, key_after};
use super::query::{KeyCondition, Projection, drop_projection, projection};
use super::response::DynamoDbResponse;
use super::state::Cost;
use super::tables::{IndexInfo, TableInfo};
use super::token_buckets::{CapacityKind, CapacityScope};
use super::upstream::UpstreamError;

impl Layer {
    pub(super) async fn get(&self, mut call: Call) -> Result<DynamoDbResponse, UpstreamError> {
        self.pause(&mut call).await;
        let name = call.body["TableName"].as_str().unwrap_or_default().to_owned();
        let table = self.table(&call, &name).await?;
        let partition = table.as_ref().and_then(|table| table.partition_of(call.body["Key"].as_object()?));
        let scope = CapacityScope::new(&name, None, partition);
        if let Some(refusal) = self.refusal(&mut call, &[(scope.clone(), CapacityKind::Read)], 1) {
            return Ok(refusal);
        }
        let (answer, spent) = self.metered(&call, call.body.clone()).await?;
        self.spend_reads(&[scope], spent.values().sum());
        Ok(answer)
    }

    /// Shares the units among the scopes.
    pub(super) fn spend_reads(&self, scopes: &[CapacityScope], units: f64) {
        let share = units / f64::from(u32::try_from(scopes.len()).unwrap_or(u32::MAX)).max(1.0);
        let cost = |scope: &CapacityScope| Cost { scope: scope.clone(), kind: CapacityKind::Read, units: share };
        let (now, costs) = (self.now(), scopes.iter().map(cost).collect::<Vec<_>>());
        self.state().spend(now, &costs);
    }

    /// Leaves the keys of spent partitions unprocessed. Where that is all of them, half of the calls are refused as a whole.
    pub(super) async fn get_batch(&self, mut call: Call) -> Result<DynamoDbResponse, UpstreamError> {
        self.pause(&mut call).await;
        let Some(wanted) = call.body["RequestItems"].as_object().cloned() else {
            return self.upstream.call(&call.headers, &call.operation, &call.body).await;
        };
        let (mut kept, mut left) = (Item::new(), Item::new());
        let mut scopes: HashMap<String, Vec<CapacityScope>> = HashMap::new();
        let mut refusal = None;
        let all = wanted.values().filter_map(|table| table["Keys"].as_array()).map(Vec::len).sum();
        for (name, mut request) in wanted {
            let table = self.table(&call, &name).await?;
            let keys = request["Keys"].as_array().cloned().unwrap_or_default();
            let (mut now, mut later) = (Vec::new(), Vec::new());
            for key in keys {
                let partition = table.as_ref().and_then(|table| table.partition_of(key.as_object()?));
                let scope = CapacityScope::new(&name, None, partition);
                if let Some(answer) = self.refusal(&mut call, &[(scope.clone(), CapacityKind::Read)], all) {
                    refusal = Some(answer);
                    later.push(key);
                } else {
                    scopes.entry(name.clone()).or_default().push(scope);
                    now.push(key);
                }
            }
            for (keys, to) in [(later, &mut left), (now, &mut kept)] {
                if !keys.is_empty() {
                    request["Keys"] = keys.into();
                    to.insert(name.clone(), request.clone());
                }
            }
        }
        if let Some(refusal) = self.as_a_whole(&mut call, &kept, &left, refusal) {
            return Ok(refusal);
        }
        if kept.is_empty() {
            return Ok(DynamoDbResponse { status: 200, body: json!({ "Responses": {}, "UnprocessedKeys": left }) });
        }
        let body = with(&call.body, "RequestItems", kept.into());
        let (mut answer, spent) = self.metered(&call, body).await?;
        for (name, units) in spent {
            self.spend_reads(scopes.get(&name).map_or(&[], Vec::as_slice), units);
        }
        add_unprocessed(&mut answer, "UnprocessedKeys", left);
        Ok(answer)
    }

    /// Counts what a batch leaves unprocessed, and decides whether a batch of which nothing is done is refused as a whole.
    pub(super) fn as_a_whole(
        &self,
        call: &mut Call,
        kept: &Item,
        left: &Item,
        refusal: Option<DynamoDbResponse>,
    ) -> Option<DynamoDbResponse> {
        let refused =
            left.values().map(|of| of["Keys"].as_array().or(of.as_array()).map_or(0, Vec::len) as u64).sum::<u64>();
        let as_a_whole = refused > 0 && kept.is_empty() && call.rng.bool();
        let mut state = self.state();
        // Each of them was counted as a call.
        state.counts.throttled -= refused;
        if as_a_whole {
            state.counts.throttled += 1;
            return refusal;
        }
        state.counts.unprocessed += refused;
        None
    }

    /// A page of a Query or Scan.
    pub(super) async fn read_page(&self, mut call: Call) -> Result<DynamoDbResponse, UpstreamError> {
        self.pause(&mut call).await;
        let name = call.body["TableName"].as_str().unwrap_or_default().to_owned();
        let Some(table) = self.table(&call, &name).await? else {
            return self.upstream.call(&call.headers, &call.operation, &call.body).await;
        };
        let index = call.body["IndexName"].as_str().and_then(|index| table.index(index)).cloned();
        let key = index.as_ref().map_or(&table.key, |index| &index.key);
        let condition = KeyCondition::read(&call.body, key).filter(|_| call.operation == "Query");
        let partition = condition.as_ref().map(|condition| condition.partition.to_string());
        let scope = CapacityScope::new(&name, index.as_ref().map(|index| index.name.as_str()), partition);
        if let Some(refusal) = self.refusal(&mut call, &[(scope.clone(), CapacityKind::Read)], 1) {
            return Ok(refusal);
        }
        let target = Target { table, index, condition };
        let mut body = call.body.clone();
        let limit = body["Limit"].as_u64();
        match call.settings.page_truncation.map_or(PageOutcome::Full, |pages| draw(&pages, limit, &mut call.rng)) {
            PageOutcome::Full => {}
            PageOutcome::Truncated(size) => body["Limit"] = size.into(),
            PageOutcome::Empty => {
                if let Some(last) = self.before_page(&call, &target).await? {
                    let mut state = self.state();
                    state.counts.truncated_pages += 1;
                    state.counts.empty_pages += 1;
                    return Ok(DynamoDbResponse { status: 200, body: empty(&last) });
                }
            }
        }
        let is_cut = body["Limit"].as_u64() != limit;
        let (answer, units) = self.page(&call, &target, body).await?;
        if is_cut && answer.body["LastEvaluatedKey"].is_object() {
            self.state().counts.truncated_pages += 1;
        }
        self.spend_reads(&[scope], units);
        Ok(answer)
    }

    /// Returns the key that an empty page before this one ends with; nothing where there is no such key, or no item.
    async fn before_page(&self, call: &Call, target: &Target) -> Result<Option<Value>, UpstreamError> {
        if call.body["ExclusiveStartKey"].is_object() {
            return Ok(Some(call.body["ExclusiveStartKey"].clone()));
        }
        let key = target.index.as_ref().map_or(&target.table.key, |index| &index.key);
        let (Some(condition), Some(sort)) = (&target.condition, &key.sort) else { return Ok(None) };
        let mut body = call.body.clone();
        drop_projection(&mut body);
        if body["FilterExpression"].is_string() {
            return Ok(None);
        }
        body["Limit"] = json!(1);
        let (answer, _) = self.page(call, target, body).await?;
        let Some(first) = answer.body["Items"][0].as_object() else { return Ok(None) };
        let before = first.get(sort).and_then(|first| condition.just_before(first, is_forward(&call.body)));
        let Some(before) = before else { return Ok(None) };
        let last = key_after(&target.table, target.index.as_ref(), first);
        Ok(last.map(|mut last| {
            last.insert(sort.clone(), before);
            last.into()
        }))
    }

    /// Reads a page, of an index as it is shown, and returns its units.
    async fn page(&self, call: &Call, target: &Target, body: Value) -> Result<(DynamoDbResponse, f64), UpstreamError> {
        let (Some(index), Some(_)) = (&target.index, call.settings.lag) else { return self.genuine(call, body).await };
        let _turn = self.turn.read().await;
        let now = self.now();
        let images = self.state().changes.images(now, &target.table.name);
        if images.is_empty() {
            return self.genuine(call, body).await;
        }
        let wanted = projection(&body);
        let is_modelled = wanted != Projection::Nested && !body["FilterExpression"].is_string();
        let Some(condition) = target.condition.as_ref().filter(|_| is_modelled) else {
            self.state().counts.unlagged_reads += 1;
            return self.genuine(call, body).await;
        };
        let request = Rewinding { table: &target.table, index, condition, images, wanted };
        self.rewound(call, body, request).await
    }

    async fn genuine(&self, call: &Call, body: Value) -> Result<(DynamoDbResponse, f64), UpstreamError> {
        let (answer, spent) = self.metered(call, body).await?;
        Ok((answer, spent.values().sum()))
    }

    async fn rewound(
        &self,
        call: &Call,
        body: Value,
        request: Rewinding<'_>,
    ) -> Result<(DynamoDbResponse, f64), UpstreamError> {
        let start = body["ExclusiveStartKey"].as_object().cloned();
        let limit = body["Limit"].as_u64();
        let only_counts = body["Select"] == "COUNT";
        let mut fetch = body.clone();
        drop_projection(&mut fetch);
        if let Some(limit) = limit {
            fetch["Limit"] = (limit + request.images.len() as u64).into();
        }
        let (mut answer, units) = self.genuine(call, fetch).await?;
        if !answer.is_success() {
            return Ok((answer, units));
        }
        let view = IndexQuery {
            table: request.table,
            index: request.index,
            condition: request.condition,
            forward: is_forward(&body),
            limit: limit.and_then(|limit| usize::try_from(limit).ok()),
            start: start.as_ref(),
        };
        let items = answer.body["Items"].as_array().into_iter().flatten();
        let items: Vec<Item> = items.filter_map(|item| item.as_object().cloned()).collect();
        let page = view.rewind(&items, answer.body["LastEvaluatedKey"].as_object().cloned(), &request.images);
        self.state().counts.stale_pages += u64::from(page.is_stale);
        let count = page.items.len();
        if let Some(fields) = answer.body.as_object_mut() {
            fields.insert("Count".to_owned(), count.into());
            fields.insert("ScannedCount".to_owned(), count.into());
            fields.remove("LastEvaluatedKey");
            fields.extend(page.last.map(|last| ("LastEvaluatedKey".to_owned(), last.into())));
            let items: Vec<Value> = page.items.into_iter().map(|item| request.wanted.of(item).into()).collect();
            fields.insert("Items".to_owned(), items.into());
            if only_counts {
                fields.remove("Items");
            }
        }
        Ok((answer, units))
    }
}

/// Where a page is read.
struct Target {
    table: Arc<TableInfo>,
    index: Option<IndexInfo>,
    /// Of a Query that this can read.
    condition: Option<KeyCondition>,
}

/// A page of an index that lags.
struct Rewinding<'a> {
    table: &'a TableInfo,
    index: &'a IndexInfo,
    condition: &'a KeyCondition,
    images: OldImages,
    wanted: Projection,
}

fn is_forward(body: &Value) -> bool {
    body["ScanIndexForward"].as_bool().unwrap_or(true)
}

/// Returns a document with one field replaced.
pub(super) fn with(body: &Value, field: &str, value: Value) -> Value {
    let mut body = body.clone();
    body[field] = value;
    body
}

/// Adds what was left out to what DynamoDB itself left out.
pub(super) fn add_unprocessed(answer: &mut DynamoDbResponse, field: &str, left: Item) {
    if !answer.is_success() || left.is_empty() {
        return;
    }
    let unprocessed = &mut answer.body[field];
    if !unprocessed.is_object() {
        *unprocessed = json!({});
    }
    for (table, of) in left {
        let there = &mut unprocessed[&table];
        let keys = |value: &Value| value["Keys"].as_array().or(value.as_array()).cloned().unwrap_or_default();
        let all: Vec<Value> = keys(there).into_iter().chain(keys(&of)).collect();
        *there = if of.is_array() { all.into() } else { with(&of, "Keys", all.into()) };
    }
}
