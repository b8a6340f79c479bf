//! Sources of the organisations that a search looks into: the caller's scope, the list of organisations, or locations of businesses.
//!
//! The list and the locations are read before the logs, so a review may move meanwhile to an organisation that they do not name. But
//! both name the next organisation of a review before the review is there. So they are read again after the logs, strongly and beside
//! the nodes or the reviews. If they are the same, no review is missing. Otherwise the search begins again with what they name then.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use super::ReviewFilter;
use super::business_locations::BusinessLocations;
use crate::ReviewStore;
use crate::businesses::ReviewLocation;
use presence_domain::access::Scope;
use presence_domain::error::Error;
use presence_domain::ids::{BusinessId, OrgId};
use presence_ledger::ReviewSet;

/// Source of the organisations that are searched.
#[derive(Clone, Debug)]
pub(super) enum OrgSource {
    /// Scope of the caller, which is one organisation.
    Scope,
    /// List of the organisations with reviews.
    List(Arc<[OrgId]>),
    /// Locations of the businesses that the filter names.
    Locations(Vec<BusinessId>, BusinessLocations),
}

/// Occurs when the source of the organisations, or the moves between them, are not what they were before the logs were read.
#[derive(Debug)]
pub(super) enum SourceError {
    /// They changed. The next search begins with what they are then.
    Changed,
    /// A read failed.
    Failed(Error),
}

impl From<Error> for SourceError {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// Review sets that a filter names in a scope.
pub(super) struct NamedSets {
    pub(super) sets: Vec<ReviewSet>,
    pub(super) source: OrgSource,
}

impl OrgSource {
    /// Returns the locations of the businesses that the filter names, if they chose the trees.
    pub(super) fn locations(&self) -> Option<&BusinessLocations> {
        match self {
            Self::Locations(_, locations) => Some(locations),
            Self::Scope | Self::List(_) => None,
        }
    }
}

impl ReviewStore {
    /// Returns the sets that a filter names in a scope. The list of organisations comes from the cache, if that has one.
    pub(super) async fn named_sets(&self, scope: Scope, filter: &ReviewFilter) -> Result<NamedSets, Error> {
        match (scope.only_org(), &filter.businesses) {
            // A business of another organisation has no tree in this one. So nothing has to be looked up.
            (Some(own), Some(ids)) => {
                let sets = ids.iter().map(|id| ReviewSet::Business(own, id.clone())).collect();
                Ok(NamedSets { sets, source: OrgSource::Scope })
            }
            (Some(own), None) => Ok(NamedSets { sets: vec![filter.set_in(own)], source: OrgSource::Scope }),
            (None, Some(ids)) => {
                // The moves are read beside, if they are not known.
                let (locations, _) = futures::try_join!(self.read_locations(ids), self.known_moves())?;
                let sets = business_sets(ids, &locations, filter.city_key.as_deref());
                Ok(NamedSets { sets, source: OrgSource::Locations(ids.clone(), locations) })
            }
            (None, None) => {
                let (orgs, _) = futures::try_join!(self.recent_orgs(), self.known_moves())?;
                let sets = orgs.iter().map(|org_id| filter.set_in(*org_id)).collect();
                Ok(NamedSets { sets, source: OrgSource::List(orgs) })
            }
        }
    }

    /// Checks, after the logs were read, that the source still names the same organisations.
    pub(super) async fn check_source(&self, source: &OrgSource) -> Result<(), SourceError> {
        let is_same = match source {
            OrgSource::Scope => true,
            OrgSource::List(orgs) => {
                let listed = self.orgs_with_reviews().await?;
                self.listed_orgs.set(&listed);
                *listed == **orgs
            }
            OrgSource::Locations(ids, locations) => self.read_locations(ids).await? == *locations,
        };
        if is_same { Ok(()) } else { Err(SourceError::Changed) }
    }

    /// Returns the organisations of the last list. Lists them if there is none.
    async fn recent_orgs(&self) -> Result<Arc<[OrgId]>, Error> {
        if self.listed_orgs.get().is_empty() {
            self.listed_orgs.set(&self.orgs_with_reviews().await?);
        }
        Ok(self.listed_orgs.get())
    }
}

/// Returns the sets of businesses, in the city if one is given. A business that moves has several.
fn business_sets(ids: &[BusinessId], locations: &BusinessLocations, city_key: Option<&str>) -> Vec<ReviewSet> {
    let mut sets = Vec::new();
    for id in ids.iter().collect::<HashSet<_>>() {
        let Some(ReviewLocation { location, leaving, .. }) = locations.get(id) else { continue };
        if city_key.is_some_and(|city| city != location.city_key) {
            continue;
        }
        // While a business moves, each of its reviews is in one of two organisations.
        let orgs = leaving.iter().chain([&location.org_id]).collect::<BTreeSet<_>>();
        sets.extend(orgs.into_iter().map(|org_id| ReviewSet::Business(*org_id, id.clone())));
    }
    sets
}
