//! Items of the tables: those of trees are kept, and the others are generated when they are read.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use aws_sdk_dynamodb::types::AttributeValue;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use presence_domain::ledger::tree::FACETS_FROM;
use presence_domain::text::city_key;
use presence_store::keys::{REVIEW_SK, business_pk, city_listing};
use presence_store::{Business, OrgPostings, bulk_body_item};
use serde_json::{Map, Value, json};

use super::packed_reviews::PackedReviews;
use crate::distribution::Distribution;

/// Item in the JSON form of the protocol.
pub(super) type Item = Map<String, Value>;

/// Item in the form of the SDK.
type StoredItem = HashMap<String, AttributeValue>;

/// Partition and sort key of an item of the reviews table.
type ItemKey = (String, String);

/// Range of sort keys, both ends included.
pub(super) struct SortKeyRange {
    pub(super) from: String,
    pub(super) to: String,
}

impl SortKeyRange {
    /// Range of all sort keys. `~` sorts after every character of a sort key.
    pub(super) fn all() -> Self {
        Self { from: String::new(), to: "~~".to_owned() }
    }
}

/// Tables of reviews and of businesses.
#[derive(Debug)]
pub(super) struct SyntheticTables {
    reviews: PackedReviews,
    /// Items of the trees and of their directory.
    ledger: BTreeMap<ItemKey, StoredItem>,
}

impl SyntheticTables {
    /// Builds the trees of the reviews.
    pub(super) fn new(reviews: PackedReviews) -> anyhow::Result<Self> {
        let mut postings = OrgPostings::new(reviews.distribution().org().id);
        for position in reviews.all_positions() {
            postings.add(&reviews.generate(position));
        }
        let mut ledger = BTreeMap::new();
        postings.into_items(FACETS_FROM, |item| {
            ledger.insert((text_of(&item, "pk"), text_of(&item, "sk")), item);
            Ok(())
        })?;
        Ok(Self { reviews, ledger })
    }

    pub(super) fn distribution(&self) -> &Distribution {
        self.reviews.distribution()
    }

    /// Returns the items of a partition of the ledger, ordered by sort key. An unknown partition is empty.
    pub(super) fn query_partition(
        &self,
        pk: &str,
        range: SortKeyRange,
    ) -> impl DoubleEndedIterator<Item = Item> + use<'_> {
        let keys = (pk.to_owned(), range.from)..=(pk.to_owned(), range.to);
        self.ledger.range(keys).map(|(_, item)| to_protocol(item))
    }

    /// Returns the positions of the entries of `listing-index` in a range of its sort keys.
    pub(super) fn listing_positions(&self, org_id: &str, range: &SortKeyRange) -> Range<usize> {
        if org_id == self.reviews.distribution().org().id.to_string() {
            self.reviews.positions(&range.from, &range.to)
        } else {
            0..0
        }
    }

    /// Returns the entry of `listing-index` at a position.
    pub(super) fn listing_entry(&self, position: usize) -> Option<Item> {
        Some(to_protocol(&bulk_body_item(&self.reviews.generate(position)).ok()?))
    }

    /// Returns the entries of `city-index` of an organisation in a range of its sort keys.
    pub(super) fn city_entries(&self, org_id: &str, range: &SortKeyRange) -> Vec<Item> {
        let distribution = self.reviews.distribution();
        let entry = |business: &Business| {
            let listing = city_listing(&city_key(&business.city), &business.id);
            let text = |text: &str| json!({ "S": text });
            let entry = json!({
                "pk": text(&business_pk(&business.id)), "id": text(business.id.as_str()), "name": text(&business.name),
                "city": text(&business.city), "city_listing": text(&listing),
                "org_id": { "N": business.org_id.to_string() },
            });
            Some((listing, entry.as_object().cloned()?))
        };
        let businesses = distribution.businesses();
        let of_org = businesses.iter().filter(|business| business.org_id.to_string() == org_id);
        let entries: BTreeMap<String, Item> = of_org.filter_map(entry).collect();
        entries.range(range.from.clone()..=range.to.clone()).map(|(_, entry)| entry.clone()).collect()
    }

    /// Returns an item of the ledger, of a review or of a business.
    pub(super) fn get(&self, pk: &str, sk: Option<&str>) -> Option<Item> {
        match (pk.strip_prefix("R#"), sk) {
            (Some(id), Some(REVIEW_SK)) => Some(to_protocol(&bulk_body_item(&self.reviews.review(id)?).ok()?)),
            (_, Some(sk)) => self.ledger.get(&(pk.to_owned(), sk.to_owned())).map(to_protocol),
            (_, None) => self.business_item(pk),
        }
    }

    fn business_item(&self, pk: &str) -> Option<Item> {
        let businesses = self.reviews.distribution().businesses();
        let business = businesses.iter().find(|business| business_pk(&business.id) == pk)?;
        let org_id = json!({ "N": business.org_id.to_string() });
        let (pk, id, city) = (json!({ "S": pk }), json!({ "S": business.id.as_str() }), json!({ "S": business.city }));
        json!({ "pk": pk, "id": id, "org_id": org_id, "city": city }).as_object().cloned()
    }
}

fn text_of(item: &StoredItem, name: &str) -> String {
    item.get(name).and_then(|value| value.as_s().ok()).cloned().unwrap_or_default()
}

/// Returns an item of the SDK in the form of the protocol.
///
/// # Panics
/// Panics at an attribute of a type that no item of the reviews table has.
fn to_protocol(item: &StoredItem) -> Item {
    let value = |value: &AttributeValue| match value {
        AttributeValue::S(text) => json!({ "S": text }),
        AttributeValue::N(digits) => json!({ "N": digits }),
        AttributeValue::B(bytes) => json!({ "B": STANDARD.encode(bytes) }),
        other => panic!("{other:?} is of a type that reviews do not have"),
    };
    item.iter().map(|(name, stored)| (name.clone(), value(stored))).collect()
}
