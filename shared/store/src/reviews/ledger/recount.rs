//! One month of an organisation's books, recounted.

use std::collections::{BTreeMap, BTreeSet};

use super::item::{Posting, cell_attribute};
use super::write::Key;
use crate::ReviewStore;
use crate::client::meter::side_by_side;
use crate::client::read::Item;
use crate::keys::{DAY_SK_PREFIX, MONTH_SK_PREFIX, counts_pk, postings_pk, postings_sk};
use presence_domain::error::Error;
use presence_domain::ids::OrgId;
use presence_domain::instant::format_second;
use presence_domain::ledger::{Day, FacetKey, Month, ReviewSet};
use presence_domain::review::{Review, ReviewId};

/// Reads of books side by side.
const READS_IN_FLIGHT: u16 = 16;
/// Reviews whose texts are in memory at a time.
const REVIEWS_AT_ONCE: usize = 500;
/// What the partitions of tallies start with.
const TALLIES: &str = "T#";

/// Items of the ledger: their attributes that are numbers.
pub(super) type LedgerSnapshot = BTreeMap<Key, BTreeMap<String, i64>>;

/// What is to be recounted: a month, in these books, of these reviews and any others that its slips name.
#[derive(Clone, Debug, Default)]
pub(super) struct RecountScope {
    pub(super) books: BTreeSet<ReviewSet>,
    pub(super) ids: BTreeSet<ReviewId>,
}

/// A review as the index of businesses has it, and the books that its business is in.
#[derive(Clone, Debug)]
pub(super) struct Listed {
    pub(super) slip: Posting,
    pub(super) books: [ReviewSet; 2],
}

/// A number of the ledger that is not what the reviews make it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Difference {
    /// Facet key of counts, or review of a posting.
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
    pub(super) differences: Differences,
    /// The version of every review that was read, those of other months too.
    pub(super) versions: BTreeMap<ReviewId, u64>,
}

/// The differences, by item.
pub(super) type Differences = BTreeMap<Key, Vec<Difference>>;

/// Whether the item is a tally, in which nothing and zero are the same.
pub(super) fn is_tally((pk, _): &Key) -> bool {
    pk.starts_with(TALLIES)
}

impl ReviewStore {
    /// Recounts a month. The ledger is read first and the reviews after it: a review that is written in between has
    /// changed every item that it differs in since that was read.
    pub(super) async fn check_month(
        &self,
        org_id: OrgId,
        month: Month,
        mut extent: RecountScope,
    ) -> Result<Checked, Error> {
        loop {
            let stored = self.sheet(month, &extent.books).await?;
            let named = stored.iter().filter(|(key, _)| !is_tally(key)).flat_map(|(_, slips)| slips.keys());
            extent.ids.extend(named.filter_map(|id| ReviewId::parse(id)));
            let ids: Vec<ReviewId> = extent.ids.iter().cloned().collect();
            let mut reviews = self.without_texts(&ids).await?;
            let versions = reviews.iter().map(|review| (review.id.clone(), review.version)).collect();
            reviews.retain(|body| body.org_id == org_id && Day::of(body.effective_at()).month() == month);
            let known = extent.books.len();
            extent.books.extend(reviews.iter().flat_map(ReviewSet::containing));
            // A review in a city that no business is in: that book is to be read, too.
            if extent.books.len() == known {
                let differences = differences(stored, count(&reviews));
                return Ok(Checked { reviews, differences, versions });
            }
        }
    }

    /// Reads reviews and drops their texts at once: those of a month would not fit into the memory of a function.
    async fn without_texts(&self, ids: &[ReviewId]) -> Result<Vec<Review>, Error> {
        let mut reviews = Vec::with_capacity(ids.len());
        for ids in ids.chunks(REVIEWS_AT_ONCE) {
            let bodies = self.review_bodies(ids).await?.into_values();
            reviews.extend(bodies.map(|review| Review {
                content: review.content.filter(|content| !content.trim().is_empty()).map(|_| "content".to_owned()),
                author_name: None,
                title: None,
                reply_comment: None,
                link: None,
                ..review
            }));
        }
        Ok(reviews)
    }

    /// What the ledger says of a month.
    pub(super) async fn sheet(&self, month: Month, books: &BTreeSet<ReviewSet>) -> Result<LedgerSnapshot, Error> {
        let mut reads = Vec::new();
        for book in books {
            let of_month = format!("{MONTH_SK_PREFIX}{month}");
            let days = (format!("{DAY_SK_PREFIX}{month}"), format!("{DAY_SK_PREFIX}{month}~"));
            reads.push((counts_pk(book), Some((of_month.clone(), of_month))));
            reads.push((counts_pk(book), Some(days)));
            reads.push((postings_pk(book, month), None));
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

/// Returns what the ledger should say of these reviews.
pub(super) fn count(reviews: &[Review]) -> LedgerSnapshot {
    let mut sheet = LedgerSnapshot::new();
    for review in reviews {
        file(
            &mut sheet,
            &Posting { at: review.effective_at(), id: review.id.clone(), cell: FacetKey::of(review) },
            ReviewSet::containing(review),
        );
    }
    sheet
}

/// Returns what it should say by the index of businesses.
pub(super) fn count_listed(listed: &[Listed]) -> LedgerSnapshot {
    let mut sheet = LedgerSnapshot::new();
    for Listed { slip, books } in listed {
        file(&mut sheet, slip, books.clone());
    }
    sheet
}

/// Counts a review. It is filed under the date that answers show of it, cut out of its text: not by the days and months that
/// posting reckons with, so that a review that those file wrongly is found.
fn file(sheet: &mut LedgerSnapshot, slip: &Posting, books: [ReviewSet; 2]) {
    let shown = format_second(slip.at);
    let (Some(month), Some(date), Some(day)) = (shown.get(..7), shown.get(..10), shown.get(8..10)) else { return };
    for book in BTreeSet::from(books) {
        let pk = counts_pk(&book);
        for sk in [format!("{MONTH_SK_PREFIX}{month}"), format!("{DAY_SK_PREFIX}{date}")] {
            *sheet.entry((pk.clone(), sk)).or_default().entry(cell_attribute(slip.cell)).or_default() += 1;
        }
        let key = (postings_pk(&book, month), postings_sk(day, slip.cell, &slip.id));
        sheet.entry(key).or_default().insert(slip.id.as_str().to_owned(), second_of_day(&shown));
    }
}

/// Reads the second of the day from the form of answers.
fn second_of_day(shown: &str) -> i64 {
    let part = |range: std::ops::Range<usize>| {
        shown.get(range).and_then(|digits| digits.parse::<i64>().ok()).unwrap_or_default()
    };
    (part(11..13) * 60 + part(14..16)) * 60 + part(17..19)
}

/// Returns the differences between the stored numbers and the counted ones.
pub(super) fn differences(mut stored: LedgerSnapshot, mut counted: LedgerSnapshot) -> Differences {
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
