//! One month of an organisation's books, recounted.

use std::collections::{BTreeMap, BTreeSet};

use super::item::cell_attribute;
use super::post::Key;
use crate::domain::ids::OrgId;
use crate::domain::instant::format_second;
use crate::domain::ledger::{Book, Day, Month};
use crate::domain::review::{Review, ReviewId};
use crate::error::Error;
use crate::store::Store;
use crate::store::keys::{DAY_SK_PREFIX, MONTH_SK_PREFIX, slips_pk, slips_sk, tallies_pk};
use crate::store::meter::side_by_side;
use crate::store::read::Item;

/// Reads of books side by side.
const READS_IN_FLIGHT: u16 = 16;
/// What the partitions of tallies start with.
const TALLIES: &str = "T#";

/// Items of the ledger: their attributes that are numbers.
pub(super) type Sheet = BTreeMap<Key, BTreeMap<String, i64>>;

/// What is to be recounted: a month, in these books, of these reviews and any others that its slips name.
#[derive(Clone, Debug, Default)]
pub(super) struct Extent {
    pub(super) books: BTreeSet<Book>,
    pub(super) ids: BTreeSet<ReviewId>,
}

/// A number of the ledger that is not what the reviews make it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Difference {
    /// Cell of a tally, or review of a slip.
    pub(super) attribute: String,
    pub(super) stored: Option<i64>,
    pub(super) counted: Option<i64>,
}

/// What a recount saw.
#[derive(Debug, Default)]
pub(super) struct Checked {
    /// The reviews of the month.
    pub(super) reviews: Vec<Review>,
    /// By item.
    pub(super) differences: BTreeMap<Key, Vec<Difference>>,
}

/// Whether the item is a tally, in which nothing and zero are the same.
pub(super) fn is_tally((pk, _): &Key) -> bool {
    pk.starts_with(TALLIES)
}

impl Store {
    /// Recounts a month. The ledger is read first and the reviews after it: a review that is written in between has
    /// changed every item that it differs in since that was read.
    pub(super) async fn check_month(&self, org_id: OrgId, month: Month, mut extent: Extent) -> Result<Checked, Error> {
        loop {
            let stored = self.sheet(month, &extent.books).await?;
            let named = stored.iter().filter(|(key, _)| !is_tally(key)).flat_map(|(_, slips)| slips.keys());
            extent.ids.extend(named.filter_map(|id| ReviewId::parse(id)));
            let ids: Vec<ReviewId> = extent.ids.iter().cloned().collect();
            let mut reviews: Vec<Review> = self.review_bodies(&ids).await?.into_values().collect();
            reviews.retain(|body| body.org_id == org_id && Day::of(body.effective_at()).month() == month);
            let known = extent.books.len();
            extent.books.extend(reviews.iter().flat_map(Review::books));
            // A review in a city that no business is in: that book is to be read, too.
            if extent.books.len() == known {
                let differences = differences(stored, count(&reviews));
                return Ok(Checked { reviews, differences });
            }
        }
    }

    /// What the ledger says of a month.
    async fn sheet(&self, month: Month, books: &BTreeSet<Book>) -> Result<Sheet, Error> {
        let mut reads = Vec::new();
        for book in books {
            let of_month = format!("{MONTH_SK_PREFIX}{month}");
            let days = (format!("{DAY_SK_PREFIX}{month}"), format!("{DAY_SK_PREFIX}{month}~"));
            reads.push((tallies_pk(book), Some((of_month.clone(), of_month))));
            reads.push((tallies_pk(book), Some(days)));
            reads.push((slips_pk(book, month), None));
        }
        let reads = reads.into_iter().map(|(pk, between)| self.reviews_between(pk, between));
        let items: Vec<Vec<Item>> = Box::pin(side_by_side(READS_IN_FLIGHT, reads)).await?;
        Ok(items.iter().flatten().filter_map(numbers).collect())
    }
}

/// An item's key, and its attributes that are numbers.
fn numbers(item: &Item) -> Option<(Key, BTreeMap<String, i64>)> {
    let text = |name: &str| item.get(name)?.as_s().ok().cloned();
    let number = |(name, value): (&String, &aws_sdk_dynamodb::types::AttributeValue)| {
        Some((name.clone(), value.as_n().ok()?.parse().ok()?))
    };
    Some(((text("pk")?, text("sk")?), item.iter().filter_map(number).collect()))
}

/// Returns what the ledger should say. Each review is filed under the date that answers show of it, cut out of its text: not
/// by the days and months that posting reckons with, so that a review that those file wrongly is found.
pub(super) fn count(reviews: &[Review]) -> Sheet {
    let mut sheet = Sheet::new();
    for review in reviews {
        let shown = format_second(review.effective_at());
        let (cell, second) = (review.cell(), second_of_day(&shown));
        let (Some(month), Some(date), Some(day)) = (shown.get(..7), shown.get(..10), shown.get(8..10)) else {
            continue;
        };
        for book in BTreeSet::from(review.books()) {
            let pk = tallies_pk(&book);
            for sk in [format!("{MONTH_SK_PREFIX}{month}"), format!("{DAY_SK_PREFIX}{date}")] {
                *sheet.entry((pk.clone(), sk)).or_default().entry(cell_attribute(cell)).or_default() += 1;
            }
            let key = (slips_pk(&book, month), slips_sk(day, cell, &review.id));
            sheet.entry(key).or_default().insert(review.id.as_str().to_owned(), second);
        }
    }
    sheet
}

/// Reads the second of the day from the form of answers.
fn second_of_day(shown: &str) -> i64 {
    let part = |range: std::ops::Range<usize>| {
        shown.get(range).and_then(|digits| digits.parse::<i64>().ok()).unwrap_or_default()
    };
    (part(11..13) * 60 + part(14..16)) * 60 + part(17..19)
}

fn differences(mut stored: Sheet, mut counted: Sheet) -> BTreeMap<Key, Vec<Difference>> {
    let keys: BTreeSet<Key> = stored.keys().chain(counted.keys()).cloned().collect();
    let of_item = |key: Key| {
        let (stored, counted) = (stored.remove(&key).unwrap_or_default(), counted.remove(&key).unwrap_or_default());
        let attributes: BTreeSet<&String> = stored.keys().chain(counted.keys()).collect();
        let difference = |attribute: &String| {
            let (stored, counted) = (stored.get(attribute).copied(), counted.get(attribute).copied());
            let same = stored == counted || (is_tally(&key) && stored.unwrap_or(0) == counted.unwrap_or(0));
            (!same).then(|| Difference { attribute: attribute.clone(), stored, counted })
        };
        let found: Vec<Difference> = attributes.into_iter().filter_map(difference).collect();
        (key, found)
    };
    keys.into_iter().map(of_item).filter(|(_, found)| !found.is_empty()).collect()
}
