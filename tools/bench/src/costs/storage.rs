//! Cost of storage: the bytes of items and index entries, and the price of a month for companies of three sizes.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

use anyhow::Context as _;
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::AttributeValue;
use presence_ledger::OrgPostings;
use presence_ledger::tree::FACETS_FROM;
use presence_store::schema::{self, Index, Projected, Table};
use presence_store::{Stores, bulk_body_item, bulk_org_items};

use super::month::ItemBytes;
use super::prices::{GB, RECOVERY_GB, STORAGE_GB};
use crate::distribution::Distribution;

/// Bytes that DynamoDB adds to each item and to each entry of an index:
/// <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html>.
const OVERHEAD: usize = 100;

type Item = HashMap<String, AttributeValue>;

/// Company with the size of its data.
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

/// Number and size of the items of a kind. Sizes include the overhead.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct ItemSizes {
    items: usize,
    table_bytes: usize,
    index_bytes: usize,
}

impl ItemSizes {
    fn add(&mut self, table: &Table, item: &Item) {
        self.items += 1;
        self.table_bytes += OVERHEAD + item_bytes(item);
        self.index_bytes += table.indexes.iter().filter_map(|index| entry_bytes(table, index, item)).sum::<usize>();
    }

    fn bytes(&self) -> usize {
        self.table_bytes + self.index_bytes
    }

    /// Returns the bytes of another number of such items.
    fn scaled_to(&self, items: usize) -> f64 {
        self.bytes() as f64 / self.items.max(1) as f64 * items as f64
    }
}

/// Sizes of the reviews of a company.
struct ReviewSizes {
    reviews: ItemSizes,
    /// Trees and directories. They are counted by review, so that their average is that of a review.
    ledger: ItemSizes,
}

/// Section of the report, and the sizes of items that the bill of a month needs.
pub(super) struct StorageReport {
    pub(super) text: String,
    pub(super) bytes: ItemBytes,
}

/// Measures the items of the sample data and the reviews of each company. Renders the section of the report.
pub(super) async fn report(client: &Client, store: &Stores) -> anyhow::Result<StorageReport> {
    let mut kinds: BTreeMap<String, ItemSizes> = BTreeMap::new();
    for table in schema::TABLES.iter().filter(|table| table.name != schema::REVIEWS.name) {
        let mut pages = client.scan().table_name(store.database.name(table)).into_paginator().items().send();
        while let Some(item) = pages.try_next().await? {
            kinds.entry(format!("{}: {}", table.name, item_kind(table, &item))).or_default().add(table, &item);
        }
    }
    let reviews: Vec<_> = COMPANIES.iter().map(review_sizes).collect::<anyhow::Result<_>>()?;
    for (company, sizes) in COMPANIES.iter().zip(&reviews) {
        let total = thousands(company.reviews);
        kinds.insert(format!("reviews: a review, of {total} reviews"), sizes.reviews);
        kinds.insert(format!("reviews: trees of a review, of {total} reviews"), sizes.ledger);
    }
    let largest = reviews.last().context("companies")?;
    let user = ["users: USER", "users: EMAIL"].iter().filter_map(|kind| kinds.get(*kind));
    let bytes = ItemBytes {
        review: largest.reviews.scaled_to(1) + largest.ledger.scaled_to(1),
        user: user.map(|sizes| sizes.scaled_to(1)).sum(),
        record: kinds.get("audit: a record").context("records of the audit trail")?.scaled_to(1),
    };
    Ok(StorageReport { text: render(&kinds, &reviews), bytes })
}

fn review_sizes(company: &Company) -> anyhow::Result<ReviewSizes> {
    let (mut reviews, mut ledger) = (ItemSizes::default(), ItemSizes::default());
    let distribution = Distribution::new(company.reviews);
    let mut postings = OrgPostings::new(distribution.org().id);
    for review in distribution.months().flatten() {
        postings.add(&review);
        reviews.add(&schema::REVIEWS, &bulk_body_item(&review)?);
    }
    bulk_org_items(postings, FACETS_FROM, |item| {
        ledger.add(&schema::REVIEWS, &item);
        Ok(())
    })?;
    ledger.items = reviews.items;
    Ok(ReviewSizes { reviews, ledger })
}

