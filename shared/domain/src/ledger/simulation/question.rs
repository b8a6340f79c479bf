//! Question of a search: its trees, its filter and its page.

use super::items::{FACETS, Key, ORGS, SECONDS, TreeId, facet_key, second};
use super::page::PlannedPage;
use super::table::SimulatedTable;
use crate::ledger::{FacetMask, Place, Posting, PostingFilter};
use crate::page::PageRequest;

/// Sets of each organisation that a search counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SearchedSets {
    /// The organisation.
    Org,
    /// One city.
    City(u8),
    /// Two businesses.
    Businesses,
}

/// A search.
#[derive(Clone, Debug)]
pub(super) struct Question {
    pub orgs: Vec<u8>,
    /// Organisations that are left out, since the list did not name them.
    pub unlisted: Vec<u8>,
    pub sets: SearchedSets,
    /// Facet keys that match; all for a search without filter.
    facets: Vec<u8>,
    /// True if facet trees are used where there are some.
    pub by_facet_trees: bool,
    pub filter: PostingFilter,
    pub newest_first: bool,
    pub page: PageRequest,
}

impl SearchedSets {
    /// Returns the numbers of the sets.
    pub(super) fn of_org(self) -> Vec<u8> {
        match self {
            Self::Org => vec![0],
            Self::City(set) => vec![set],
            Self::Businesses => vec![3, 4],
        }
    }
}

impl Question {
    /// Returns a random search. One of all organisations takes those that are listed.
    pub(super) fn random(table: &SimulatedTable) -> Self {
        let all: Vec<u8> = (1..=ORGS).collect();
        let orgs = if table.chance(30) { all } else { vec![1 + u8::try_from(table.below(2)).expect("a small number")] };
        let is_listed = |org: &u8| table.strong(Key::Listed(*org)).is_some();
        let (orgs, unlisted): (Vec<u8>, Vec<u8>) = orgs.into_iter().partition(is_listed);
        let sets = match table.below(5) {
            0..2 => SearchedSets::Org,
            2 => SearchedSets::City(1),
            3 => SearchedSets::City(2),
            _ => SearchedSets::Businesses,
        };
        let is_filtered = table.chance(60);
        let facets: Vec<u8> = (0..FACETS).filter(|_| !is_filtered || table.chance(50)).collect();
        let date = || table.chance(20).then(|| second(table.below(SECONDS)));
        let (from, to) = (date(), date());
        let keys: Vec<_> = facets.iter().map(|number| facet_key(*number)).collect();
        let mask = FacetMask::from_predicate(|state, rating, partner, has_content| {
            keys.contains(&crate::ledger::FacetKey::new(state, rating, partner, has_content))
        });
        Self {
            orgs,
            unlisted,
            sets,
            facets,
            by_facet_trees: is_filtered && table.chance(60),
            filter: PostingFilter { mask, from, to },
            newest_first: table.chance(60),
            page: PageRequest { page: 1 + table.below(3), size: 1 + table.below(4) },
        }
    }

    /// True if a facet key matches.
    pub(super) fn admits(&self, facet: u8) -> bool {
        self.facets.contains(&facet)
    }

    /// True if the search has no range of dates.
    pub(super) fn has_no_dates(&self) -> bool {
        self.filter.from.is_none() && self.filter.to.is_none()
    }

    /// True if a review of an organisation with this place matches.
    pub(super) fn matches(&self, org: u8, place: &Place) -> bool {
        let is_counted = self.sets.of_org().into_iter().any(|set| {
            let key = TreeId::of_set(org, set).key();
            place.is_in(key.set.org_id(), &key)
        });
        is_counted && self.filter.mask.contains(place.facet_key) && self.filter.admits_second(place.effective_at)
    }

    /// Returns the page of these postings.
    pub(super) fn page_of(&self, all: Vec<(TreeId, Posting)>) -> PlannedPage {
        let mut matches = all;
        matches.retain(|(_, posting)| self.filter.admits(posting));
        matches.sort_by_key(|(_, posting)| posting.key);
        if self.newest_first {
            matches.reverse();
        }
        let count = matches.len() as u64;
        let range = self.page.range(count);
        let index = |position: u64| usize::try_from(position).expect("a small number");
        PlannedPage { count, postings: matches[index(range.start)..index(range.end)].to_vec() }
    }
}
