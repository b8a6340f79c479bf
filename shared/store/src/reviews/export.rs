//! Reads of all reviews of an organisation, window by window, and of those that changed meanwhile. An export is exact with both.

use serde::{Deserialize, Serialize};

use super::audit::{listed_key, listing_partition, next_key};
use crate::ReviewStore;
use crate::client::read::{Consistency, Order, Partition};
use presence_domain::error::Error;
use presence_domain::ids::OrgId;
use presence_domain::review::{Review, ReviewId};
use presence_ledger::{LANES, LogPosition, PostingKey, ReviewNumber, ReviewSet, TreeKey};

/// Number of reviews that the index lists in a window. Their texts are in memory at the same time.
const WINDOW: i32 = 500;

/// Position in the reviews of an organisation, in the order of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewPosition {
    effective_at: i64,
    number: u64,
}

/// Mark in the log of an organisation: the changes before it are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogMark([u64; LANES]);

/// Version of a review of an organisation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReviewVersion {
    /// Review.
    pub id: ReviewId,
    /// Its version; `None` if the organisation has it no more.
    pub version: Option<u64>,
}

/// Reviews of an organisation in a range of the order of time.
#[derive(Clone, Debug)]
pub struct ReviewWindow {
    /// Reviews, oldest first, in their present state.
    pub reviews: Vec<Review>,
    /// Position of the next window; `None` after the last one.
    pub next: Option<ReviewPosition>,
}

impl ReviewStore {
    /// Returns the mark at the present end of an organisation's log.
    pub async fn mark_log(&self, org_id: OrgId) -> Result<LogMark, Error> {
        Ok(LogMark(self.logs.query_log(org_id).await?.end.0))
    }

    /// Returns the reviews of the next window, oldest first.
    ///
    /// The index only decides where the window ends. The tree of the organisation and its log name the reviews, so that none is
    /// missing, and each is read strongly. It costs a little more than a unit for a review.
    pub async fn list_window(&self, org_id: OrgId, from: Option<ReviewPosition>) -> Result<ReviewWindow, Error> {
        let from = from.map_or(PostingKey::FIRST, ReviewPosition::key);
        let all = from..PostingKey::END;
        let partition = Partition { page: WINDOW, max_pages: 1, ..listing_partition(org_id, &all) };
        let (items, next) = self.db.query_page_with(&partition, None, Consistency::Eventual, Order::Ascending).await?;
        let end = next.and_then(|_| items.last().and_then(listed_key)).map_or(PostingKey::END, next_key);
        let tree = TreeKey { set: ReviewSet::Org(org_id), facet_key: None };
        let postings = self.trees.postings_of_tree(&tree, from..end).await?;
        let ids: Vec<ReviewId> = postings.iter().filter_map(|posting| posting.key.id.to_id()).collect();
        let mut found = self.get_reviews(&ids).await?;
        let reviews = ids.iter().filter_map(|id| found.remove(id)).filter(|review| review.org_id == org_id);
        let next =
            (end != PostingKey::END).then(|| ReviewPosition { effective_at: end.effective_at, number: end.id.get() });
        Ok(ReviewWindow { reviews: reviews.collect(), next })
    }

    /// Returns the changes of an organisation's reviews since a mark, oldest first for each review, and the mark at the present end of
    /// the log. `None` if the log does not tell any more: its changes were folded.
    pub async fn list_changes_since(
        &self,
        org_id: OrgId,
        mark: &LogMark,
    ) -> Result<Option<(Vec<ReviewVersion>, LogMark)>, Error> {
        let log = self.logs.query_log(org_id).await?;
        let known = LogPosition(mark.0);
        if !known.covers(&log.directory.trimmed_to) {
            return Ok(None);
        }
        let new = log.entries.iter().map(|entry| (entry.sequence, &entry.change));
        let new = new.filter(|(sequence, change)| !known.includes(change.id.lane(), *sequence));
        let versions = new.filter_map(|(_, change)| {
            Some(ReviewVersion { id: change.id.to_id()?, version: change.new.as_ref().map(|_| change.version) })
        });
        Ok(Some((versions.collect(), LogMark(log.end.0))))
    }

    /// Returns the versions of all reviews of an organisation at the present end of its log, each with true if it comes before a
    /// position. It costs a read unit for some 600 reviews, and 100 bytes of memory for each.
    pub async fn list_versions(
        &self,
        org_id: OrgId,
        position: Option<ReviewPosition>,
    ) -> Result<Vec<(ReviewVersion, bool)>, Error> {
        let end = position.map_or(PostingKey::END, ReviewPosition::key);
        let tree = TreeKey { set: ReviewSet::Org(org_id), facet_key: None };
        let postings = self.trees.postings_of_tree(&tree, PostingKey::FIRST..PostingKey::END).await?.into_iter();
        let versions = postings.filter_map(|posting| {
            let version = ReviewVersion { id: posting.key.id.to_id()?, version: Some(posting.version) };
            Some((version, posting.key < end))
        });
        Ok(versions.collect())
    }

    /// Returns those of the reviews that are of this organisation, read strongly.
    pub async fn get_reviews_of(&self, org_id: OrgId, ids: &[ReviewId]) -> Result<Vec<Review>, Error> {
        let found = self.get_reviews(ids).await?.into_values();
        Ok(found.filter(|review| review.org_id == org_id).collect())
    }
}

impl ReviewPosition {
    fn key(self) -> PostingKey {
        PostingKey { effective_at: self.effective_at, id: ReviewNumber::new(self.number) }
    }
}
