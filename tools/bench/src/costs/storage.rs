//! The bytes that the tables hold of companies of three sizes, and their cost in a month.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::AttributeValue;
use presence_bench::distribution::Distribution;
use presence_store::schema::{self, Index, Projected, Table};
use presence_store::{Stores, bulk_review_items};

use super::prices::{GB, RECOVERY_GB, STORAGE_GB};

/// Bytes that DynamoDB adds to each item and each entry of an index, for its own use:
/// <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html>.
const OVERHEAD: usize = 100;

type Item = HashMap<String, AttributeValue>;

/// A company.
struct Company {
    name: &'static str,
    users: usize,
    businesses: usize,
    reviews: u64,
}

const COMPANIES: [Company; 3] = [
    Company { name: "a chain of 20 shops", users: 50, businesses: 20, reviews: 10_000 },
    Company { name: "a chain of 500 shops", users: 2_000, businesses: 500, reviews: 100_000 },
    Company { name: "a chain of 5,000 shops", users: 50_000, businesses: 5_000, reviews: 1_000_000 },
];

/// Items of a kind: how many, and their bytes and those of their entries in indexes, all with what DynamoDB adds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct ItemSizes {
    items: usize,
    base: usize,
    indexes: usize,
}

impl ItemSizes {
    fn add(&mut self, table: &Table, item: &Item) {
        self.items += 1;
        self.base += OVERHEAD + item_bytes(item);
        self.indexes += table.indexes.iter().filter_map(|index| entry_bytes(table, index, item)).sum::<usize>();
    }

    fn bytes(&self) -> usize {
        self.base + self.indexes
    }

    /// The bytes of so many of these.
    fn of(&self, items: usize) -> f64 {
        self.bytes() as f64 / self.items.max(1) as f64 * items as f64
    }
}

/// Weighs what the tables of the sample hold, and the reviews of each company. Renders both.
pub(super) async fn report(client: &Client, store: &Stores) -> anyhow::Result<String> {
    let mut kinds: BTreeMap<String, ItemSizes> = BTreeMap::new();
    for table in schema::TABLES.iter().filter(|table| table.name != schema::REVIEWS.name) {
        let mut pages = client.scan().table_name(store.database.name(table)).into_paginator().items().send();
        while let Some(item) = pages.try_next().await? {
            kinds.entry(format!("{}: {}", table.name, kind(table, &item))).or_default().add(table, &item);
        }
    }
    let reviews: Vec<_> = COMPANIES.iter().map(reviews_of).collect::<anyhow::Result<_>>()?;
    for (company, weights) in COMPANIES.iter().zip(&reviews) {
        for (name, weight) in ["a review", "tallies and slips of a review"].into_iter().zip(weights) {
            kinds.insert(format!("reviews: {name}, of {} reviews", thousands(company.reviews)), *weight);
        }
    }
    Ok(render(&kinds, &reviews))
}

/// The reviews of a company, and what counts them, by review.
fn reviews_of(company: &Company) -> anyhow::Result<[ItemSizes; 2]> {
    let mut weights = [ItemSizes::default(); 2];
    for month in Distribution::new(company.reviews).months() {
        for item in bulk_review_items(&month)? {
            weights[usize::from(!item.contains_key("version"))].add(&schema::REVIEWS, &item);
        }
    }
    weights[1].items = weights[0].items;
    Ok(weights)
}

fn render(kinds: &BTreeMap<String, ItemSizes>, reviews: &[[ItemSizes; 2]]) -> String {
    let mut report = format!(
        "\n## Storage\n\nBytes of an item by DynamoDB's rules, on average over the sample data (reviews: over the distribution of the \
         benchmarks), with the {OVERHEAD} bytes that DynamoDB adds to each item and to each entry of an index.\n\n\
         | table and item | bytes | bytes in its indexes |\n|---|---:|---:|\n"
    );
    for (kind, weight) in kinds {
        let items = weight.items.max(1) as f64;
        let (base, indexes) = (weight.base as f64 / items, weight.indexes as f64 / items);
        let _ = writeln!(report, "| {kind} | {base:.0} | {indexes:.0} |");
    }
    let _ = write!(
        report,
        "\nA month of storage costs ${STORAGE_GB} for a GB, and point-in-time recovery ${RECOVERY_GB} more. The first 25 GB of an \
         account are free; that is not taken off.\n\n\
         | company | users | businesses | reviews | MB of users | MB of businesses | MB of reviews | storage $ | recovery $ |\n\
         |---|---:|---:|---:|---:|---:|---:|---:|---:|\n"
    );
    let of = |kind: &str, items: usize| kinds.get(kind).map_or(0.0, |weight| weight.of(items));
    for (company, weights) in COMPANIES.iter().zip(reviews) {
        let users = of("users: USER", company.users) + of("users: EMAIL", company.users);
        let businesses = of("businesses: BUSINESS", company.businesses);
        let reviews = (weights[0].bytes() + weights[1].bytes()) as f64;
        let all = users + businesses + reviews;
        let megabytes = |bytes: f64| bytes / 1e6;
        let _ = writeln!(
            report,
            "| {} | {} | {} | {} | {:.2} | {:.2} | {:.1} | {:.4} | {:.4} |",
            company.name,
            thousands(company.users as u64),
            thousands(company.businesses as u64),
            thousands(company.reviews),
            megabytes(users),
            megabytes(businesses),
            megabytes(reviews),
            all / GB * STORAGE_GB,
            all / GB * RECOVERY_GB,
        );
    }
    report
}

