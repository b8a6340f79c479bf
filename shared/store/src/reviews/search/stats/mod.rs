//! Statistics of reviews: exact counts, as a search has them, and groups of these.
//!
//! 1. [`target`]: the filter and the caller's scope choose review sets, as for a search.
//! 2. [`tree_counts`]: roots, which the log proves and completes, are counted. Nodes are read that a range of dates or the border
//!    of a group cuts.
//! 3. [`named_cities`]: businesses that the filter names are counted one by one. Their cities are read beside their trees.
//! 4. [`place_groups`]: businesses and cities have trees of their own. Their counts must add up to those of the whole.
//!
//! An attempt that changes overtake begins again ([`attempt`]).

mod attempt;
mod named_cities;
mod place_groups;
mod places;
mod target;
mod tree_counts;

use self::target::StatsTarget;
use super::ReviewFilter;
use super::scope::NamedSets;
use crate::ReviewStore;
use presence_domain::access::Scope;
use presence_domain::error::Error;
use presence_domain::ids::OrgId;
use presence_domain::ledger::FacetCounts;
use presence_domain::review_stats::{GroupBy, ReviewStats, TooManyGroupsError};

/// Occurs when there are no statistics.
#[derive(Debug)]
pub enum StatsError {
    /// There are too many groups.
    TooManyGroups(TooManyGroupsError),
    /// A read failed.
    Failed(Error),
}

impl From<Error> for StatsError {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl From<TooManyGroupsError> for StatsError {
    fn from(error: TooManyGroupsError) -> Self {
        Self::TooManyGroups(error)
    }
}

impl ReviewStore {
    /// Returns the counts of the matching reviews in the scope, as [`ReviewStore::search_reviews`] counts them, and their groups.
    ///
    /// # Errors
    /// [`StatsError::TooManyGroups`] as soon as it is certain.
    pub async fn review_stats(
        &self,
        scope: Scope,
        filter: &ReviewFilter,
        group_by: Option<GroupBy>,
    ) -> Result<ReviewStats, StatsError> {
        if filter.matches_nothing() {
            return Ok(ReviewStats { counts: FacetCounts::default(), groups: group_by.map(|_| Vec::new()) });
        }
        match self.named_sets(scope, filter).await? {
            Some(NamedSets { sets, locations }) => {
                self.count_reviews(&StatsTarget::new(sets, filter, group_by, locations)).await
            }
            None => Box::pin(self.stats_of_all_orgs(filter, group_by)).await,
        }
    }

    /// Counts the reviews of all organisations. Starts with the cached list of these, as a search does.
    async fn stats_of_all_orgs(
        &self,
        filter: &ReviewFilter,
        group_by: Option<GroupBy>,
    ) -> Result<ReviewStats, StatsError> {
        let target = |orgs: &[OrgId]| {
            let sets = orgs.iter().map(|org_id| filter.set_in(*org_id));
            StatsTarget::new(sets, filter, group_by, None)
        };
        let cached = self.listed_orgs.get();
        let early = target(&cached);
        let listed = async { self.orgs_with_reviews().await.map_err(StatsError::Failed) };
        // The groups of organisations that are no more in the list can be too many.
        let counted = async { Ok(self.count_reviews(&early).await) };
        let (orgs, counted) = futures::try_join!(listed, counted)?;
        if *orgs == *cached {
            return counted;
        }
        self.listed_orgs.set(&orgs);
        self.count_reviews(&target(&orgs)).await
    }
}
