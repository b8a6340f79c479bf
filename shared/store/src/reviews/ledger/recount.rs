//! Recount of one month of an organisation: the ledger, compared with the reviews themselves.

use std::collections::{BTreeMap, BTreeSet};

use super::recount_scope::RecountScope;
use super::snapshot::{Differences, LedgerSnapshot};
use crate::ReviewStore;
use crate::client::parallel::parallel;
use crate::client::read::Item;
use crate::keys::{DAY_SK_PREFIX, MONTH_SK_PREFIX, counts_pk, postings_pk};
use presence_domain::error::Error;
use presence_domain::ids::OrgId;
use presence_domain::ledger::{Day, Month, ReviewSet};
use presence_domain::review::{Review, ReviewId};

/// Maximum number of partitions that are read at a time.
const READS_IN_FLIGHT: u16 = 16;
/// Maximum number of reviews whose texts are in memory at a time.
const REVIEWS_AT_ONCE: usize = 500;

/// Result of a recount.
#[derive(Debug, Default)]
pub(super) struct Recount {
    /// Reviews of the month, without their texts.
    pub(super) reviews: Vec<Review>,
    pub(super) differences: Differences,
    /// Version of every review that was read, also of those in other months.
    pub(super) versions: BTreeMap<ReviewId, u64>,
}

impl ReviewStore {
    /// Compares the ledger of a month with its reviews.
    ///
    /// The ledger is read before the reviews. A write in between changes the review after its ledger items were read, so it
    /// may cause a difference; reads in the other order could hide one.
    pub(super) async fn recount_month(
        &self,
        org_id: OrgId,
        month: Month,
        mut scope: RecountScope,
    ) -> Result<Recount, Error> {
        loop {
            let stored = self.read_snapshot(month, &scope.sets).await?;
            let posting_items = stored.0.iter().filter(|(key, _)| !key.is_counts());
            let posted_ids = posting_items.flat_map(|(_, postings)| postings.keys());
            scope.ids.extend(posted_ids.filter_map(|id| ReviewId::parse(id)));
            let ids: Vec<ReviewId> = scope.ids.iter().cloned().collect();
            let mut reviews = self.get_reviews_without_texts(&ids).await?;
            let versions = reviews.iter().map(|review| (review.id.clone(), review.version)).collect();
            reviews.retain(|review| review.org_id == org_id && Day::of(review.effective_at()).month() == month);
            let known_sets = scope.sets.len();
            scope.sets.extend(reviews.iter().flat_map(ReviewSet::containing));
            if scope.sets.len() == known_sets {
                let differences = LedgerSnapshot::differences(stored, LedgerSnapshot::of_reviews(&reviews));
                return Ok(Recount { reviews, differences, versions });
            }
            // A review is in a city without a business: read again, with that city's set.
        }
    }

    /// Reads reviews and drops their texts at once: the texts of a month would not fit into the memory of a function.
    async fn get_reviews_without_texts(&self, ids: &[ReviewId]) -> Result<Vec<Review>, Error> {
        let mut reviews = Vec::with_capacity(ids.len());
        for chunk in ids.chunks(REVIEWS_AT_ONCE) {
            reviews.extend(self.get_reviews(chunk).await?.into_values().map(without_texts));
        }
        Ok(reviews)
    }

    /// Reads the ledger of a month.
    pub(super) async fn read_snapshot(
        &self,
        month: Month,
        sets: &BTreeSet<ReviewSet>,
    ) -> Result<LedgerSnapshot, Error> {
        let mut reads = Vec::new();
        for set in sets {
            let of_month = format!("{MONTH_SK_PREFIX}{month}");
            let days = (format!("{DAY_SK_PREFIX}{month}"), format!("{DAY_SK_PREFIX}{month}~"));
            reads.push(self.query_reviews_table(counts_pk(set), Some((of_month.clone(), of_month))));
            reads.push(self.query_reviews_table(counts_pk(set), Some(days)));
            reads.push(self.query_reviews_table(postings_pk(set, month), None));
        }
        let items: Vec<Vec<Item>> = Box::pin(parallel(READS_IN_FLIGHT, reads)).await?;
        Ok(LedgerSnapshot::from_items(&items.concat()))
    }
}

/// Returns the review with a short content in the place of a long one: the recount only needs to know that there is one.
fn without_texts(review: Review) -> Review {
    let content = review.has_content().then(|| "content".to_owned());
    Review { content, author_name: None, title: None, reply_comment: None, link: None, ..review }
}
