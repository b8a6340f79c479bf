//! Backend of the thin index: a Query with a filter reads every entry, counts the matches, then fetches the page.
//!
//! An entry has the attributes that an index of the reviews table by organisation and date would have: its key, the key of the
//! table, and the attributes of filters. It is read as an index is, eventually consistent, at half a unit for 4 KB. A range of
//! dates is a key condition. All other parts of a filter are filter conditions.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use anyhow::{Context as _, ensure};
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::operation::query::builders::QueryFluentBuilder;
use aws_sdk_dynamodb::types::{AttributeValue, ConsumedCapacity, KeysAndAttributes, ReturnConsumedCapacity};
use aws_smithy_types::timeout::TimeoutConfig;
use presence_bench::cost::Cost;
use presence_domain::ids::OrgId;
use presence_domain::ledger::{Day, FACET_KEY_COUNT, FacetKey, FacetMask};
use presence_domain::review::{Partner, Rating, Review, ReviewId, ReviewState};
use presence_domain::review_stats::GroupBy;
use presence_local::embedded::EmbeddedDynamo;
use presence_local::sdk_config;
use presence_runtime::clock::Stopwatch;
use presence_store::keys::{
    REVIEW_SK, effective_between, effective_listing, parse_effective_listing, parse_review_pk, review_pk,
};
use presence_store::schema::{self, Key, Kind, Table};

use super::backend::Answer;
use super::delayed_client::delayed_client;
use super::group_by::{Groups, StatsAnswer, StatsCase};
use super::measured_stores::PREFIX;
use super::search::{Filter, Search};

/// Table with the entries. It is a table of its own, so that writes of the ledger do not pay for it.
const THIN_INDEX: Table = Table {
    name: "thin",
    key: Key { partition: ("org_id", Kind::Number), sort: Some(("effective_listing", Kind::Text)) },
    indexes: &[],
    stream: None,
    ttl: None,
};
/// Limit of a Query: more entries than 1 MB holds, so that `DynamoDB` ends the page. Without a limit the embedded database would
/// read the whole partition.
const QUERY_LIMIT: i32 = 10_000;

/// Bytes after which a page of a Query ends.
const PAGE_BYTES: f64 = 1_048_576.0;
/// Bytes of a strongly consistent read that cost one unit. An eventually consistent read costs half a unit.
const UNIT_BYTES: f64 = 4_096.0;

/// Largest number of values that `DynamoDB` takes after `IN`.
const MAX_VALUES: usize = 100;

type Item = HashMap<String, AttributeValue>;

/// Thin index in an embedded `DynamoDB`. The reviews are those in the ledger's table.
pub(super) struct ThinIndex {
    client: Client,
}

/// Filter conditions, and the values of their parameters.
#[derive(Default)]
struct Conditions {
    expressions: Vec<String>,
    values: Vec<(String, AttributeValue)>,
}

impl ThinIndex {
    /// Creates the table.
    pub(super) async fn start(dynamodb: &EmbeddedDynamo) -> anyhow::Result<Self> {
        let config = sdk_config(&dynamodb.endpoint_url());
        // The emulator needs longer for a page of 1 MB than the usual timeouts.
        let config =
            config.into_builder().http_client(delayed_client()).timeout_config(TimeoutConfig::disabled()).build();
        let client = Client::new(&config);
        THIN_INDEX.create(&client, &table_name()).send().await?;
        Ok(Self { client })
    }

    /// Loads the entries of reviews. Returns their bytes.
    pub(super) fn load(dynamodb: &EmbeddedDynamo, reviews: &[Review]) -> anyhow::Result<usize> {
        dynamodb.import(&table_name(), reviews.iter().map(entry).collect())
    }

    /// Reads all entries, counts those that match, and fetches the reviews of the page.
    pub(super) async fn search(&self, org_id: OrgId, search: &Search) -> anyhow::Result<Answer> {
        let stopwatch = Stopwatch::start();
        let (entries, query_cost) = self.matching_entries(org_id, &search.filter, "effective_listing").await?;
        let count = entries.len() as u64;
        let range = search.page.range(count);
        let on_page = (0..).zip(&entries).filter(|(position, _)| range.contains(position));
        let ids: Vec<ReviewId> = on_page.map(|(_, entry)| review_id(entry)).collect::<anyhow::Result<_>>()?;
        let (existing, cost) = self.fetch_reviews(&ids, query_cost).await?;
        let ids: Vec<String> = ids.iter().map(|id| id.as_str().to_owned()).collect();
        ensure!(ids.iter().all(|id| existing.contains(id)), "an entry has no review");
        Ok(Answer { count: Some(count), ids, cost, elapsed: stopwatch.elapsed(), cpu: Duration::ZERO })
    }

