//! The log of an organisation's reviews: every change of a review, in the order of its lane.
//!
//! A review's changes are all in one lane, chosen by its id. Within a lane, changes have consecutive sequence numbers from 1.

use super::{Posting, PostingKey, ReviewNumber, ReviewSet};
use presence_domain::ids::{BusinessId, OrgId};
use presence_domain::review::{FacetKey, Review};

/// Number of lanes of a log. Writers of different lanes do not meet.
pub const LANES: usize = 8;

/// Position in a log: for each lane, the sequence number of the last change that is included; 0 for none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LogPosition(pub [u64; LANES]);

impl LogPosition {
    /// True if everything up to the other position is included in this one.
    pub fn covers(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).all(|(own, other)| own >= other)
    }

    /// True if the position includes this change.
    pub fn includes(&self, lane: usize, sequence: u64) -> bool {
        self.0.get(lane).is_some_and(|last| sequence <= *last)
    }

    /// Returns the position that includes what either of both includes.
    #[must_use]
    pub fn max(&self, other: &Self) -> Self {
        Self(std::array::from_fn(|lane| self.0[lane].max(other.0[lane])))
    }
}

/// Place of a review in the trees of its organisation: everything that they file it by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Effective second since 1970.
    pub effective_at: i64,
    /// Facets of the review.
    pub facet_key: FacetKey,
    /// City of its business.
    pub city_key: String,
    /// Its business.
    pub business_id: BusinessId,
}

/// Change of one review in the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogChange {
    /// Review that changed.
    pub id: ReviewNumber,
    /// Version of the review after the change.
    pub version: u64,
    /// Version of the review before the change; 0 if it was not there.
    pub old_version: u64,
    /// Place before the change; `None` if the organisation did not have the review.
    pub old: Option<Place>,
    /// Place after the change; `None` if the organisation has the review no more.
    pub new: Option<Place>,
}

/// Change with its place in the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogEntry {
    /// Sequence number in the lane of the review, from 1.
    pub sequence: u64,
    /// The change.
    pub change: LogChange,
}

impl LogEntry {
    /// Returns the lane of the entry.
    pub fn lane(&self) -> usize {
        self.change.id.lane()
    }
}

impl Place {
    /// Returns the posting of a review with this place, if the tree counts it. The place is one of the tree's organisation.
    pub fn posting_in(&self, tree: &TreeKey, id: ReviewNumber, version: u64) -> Option<Posting> {
        let key = PostingKey { effective_at: self.effective_at, id };
        self.is_in(tree.set.org_id(), tree).then_some(Posting { key, facet_key: self.facet_key, version })
    }

    /// Returns the place of a review.
    pub fn of(review: &Review) -> Self {
        Self {
            effective_at: review.effective_at(),
            facet_key: FacetKey::of(review),
            city_key: review.city_key.clone(),
            business_id: review.business_id.clone(),
        }
    }

    /// Returns the sets of an organisation that count a review in this place.
    pub fn sets(&self, org_id: OrgId) -> [ReviewSet; 3] {
        [
            ReviewSet::Org(org_id),
            ReviewSet::City(org_id, self.city_key.clone()),
            ReviewSet::Business(org_id, self.business_id.clone()),
        ]
    }

    /// True if the tree counts a review with this place, in an organisation.
    pub fn is_in(&self, org_id: OrgId, tree: &TreeKey) -> bool {
        let in_set = match &tree.set {
            ReviewSet::Org(set_org) => *set_org == org_id,
            ReviewSet::City(set_org, city_key) => *set_org == org_id && *city_key == self.city_key,
            ReviewSet::Business(set_org, business_id) => *set_org == org_id && *business_id == self.business_id,
        };
        in_set && tree.facet_key.is_none_or(|facet_key| facet_key == self.facet_key)
    }
}

/// Name of a counted tree: a review set, or its reviews of one facet key.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TreeKey {
    /// Reviews that the tree counts.
    pub set: ReviewSet,
    /// Facet key to which the tree is limited; `None` for all reviews of the set.
    pub facet_key: Option<FacetKey>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_counts_a_place_by_set_and_facet_key() {
        let (org, other) = (OrgId::new(1).expect("an id"), OrgId::new(2).expect("an id"));
        let business = |id| BusinessId::parse(id).expect("an id");
        let key = |number| FacetKey::from_number(number).expect("a key");
        let place =
            Place { effective_at: 0, facet_key: key(7), city_key: "lyon".to_owned(), business_id: business("a") };
        for (set, expected) in [
            (ReviewSet::Org(org), true),
            (ReviewSet::Org(other), false),
            (ReviewSet::City(org, "lyon".to_owned()), true),
            (ReviewSet::City(org, "nice".to_owned()), false),
            (ReviewSet::City(other, "lyon".to_owned()), false),
            (ReviewSet::Business(org, business("a")), true),
            (ReviewSet::Business(org, business("b")), false),
            (ReviewSet::Business(other, business("a")), false),
        ] {
            for (facet_key, admits) in [(None, true), (Some(key(7)), true), (Some(key(8)), false)] {
                let tree = TreeKey { set: set.clone(), facet_key };
                assert_eq!(place.is_in(org, &tree), expected && admits, "{tree:?}");
            }
        }
    }

    #[test]
    fn a_position_covers_and_includes_what_is_not_after_it_in_any_lane() {
        let [one, other] = [[1, 2, 0, 0, 0, 0, 0, 0], [1, 1, 0, 0, 0, 0, 0, 3]].map(LogPosition);
        let both = one.max(&other);
        assert_eq!(both, LogPosition([1, 2, 0, 0, 0, 0, 0, 3]));
        assert_eq!([&one, &other, &both].map(|position| position.covers(&one)), [true, false, true]);
        assert_eq!(
            [(1, 1), (1, 2), (1, 3), (9, 0)].map(|(lane, last)| both.includes(lane, last)),
            [true, true, false, false]
        );
    }
}
