//! Pages of an index as the index shows them, behind its table.
//!
//! The items that did not change, and the old images of those that did, are put into a table of an embedded `DynamoDB` of their
//! own. It answers the request: its rules of keys, order, sizes, filters and projections apply.

use dynoxide::actions::delete_table::DeleteTableRequest;
use dynoxide::{Database, ImportOptions};
use serde_json::{Value, json};

use super::item::{Item, size, typed};
use super::lag::OldImages;
use super::layer::{Call, Layer, Units};
use super::query::without_projection;
use super::response::DynamoDbResponse;
use super::tables::TableInfo;
use super::upstream::UpstreamError;

/// Largest page of Query or Scan in bytes, before filter and projection.
const MAX_PAGE_BYTES: usize = 1024 * 1024;
/// Fields of a response that depend on the items.
const PAGE_FIELDS: [&str; 4] = ["Items", "Count", "ScannedCount", "LastEvaluatedKey"];

impl Layer {
    /// Reads a page of an index with its lag. Returns it with the units of the current page.
    pub(super) async fn read_index(
        &self,
        call: &Call,
        table: &TableInfo,
        body: Value,
    ) -> Result<(DynamoDbResponse, Units), UpstreamError> {
        let _no_writes = self.write_lock.read().await;
        let now = self.now();
        let images = self.state().changes.images(now, &table.name);
        let (mut response, units) = self.forward_metered(call, body.clone()).await?;
        if images.is_empty() || !response.is_success() {
            return Ok((response, units));
        }
        let mut items = self.read_unchanged(call, table, &body, &images).await?;
        items.extend(images.into_values().flatten());
        let page = self.read_page_of(call, table, body, items).await.map_err(|error| {
            tracing::error!(%error, "a page of an index could not be read with its lag");
            UpstreamError
        })?;
        if PAGE_FIELDS.iter().any(|field| response.body.get(field) != page.get(field)) {
            self.state().counts.stale_pages += 1;
        }
        for field in PAGE_FIELDS {
            if let Some(fields) = response.body.as_object_mut() {
                fields.remove(field);
                fields.extend(page.get(field).map(|value| (field.to_owned(), value.clone())));
            }
        }
        Ok((response, units))
    }

    /// Reads the items of a page that did not change, before filter and projection. They fill the page, if there are enough.
    async fn read_unchanged(
        &self,
        call: &Call,
        table: &TableInfo,
        body: &Value,
        images: &OldImages,
    ) -> Result<Vec<Item>, UpstreamError> {
        let mut request = without_projection(body);
        let limit = body["Limit"].as_u64();
        if let Some(limit) = limit {
            // A page can lose as many items as there are images.
            request["Limit"] = json!(limit + images.len() as u64);
        }
        let (mut unchanged, mut bytes) = (Vec::new(), 0);
        loop {
            let response = self.upstream.call(&call.headers, &call.operation, &request).await?;
            let items = response.body["Items"].as_array().into_iter().flatten().filter_map(Value::as_object);
            for item in items.filter(|item| table.item_name(item).is_none_or(|name| !images.contains_key(&name))) {
                bytes += size(item);
                unchanged.push(item.clone());
            }
            let is_full = bytes > MAX_PAGE_BYTES || limit.is_some_and(|limit| unchanged.len() as u64 >= limit);
            let last = &response.body["LastEvaluatedKey"];
            if is_full || !last.is_object() {
                return Ok(unchanged);
            }
            request["ExclusiveStartKey"] = last.clone();
        }
    }

    /// Returns the response to a request for a page, as if the table had these items only.
    async fn read_page_of(
        &self,
        call: &Call,
        table: &TableInfo,
        mut body: Value,
        items: Vec<Item>,
    ) -> anyhow::Result<Value> {
        let name = format!("call-{}", call.number);
        let mut definition = table.definition.clone();
        definition["TableName"] = json!(name);
        body["TableName"] = json!(name);
        let (database, is_query) = (self.scratch.clone(), call.operation == "Query");
        // It blocks on SQLite.
        tokio::task::spawn_blocking(move || {
            database.create_table(serde_json::from_value(definition)?)?;
            let items = items.iter().filter_map(typed).collect();
            let page = database.import_items(&name, items, ImportOptions::default());
            let page = page.map_err(anyhow::Error::from).and_then(|_| answer(&database, is_query, body));
            database.delete_table(DeleteTableRequest { table_name: name })?;
            page
        })
        .await?
    }
}

fn answer(database: &Database, is_query: bool, body: Value) -> anyhow::Result<Value> {
    Ok(if is_query {
        serde_json::to_value(database.query(serde_json::from_value(body)?)?)?
    } else {
        serde_json::to_value(database.scan(serde_json::from_value(body)?)?)?
    })
}
