//! Tables of the stack, read only: their names and counts, and their items page by page.

use std::collections::HashMap;
use std::sync::Arc;

use anyhow::Context as _;
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::AttributeValue;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use axum::{Json, Router};
use presence_store::Database;
use presence_store::schema::{TABLES, Table};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::page::Page;

use super::item_json::{Item, item_json};
use super::item_kinds::{kind_of, kinds};

const PAGE: Page<'_> = Page {
    path: "/tables",
    title: "Tables",
    body: include_str!("../../pages/tables/page.html"),
    files: &[
        ("tables/tables.css", include_str!("../../pages/tables/tables.css")),
        ("tables/tables.js", include_str!("../../pages/tables/tables.js")),
    ],
};

/// Number of items of a page.
const PAGE_ITEMS: u8 = 25;
/// Number of calls in which a page looks for items of a kind. A large table of other items has a page with fewer items, or none.
const MAX_SCANS: usize = 20;

/// Connection to the tables, without the limits that the functions have.
#[derive(Clone, Debug)]
pub(super) struct Tables {
    pub(super) client: Client,
    pub(super) database: Database,
}

/// Items to read: all of a table, those of a partition, or one. Keys are the texts of the table's key attributes.
#[derive(Debug, Default, Deserialize)]
struct Wanted {
    partition: Option<String>,
    /// Kind of the items, for all of a table.
    kind: Option<String>,
    sort: Option<String>,
    /// Key of the last item of the page before.
    after_partition: Option<String>,
    after_sort: Option<String>,
}

/// Builds the routes of the page and of the tables.
pub(super) fn router(tables: Tables) -> Router {
    Router::new()
        .route("/home/tables.json", get(list_tables))
        .route("/home/tables/{name}", get(list_items))
        .with_state(Arc::new(tables))
        .merge(PAGE.router())
}

async fn list_tables(State(tables): State<Arc<Tables>>) -> Response {
    let counts = TABLES.iter().map(|table| tables.count(table));
    match futures::future::try_join_all(counts).await {
        Ok(tables) => Json(tables).into_response(),
        Err(error) => unavailable(&error),
    }
}

async fn list_items(
    State(tables): State<Arc<Tables>>,
    Path(name): Path<String>,
    Query(wanted): Query<Wanted>,
) -> Response {
    let Some(table) = TABLES.iter().find(|table| table.name == name) else {
        return (StatusCode::NOT_FOUND, "there is no such table").into_response();
    };
    match tables.read(table, &wanted).await {
        Ok(page) => Json(page).into_response(),
        Err(error) => unavailable(&error),
    }
}

fn unavailable(error: &anyhow::Error) -> Response {
    (StatusCode::SERVICE_UNAVAILABLE, format!("{error:#}")).into_response()
}

impl Tables {
    async fn count(&self, table: &Table) -> anyhow::Result<Value> {
        let name = self.database.name(table);
        let described = self.client.describe_table().table_name(&name).send().await;
        let described = described.with_context(|| format!("the table {name} could not be described"))?.table;
        let items = described.and_then(|table| table.item_count);
        let (partition, sort) = key_names(table);
        Ok(json!({
            "name": table.name, "full_name": name, "items": items, "partition": partition, "sort": sort,
            "kinds": kinds(table.name),
        }))
    }

    async fn read(&self, table: &Table, wanted: &Wanted) -> anyhow::Result<Value> {
        let name = self.database.name(table);
        let start = key_of(table, wanted.after_partition.as_deref(), wanted.after_sort.as_deref());
        let (items, last) = if let Some(partition) = &wanted.partition {
            let query = self.client.query().table_name(name).limit(PAGE_ITEMS.into()).set_exclusive_start_key(start);
            let (condition, names, values) = condition(table, partition, wanted.sort.as_deref());
            let query = query.key_condition_expression(condition).set_expression_attribute_names(Some(names));
            let page = query.set_expression_attribute_values(Some(values)).send().await?;
            (page.items.unwrap_or_default(), page.last_evaluated_key)
        } else {
            self.scan(table, start, wanted.kind.as_deref()).await?
        };
        let items: Vec<Value> = items.iter().map(|item| row_json(table, item)).collect();
        Ok(json!({"items": items, "next": last.map(|last| key_json(table, &last))}))
    }

    /// Returns the next items of a kind, and the key before those after them.
    async fn scan(
        &self,
        table: &Table,
        start: Option<Item>,
        kind: Option<&str>,
    ) -> anyhow::Result<(Vec<Item>, Option<Item>)> {
        let (mut found, mut last, max) = (Vec::new(), start, usize::from(PAGE_ITEMS));
        for _ in 0..MAX_SCANS {
            let limit = kind.is_none().then_some(PAGE_ITEMS.into());
            let scan = self.client.scan().table_name(self.database.name(table)).set_limit(limit);
            let page = scan.set_exclusive_start_key(last).send().await?;
            last = page.last_evaluated_key;
            found.extend(page.items.unwrap_or_default().into_iter().filter(|item| is_of_kind(table, item, kind)));
            if found.len() > max {
                found.truncate(max);
                last = found.last().cloned();
            }
            if found.len() == max || last.is_none() {
                break;
            }
        }
        Ok((found, last))
    }
}

/// True if an item is of the kind, or if any is wanted.
fn is_of_kind(table: &Table, item: &Item, kind: Option<&str>) -> bool {
    let (partition, sort) = key_texts(table, item);
    kind.is_none_or(|kind| kind_of(table.name, partition, sort) == Some(kind))
}

/// Returns an item with its key and its kind.
fn row_json(table: &Table, item: &Item) -> Value {
    let (partition, sort) = key_texts(table, item);
    let kind = kind_of(table.name, partition, sort);
    json!({"partition": partition, "sort": sort, "kind": kind, "item": item_json(item)})
}

fn key_json(table: &Table, key: &Item) -> Value {
    let (partition, sort) = key_texts(table, key);
    json!({"partition": partition, "sort": sort})
}

fn key_texts<'a>(table: &Table, item: &'a Item) -> (&'a str, &'a str) {
    let text = |name: &str| item.get(name).and_then(|value| value.as_s().ok()).map_or("", String::as_str);
    let (partition, sort) = key_names(table);
    (text(partition), sort.map_or("", text))
}

fn key_names(table: &Table) -> (&'static str, Option<&'static str>) {
    (table.key.partition.0, table.key.sort.map(|(name, _)| name))
}

/// Returns the key of an item; `None` without a partition key.
fn key_of(table: &Table, partition: Option<&str>, sort: Option<&str>) -> Option<Item> {
    let (partition_name, sort_name) = key_names(table);
    let mut key = Item::from([(partition_name.to_owned(), AttributeValue::S(partition?.to_owned()))]);
    if let Some(name) = sort_name {
        key.insert(name.to_owned(), AttributeValue::S(sort?.to_owned()));
    }
    Some(key)
}

type Names = HashMap<String, String>;

/// Returns the condition of a Query with its names and values.
fn condition(table: &Table, partition: &str, sort: Option<&str>) -> (&'static str, Names, Item) {
    let (partition_name, sort_name) = key_names(table);
    let mut names = Names::from([("#p".to_owned(), partition_name.to_owned())]);
    let mut values = Item::from([(":p".to_owned(), AttributeValue::S(partition.to_owned()))]);
    let Some((name, sort)) = sort_name.zip(sort) else { return ("#p = :p", names, values) };
    names.insert("#s".to_owned(), name.to_owned());
    values.insert(":s".to_owned(), AttributeValue::S(sort.to_owned()));
    ("#p = :p AND #s = :s", names, values)
}
