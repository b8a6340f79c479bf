//! The items of the tables, made when they are read.

use std::collections::{BTreeMap, HashMap};

use presence_domain::ids::OrgId;
use presence_domain::ledger::{Book, Day, Month};
use presence_store::items_of_reviews;
use presence_store::keys::{
    BOOKS_PK, DAY_SK_PREFIX, MONTH_SK_PREFIX, REVIEW_SK, business_pk, effective_listing, org_key, review_pk, slips_sk,
};
use serde_json::{Map, Value, json};

use super::packed_reviews::{Counts, PackedReview, PackedReviews, SetSelector};

/// An item in the protocol's form.
pub(super) type Item = Map<String, Value>;

/// Sort keys, both included.
pub(super) type Bounds = (String, String);

/// The tables.
#[derive(Debug)]
pub(super) struct SyntheticTables {
    reviews: PackedReviews,
}

impl SyntheticTables {
    pub(super) fn new(rows: PackedReviews) -> Self {
        Self { reviews: rows }
    }

    /// The items of a partition of the reviews table, in the order of their sort keys; none where it knows of none.
    pub(super) fn partition(&self, pk: &str, bounds: Option<&Bounds>) -> Vec<Item> {
        let items = match pk.split_once('#') {
            None if pk == BOOKS_PK => vec![keys(pk, &org_key(OrgId::new(1)))],
            Some(("T", book)) => {
                self.selector(book).map_or_else(Vec::new, |selector| self.tallies(pk, selector, bounds))
            }
            Some(("L", rest)) => rest.rsplit_once('#').map_or_else(Vec::new, |(book, month)| {
                let selector = self.selector(book).zip(Month::parse(month));
                selector.map_or_else(Vec::new, |(selector, month)| self.slips(pk, selector, month, bounds))
            }),
            _ => Vec::new(),
        };
        within(items, "sk", bounds)
    }

    /// The entries of `business-index` of a business.
    pub(super) fn business_index(&self, business: &str, bounds: Option<&Bounds>) -> Vec<Item> {
        let businesses = self.reviews.distribution().businesses();
        let place = businesses.iter().position(|one| one.id.as_str() == business);
        let Some(place) = place.and_then(|place| u16::try_from(place).ok()) else { return Vec::new() };
        let entry = |row: PackedReview| {
            let id = row.id();
            let mut item = keys(&review_pk(&id), REVIEW_SK);
            item.insert("id".to_owned(), text(id.as_str()));
            item.insert("cell".to_owned(), number(row.cell().number()));
            item.insert("business_id".to_owned(), text(business));
            item.insert("effective_listing".to_owned(), text(&effective_listing(row.at(), &id)));
            item
        };
        within(self.reviews.of_business(place).map(entry).collect(), "effective_listing", bounds)
    }

    /// The item of a review or of a business.
    pub(super) fn get(&self, pk: &str) -> Option<Item> {
        if let Some(id) = pk.strip_prefix("R#") {
            let items = items_of_reviews(&[self.reviews.review(id)?]).ok()?;
            let review = items.into_iter().find(|item| item.contains_key("version"))?;
            let attribute = |(name, value): (String, aws_sdk_dynamodb::types::AttributeValue)| {
                let value = match (value.as_s(), value.as_n()) {
                    (Ok(value), _) => json!({ "S": value }),
                    (_, Ok(value)) => json!({ "N": value }),
                    _ => return None,
                };
                Some((name, value))
            };
            return review.into_iter().map(attribute).collect();
        }
        let businesses = self.reviews.distribution().businesses();
        let business = businesses.iter().find(|business| business_pk(&business.id) == pk)?;
        let (id, city) = (text(business.id.as_str()), text(&business.city));
        let item = json!({ "pk": text(pk), "id": id, "org_id": number(business.org_id.get()), "city": city });
        item.as_object().cloned()
    }

    fn selector(&self, book: &str) -> Option<SetSelector> {
        let org = Book::Org(OrgId::new(1)?).to_string();
        match book.strip_prefix("c:1:") {
            Some(city) => self.reviews.city(city),
            None => (book == org).then_some(SetSelector::Org),
        }
    }

    fn tallies(&self, pk: &str, selector: SetSelector, bounds: Option<&Bounds>) -> Vec<Item> {
        let day = |bound: &String| bound.strip_prefix(DAY_SK_PREFIX).and_then(Day::parse);
        if let Some(days) = bounds.and_then(|(from, to)| day(from).zip(day(to))) {
            let days = self.reviews.days(selector, days).into_iter();
            return days.map(|(day, counts)| tally(pk, &format!("{DAY_SK_PREFIX}{day}"), &counts)).collect();
        }
        let months = self.reviews.months(selector);
        months.map(|(month, counts)| tally(pk, &format!("{MONTH_SK_PREFIX}{month}"), &counts)).collect()
    }

    fn slips(&self, pk: &str, selector: SetSelector, month: Month, bounds: Option<&Bounds>) -> Vec<Item> {
        let of_month = |bound: &String| Day::parse(&format!("{month}-{}", bound.get(..2)?));
        let days = bounds.and_then(|(from, to)| of_month(from).zip(of_month(to)));
        let days = days.unwrap_or_else(|| (month.first_day(), month.last_day()));
        let mut items: BTreeMap<String, Item> = BTreeMap::new();
        let inside = |sk: &str| bounds.is_none_or(|(from, to)| from.as_str() <= sk && sk <= to.as_str());
        let mut day_of: HashMap<i64, Day> = HashMap::new();
        for row in self.reviews.of_days(selector, days) {
            let day = *day_of.entry(row.day().start()).or_insert_with(|| row.day());
            let id = row.id();
            let sk = slips_sk(&day.of_month(), row.cell(), &id);
            if inside(&sk) {
                let item = items.entry(sk).or_insert_with_key(|sk| keys(pk, sk));
                item.insert(id.as_str().to_owned(), number(row.second_of_day()));
            }
        }
        items.into_values().collect()
    }
}

fn within(mut items: Vec<Item>, sort: &str, bounds: Option<&Bounds>) -> Vec<Item> {
    if let Some((from, to)) = bounds {
        items.retain(|item| item[sort]["S"].as_str().is_some_and(|sk| from.as_str() <= sk && sk <= to.as_str()));
    }
    items
}

fn tally(pk: &str, sk: &str, counts: &Counts) -> Item {
    let mut item = keys(pk, sk);
    for (cell, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
        item.insert(format!("c{cell}"), number(*count));
    }
    item
}

fn keys(pk: &str, sk: &str) -> Item {
    Map::from_iter([("pk".to_owned(), text(pk)), ("sk".to_owned(), text(sk))])
}

fn text(value: &str) -> Value {
    json!({ "S": value })
}

fn number(value: impl Into<i128>) -> Value {
    json!({ "N": value.into().to_string() })
}
