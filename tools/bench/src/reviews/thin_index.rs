//! Query with a filter on a thin index: reads every entry, counts those that match, then fetches the page.
//!
//! An entry has what an index of the reviews table by organisation and date would have, under the same names: its own key,
//! the table's key, and what filters need. It is read as an index is, at half a unit for 4 KB. A range of dates is a key
//! condition; all else is a filter.

use std::collections::{HashMap, HashSet};

use anyhow::Context as _;
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::operation::query::builders::QueryFluentBuilder;
use aws_sdk_dynamodb::types::{AttributeValue, ConsumedCapacity, KeysAndAttributes, ReturnConsumedCapacity};
use aws_smithy_types::timeout::TimeoutConfig;
use presence_domain::ids::OrgId;
use presence_domain::ledger::{FACET_KEY_COUNT, FacetKey, FacetMask};
use presence_domain::review::{Review, ReviewId};
use presence_local::embedded::EmbeddedDynamo;
use presence_local::sdk_config;
use presence_runtime::clock::Stopwatch;
use presence_store::keys::{REVIEW_SK, effective_between, effective_listing, parse_effective_listing, review_pk};
use presence_store::meter::Cost;
use presence_store::schema::{self, Key, Kind, Table};

use super::backend::Answer;
use super::delayed_client::delayed_client;
use super::ledger::PREFIX;
use super::search::{Filter, Search};

/// A table of its own, so that the ledger's writes are not charged for it.
const THIN: Table = Table {
    name: "thin",
    key: Key { partition: ("org_id", Kind::Number), sort: Some(("effective_listing", Kind::Text)) },
    indexes: &[],
    stream: false,
    ttl: None,
};
/// More entries than 1 MB has: `DynamoDB` ends the page. Without any limit the embedded one would read the whole partition.
const PAGE: i32 = 10_000;

/// After which a page ends.
const PAGE_BYTES: f64 = 1_048_576.0;
/// What a read unit reads strongly; of an index it reads twice as much.
const UNIT_BYTES: f64 = 4_096.0;

type Item = HashMap<String, AttributeValue>;

/// The thin index in an embedded `DynamoDB`. The reviews themselves are those of the ledger's table.
pub(super) struct ThinIndex {
    client: Client,
}

impl ThinIndex {
    /// Makes the table.
    pub(super) async fn start(dynamodb: &EmbeddedDynamo) -> anyhow::Result<Self> {
        let config = sdk_config(&dynamodb.endpoint_url());
        // A page of 1 MB takes the emulator its time.
        let config =
            config.into_builder().http_client(delayed_client()).timeout_config(TimeoutConfig::disabled()).build();
        let client = Client::new(&config);
        THIN.create(&client, &table()).send().await?;
        Ok(Self { client })
    }

    /// Loads reviews. Returns the bytes of their entries.
    pub(super) fn load(dynamodb: &EmbeddedDynamo, reviews: &[Review]) -> anyhow::Result<usize> {
        dynamodb.import(&table(), reviews.iter().map(entry).collect())
    }

    /// Reads everything, keeps what matches, fetches the page.
    pub(super) async fn search(&self, org_id: OrgId, search: &Search) -> anyhow::Result<Answer> {
        let (stopwatch, mut cost) = (Stopwatch::start(), Cost::default());
        let (query, mut match_count, mut start) = (self.query(org_id, &search.filter), Vec::new(), None);
        loop {
            let page = query.clone().set_exclusive_start_key(start).send().await?;
            spend(&mut cost, page.consumed_capacity());
            match_count.extend(page.items.unwrap_or_default());
            start = page.last_evaluated_key;
            if start.is_none() {
                break;
            }
        }
        let count = match_count.len() as u64;
        let range = search.page.range(count);
        let on_page = (0..).zip(&match_count).filter(|(place, _)| range.contains(place)).map(|(_, entry)| id(entry));
        let ids: Vec<ReviewId> = on_page.collect::<anyhow::Result<_>>()?;
        let bodies = self.bodies(&ids, &mut cost).await?;
        let ids = ids.iter().map(|id| bodies.contains(id.as_str()).then(|| id.as_str().to_owned()));
        let ids = ids.collect::<Option<Vec<_>>>().context("an entry has no review")?;
        Ok(Answer { count: Some(count), ids, cost, elapsed: stopwatch.elapsed() })
    }

    fn query(&self, org_id: OrgId, filter: &Filter) -> QueryFluentBuilder {
        let query = self.client.query().table_name(table()).scan_index_forward(false).limit(PAGE);
        let query = query
            .return_consumed_capacity(ReturnConsumedCapacity::Total)
            .projection_expression("effective_listing")
            .expression_attribute_values(":org", AttributeValue::N(org_id.to_string()));
        let (from, to) = filter.between.unzip();
        let query = match effective_between(from, to) {
            None => query.key_condition_expression("org_id = :org"),
            Some((from, to)) => query
                .key_condition_expression("org_id = :org AND effective_listing BETWEEN :from AND :to")
                .expression_attribute_values(":from", AttributeValue::S(from))
                .expression_attribute_values(":to", AttributeValue::S(to)),
        };
        let (conditions, values) = conditions(filter);
        values
            .into_iter()
            .fold(query, |query, (name, value)| query.expression_attribute_values(name, value))
            .set_filter_expression((!conditions.is_empty()).then(|| conditions.join(" AND ")))
    }

