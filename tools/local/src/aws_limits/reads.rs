//! Reads of one item, and of a page of Query or Scan.

use std::sync::Arc;

use serde_json::{Value, json};

use super::batches::with_field;
use super::item::Item;
use super::lag::{IndexQuery, OldImages};
use super::layer::{Call, Layer};
use super::pages::{self, PageOutcome};
use super::query::{KeyCondition, Projection, remove_projection};
use super::response::DynamoDbResponse;
use super::state::Cost;
use super::tables::{IndexInfo, TableInfo};
use super::token_buckets::{CapacityKind, CapacityScope};
use super::upstream::UpstreamError;

/// Table or index that a page is read from.
struct PageSource {
    table: Arc<TableInfo>,
    index: Option<IndexInfo>,
    /// Key condition of a Query, if it is of a form that this module knows.
    condition: Option<KeyCondition>,
}

/// Page of an index that is read with its lag.
struct LaggedRead<'a> {
    table: &'a TableInfo,
    index: &'a IndexInfo,
    condition: &'a KeyCondition,
    images: OldImages,
    projection: Projection,
}

impl Layer {
    pub(super) async fn get_item(&self, mut call: Call) -> Result<DynamoDbResponse, UpstreamError> {
        self.pause(&mut call).await;
        let name = call.body["TableName"].as_str().unwrap_or_default().to_owned();
        let table = self.table_info(&call, &name).await?;
        let partition = table.as_ref().and_then(|table| table.partition_of(call.body["Key"].as_object()?));
        let scope = CapacityScope::new(CapacityKind::Read, &name, None, partition);
        if let Some(error) = self.throttle_call(&mut call, std::slice::from_ref(&scope)) {
            return Ok(error);
        }
        let (response, units_by_table) = self.forward_metered(&call, call.body.clone()).await?;
        self.spend_reads(&[scope], units_by_table.values().sum());
        Ok(response)
    }

    /// Takes read units, in equal parts from these scopes.
    pub(super) fn spend_reads(&self, scopes: &[CapacityScope], units: f64) {
        let share = units / f64::from(u32::try_from(scopes.len()).unwrap_or(u32::MAX)).max(1.0);
        let costs: Vec<Cost> = scopes.iter().map(|scope| Cost { scope: scope.clone(), units: share }).collect();
        let now = self.now();
        self.state().spend(now, &costs);
    }

    pub(super) async fn read_page(&self, mut call: Call) -> Result<DynamoDbResponse, UpstreamError> {
        self.pause(&mut call).await;
        let name = call.body["TableName"].as_str().unwrap_or_default().to_owned();
        let Some(table) = self.table_info(&call, &name).await? else { return self.forward(&call).await };
        let source = PageSource::parse(&call, table);
        let scope = source.scope();
        if let Some(error) = self.throttle_call(&mut call, std::slice::from_ref(&scope)) {
            return Ok(error);
        }
        let limit = call.body["Limit"].as_u64();
        let outcome = match &call.settings.page_truncation {
            Some(truncation) => pages::draw(truncation, limit, &mut call.rng),
            None => PageOutcome::Full,
        };
        let mut body = call.body.clone();
        if outcome == PageOutcome::Empty
            && let Some(last) = self.key_before_page(&call, &source).await?
        {
            let mut state = self.state();
            state.counts.truncated_pages += 1;
            state.counts.empty_pages += 1;
            return Ok(DynamoDbResponse::success(pages::empty(&last)));
        }
        if let PageOutcome::Truncated(size) = outcome {
            body["Limit"] = size.into();
        }
        let (response, units) = self.read_source(&call, &source, body).await?;
        if matches!(outcome, PageOutcome::Truncated(_)) && response.body["LastEvaluatedKey"].is_object() {
            self.state().counts.truncated_pages += 1;
        }
        self.spend_reads(&[scope], units);
        Ok(response)
    }

    /// Returns the `LastEvaluatedKey` of an empty page before this one, or `None` if there is no such key or no item.
    async fn key_before_page(&self, call: &Call, source: &PageSource) -> Result<Option<Value>, UpstreamError> {
        if call.body["ExclusiveStartKey"].is_object() {
            return Ok(Some(call.body["ExclusiveStartKey"].clone()));
        }
        let (Some(condition), Some(sort)) = (&source.condition, &source.key().sort) else { return Ok(None) };
        let mut body = call.body.clone();
        remove_projection(&mut body);
        if body["FilterExpression"].is_string() {
            return Ok(None);
        }
        body["Limit"] = json!(1);
        let (response, _) = self.read_source(call, source, body).await?;
        let Some(first) = response.body["Items"][0].as_object() else { return Ok(None) };
        let before = first.get(sort).and_then(|first| condition.sort_key_before(first, is_forward(&call.body)));
        let Some(before) = before else { return Ok(None) };
        let last = pages::key_after(&source.table, source.index.as_ref(), first);
        Ok(last.map(|mut last| {
            last.insert(sort.clone(), before);
            last.into()
        }))
    }