    /// Reads all entries, and counts those that match by group and rating.
    pub(super) async fn statistics(&self, org_id: OrgId, case: &StatsCase) -> anyhow::Result<StatsAnswer> {
        let stopwatch = Stopwatch::start();
        let attributes = "effective_listing, cell, city_key, business_id";
        let (entries, cost) = self.matching_entries(org_id, &case.filter, attributes).await?;
        let mut groups = Groups::new();
        if case.group_by.is_none() {
            groups.entry(String::new()).or_default();
        }
        for entry in &entries {
            let (group, rating) = group_of(entry, case.group_by)?;
            groups.entry(group).or_default()[usize::from(rating.get()) - 1] += 1;
        }
        Ok(StatsAnswer { groups, cost, elapsed: stopwatch.elapsed() })
    }

    /// Returns all entries that match, and the cost of reading them.
    async fn matching_entries(
        &self,
        org_id: OrgId,
        filter: &Filter,
        attributes: &str,
    ) -> anyhow::Result<(Vec<Item>, Cost)> {
        let query = self.query(org_id, filter).projection_expression(attributes);
        let (mut entries, mut cost, mut start) = (Vec::new(), Cost::default(), None);
        loop {
            let page = query.clone().set_exclusive_start_key(start).send().await?;
            cost = with_call(cost, page.consumed_capacity());
            entries.extend(page.items.unwrap_or_default());
            start = page.last_evaluated_key;
            if start.is_none() {
                return Ok((entries, cost));
            }
        }
    }

    fn query(&self, org_id: OrgId, filter: &Filter) -> QueryFluentBuilder {
        let query = self.client.query().table_name(table_name()).scan_index_forward(false).limit(QUERY_LIMIT);
        let query = query
            .return_consumed_capacity(ReturnConsumedCapacity::Total)
            .expression_attribute_values(":org", AttributeValue::N(org_id.to_string()));
        let (from, to) = filter.date_range.unzip();
        let query = match effective_between(from, to) {
            None => query.key_condition_expression("org_id = :org"),
            Some((from, to)) => query
                .key_condition_expression("org_id = :org AND effective_listing BETWEEN :from AND :to")
                .expression_attribute_values(":from", AttributeValue::S(from))
                .expression_attribute_values(":to", AttributeValue::S(to)),
        };
        let Conditions { expressions, values } = Conditions::new(filter);
        values
            .into_iter()
            .fold(query, |query, (name, value)| query.expression_attribute_values(name, value))
            .set_filter_expression((!expressions.is_empty()).then(|| expressions.join(" AND ")))
    }

    /// Fetches reviews. Returns the ids of those that exist, and the cost so far with that of the call.
    async fn fetch_reviews(&self, ids: &[ReviewId], cost: Cost) -> anyhow::Result<(HashSet<String>, Cost)> {
        if ids.is_empty() {
            return Ok((HashSet::new(), cost));
        }
        let table = format!("{PREFIX}{}", schema::REVIEWS.name);
        let keys = ids
            .iter()
            .map(|id| HashMap::from([("pk".to_owned(), text(&review_pk(id))), ("sk".to_owned(), text(REVIEW_SK))]));
        let wanted = KeysAndAttributes::builder().set_keys(Some(keys.collect())).build()?;
        let batch = self.client.batch_get_item().request_items(&table, wanted);
        let output = batch.return_consumed_capacity(ReturnConsumedCapacity::Total).send().await?;
        let cost = with_call(cost, output.consumed_capacity());
        let reviews = output.responses.unwrap_or_default().remove(&table).unwrap_or_default();
        let existing = reviews.iter().filter_map(|review| parse_review_pk(review.get("pk")?.as_s().ok()?));
        let existing = existing.map(|id| id.as_str().to_owned()).collect();
        Ok((existing, cost))
    }
}

