//! What a search reads: tallies, slips and bodies.

use std::collections::BTreeMap;

use super::item::{self, Posting};
use crate::client::read::{Item, Partition, pk_sk, text};
use crate::keys::{
    DAY_SK_PREFIX, MONTH_SK_PREFIX, ORGS_WITH_REVIEWS_PK, POSTING_SHARDS, REVIEW_SK, counts_pk, org_key, parse_org_key,
    postings_pk, postings_range, review_pk,
};
use crate::{ReviewStore, schema};
use presence_domain::error::Error;
use presence_domain::ids::OrgId;
use presence_domain::ledger::{Day, FacetCounts, FacetKey, FacetMask, Month, ReviewSet};
use presence_domain::review::{Review, ReviewId};

/// Items in one page of a Query: tallies and slips are small, and a page ends at 1 MB anyway.
const PAGE: i32 = 2_000;
/// Pages at the most of one read: a day of some hundred thousand reviews.
const MAX_PAGES: usize = 100;
/// Bytes of a slip: the id and a number of up to five digits.
const SLIP_BYTES: i64 = 16;
/// Bytes of a cell's count in a day's tally: name and a number of one to four digits.
const COUNT_BYTES: i64 = 5;
/// Bytes of an item's key, names included: of a book with a name of ten bytes.
const KEY_BYTES: i64 = 32;
/// Bytes that one read unit reads strongly.
const UNIT_BYTES: i64 = 4_096;
/// The most days of a month.
const DAYS_OF_MONTH: i64 = 31;

/// Tallies by month.
pub(super) type Months = BTreeMap<Month, FacetCounts>;
/// Tallies by day.
pub(super) type Days = BTreeMap<Day, FacetCounts>;

/// Reviews by id.
pub(super) type Bodies = BTreeMap<ReviewId, Review>;

impl ReviewStore {
    /// The tallies of a book's months, both ends included; all without an end.
    pub(super) async fn months(
        &self,
        book: &ReviewSet,
        from: Option<Month>,
        to: Option<Month>,
    ) -> Result<Months, Error> {
        let bound = |month: Option<Month>, end: &str| {
            format!("{MONTH_SK_PREFIX}{}", month.map_or_else(|| end.to_owned(), |month| month.to_string()))
        };
        let items = self.reviews_between(counts_pk(book), Some((bound(from, ""), bound(to, "~")))).await?;
        let month = |item: &Item| Month::parse(sort_key(item)?.strip_prefix(MONTH_SK_PREFIX)?);
        Ok(items.iter().filter_map(|item| Some((month(item)?, item::tally(item)))).collect())
    }

    /// The tallies of a book's days, both ends included.
    pub(super) async fn days(&self, book: &ReviewSet, from: Day, to: Day) -> Result<Days, Error> {
        let bounds = (format!("{DAY_SK_PREFIX}{from}"), format!("{DAY_SK_PREFIX}{to}"));
        let items = self.reviews_between(counts_pk(book), Some(bounds)).await?;
        let day = |item: &Item| Day::parse(sort_key(item)?.strip_prefix(DAY_SK_PREFIX)?);
        Ok(items.iter().filter_map(|item| Some((day(item)?, item::tally(item)))).collect())
    }

    /// Every slip of a book's month.
    pub(super) async fn slips_of_month(&self, book: &ReviewSet, month: Month) -> Result<Vec<Posting>, Error> {
        let items = self.reviews_between(postings_pk(book, month), None).await?;
        Ok(slips(&items, month))
    }

    /// The slips of a run of cells of a book's day.
    pub(super) async fn slips_of_run(
        &self,
        book: &ReviewSet,
        day: Day,
        (first, last): (FacetKey, FacetKey),
    ) -> Result<Vec<Posting>, Error> {
        let items =
            self.reviews_between(postings_pk(book, day.month()), Some(postings_range(day, first, last))).await?;
        Ok(slips(&items, day.month()))
    }

    /// The reviews themselves, by id; one that is gone is missing.
    pub(super) async fn review_bodies(&self, ids: &[ReviewId]) -> Result<Bodies, Error> {
        let keys = ids.iter().map(|id| pk_sk(review_pk(id), REVIEW_SK)).collect();
        let items = self.db.get_batch(&schema::REVIEWS, keys, &[]).await?;
        let by_id = |review: Review| (review.id.clone(), review);
        items.into_iter().map(|item| item::from_item(item).map(by_id)).collect()
    }

    /// The organisations that ever had a review.
    pub async fn orgs_with_reviews(&self) -> Result<Vec<OrgId>, Error> {
        let items = self.reviews_between(ORGS_WITH_REVIEWS_PK.to_owned(), None).await?;
        Ok(items.iter().filter_map(|item| parse_org_key(sort_key(item)?).flatten()).collect())
    }

