//! Places of businesses as this process read them, for writers.
//!
//! A review is stored in the place of its business. A writer may know the place from long ago. It is still right if the fence of the lane
//! that the review goes to was known before the place was read, and holds when the review is written. A business that moves raises the
//! fences of the place that it leaves, before it looks there for reviews.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use super::log::LaneKey;
use super::write::ReviewWrite;
use crate::{BusinessLocation, ReviewStore};
use presence_domain::error::Error;
use presence_domain::ids::BusinessId;
use presence_domain::review::Review;
use presence_ledger::ReviewNumber;

/// Maximum number of places that a process keeps: some 3 MB.
const MAX_PLACES: usize = 20_000;

/// Place of a business, and the number of the read that showed it; 0 if the place was not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KnownPlace {
    pub(crate) location: BusinessLocation,
    pub(super) read: u64,
}

/// Places of the businesses of a write.
pub(crate) type Places = HashMap<BusinessId, KnownPlace>;

/// Places that a process keeps.
#[derive(Debug, Default)]
pub(crate) struct PlaceCache(Mutex<Places>);

impl PlaceCache {
    fn insert_all(&self, places: &Places) {
        let mut cached = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if cached.len() + places.len() > MAX_PLACES {
            cached.clear();
        }
        cached.extend(places.iter().take(MAX_PLACES).map(|(id, place)| (id.clone(), place.clone())));
    }

    fn get(&self, id: &BusinessId) -> Option<KnownPlace> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(id).cloned()
    }
}

impl BusinessLocation {
    /// True if the review is counted in this organisation and city.
    pub(crate) fn matches(&self, review: &Review) -> bool {
        (review.org_id, &review.city_key) == (self.org_id, &self.city_key)
    }

    /// Puts a review here.
    pub(crate) fn place(&self, review: &mut Review) {
        review.org_id = self.org_id;
        review.city_key.clone_from(&self.city_key);
    }
}

impl ReviewStore {
    /// Returns the location of each business that exists, by strong reads. Writes of reviews use what was read.
    pub async fn locate_businesses(&self, ids: &[BusinessId]) -> Result<HashMap<BusinessId, BusinessLocation>, Error> {
        let places = self.read_places(ids).await?;
        Ok(places.into_iter().map(|(id, place)| (id, place.location)).collect())
    }

    /// Returns the place of a review's business as this process knows it, or else as the review has it.
    pub(crate) fn known_place(&self, review: &Review) -> KnownPlace {
        let of_review = || KnownPlace {
            location: BusinessLocation { org_id: review.org_id, city_key: review.city_key.clone() },
            read: 0,
        };
        self.places.get(&review.business_id).unwrap_or_else(of_review)
    }

    /// Reads the places of businesses strongly. Those that do not exist are missing.
    pub(super) async fn read_places(&self, ids: &[BusinessId]) -> Result<Places, Error> {
        // Before the read begins: a fence that is read meanwhile is not known before the place.
        let read = self.lanes.number_read();
        let located = self.businesses.get_locations(ids).await?.into_iter();
        let places = located.map(|(id, location)| (id, KnownPlace { location, read })).collect();
        self.places.insert_all(&places);
        Ok(places)
    }

    /// Returns the businesses of writes whose places may be out of date. The lanes that the reviews go to must be known.
    pub(super) fn unproven_places(&self, writes: &[ReviewWrite], places: &Places) -> Vec<BusinessId> {
        let is_proven = |review: &Review| {
            let lane = LaneKey { org_id: review.org_id, lane: ReviewNumber::of(&review.id).lane() };
            places.get(&review.business_id).is_some_and(|place| self.lanes.admits(lane, place.read))
        };
        let unproven = writes.iter().map(|write| &write.new).filter(|review| !is_proven(review));
        unproven.map(|review| review.business_id.clone()).collect()
    }

    /// Reads places again. A business that does not exist stays where it is taken to be: nothing can move it.
    pub(super) async fn read_places_again(&self, ids: &[BusinessId], places: &mut Places) -> Result<(), Error> {
        let read = self.lanes.number_read();
        let mut found = self.read_places(ids).await?;
        for (id, known) in places.iter_mut().filter(|(id, _)| ids.contains(id)) {
            *known = found.remove(id).unwrap_or_else(|| KnownPlace { read, ..known.clone() });
        }
        Ok(())
    }
}