    /// The ids of the reviews that are there among these.
    async fn bodies(&self, ids: &[ReviewId], cost: &mut Cost) -> anyhow::Result<HashSet<String>> {
        if ids.is_empty() {
            return Ok(HashSet::new());
        }
        let key = |id: &ReviewId| {
            let text = |text: &str| AttributeValue::S(text.to_owned());
            HashMap::from([("pk".to_owned(), text(&review_pk(id))), ("sk".to_owned(), text(REVIEW_SK))])
        };
        let reviews = format!("{PREFIX}{}", schema::REVIEWS.name);
        let wanted = KeysAndAttributes::builder().set_keys(Some(ids.iter().map(key).collect())).build()?;
        let batch = self.client.batch_get_item().request_items(&reviews, wanted);
        let read = batch.return_consumed_capacity(ReturnConsumedCapacity::Total).send().await?;
        spend(cost, read.consumed_capacity());
        let bodies = read.responses.unwrap_or_default().remove(&reviews).unwrap_or_default();
        Ok(bodies.into_iter().filter_map(|mut body| text(body.remove("id")?)).collect())
    }
}

/// What a search costs by arithmetic, where so many entries of so many bytes each are read.
pub(super) fn estimate_cost(search: &Search, entries: u64, entry_bytes: f64) -> Cost {
    let bytes = entries as f64 * entry_bytes;
    let (pages, bodies) = ((bytes / PAGE_BYTES).ceil().max(1.0), search.page.range(search.match_count).count());
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a number of pages")]
    let calls = pages as u32 + u32::from(bodies > 0);
    // A review is less than 4 KB.
    let read_units = (bytes / UNIT_BYTES).ceil() / 2.0 + bodies as f64 / 2.0;
    Cost { calls, waves: calls, read_units, write_units: 0.0 }
}

fn table() -> String {
    format!("{PREFIX}{}", THIN.name)
}

/// One call after the other.
fn spend<'a>(cost: &mut Cost, capacity: impl IntoIterator<Item = &'a ConsumedCapacity>) {
    cost.calls += 1;
    cost.waves += 1;
    cost.read_units += capacity.into_iter().filter_map(ConsumedCapacity::capacity_units).sum::<f64>();
}

fn entry(review: &Review) -> Item {
    let text = |text: &str| AttributeValue::S(text.to_owned());
    let attributes = [
        ("org_id", AttributeValue::N(review.org_id.to_string())),
        ("effective_listing", AttributeValue::S(effective_listing(review.effective_at(), &review.id))),
        ("pk", AttributeValue::S(review_pk(&review.id))),
        ("sk", text(REVIEW_SK)),
        ("cell", number(FacetKey::of(review))),
        ("city_key", text(&review.city_key)),
        ("business_id", text(review.business_id.as_str())),
    ];
    attributes.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// The filter's conditions, and the values in them.
fn conditions(filter: &Filter) -> (Vec<String>, Vec<(String, AttributeValue)>) {
    let (mut conditions, mut values) = (Vec::new(), Vec::new());
    let mask = filter.mask();
    if mask != FacetMask::ALL {
        let cells = (0..).take(FACET_KEY_COUNT).filter_map(FacetKey::from_number).filter(|cell| mask.contains(*cell));
        let cells: Vec<_> = cells.map(|cell| (format!(":c{}", cell.number()), number(cell))).collect();
        conditions.push(one_of("cell", &cells));
        values.extend(cells);
    }
    if let Some(city) = &filter.city_key {
        conditions.push("city_key = :city".to_owned());
        values.push((":city".to_owned(), AttributeValue::S(city.clone())));
    }
    if !filter.businesses.is_empty() {
        let ids = filter.businesses.iter().map(|id| AttributeValue::S(id.as_str().to_owned()));
        let ids: Vec<_> = (0..).zip(ids).map(|(place, id): (u32, _)| (format!(":b{place}"), id)).collect();
        conditions.push(one_of("business_id", &ids));
        values.extend(ids);
    }
    (conditions, values)
}

/// `DynamoDB` takes 100 values at the most: there are not so many cells, nor businesses that are searched for.
fn one_of(attribute: &str, values: &[(String, AttributeValue)]) -> String {
    let names: Vec<&str> = values.iter().map(|(name, _)| name.as_str()).collect();
    format!("{attribute} IN ({})", names.join(", "))
}

fn number(cell: FacetKey) -> AttributeValue {
    AttributeValue::N(cell.number().to_string())
}

fn text(value: AttributeValue) -> Option<String> {
    match value {
        AttributeValue::S(text) => Some(text),
        _ => None,
    }
}

fn id(entry: &Item) -> anyhow::Result<ReviewId> {
    let listing = entry.get("effective_listing").and_then(|value| value.as_s().ok());
    let (_, id) = listing.and_then(|text| parse_effective_listing(text)).context("an entry without its key")?;
    Ok(id)
}
