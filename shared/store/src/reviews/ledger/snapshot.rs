//! Numbers of the ledger: as they are stored, as the reviews make them, and the differences.

use std::collections::{BTreeMap, BTreeSet};

use super::item::{LedgerKey, Posting, count_attribute};
use super::recount_scope::ListedReview;
use crate::client::read::Item;
use crate::keys::{DAY_SK_PREFIX, MONTH_SK_PREFIX, counts_pk, postings_pk, postings_sk};
use presence_domain::instant::format_second;
use presence_domain::ledger::ReviewSet;
use presence_domain::review::Review;

/// Counts items and postings items: for each, the attributes that are numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct LedgerSnapshot(pub(super) BTreeMap<LedgerKey, BTreeMap<String, i64>>);

/// A number of the ledger that differs from what the reviews make it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Difference {
    /// Name of the attribute: a facet key in a counts item, a review id in a postings item.
    pub(super) attribute: String,
    /// Number that is stored; `None` if the attribute is missing.
    pub(super) stored: Option<i64>,
    /// Number by the reviews; `None` if there should be no such attribute.
    pub(super) counted: Option<i64>,
}

/// Differences by item. Items without a difference are left out.
pub(super) type Differences = BTreeMap<LedgerKey, Vec<Difference>>;

impl LedgerSnapshot {
    /// Reads stored items.
    pub(super) fn from_items(items: &[Item]) -> Self {
        Self(items.iter().filter_map(read_numbers).collect())
    }

    /// Returns the numbers that the ledger should have for these reviews.
    pub(super) fn of_reviews<'a>(reviews: impl IntoIterator<Item = &'a Review>) -> Self {
        let mut snapshot = Self::default();
        for review in reviews {
            snapshot.add(&Posting::of(review), ReviewSet::containing(review));
        }
        snapshot
    }

    /// Returns the numbers that the ledger should have by the entries of `business-index`.
    pub(super) fn of_listed(listed: &[ListedReview]) -> Self {
        let mut snapshot = Self::default();
        for ListedReview { posting, sets } in listed {
            snapshot.add(posting, sets.clone());
        }
        snapshot
    }

    /// Counts a review.
    ///
    /// Month and day are cut out of the date that answers show. Writes compute them with [`Day`] and [`Month`]: a second
    /// way of computing them finds reviews that writes file under a wrong date.
    ///
    /// [`Day`]: presence_domain::ledger::Day
    /// [`Month`]: presence_domain::ledger::Month
    fn add(&mut self, posting: &Posting, sets: [ReviewSet; 2]) {
        let shown = format_second(posting.effective_at);
        let (Some(month), Some(date), Some(day)) = (shown.get(..7), shown.get(..10), shown.get(8..10)) else { return };
        for set in BTreeSet::from(sets) {
            let pk = counts_pk(&set);
            for sk in [format!("{MONTH_SK_PREFIX}{month}"), format!("{DAY_SK_PREFIX}{date}")] {
                let counts = self.0.entry(LedgerKey { pk: pk.clone(), sk }).or_default();
                *counts.entry(count_attribute(posting.facet_key)).or_default() += 1;
            }
            let (pk, sk) = (postings_pk(&set, month), postings_sk(day, posting.facet_key, &posting.id));
            let postings = self.0.entry(LedgerKey { pk, sk }).or_default();
            postings.insert(posting.id.as_str().to_owned(), second_of_day(&shown));
        }
    }

    /// Returns the differences between the stored numbers and the counted ones.
    pub(super) fn differences(mut stored: Self, mut counted: Self) -> Differences {
        let keys: BTreeSet<LedgerKey> = stored.0.keys().chain(counted.0.keys()).cloned().collect();
        let mut differences = Differences::new();
        for key in keys {
            let (stored, counted) =
                (stored.0.remove(&key).unwrap_or_default(), counted.0.remove(&key).unwrap_or_default());
            let of_item = item_differences(&key, &stored, &counted);
            if !of_item.is_empty() {
                differences.insert(key, of_item);
            }
        }
        differences
    }
}

fn item_differences(
    key: &LedgerKey,
    stored: &BTreeMap<String, i64>,
    counted: &BTreeMap<String, i64>,
) -> Vec<Difference> {
    let attributes: BTreeSet<&String> = stored.keys().chain(counted.keys()).collect();
    let mut differences = Vec::new();
    for attribute in attributes {
        let (stored, counted) = (stored.get(attribute).copied(), counted.get(attribute).copied());
        // A count that fell to zero stays in its item: missing and zero are the same.
        let is_same = stored == counted || (key.is_counts() && stored.unwrap_or(0) == counted.unwrap_or(0));
        if !is_same {
            differences.push(Difference { attribute: attribute.clone(), stored, counted });
        }
    }
    differences
}

/// Returns an item's key and its attributes that are numbers.
fn read_numbers(item: &Item) -> Option<(LedgerKey, BTreeMap<String, i64>)> {
    let text = |name: &str| item.get(name)?.as_s().ok().cloned();
    let key = LedgerKey { pk: text("pk")?, sk: text("sk")? };
    let mut numbers = BTreeMap::new();
    for (name, value) in item {
        if let Some(number) = value.as_n().ok().and_then(|digits| digits.parse().ok()) {
            numbers.insert(name.clone(), number);
        }
    }
    Some((key, numbers))
}

/// Returns the second of the day of an instant in the form of answers: `2024-03-01T09:30:00+00:00`.
fn second_of_day(shown: &str) -> i64 {
    let part = |range: std::ops::Range<usize>| {
        shown.get(range).and_then(|digits| digits.parse::<i64>().ok()).unwrap_or_default()
    };
    (part(11..13) * 60 + part(14..16)) * 60 + part(17..19)
}
