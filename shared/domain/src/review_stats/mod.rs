//! Statistics of reviews: counts by facet key, and groups of these.

mod group;
mod totals;

pub use group::{GroupBy, GroupKey};
pub use totals::{AverageRating, Totals};

use crate::review::FacetCounts;

/// Maximum number of groups of an answer. Groups by day fill almost three years, and an answer stays below 200 KB.
pub const MAX_GROUPS: usize = 1_000;

/// Statistics of the reviews that a filter admits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReviewStats {
    /// Counts of the reviews that the filter admits.
    pub counts: FacetCounts,
    /// Groups, ascending; those without a review are left out. `None` if no groups were asked for.
    pub groups: Option<Vec<StatsGroup>>,
}

/// Reviews of one group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatsGroup {
    /// Common property of the reviews.
    pub key: GroupKey,
    /// Counts of the reviews that the filter admits; never all 0.
    pub counts: FacetCounts,
}

/// Occurs when there are more groups than [`MAX_GROUPS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManyGroupsError;

impl std::fmt::Display for TooManyGroupsError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "more than {MAX_GROUPS} groups: narrow the filters")
    }
}

impl std::error::Error for TooManyGroupsError {}