    /// Lists an organisation among those that have reviews. Before its first review is posted.
    pub async fn register_org_with_reviews(&self, org_id: OrgId) -> Result<(), Error> {
        let put = self.db.client.put_item().table_name(self.db.name(&schema::REVIEWS));
        let put = put.set_item(Some(pk_sk(ORGS_WITH_REVIEWS_PK, org_key(Some(org_id)))));
        self.db.patiently(|| put.clone().send()).await.map(|_| ())
    }

    pub(super) async fn reviews_between(
        &self,
        pk: String,
        between: Option<(String, String)>,
    ) -> Result<Vec<Item>, Error> {
        let table = &schema::REVIEWS;
        let partition = Partition { table, index: None, value: text(pk), between, page: PAGE, max_pages: MAX_PAGES };
        self.db.query(partition).await
    }
}

fn sort_key(item: &Item) -> Option<&str> {
    item.get("sk")?.as_s().ok().map(String::as_str)
}

fn slips(items: &[Item], month: Month) -> Vec<Posting> {
    items.iter().filter_map(|item| item::slips(item, month.first_day())).flatten().collect()
}

/// Bytes of the slips of so many reviews of a cell, within so many days.
fn slip_bytes(reviews: i64, days: i64) -> i64 {
    reviews * SLIP_BYTES + reviews.min(days * i64::from(POSTING_SHARDS)) * KEY_BYTES
}

/// Whether all slips of a month cost no more than the tallies of its days and then one read for each day that a page of so
/// many reviews touches. It takes one wave less. The tallies are those of the month in each book; all is estimated.
pub(super) fn is_read_whole<'a>(tallies: impl Iterator<Item = &'a FacetCounts>, mask: FacetMask, page: i64) -> bool {
    let (mut slips, mut days) = (0, 0);
    for tally in tallies {
        let bytes: i64 = tally.nonzero().map(|(_, count)| slip_bytes(count, DAYS_OF_MONTH)).sum();
        slips += units(bytes);
        let counts: i64 = tally.nonzero().map(|(_, count)| count.min(DAYS_OF_MONTH) * COUNT_BYTES).sum();
        let matches = tally.count(mask);
        let touched = if matches > page { page * DAYS_OF_MONTH / matches + 1 } else { matches };
        days += units(DAYS_OF_MONTH * KEY_BYTES + counts) + touched.min(DAYS_OF_MONTH);
    }
    slips <= days
}

/// Read units of so many bytes read at once.
fn units(bytes: i64) -> i64 {
    bytes / UNIT_BYTES + 1
}

/// The runs of cells to read for a mask, where the tally of a day tells what is in the cells: runs without reviews are left
/// out, and two runs are read as one where what lies between them is less than a read unit.
pub(super) fn runs_to_read(mask: FacetMask, tally: &FacetCounts) -> Vec<(FacetKey, FacetKey)> {
    let between = |from: FacetKey, to: FacetKey| -> i64 {
        let cells = tally.nonzero().filter(|(cell, _)| from < *cell && *cell < to);
        cells.map(|(_, count)| slip_bytes(count, 1)).sum()
    };
    let within = |(first, last): (FacetKey, FacetKey)| tally.nonzero().any(|(cell, _)| first <= cell && cell <= last);
    let mut runs: Vec<(FacetKey, FacetKey)> = Vec::new();
    for run in mask.runs().into_iter().filter(|run| within(*run)) {
        match runs.last_mut() {
            Some(last) if between(last.1, run.0) < UNIT_BYTES => last.1 = run.1,
            _ => runs.push(run),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tally with so many reviews in each of the first cells.
    fn tally(counts: &[i64]) -> FacetCounts {
        let mut tally = FacetCounts::default();
        for (number, count) in (0..).zip(counts) {
            tally.add(FacetKey::from_number(number).expect("a cell"), *count);
        }
        tally
    }

    fn mask(numbers: &[u8]) -> FacetMask {
        FacetMask::from_predicate(|state, rating, partner, content| {
            numbers.contains(&FacetKey::new(state, rating, partner, content).number())
        })
    }

    #[test]
    fn a_sparse_month_is_read_whole_and_a_full_one_by_days() {
        let whole = |counts: &[i64], numbers: &[u8]| is_read_whole(std::iter::once(&tally(counts)), mask(numbers), 30);
        assert!(whole(&[100], &[0]), "two units at once against one and then nine days");
        assert!(!whole(&[1_500, 1], &[0]), "one or two days hold the page");
        assert!(!whole(&[1_500, 1], &[1]), "one day holds the only match");
        assert!(whole(&[30, 1], &[1]), "all slips are one unit");
    }

    #[test]
    fn runs_are_read_as_one_where_little_lies_between_them() {
        let runs = |counts: &[i64]| {
            let runs = runs_to_read(mask(&[0, 2, 80]), &tally(counts));
            runs.into_iter().map(|(first, last)| (first.number(), last.number())).collect::<Vec<_>>()
        };
        assert_eq!(runs(&[1, 5, 1]), [(0, 2)]);
        assert_eq!(runs(&[1, 500, 1]), [(0, 0), (2, 2)]);
        assert_eq!(runs(&[0, 500, 1]), [(2, 2)]);
    }
}
