//! Items of the tables, generated when they are read.

use std::collections::{BTreeMap, HashMap};

use aws_sdk_dynamodb::types::AttributeValue;
use presence_domain::ids::OrgId;
use presence_domain::ledger::{Day, Month, ReviewSet};
use presence_store::bulk_body_item;
use presence_store::keys::{
    DAY_SK_PREFIX, MONTH_SK_PREFIX, ORGS_WITH_REVIEWS_PK, REVIEW_SK, business_pk, effective_listing, org_key,
    postings_sk, review_pk,
};
use serde_json::{Map, Value, json};

use super::packed_reviews::{Counts, PackedReview, PackedReviews, SetSelector};

/// Item in the JSON form of the protocol.
pub(super) type Item = Map<String, Value>;

/// Range of sort keys, both ends included.
pub(super) struct SortKeyRange {
    pub(super) from: String,
    pub(super) to: String,
}

impl SortKeyRange {
    fn contains(&self, sort_key: &str) -> bool {
        self.from.as_str() <= sort_key && sort_key <= self.to.as_str()
    }
}

/// Tables of reviews and of businesses.
#[derive(Debug)]
pub(super) struct SyntheticTables {
    reviews: PackedReviews,
}

impl SyntheticTables {
    pub(super) fn new(reviews: PackedReviews) -> Self {
        Self { reviews }
    }

    /// Returns the items of a partition of the reviews table, ordered by sort key. An unknown partition is empty.
    pub(super) fn query_partition(&self, pk: &str, range: Option<&SortKeyRange>) -> Vec<Item> {
        let items = match pk.split_once('#') {
            None if pk == ORGS_WITH_REVIEWS_PK => Some(vec![key_attributes(pk, &org_key(OrgId::new(1)))]),
            Some(("T", set)) => self.selector(set).map(|set| self.counts_items(pk, set, range)),
            Some(("L", set_and_month)) => set_and_month.rsplit_once('#').and_then(|(set, month)| {
                let (set, month) = self.selector(set).zip(Month::parse(month))?;
                Some(self.posting_items(pk, set, month, range))
            }),
            _ => None,
        };
        retain_in_range(items.unwrap_or_default(), "sk", range)
    }

    /// Returns the entries of a business in `business-index`.
    pub(super) fn query_business_index(&self, business: &str, range: Option<&SortKeyRange>) -> Vec<Item> {
        let businesses = self.reviews.distribution().businesses();
        let position = businesses.iter().position(|one| one.id.as_str() == business);
        let Some(position) = position.and_then(|position| u16::try_from(position).ok()) else { return Vec::new() };
        let entry = |review: PackedReview| {
            let id = review.id();
            let mut item = key_attributes(&review_pk(&id), REVIEW_SK);
            item.insert("id".to_owned(), text(id.as_str()));
            item.insert("cell".to_owned(), number(review.facet_key().number()));
            item.insert("business_id".to_owned(), text(business));
            item.insert("effective_listing".to_owned(), text(&effective_listing(review.at(), &id)));
            item
        };
        let entries = self.reviews.of_business(position).map(entry).collect();
        retain_in_range(entries, "effective_listing", range)
    }

    /// Returns the item of a review or of a business.
    pub(super) fn get(&self, pk: &str) -> Option<Item> {
        match pk.strip_prefix("R#") {
            Some(id) => self.review_item(id),
            None => self.business_item(pk),
        }
    }

    fn review_item(&self, id: &str) -> Option<Item> {
        let review = bulk_body_item(&self.reviews.review(id)?).ok()?;
        review.into_iter().map(|(name, value)| Some((name, protocol_value(&value)?))).collect()
    }

    fn business_item(&self, pk: &str) -> Option<Item> {
        let businesses = self.reviews.distribution().businesses();
        let business = businesses.iter().find(|business| business_pk(&business.id) == pk)?;
        let (id, city) = (text(business.id.as_str()), text(&business.city));
        let item = json!({ "pk": text(pk), "id": id, "org_id": number(business.org_id.get()), "city": city });
        item.as_object().cloned()
    }

    /// Returns the selector of a set, as keys name it.
    fn selector(&self, set: &str) -> Option<SetSelector> {
        let org = ReviewSet::Org(OrgId::new(1)?).to_string();
        match set.strip_prefix("c:1:") {
            Some(city) => self.reviews.city(city),
            None => (set == org).then_some(SetSelector::Org),
        }
    }

    /// Returns the counts of days if the range is one of days, else those of all months.
    fn counts_items(&self, pk: &str, set: SetSelector, range: Option<&SortKeyRange>) -> Vec<Item> {
        let day = |sort_key: &str| sort_key.strip_prefix(DAY_SK_PREFIX).and_then(Day::parse);
        if let Some(days) = range.and_then(|range| day(&range.from).zip(day(&range.to))) {
            let days = self.reviews.days(set, days).into_iter();
            return days.map(|(day, counts)| counts_item(pk, &format!("{DAY_SK_PREFIX}{day}"), &counts)).collect();
        }
        let months = self.reviews.months(set);
        months.map(|(month, counts)| counts_item(pk, &format!("{MONTH_SK_PREFIX}{month}"), &counts)).collect()
    }

    /// Returns the postings of a month: one item for each sort key, with an attribute for each review.
    fn posting_items(&self, pk: &str, set: SetSelector, month: Month, range: Option<&SortKeyRange>) -> Vec<Item> {
        // A sort key begins with the day of the month. Only the days of the range have to be read.
        let day = |sort_key: &str| Day::parse(&format!("{month}-{}", sort_key.get(..2)?));
        let days = range.and_then(|range| day(&range.from).zip(day(&range.to)));
        let days = days.unwrap_or_else(|| (month.first_day(), month.last_day()));
        let mut items: BTreeMap<String, Item> = BTreeMap::new();
        // To format a day is slow, and a day has thousands of reviews.
        let mut day_prefixes: HashMap<i64, String> = HashMap::new();
        for review in self.reviews.of_days(set, days) {
            let day = review.day();
            let prefix = day_prefixes.entry(day.start()).or_insert_with(|| day.of_month());
            let id = review.id();
            let sk = postings_sk(prefix, review.facet_key(), &id);
            if range.is_none_or(|range| range.contains(&sk)) {
                let item = items.entry(sk).or_insert_with_key(|sk| key_attributes(pk, sk));
                item.insert(id.as_str().to_owned(), number(review.second_of_day()));
            }
        }
        items.into_values().collect()
    }
}

fn retain_in_range(mut items: Vec<Item>, sort_key: &str, range: Option<&SortKeyRange>) -> Vec<Item> {
    if let Some(range) = range {
        items.retain(|item| item[sort_key]["S"].as_str().is_some_and(|value| range.contains(value)));
    }
    items
}

fn counts_item(pk: &str, sk: &str, counts: &Counts) -> Item {
    let mut item = key_attributes(pk, sk);
    for (key, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
        item.insert(format!("c{key}"), number(*count));
    }
    item
}

fn key_attributes(pk: &str, sk: &str) -> Item {
    Map::from_iter([("pk".to_owned(), text(pk)), ("sk".to_owned(), text(sk))])
}

/// Returns a text or a number of the SDK in the form of the protocol.
fn protocol_value(value: &AttributeValue) -> Option<Value> {
    match value {
        AttributeValue::S(text) => Some(json!({ "S": text })),
        AttributeValue::N(digits) => Some(json!({ "N": digits })),
        _ => None,
    }
}

fn text(value: &str) -> Value {
    json!({ "S": value })
}

fn number(value: impl Into<i128>) -> Value {
    json!({ "N": value.into().to_string() })
}