/// Calculates the cost of a search that reads `entries` entries of `entry_bytes` bytes each.
pub(super) fn estimate_cost(search: &Search, entries: u64, entry_bytes: f64) -> Cost {
    let bytes = entries as f64 * entry_bytes;
    let pages = (bytes / PAGE_BYTES).ceil().max(1.0);
    let reviews = search.page.range(search.match_count).count();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a number of pages")]
    let calls = pages as u32 + u32::from(reviews > 0);
    // A review is smaller than 4 KB: half a unit.
    let read_units = (bytes / UNIT_BYTES).ceil() / 2.0 + reviews as f64 / 2.0;
    Cost { calls, waves: calls, read_units, write_units: 0.0 }
}

fn table_name() -> String {
    format!("{PREFIX}{}", THIN_INDEX.name)
}

/// Returns a cost with that of one more call. Calls follow each other, so each is a wave.
fn with_call<'a>(cost: Cost, capacity: impl IntoIterator<Item = &'a ConsumedCapacity>) -> Cost {
    let read_units: f64 = capacity.into_iter().filter_map(ConsumedCapacity::capacity_units).sum();
    Cost { calls: cost.calls + 1, waves: cost.waves + 1, read_units: cost.read_units + read_units, ..cost }
}

fn entry(review: &Review) -> Item {
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

impl Conditions {
    fn new(filter: &Filter) -> Self {
        let mut conditions = Self::default();
        let mask = filter.mask();
        if mask != FacetMask::ALL {
            let keys = (0..).take(FACET_KEY_COUNT).filter_map(FacetKey::from_number).filter(|key| mask.contains(*key));
            conditions.add_in("cell", keys.map(|key| (format!(":c{}", key.number()), number(key))).collect());
        }
        if let Some(city) = &filter.city_key {
            conditions.expressions.push("city_key = :city".to_owned());
            conditions.values.push((":city".to_owned(), text(city)));
        }
        if !filter.businesses.is_empty() {
            let ids = filter.businesses.iter().enumerate();
            let ids = ids.map(|(position, id)| (format!(":b{position}"), text(id.as_str())));
            conditions.add_in("business_id", ids.collect());
        }
        conditions
    }

    /// Adds the condition that an attribute has one of the values.
    fn add_in(&mut self, attribute: &str, values: Vec<(String, AttributeValue)>) {
        let names: Vec<&str> = values.iter().map(|(name, _)| name.as_str()).collect();
        let lists = names.chunks(MAX_VALUES).map(|names| format!("{attribute} IN ({})", names.join(", ")));
        self.expressions.push(format!("({})", lists.collect::<Vec<_>>().join(" OR ")));
        self.values.extend(values);
    }
}

fn text(value: &str) -> AttributeValue {
    AttributeValue::S(value.to_owned())
}

fn number(key: FacetKey) -> AttributeValue {
    AttributeValue::N(key.number().to_string())
}

/// Returns the group of an entry, and its rating.
fn group_of(entry: &Item, group_by: Option<GroupBy>) -> anyhow::Result<(String, Rating)> {
    let text = |name: &str| entry.get(name).and_then(|value| value.as_s().ok()).context("an entry without its text");
    let listing = parse_effective_listing(text("effective_listing")?).context("an entry without its date")?;
    let day = Day::of(listing.0);
    let cell: usize =
        entry.get("cell").and_then(|value| value.as_n().ok()).context("an entry without a cell")?.parse()?;
    // The formula of facet keys, the other way round.
    let (state, rating, partner) = (ReviewState::ALL[cell / 30], Rating::ALL[cell / 6 % 5], Partner::ALL[cell / 2 % 3]);
    let group = match group_by {
        None => String::new(),
        Some(GroupBy::Day) => day.to_string(),
        Some(GroupBy::Month) => day.month().to_string(),
        Some(GroupBy::Year) => day.month().to_string()[..4].to_owned(),
        Some(GroupBy::Business) => text("business_id")?.clone(),
        Some(GroupBy::City) => text("city_key")?.clone(),
        Some(GroupBy::Partner) => partner.as_str().to_owned(),
        Some(GroupBy::State) => state.as_str().to_owned(),
        Some(GroupBy::Rating) => rating.get().to_string(),
    };
    Ok((group, rating))
}

/// Returns the id of an entry's review.
fn review_id(entry: &Item) -> anyhow::Result<ReviewId> {
    let listing = entry.get("effective_listing").and_then(|value| value.as_s().ok());
    let (_, id) = listing.and_then(|text| parse_effective_listing(text)).context("an entry without its key")?;
    Ok(id)
}
