//! Statistics of reviews: exact counts, as a search has them, and groups of these.
//!
//! 1. [`target`]: the filter and the caller's scope choose review sets, as for a search.
//! 2. [`TreeCounts`](presence_ledger::search::TreeCounts): roots, which the log proves and completes, are counted. Nodes are read that a range of dates or the border
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

use self::target::StatsTarget;
use super::ReviewFilter;
use super::org_source::NamedSets;
use crate::ReviewStore;
use presence_domain::access::Scope;
use presence_domain::error::Error;
use presence_domain::review::FacetCounts;
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
        let (mut retries, mut first_begun) = (self.db.retries(), None);
        loop {
            let NamedSets { sets, source } = self.named_sets(scope, filter).await?;
            let mut target = StatsTarget::new(sets, filter, group_by, source);
            target.cut = self.plan_cut(&target.orgs, target.is_city_by_business(), &mut first_begun).await?;
            if let Some(stats) = Box::pin(self.count_reviews(&target)).await? {
                return Ok(stats);
            }
            if !retries.pause().await {
                return Err(Error::Unavailable("businesses kept moving while their reviews were counted".into()).into());
            }
        }
    }
}