fn render(kinds: &BTreeMap<String, ItemSizes>, reviews: &[ReviewSizes]) -> String {
    let mut report = format!(
        "\n## Storage\n\nThe table has the average size of an item by the rules of DynamoDB, over the sample data. Reviews are those \
         of the generated data of the benchmarks. Sizes include the {OVERHEAD} bytes that DynamoDB adds to each item and to each entry \
         of an index.\n\n\
         | table and item | bytes | bytes in its indexes |\n|---|---:|---:|\n"
    );
    for (kind, sizes) in kinds {
        let items = sizes.items.max(1) as f64;
        let (table_bytes, index_bytes) = (sizes.table_bytes as f64 / items, sizes.index_bytes as f64 / items);
        let _ = writeln!(report, "| {kind} | {table_bytes:.0} | {index_bytes:.0} |");
    }
    let _ = write!(
        report,
        "\nA month of storage costs ${STORAGE_GB} for a GB, and point-in-time recovery ${RECOVERY_GB} more. The first 25 GB of an \
         account are free; they are not deducted. `listing-index` has each review as a whole.\n\n\
         | company | users | businesses | reviews | MB of users | MB of businesses | MB of reviews | storage $ | recovery $ \
         |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|\n"
    );
    for (company, sizes) in COMPANIES.iter().zip(reviews) {
        report.push_str(&company_row(company, kinds, sizes));
    }
    report
}

fn company_row(company: &Company, kinds: &BTreeMap<String, ItemSizes>, reviews: &ReviewSizes) -> String {
    let bytes_of = |kind: &str, items: usize| kinds.get(kind).map_or(0.0, |sizes| sizes.scaled_to(items));
    let users = bytes_of("users: USER", company.users) + bytes_of("users: EMAIL", company.users);
    let businesses = bytes_of("businesses: BUSINESS", company.businesses);
    let reviews = (reviews.reviews.bytes() + reviews.ledger.bytes()) as f64;
    let all = users + businesses + reviews;
    format!(
        "| {} | {} | {} | {} | {:.2} | {:.2} | {:.1} | {:.4} | {:.4} |\n",
        company.name,
        thousands(company.users as u64),
        thousands(company.businesses as u64),
        thousands(company.reviews),
        users / 1e6,
        businesses / 1e6,
        reviews / 1e6,
        all / GB * STORAGE_GB,
        all / GB * RECOVERY_GB,
    )
}

/// Returns the kind of an item: the part of its key before the number sign.
fn item_kind(table: &Table, item: &Item) -> String {
    if table.name == schema::API_KEYS.name {
        return "a key".to_owned();
    }
    if table.name == schema::AUDIT.name {
        return "a record".to_owned();
    }
    let key = |name: &str| item.get(name).and_then(|value| value.as_s().ok()).map_or("", String::as_str);
    let prefix = |key: &str| key.split('#').next().unwrap_or_default().to_owned();
    let sort_prefix = prefix(key("sk"));
    // The mails of a user are in the partition of the user.
    if sort_prefix == "MAIL" { sort_prefix } else { prefix(key("pk")) }
}

/// Returns the bytes of an item's entry in an index. Returns `None` if the item has no entry.
fn entry_bytes(table: &Table, index: &Index, item: &Item) -> Option<usize> {
    if !index.key.attributes().all(|(name, _)| item.contains_key(name)) {
        return None;
    }
    let keys: Vec<&str> = index.key.attributes().chain(table.key.attributes()).map(|(name, _)| name).collect();
    let is_projected = |name: &str| match index.projected {
        Projected::All => true,
        Projected::Only(names) => keys.contains(&name) || names.contains(&name),
    };
    let attributes = item.iter().filter(|(name, _)| is_projected(name));
    Some(OVERHEAD + attributes.map(|(name, value)| name.len() + value_bytes(value)).sum::<usize>())
}

/// Returns the bytes of an item: names and values.
fn item_bytes(item: &Item) -> usize {
    item.iter().map(|(name, value)| name.len() + value_bytes(value)).sum()
}

/// Returns the bytes of a value. A list or a map takes three bytes and one for each member.
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

/// Returns the bytes of a number: one, and one for every two digits. Zeros at the end take no space.
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
    fn size_of_an_item_includes_its_index_entries() {
        let item = Item::from([
            ("pk".to_owned(), text("BUSINESS#1")),
            ("org_id".to_owned(), AttributeValue::N("1200".to_owned())),
            ("city_listing".to_owned(), text("lyon")),
            ("name".to_owned(), text("Shop")),
            ("more".to_owned(), text("0123456789")),
        ]);
        let mut sizes = ItemSizes::default();
        sizes.add(&schema::BUSINESSES, &item);
        // pk 12, org_id 6 + 2, city_listing 16, name 8; more is not projected.
        assert_eq!(sizes, ItemSizes { items: 1, table_bytes: 100 + 44 + 14, index_bytes: 100 + 44 });
        assert_eq!(item_kind(&schema::BUSINESSES, &item), "BUSINESS");
        let org = Item::from([("pk".to_owned(), text("ORG#1"))]);
        sizes.add(&schema::BUSINESSES, &org);
        assert_eq!((sizes.items, sizes.index_bytes), (2, 144));
    }

    #[test]
    fn size_of_a_list_includes_its_members() {
        assert_eq!(value_bytes(&AttributeValue::L(vec![text("ab"), AttributeValue::Bool(true)])), 3 + 3 + 2);
        assert_eq!(number_bytes("-1250000"), 1 + 2 + 1);
    }
}
