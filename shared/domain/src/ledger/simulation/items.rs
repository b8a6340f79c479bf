//! Items of the simulated table, and their keys.

use std::collections::BTreeMap;

use crate::ids::{BusinessId, OrgId};
use crate::ledger::tree::TreeRoot;
use crate::ledger::{Directory, DirectoryBucket, FacetKey, LogChange, Place, ReviewNumber, ReviewSet, TreeKey};

/// Number of organisations: 1 and 2.
pub(super) const ORGS: u8 = 2;
/// Sets of an organisation: itself, two cities, three businesses.
pub(super) const SETS: u8 = 6;
/// Number of facet keys in use.
pub(super) const FACETS: u8 = 3;
/// Number of lanes in use.
pub(super) const USED_LANES: usize = 2;
/// Maximum number of reviews.
pub(super) const REVIEWS: u64 = 12;
/// Number of different seconds of reviews.
pub(super) const SECONDS: u64 = 24;
/// Number of buckets of a directory that are in use.
pub(super) const USED_BUCKETS: usize = 2;

/// Number of a tree: cheaper to copy and compare than [`TreeKey`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TreeId {
    /// Organisation.
    pub org: u8,
    /// Number of the set: 0 for the organisation, then cities, then businesses.
    pub set: u8,
    /// Facet key of a facet tree.
    pub facet: Option<u8>,
}

/// Place of an item in a log, in the order of its Query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct LogKey {
    /// Lane; above every lane for the directory.
    pub lane: usize,
    /// First sequence of a sealed chunk; 0 for the lane item.
    pub first: u64,
}

/// Key of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Key {
    /// Body of a review.
    Body(u64),
    /// Mark that an organisation has or had reviews.
    Listed(u8),
    /// Item of a log.
    Log(u8, LogKey),
    /// Bucket of a directory.
    Bucket(u8, usize),
    /// Root of a tree.
    Root(TreeId),
    /// Node of a tree, by its slot.
    Node(TreeId, u32),
}

/// Value of an item.
#[derive(Clone, Debug)]
pub(super) enum Item {
    Body(Body),
    Listed,
    Lane(Lane),
    Chunk(Vec<LogChange>),
    Directory(Directory),
    Bucket(DirectoryBucket),
    Root(TreeRoot),
    Node(Node),
}

/// Body of a review.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Body {
    pub version: u64,
    pub org: u8,
    pub place: Place,
    /// Number of the transaction that wrote the body: its content.
    pub written: usize,
}

/// Lane of a log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Lane {
    pub last: u64,
    /// Changes that are not sealed, by their first sequence.
    pub unsealed: BTreeMap<u64, Vec<LogChange>>,
}

/// Node of a tree.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub stamp: u32,
    /// Binary form of a leaf or branch.
    pub bytes: Vec<u8>,
}

impl LogKey {
    /// Key of the directory, behind all others.
    pub(super) const DIRECTORY: Self = Self { lane: usize::MAX, first: 0 };
}

impl Key {
    /// Returns the key of a directory.
    pub(super) fn directory(org: u8) -> Self {
        Self::Log(org, LogKey::DIRECTORY)
    }

    /// Returns the key of a lane item.
    pub(super) fn lane(org: u8, lane: usize) -> Self {
        Self::Log(org, LogKey { lane, first: 0 })
    }
}

impl TreeId {
    /// Returns the tree of a set.
    pub(super) fn of_set(org: u8, set: u8) -> Self {
        Self { org, set, facet: None }
    }

    /// Returns the tree of a facet key of the same set.
    pub(super) fn with_facet(self, facet: u8) -> Self {
        Self { facet: Some(facet), ..self }
    }

    /// Returns the hash by which a directory names the tree. Some trees have the same one.
    pub(super) fn directory_hash(self) -> u64 {
        u64::from(self.set / 2)
    }

    /// Returns the bucket that names the tree.
    pub(super) fn bucket(self) -> usize {
        usize::from(self.set / 2) % USED_BUCKETS
    }

    /// Returns the name of the tree.
    pub(super) fn key(self) -> TreeKey {
        let set = match self.set {
            0 => ReviewSet::Org(org_id(self.org)),
            1 | 2 => ReviewSet::City(org_id(self.org), city_key(self.set)),
            _ => ReviewSet::Business(org_id(self.org), business_id(self.set)),
        };
        TreeKey { set, facet_key: self.facet.map(facet_key) }
    }
}

/// Returns an organisation's id.
pub(super) fn org_id(org: u8) -> OrgId {
    OrgId::new(u64::from(org)).expect("a valid id")
}

/// Returns the key of a city, by the number of its set.
pub(super) fn city_key(set: u8) -> String {
    ["a", "b"][usize::from(set - 1)].to_owned()
}

/// Returns the id of a business, by the number of its set.
pub(super) fn business_id(set: u8) -> BusinessId {
    BusinessId::parse(["x", "y", "z"][usize::from(set - 3)]).expect("a valid id")
}

/// Returns a facet key.
pub(super) fn facet_key(number: u8) -> FacetKey {
    FacetKey::from_number(number).expect("a valid number")
}

/// Returns the numbers of the sets that count a review with this place.
pub(super) fn sets_of(place: &Place) -> [u8; 3] {
    let city = if place.city_key == "a" { 1 } else { 2 };
    let business = place.business_id.as_str().as_bytes()[0] - b'x' + 3;
    [0, city, business]
}

/// Returns a review's number: half of the reviews are in each of the lanes in use.
pub(super) fn review_number(review: u64) -> ReviewNumber {
    ReviewNumber::new(review / USED_LANES as u64 * super::super::LANES as u64 + review % USED_LANES as u64)
}

/// Returns the review of a number.
pub(super) fn review_of(number: ReviewNumber) -> u64 {
    let lanes = super::super::LANES as u64;
    number.get() / lanes * USED_LANES as u64 + number.get() % lanes
}

/// Returns the effective second with this number; they spread over three years.
pub(super) fn second(number: u64) -> i64 {
    1_672_617_600 + i64::try_from(number).expect("a small number") * 45 * 86_400
}
