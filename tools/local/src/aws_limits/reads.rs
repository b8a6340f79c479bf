//! Reads of a page of Query or Scan.

use std::sync::Arc;

use serde_json::{Value, json};

use super::layer::{Call, Layer, Units};
use super::pages::{self, PageOutcome};
use super::query::{partition_of, without_projection};
use super::response::DynamoDbResponse;
use super::state::Cost;
use super::tables::{IndexInfo, TableInfo};
use super::token_buckets::{CapacityKind, CapacityScope};
use super::upstream::UpstreamError;

/// Table or index that a page is read from.
struct PageSource {
    table: Arc<TableInfo>,
    index: Option<IndexInfo>,
}

impl Layer {
    pub(super) async fn read_page(&self, mut call: Call) -> Result<DynamoDbResponse, UpstreamError> {
        self.pause(&mut call).await;
        let name = call.body["TableName"].as_str().unwrap_or_default().to_owned();
        let Some(table) = self.table_info(&call, &name).await? else { return self.forward(&call).await };
        let index = call.body["IndexName"].as_str().and_then(|index| table.index(index)).cloned();
        let source = PageSource { table, index };
        let costs = [Cost { scope: source.scope(&call.body), units: 0.0 }];
        if let Some(throttled) = self.throttle(&mut call, &costs, 1) {
            return Ok(self.refuse(&throttled));
        }
        let outcome = match &call.settings.page_truncation {
            Some(truncation) => pages::draw(truncation, call.body["Limit"].as_u64(), &mut call.rng),
            None => PageOutcome::Full,
        };
        if outcome == PageOutcome::Empty
            && let Some(last) = self.key_before_page(&call, &source).await?
        {
            let mut state = self.state();
            state.counts.truncated_pages += 1;
            state.counts.empty_pages += 1;
            return Ok(DynamoDbResponse::success(pages::empty(&last)));
        }
        let mut body = call.body.clone();
        if let PageOutcome::Truncated(size) = outcome {
            body["Limit"] = size.into();
        }
        let (response, units) = self.read_source(&call, &source, body).await?;
        if matches!(outcome, PageOutcome::Truncated(_)) && response.body["LastEvaluatedKey"].is_object() {
            self.state().counts.truncated_pages += 1;
        }
        self.spend_reads(&costs, &units);
        Ok(response)
    }

    /// Takes the read units that DynamoDB reports, in equal parts from these scopes.
    pub(super) fn spend_reads(&self, costs: &[Cost], units: &Units) {
        let now = self.now();
        for (table, units) in units {
            let scopes: Vec<_> = costs.iter().map(|cost| &cost.scope).filter(|scope| scope.table == *table).collect();
            let share = units / f64::from(u32::try_from(scopes.len()).unwrap_or(u32::MAX)).max(1.0);
            let costs: Vec<Cost> =
                scopes.into_iter().map(|scope| Cost { scope: scope.clone(), units: share }).collect();
            self.state().spend(now, &costs);
        }
    }

    /// Returns the `LastEvaluatedKey` of an empty page before this one, or `None` if there is no such key or no item.
    ///
    /// DynamoDB judges if the key satisfies the condition of the Query.
    async fn key_before_page(&self, call: &Call, source: &PageSource) -> Result<Option<Value>, UpstreamError> {
        if call.body["ExclusiveStartKey"].is_object() {
            return Ok(Some(call.body["ExclusiveStartKey"].clone()));
        }
        if call.operation != "Query" {
            return Ok(None);
        }
        let mut body = without_projection(&call.body);
        body["Limit"] = json!(1);
        let (response, _) = self.read_source(call, source, body.clone()).await?;
        let first = response.body["Items"][0].as_object();
        let is_forward = call.body["ScanIndexForward"].as_bool().unwrap_or(true);
        let key = first.and_then(|first| pages::key_before(&source.table, source.index.as_ref(), first, is_forward));
        let Some(key) = key.map(Value::Object) else { return Ok(None) };
        body["ExclusiveStartKey"] = key.clone();
        let judged = self.upstream.call(&call.headers, &call.operation, &body).await?;
        Ok(judged.is_success().then_some(key))
    }

    /// Reads a page, with its lag if it is of an index. Returns it with its units.
    async fn read_source(
        &self,
        call: &Call,
        source: &PageSource,
        body: Value,
    ) -> Result<(DynamoDbResponse, Units), UpstreamError> {
        if source.index.is_some() && call.settings.lag.is_some() {
            return self.read_index(call, &source.table, body).await;
        }
        self.forward_metered(call, body).await
    }
}

impl PageSource {
    fn scope(&self, request: &Value) -> CapacityScope {
        let key = self.index.as_ref().map_or(&self.table.key, |index| &index.key);
        let index = self.index.as_ref().map(|index| index.name.as_str());
        CapacityScope::new(CapacityKind::Read, &self.table.name, index, partition_of(request, &key.partition))
    }
}