/// Returns what stands before the number sign of an item's key, which is its kind.
fn kind(table: &Table, item: &Item) -> String {
    if table.name == schema::API_KEYS.name {
        return "a key".to_owned();
    }
    let text = |name: &str| item.get(name).and_then(|value| value.as_s().ok()).map_or("", String::as_str);
    let prefix = |text: &str| text.split('#').next().unwrap_or_default().to_owned();
    let sort = prefix(text("sk"));
    if sort == "MAIL" { sort } else { prefix(text("pk")) }
}

/// Returns the bytes of an item's entry in an index, if it has one.
fn entry_bytes(table: &Table, index: &Index, item: &Item) -> Option<usize> {
    let keys: Vec<&str> = index.key.attributes().chain(table.key.attributes()).map(|(name, _)| name).collect();
    let is_in = index.key.attributes().all(|(name, _)| item.contains_key(name));
    let projected = |name: &str| match index.projected {
        Projected::All => true,
        Projected::Only(names) => names.contains(&name),
    };
    let attributes = item.iter().filter(|(name, _)| keys.contains(&name.as_str()) || projected(name));
    is_in.then(|| OVERHEAD + attributes.map(|(name, value)| name.len() + value_bytes(value)).sum::<usize>())
}

/// Returns an item's bytes: names and values.
fn item_bytes(item: &Item) -> usize {
    item.iter().map(|(name, value)| name.len() + value_bytes(value)).sum()
}

/// Returns a value's bytes: a text's own, a number's by its digits, and three more for a list or map with one for each member.
fn value_bytes(value: &AttributeValue) -> usize {
    match value {
        AttributeValue::S(text) => text.len(),
        AttributeValue::N(digits) => number_bytes(digits),
        AttributeValue::B(bytes) => bytes.as_ref().len(),
        AttributeValue::L(values) => 3 + values.iter().map(|value| 1 + value_bytes(value)).sum::<usize>(),
        AttributeValue::M(item) => 3 + item.len() + item_bytes(item),
        _ => 1,
    }
}

/// Returns a byte, and one for every two digits; zeros at the end take no place.
fn number_bytes(digits: &str) -> usize {
    digits.trim_start_matches('-').trim_end_matches('0').len().div_ceil(2) + 1 + usize::from(digits.starts_with('-'))
}

fn thousands(number: u64) -> String {
    match number {
        0..1_000 => number.to_string(),
        1_000..1_000_000 => format!("{},{:03}", number / 1_000, number % 1_000),
        _ => format!("{},{:03},{:03}", number / 1_000_000, number / 1_000 % 1_000, number % 1_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(value: &str) -> AttributeValue {
        AttributeValue::S(value.to_owned())
    }

    #[test]
    fn an_item_is_weighed_with_its_entries_in_indexes() {
        let item = Item::from([
            ("pk".to_owned(), text("BUSINESS#1")),
            ("org_id".to_owned(), AttributeValue::N("1200".to_owned())),
            ("city_listing".to_owned(), text("lyon")),
            ("name".to_owned(), text("Shop")),
            ("more".to_owned(), text("0123456789")),
        ]);
        let mut weight = ItemSizes::default();
        weight.add(&schema::BUSINESSES, &item);
        // pk 12, org_id 6 + 2, city_listing 16, name 8; more is not projected.
        assert_eq!(weight, ItemSizes { items: 1, base: 100 + 44 + 14, indexes: 100 + 44 });
        assert_eq!(kind(&schema::BUSINESSES, &item), "BUSINESS");
        let org = Item::from([("pk".to_owned(), text("ORG#1"))]);
        weight.add(&schema::BUSINESSES, &org);
        assert_eq!((weight.items, weight.indexes), (2, 144));
    }

    #[test]
    fn lists_weigh_their_members() {
        assert_eq!(value_bytes(&AttributeValue::L(vec![text("ab"), AttributeValue::Bool(true)])), 3 + 3 + 2);
        assert_eq!(number_bytes("-1250000"), 1 + 2 + 1);
    }
}
