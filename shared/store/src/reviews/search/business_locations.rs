//! Locations of the businesses that a filter names: they decide which of their trees are searched.
//!
//! The tree of a business is named by its id. So the locations are read beside the log and the roots, and choose among these
//! afterwards. Only a caller of all organisations needs the locations first: they tell the organisation of each tree
//! ([`super::org_source`]).

use std::collections::{HashMap, HashSet};

use crate::ReviewStore;
use crate::businesses::ReviewLocation;
use presence_domain::error::Error;
use presence_domain::ids::BusinessId;
use presence_ledger::search::{JointLogs, OrgSnapshot, OrgTarget, ReadError};
use presence_ledger::{ReviewSet, TreeKey};

/// Locations of businesses, by id. Businesses that do not exist have none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct BusinessLocations(HashMap<BusinessId, ReviewLocation>);

impl BusinessLocations {
    /// Returns the location of a business; `None` if it does not exist.
    pub(super) fn get(&self, id: &BusinessId) -> Option<&ReviewLocation> {
        self.0.get(id)
    }

    /// Returns the location of the business that a set counts; `None` if the business may not have reviews in the organisation of the
    /// set.
    pub(super) fn of_set(&self, set: &ReviewSet) -> Option<&ReviewLocation> {
        let ReviewSet::Business(org_id, id) = set else { return None };
        self.get(id).filter(|found| found.may_have_reviews_in(*org_id))
    }

    /// True if an organisation has reviews of a business that belongs to another one.
    fn have_departed_reviews(&self, orgs: &[OrgTarget], snapshots: &[OrgSnapshot]) -> Result<bool, ReadError> {
        for (org, snapshot) in orgs.iter().zip(snapshots) {
            let has_left = |set: &ReviewSet| self.of_set(set).is_some_and(|found| found.location.org_id != org.org_id);
            let (departed, snapshot) = snapshot.clone().narrowed(org, has_left);
            if snapshot.totals(&departed)?.iter().any(|total| *total != 0) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// True if a set is that of a business in this city.
    pub(super) fn is_in_city(&self, set: &ReviewSet, city_key: &str) -> bool {
        self.of_set(set).is_some_and(|found| found.location.city_key == city_key)
    }
}

/// Snapshots of organisations, and the locations of the businesses whose trees they have.
pub(super) type LocatedSnapshots = (Vec<OrgSnapshot>, BusinessLocations);

impl ReviewStore {
    /// Reads the snapshots of organisations, and beside them the locations of the businesses whose trees are searched.
    ///
    /// The reviews of a business move after its location has changed. So the log can be older than a location, or newer than one before
    /// a move. Both show as reviews of a business that belongs to another organisation. Then the log is read again, and the locations
    /// after it: they must be the same.
    pub(super) async fn read_located_snapshots(
        &self,
        orgs: &[OrgTarget],
        distrusted: &HashSet<TreeKey>,
        estimates: bool,
    ) -> Result<LocatedSnapshots, ReadError> {
        // All trees are of one organisation.
        let none = JointLogs::new();
        let snapshots = self.searcher.read_snapshots(orgs, &none, distrusted, estimates);
        let (snapshots, locations) = futures::try_join!(snapshots, self.read_locations_of(orgs))?;
        if !locations.have_departed_reviews(orgs, &snapshots)? {
            return Ok((snapshots, locations));
        }
        let snapshots = self.searcher.read_snapshots(orgs, &none, distrusted, estimates).await?;
        let is_over = !locations.have_departed_reviews(orgs, &snapshots)?;
        if is_over || self.read_locations_of(orgs).await? == locations {
            Ok((snapshots, locations))
        } else {
            Err(ReadError::Overtaken)
        }
    }

    /// Reads the locations of businesses strongly.
    pub(super) async fn read_locations(&self, ids: &[BusinessId]) -> Result<BusinessLocations, Error> {
        self.businesses.get_review_locations(ids).await.map(BusinessLocations)
    }

    /// Reads the locations of the businesses whose trees are searched.
    async fn read_locations_of(&self, orgs: &[OrgTarget]) -> Result<BusinessLocations, Error> {
        let id_of = |set: &ReviewSet| match set {
            ReviewSet::Business(_, id) => Some(id.clone()),
            ReviewSet::Org(_) | ReviewSet::City(..) => None,
        };
        let ids: Vec<BusinessId> = orgs.iter().flat_map(|org| &org.trees).filter_map(|tree| id_of(&tree.set)).collect();
        self.read_locations(&ids).await
    }
}
