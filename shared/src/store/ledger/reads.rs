//! What a search reads: tallies, slips and bodies.

use std::collections::BTreeMap;

use super::item::{self, Slip};
use crate::domain::ids::OrgId;
use crate::domain::ledger::{Book, Cell, CellMask, Day, Month, Tally};
use crate::domain::review::{Review, ReviewId};
use crate::error::Error;
use crate::store::keys::{
    BOOKS_PK, DAY_SK_PREFIX, MONTH_SK_PREFIX, REVIEW_SK, org_key, parse_org_key, review_pk, slips_pk, slips_run,
    tallies_pk,
};
use crate::store::read::{Item, Partition, pk_sk, text};
use crate::store::{Store, schema};

/// Items in one page of a Query: tallies and slips are small, and a page ends at 1 MB anyway.
const PAGE: i32 = 2_000;
/// Pages at the most of one read: a day of some hundred thousand reviews.
const MAX_PAGES: usize = 100;
/// Bytes of a slip, its share of its item's key included: name, number and their overhead.
const SLIP_BYTES: i64 = 20;
/// Bytes that one read unit reads strongly.
const UNIT_BYTES: i64 = 4_096;

/// Tallies by month.
pub(super) type Months = BTreeMap<Month, Tally>;
/// Tallies by day.
pub(super) type Days = BTreeMap<Day, Tally>;

impl Store {
    /// The tallies of a book's months, both ends included; all without an end.
    pub(super) async fn months(&self, book: &Book, from: Option<Month>, to: Option<Month>) -> Result<Months, Error> {
        let bound = |month: Option<Month>, end: &str| {
            format!("{MONTH_SK_PREFIX}{}", month.map_or_else(|| end.to_owned(), |month| month.to_string()))
        };
        let items = self.reviews_between(tallies_pk(book), Some((bound(from, ""), bound(to, "~")))).await?;
        let month = |item: &Item| Month::parse(sort_key(item)?.strip_prefix(MONTH_SK_PREFIX)?);
        Ok(items.iter().filter_map(|item| Some((month(item)?, item::tally(item)))).collect())
    }

    /// The tallies of a book's days, both ends included.
    pub(super) async fn days(&self, book: &Book, from: Day, to: Day) -> Result<Days, Error> {
        let bounds = (format!("{DAY_SK_PREFIX}{from}"), format!("{DAY_SK_PREFIX}{to}"));
        let items = self.reviews_between(tallies_pk(book), Some(bounds)).await?;
        let day = |item: &Item| Day::parse(sort_key(item)?.strip_prefix(DAY_SK_PREFIX)?);
        Ok(items.iter().filter_map(|item| Some((day(item)?, item::tally(item)))).collect())
    }

    /// Every slip of a book's month.
    pub(super) async fn slips_of_month(&self, book: &Book, month: Month) -> Result<Vec<Slip>, Error> {
        let items = self.reviews_between(slips_pk(book, month), None).await?;
        Ok(slips(&items, month))
    }

    /// The slips of a run of cells of a book's day.
    pub(super) async fn slips_of_run(
        &self,
        book: &Book,
        day: Day,
        (first, last): (Cell, Cell),
    ) -> Result<Vec<Slip>, Error> {
        let items = self.reviews_between(slips_pk(book, day.month()), Some(slips_run(day, first, last))).await?;
        Ok(slips(&items, day.month()))
    }

    /// The reviews themselves, in no order; one that is gone is missing.
    pub(super) async fn review_bodies(&self, ids: &[ReviewId]) -> Result<Vec<Review>, Error> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let keys = ids.iter().map(|id| pk_sk(review_pk(id), REVIEW_SK)).collect();
        let items = self.get_batch(&schema::REVIEWS, keys, &item::REVIEW_ATTRIBUTES).await?;
        items.into_iter().map(item::from_item).collect()
    }

    /// The organisations that ever had a review.
    pub async fn orgs_with_reviews(&self) -> Result<Vec<OrgId>, Error> {
        let items = self.reviews_between(BOOKS_PK.to_owned(), None).await?;
        Ok(items.iter().filter_map(|item| parse_org_key(sort_key(item)?).flatten()).collect())
    }

    /// Lists an organisation among those that have reviews. Before its first review is posted.
    pub async fn open_book(&self, org_id: OrgId) -> Result<(), Error> {
        let put = self.client.put_item().table_name(self.name(&schema::REVIEWS));
        let put = put.set_item(Some(pk_sk(BOOKS_PK, org_key(Some(org_id)))));
        put.send().await.map(|_| ()).map_err(crate::store::failure::failed)
    }

    pub(super) async fn reviews_between(
        &self,
        pk: String,
        between: Option<(String, String)>,
    ) -> Result<Vec<Item>, Error> {
        let table = &schema::REVIEWS;
        let partition = Partition { table, index: None, value: text(pk), between, page: PAGE, max_pages: MAX_PAGES };
        self.query(partition).await
    }
}

fn sort_key(item: &Item) -> Option<&str> {
    item.get("sk")?.as_s().ok().map(String::as_str)
}

fn slips(items: &[Item], month: Month) -> Vec<Slip> {
    items.iter().filter_map(|item| item::slips(item, month.first_day())).flatten().collect()
}

/// The runs of cells to read for a mask, where the tally tells what is in the cells: runs without reviews are left out,
/// and two runs are read as one where what lies between them is less than a read unit.
pub(super) fn runs_to_read(mask: CellMask, tally: &Tally) -> Vec<(Cell, Cell)> {
    let between = |from: Cell, to: Cell| -> i64 {
        tally.cells().filter(|(cell, _)| from < *cell && *cell < to).map(|(_, count)| count).sum()
    };
    let within = |(first, last): (Cell, Cell)| tally.cells().any(|(cell, _)| first <= cell && cell <= last);
    let mut runs: Vec<(Cell, Cell)> = Vec::new();
    for run in mask.runs().into_iter().filter(|run| within(*run)) {
        match runs.last_mut() {
            Some(last) if between(last.1, run.0) * SLIP_BYTES < UNIT_BYTES => last.1 = run.1,
            _ => runs.push(run),
        }
    }
    runs
}
