//! Items of the tables: those of trees are kept, and the others are generated when they are read.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::{Mutex, PoisonError, RwLock, RwLockReadGuard};

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
pub(super) type ItemKey = (String, String);

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
    /// Items of the trees and of their directory, as they were built.
    ledger: BTreeMap<ItemKey, StoredItem>,
    written: RwLock<WrittenItems>,
    /// Lock of a write from its condition to its end.
    pub(super) write_lock: Mutex<()>,
}

/// Items that were written since the build. They take the place of built and of generated ones.
#[derive(Debug, Default)]
struct WrittenItems {
    /// Items by key; `None` for one that was deleted.
    items: BTreeMap<ItemKey, Option<Item>>,
    /// Keys of the reviews among them, by organisation and sort key of `listing-index`.
    listings: BTreeMap<(String, String), ItemKey>,
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
        Ok(Self { reviews, ledger, written: RwLock::default(), write_lock: Mutex::default() })
    }

    pub(super) fn distribution(&self) -> &Distribution {
        self.reviews.distribution()
    }

    /// Stores an item in the place of another one, or deletes it.
    pub(super) fn store(&self, key: ItemKey, item: Option<Item>) {
        let mut written = self.written.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(listing) = written.items.get(&key).and_then(Option::as_ref).and_then(listing_of) {
            written.listings.remove(&listing);
        }
        if let Some(listing) = item.as_ref().and_then(listing_of) {
            written.listings.insert(listing, key.clone());
        }
        written.items.insert(key, item);
    }

    fn written(&self) -> RwLockReadGuard<'_, WrittenItems> {
        self.written.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the items of a partition of the ledger, ordered by sort key. An unknown partition is empty.
    pub(super) fn query_partition(&self, pk: &str, range: SortKeyRange) -> impl DoubleEndedIterator<Item = Item> {
        let keys = (pk.to_owned(), range.from)..=(pk.to_owned(), range.to);
        let built = self.ledger.range(keys.clone()).map(|(key, item)| (key.clone(), Some(to_protocol(item))));
        let mut items: BTreeMap<ItemKey, Option<Item>> = built.collect();
        items.extend(self.written().items.range(keys).map(|(key, item)| (key.clone(), item.clone())));
        items.into_values().flatten()
    }

    /// Returns the entries of `listing-index` in a range of its sort keys, in the order of a Query.
    pub(super) fn listing(
        &self,
        org_id: &str,
        range: &SortKeyRange,
        is_forward: bool,
    ) -> Box<dyn Iterator<Item = Item> + '_> {
        let positions = self.listing_positions(org_id, range);
        let generated = positions.filter_map(|position| self.generated_entry(position));
        let written = self.written();
        let keys = (org_id.to_owned(), range.from.clone())..=(org_id.to_owned(), range.to.clone());
        let own = written.listings.range(keys);
        let own: Vec<Item> = own.filter_map(|(_, key)| written.items.get(key)?.clone()).collect();
        if is_forward {
            Box::new(merge(generated, own.into_iter(), |one, other| one <= other))
        } else {
            Box::new(merge(generated.rev(), own.into_iter().rev(), |one, other| one >= other))
        }
    }

    /// Returns the positions of the generated entries of `listing-index` in a range of its sort keys.
    fn listing_positions(&self, org_id: &str, range: &SortKeyRange) -> Range<usize> {
        if org_id == self.reviews.distribution().org().id.to_string() {
            self.reviews.positions(&range.from, &range.to)
        } else {
            0..0
        }
    }

    /// Returns the generated entry of `listing-index` at a position, unless its review was written since.
    fn generated_entry(&self, position: usize) -> Option<Item> {
        let item = bulk_body_item(&self.reviews.generate(position)).ok()?;
        let key = (text_of(&item, "pk"), text_of(&item, "sk"));
        (!self.written().items.contains_key(&key)).then(|| to_protocol(&item))
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
        let key = (pk.to_owned(), sk.unwrap_or_default().to_owned());
        if let Some(written) = self.written().items.get(&key) {
            return written.clone();
        }
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

/// Returns the key of an item in `listing-index`, if it is there.
fn listing_of(item: &Item) -> Option<(String, String)> {
    let (org_id, listing) = (item.get("org_id")?["N"].as_str()?, item.get("effective_listing")?["S"].as_str()?);
    Some((org_id.to_owned(), listing.to_owned()))
}

/// Merges two ordered lists of entries of `listing-index`. `is_first` compares their sort keys.
fn merge(
    one: impl Iterator<Item = Item>,
    other: impl Iterator<Item = Item>,
    is_first: fn(&Option<String>, &Option<String>) -> bool,
) -> impl Iterator<Item = Item> {
    let (mut one, mut other) = (one.peekable(), other.peekable());
    let sort_key = |item: &Item| listing_of(item).map(|(_, listing)| listing);
    std::iter::from_fn(move || match (one.peek(), other.peek()) {
        (Some(left), Some(right)) if is_first(&sort_key(left), &sort_key(right)) => one.next(),
        (Some(_), None) => one.next(),
        _ => other.next(),
    })
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
