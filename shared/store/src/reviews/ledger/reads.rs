//! Reads of the ledger: facet counts, postings, and the reviews themselves.

use std::collections::BTreeMap;

use super::item::{self};
use crate::client::read::{Item, Partition, pk_sk, text};
use crate::keys::{MONTH_SK_PREFIX, REVIEW_SK, counts_pk, review_pk};
use crate::reviews::body_item::review_from_item;
use crate::{ReviewStore, schema};
use presence_domain::error::Error;
use presence_domain::ledger::{FacetCounts, Month, ReviewSet};
use presence_domain::review::{Review, ReviewId};

/// Items in one page of a Query. Counts and postings items are small, and DynamoDB ends a page at 1 MB anyway.
const PAGE: i32 = 2_000;
/// Maximum number of pages of one read: enough for a day of some hundred thousand reviews.
const MAX_PAGES: usize = 100;

impl ReviewStore {
    /// Returns the facet counts of each month of a review set, both ends included. `None` leaves that end open.
    pub(super) async fn query_month_counts(
        &self,
        set: &ReviewSet,
        from: Option<Month>,
        to: Option<Month>,
    ) -> Result<BTreeMap<Month, FacetCounts>, Error> {
        // `~` sorts after every digit.
        let first = from.map_or_else(String::new, |month| month.to_string());
        let last = to.map_or_else(|| "~".to_owned(), |month| month.to_string());
        let bounds = (format!("{MONTH_SK_PREFIX}{first}"), format!("{MONTH_SK_PREFIX}{last}"));
        let items = self.query_reviews_table(counts_pk(set), Some(bounds)).await?;
        let month = |item: &Item| Month::parse(sort_key(item)?.strip_prefix(MONTH_SK_PREFIX)?);
        Ok(items.iter().filter_map(|item| Some((month(item)?, item::read_counts(item)))).collect())
    }

    /// Returns the reviews with these ids, read strongly. Ids without a review are missing from the map.
    pub(super) async fn get_reviews(&self, ids: &[ReviewId]) -> Result<BTreeMap<ReviewId, Review>, Error> {
        let keys = ids.iter().map(|id| pk_sk(review_pk(id), REVIEW_SK)).collect();
        let items = self.db.get_batch(&schema::REVIEWS, keys, &[]).await?;
        let by_id = |review: Review| (review.id.clone(), review);
        items.into_iter().map(|item| review_from_item(item).map(by_id)).collect()
    }

    /// Returns the items of a partition of the reviews table, between two sort keys or all.
    pub(super) async fn query_reviews_table(
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