    /// Reads a page, with its lag if it is of an index. Returns it with its units.
    async fn read_source(
        &self,
        call: &Call,
        source: &PageSource,
        body: Value,
    ) -> Result<(DynamoDbResponse, f64), UpstreamError> {
        let (Some(index), Some(_)) = (&source.index, call.settings.lag) else {
            return self.read_current(call, body).await;
        };
        let _no_writes = self.write_lock.read().await;
        let now = self.now();
        let images = self.state().changes.images(now, &source.table.name);
        if images.is_empty() {
            return self.read_current(call, body).await;
        }
        let projection = Projection::parse(&body);
        let is_modelled = projection != Projection::Nested && !body["FilterExpression"].is_string();
        let Some(condition) = source.condition.as_ref().filter(|_| is_modelled) else {
            self.state().counts.unlagged_reads += 1;
            return self.read_current(call, body).await;
        };
        let read = LaggedRead { table: &source.table, index, condition, images, projection };
        self.read_lagged(call, &body, read).await
    }

    async fn read_current(&self, call: &Call, body: Value) -> Result<(DynamoDbResponse, f64), UpstreamError> {
        let (response, units_by_table) = self.forward_metered(call, body).await?;
        Ok((response, units_by_table.values().sum()))
    }

    async fn read_lagged(
        &self,
        call: &Call,
        body: &Value,
        read: LaggedRead<'_>,
    ) -> Result<(DynamoDbResponse, f64), UpstreamError> {
        let limit = body["Limit"].as_u64();
        let (mut response, units) = self.read_current(call, read.request(body, limit)).await?;
        if !response.is_success() {
            return Ok((response, units));
        }
        let query = IndexQuery {
            table: read.table,
            index: read.index,
            condition: read.condition,
            forward: is_forward(body),
            limit: limit.and_then(|limit| usize::try_from(limit).ok()),
            start: body["ExclusiveStartKey"].as_object(),
        };
        let items = response.body["Items"].as_array().into_iter().flatten();
        let items: Vec<Item> = items.filter_map(|item| item.as_object().cloned()).collect();
        let page = query.rewind(&items, response.body["LastEvaluatedKey"].as_object().cloned(), &read.images);
        self.state().counts.stale_pages += u64::from(page.is_stale);
        if let Some(fields) = response.body.as_object_mut() {
            fields.insert("Count".to_owned(), page.items.len().into());
            fields.insert("ScannedCount".to_owned(), page.items.len().into());
            fields.remove("LastEvaluatedKey");
            fields.extend(page.last.map(|last| ("LastEvaluatedKey".to_owned(), last.into())));
            if body["Select"] == "COUNT" {
                fields.remove("Items");
            } else {
                let items: Vec<Value> = page.items.into_iter().map(|item| read.projection.apply(item).into()).collect();
                fields.insert("Items".to_owned(), items.into());
            }
        }
        Ok((response, units))
    }
}

impl PageSource {
    fn parse(call: &Call, table: Arc<TableInfo>) -> Self {
        let index = call.body["IndexName"].as_str().and_then(|index| table.index(index)).cloned();
        let key = index.as_ref().map_or(&table.key, |index| &index.key);
        let condition = KeyCondition::parse(&call.body, key).filter(|_| call.operation == "Query");
        Self { table, index, condition }
    }

    fn key(&self) -> &super::tables::KeyNames {
        self.index.as_ref().map_or(&self.table.key, |index| &index.key)
    }

    fn scope(&self) -> CapacityScope {
        let index = self.index.as_ref().map(|index| index.name.as_str());
        let partition = self.condition.as_ref().map(|condition| condition.partition.to_string());
        CapacityScope::new(CapacityKind::Read, &self.table.name, index, partition)
    }
}

impl LaggedRead<'_> {
    /// Returns the request for the current items. Its limit is larger by the number of images, as `rewind` requires.
    fn request(&self, body: &Value, limit: Option<u64>) -> Value {
        let mut request = body.clone();
        remove_projection(&mut request);
        match limit {
            Some(limit) => with_field(&request, "Limit", (limit + self.images.len() as u64).into()),
            None => request,
        }
    }
}

fn is_forward(body: &Value) -> bool {
    body["ScanIndexForward"].as_bool().unwrap_or(true)
}
