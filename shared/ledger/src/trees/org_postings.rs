//! Postings of a whole organisation, grouped by the review sets that count them.

use std::collections::{HashMap, HashSet};

use crate::{Place, Posting, PostingKey, ReviewNumber, ReviewSet};
use presence_domain::ids::{BusinessId, OrgId};
use presence_domain::review::{FACET_KEY_COUNT, Review};

/// Posting with the sets that count it, as numbers. Takes 40 bytes.
#[derive(Clone, Copy, Debug)]
struct FiledPosting {
    posting: Posting,
    city: u32,
    business: u32,
}

/// Postings of an organisation. They take some 40 bytes each.
#[derive(Clone, Debug)]
pub struct OrgPostings {
    org_id: OrgId,
    postings: Vec<FiledPosting>,
    cities: Numbers<String>,
    businesses: Numbers<BusinessId>,
}

/// Names with the numbers that stand for them.
#[derive(Clone, Debug)]
struct Numbers<T> {
    by_name: HashMap<T, u32>,
    names: Vec<T>,
}

/// Postings of one set, ascending.
#[derive(Debug)]
pub struct SetPostings {
    /// Set.
    pub set: ReviewSet,
    /// Its postings.
    pub postings: Vec<Posting>,
}

impl<T: Clone + Eq + std::hash::Hash> Numbers<T> {
    fn new() -> Self {
        Self { by_name: HashMap::new(), names: Vec::new() }
    }

    fn number(&mut self, name: &T) -> u32 {
        if let Some(number) = self.by_name.get(name) {
            return *number;
        }
        // Four billion cities or businesses do not fit the memory.
        let number = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        self.by_name.insert(name.clone(), number);
        self.names.push(name.clone());
        number
    }
}

impl OrgPostings {
    /// Returns no postings.
    pub fn new(org_id: OrgId) -> Self {
        Self { org_id, postings: Vec::new(), cities: Numbers::new(), businesses: Numbers::new() }
    }

    /// Returns the organisation.
    pub fn org_id(&self) -> OrgId {
        self.org_id
    }

    /// Returns the number of postings.
    pub fn len(&self) -> usize {
        self.postings.len()
    }

    /// True if there are no postings.
    pub fn is_empty(&self) -> bool {
        self.postings.is_empty()
    }

    /// Adds the posting of a review of the organisation, with its version. No review may be added twice.
    pub fn add(&mut self, review: &Review) {
        self.add_posting(ReviewNumber::of(&review.id), review.version, &Place::of(review));
    }

    /// Adds a posting. No review may be added twice.
    pub fn add_posting(&mut self, id: ReviewNumber, version: u64, place: &Place) {
        let Place { effective_at, facet_key, city_key, business_id } = place;
        let posting = Posting { key: PostingKey { effective_at: *effective_at, id }, facet_key: *facet_key, version };
        let (city, business) = (self.cities.number(city_key), self.businesses.number(business_id));
        self.postings.push(FiledPosting { posting, city, business });
    }

    /// Adds a set that has a tree, even if it has no postings any more.
    pub fn add_set(&mut self, set: &ReviewSet) {
        match set {
            ReviewSet::Org(_) => {}
            ReviewSet::City(_, city_key) => drop(self.cities.number(city_key)),
            ReviewSet::Business(_, business_id) => drop(self.businesses.number(business_id)),
        }
    }

    /// Keeps the latest of several postings of one review.
    pub fn keep_latest(&mut self) {
        self.postings.sort_unstable_by_key(|filed| (filed.posting.key.id, std::cmp::Reverse(filed.posting.version)));
        self.postings.dedup_by_key(|filed| filed.posting.key.id);
    }

    /// Drops the postings of reviews.
    pub fn remove(&mut self, ids: &HashSet<ReviewNumber>) {
        self.postings.retain(|filed| !ids.contains(&filed.posting.key.id));
    }

    /// Takes the postings of each set: of the organisation, then of its cities, then of its businesses. One set is made at a time.
    pub fn for_each_set<E>(mut self, mut take: impl FnMut(SetPostings) -> Result<(), E>) -> Result<(), E> {
        for level in Level::ALL {
            self.sort_for(level);
            for number in 0..self.sets_of(level) {
                take(self.set_postings(level, number))?;
            }
        }
        Ok(())
    }

    /// Sorts the postings by set of a level, and then by key.
    pub fn sort_for(&mut self, level: Level) {
        self.postings.sort_unstable_by_key(|filed| (filed.number(level), filed.posting.key));
    }

    /// Returns the number of sets of a level.
    pub fn sets_of(&self, level: Level) -> usize {
        match level {
            Level::Org => 1,
            Level::City => self.cities.names.len(),
            Level::Business => self.businesses.names.len(),
        }
    }

    /// Returns the set of a level with this number.
    pub fn set_name(&self, level: Level, number: usize) -> ReviewSet {
        match level {
            Level::Org => ReviewSet::Org(self.org_id),
            Level::City => ReviewSet::City(self.org_id, self.cities.names[number].clone()),
            Level::Business => ReviewSet::Business(self.org_id, self.businesses.names[number].clone()),
        }
    }

    /// Returns the postings of a set, by its number. The postings must be sorted for the level.
    pub fn set_postings(&self, level: Level, number: usize) -> SetPostings {
        let set = self.set_name(level, number);
        let before = |number: usize| self.postings.partition_point(|filed| (filed.number(level) as usize) < number);
        let own = &self.postings[before(number)..before(number + 1)];
        SetPostings { set, postings: own.iter().map(|filed| filed.posting).collect() }
    }
}

presence_domain::listed_enum! {
    /// Kind of a set.
    pub enum Level {
        Org,
        City,
        Business,
    }
}

impl FiledPosting {
    /// Returns the number of the set of a level that counts the posting.
    fn number(&self, level: Level) -> u32 {
        match level {
            Level::Org => 0,
            Level::City => self.city,
            Level::Business => self.business,
        }
    }
}

impl SetPostings {
    /// True if the set has trees of single facet keys.
    pub fn has_facets(&self, facets_from: i64) -> bool {
        has_facet_trees(&self.set, self.postings.len(), facets_from)
    }
}

/// True if a set with this number of postings has trees of single facet keys.
pub fn has_facet_trees(set: &ReviewSet, postings: usize, facets_from: i64) -> bool {
    let is_large = i64::try_from(postings).is_ok_and(|postings| postings >= facets_from);
    is_large && !matches!(set, ReviewSet::Business(..))
}

/// Returns the postings of each facet key, in their order.
pub fn split_by_facet(postings: impl IntoIterator<Item = Posting>) -> Vec<Vec<Posting>> {
    let mut by_facet = vec![Vec::new(); FACET_KEY_COUNT];
    for posting in postings {
        by_facet[usize::from(posting.facet_key.number())].push(posting);
    }
    by_facet
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::place;

    #[test]
    fn every_posting_is_counted_until_the_latest_of_each_review_is_kept() {
        let mut postings = OrgPostings::new(OrgId::new(1).expect("an id"));
        assert!(postings.is_empty());
        for (id, version, length) in [(1, 1, 1), (2, 1, 2), (2, 2, 3)] {
            postings.add_posting(ReviewNumber::new(id), version, &place());
            assert_eq!(postings.len(), length);
        }
        postings.keep_latest();
        assert_eq!((postings.len(), postings.is_empty()), (2, false));
    }
}
