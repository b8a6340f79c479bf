//! Changes of the log, as one tree sees them.

use std::collections::HashMap;

use super::tree::TreeRoot;
use super::{LogEntry, LogPosition, Posting, ReviewNumber, TreeKey};
use presence_domain::review::FacetCounts;

/// Difference of a tree between two positions of the log.
#[derive(Clone, Debug, Default)]
pub struct TreeDelta {
    /// Postings that the tree has at the first position and not, or not like this, at the second one.
    pub removed: HashMap<ReviewNumber, Posting>,
    /// Postings that the tree has at the second position and not, or not like this, at the first one; ascending.
    pub added: Vec<Posting>,
}

impl TreeDelta {
    /// Returns the difference of a tree between two positions. The entries are those of the organisation's log, in the order of
    /// their lanes, and include every one between the positions; others are skipped.
    pub fn between<'a>(
        tree: &TreeKey,
        entries: impl IntoIterator<Item = &'a LogEntry>,
        from: &LogPosition,
        to: &LogPosition,
    ) -> Self {
        let mut passed = *from;
        let mut changes: HashMap<ReviewNumber, PostingChange> = HashMap::new();
        for LogEntry { sequence, change } in entries {
            let lane = change.id.lane();
            if passed.includes(lane, *sequence) || !to.includes(lane, *sequence) {
                continue;
            }
            passed.0[lane] = *sequence;
            let old = change.old.as_ref().and_then(|place| place.posting_in(tree, change.id, change.old_version));
            let new = change.new.as_ref().and_then(|place| place.posting_in(tree, change.id, change.version));
            if old.is_some() || new.is_some() {
                changes.entry(change.id).or_insert(PostingChange { old, new }).new = new;
            }
        }
        Self::of(changes)
    }

    fn of(changes: HashMap<ReviewNumber, PostingChange>) -> Self {
        let mut delta = Self::default();
        for (id, PostingChange { old, new }) in changes.into_iter().filter(|(_, change)| change.old != change.new) {
            delta.removed.extend(old.map(|old| (id, old)));
            delta.added.extend(new);
        }
        delta.added.sort_unstable();
        delta
    }

    /// Returns the difference of the counts.
    pub fn counts(&self) -> FacetCounts {
        let mut counts = Posting::counts(&self.added);
        counts.subtract_all(&Posting::counts(self.removed.values()));
        counts
    }

    /// Returns the number of postings of a tree after the change. The root is that before it.
    pub fn total_after(&self, root: &TreeRoot) -> i64 {
        root.counts().total() + self.counts().total()
    }

    /// True if nothing changes.
    pub fn is_empty(&self) -> bool {
        self.removed.is_empty() && self.added.is_empty()
    }
}

/// Posting of one review in a tree, before the first of its changes and after the last one.
#[derive(Clone, Copy, Debug)]
struct PostingChange {
    old: Option<Posting>,
    new: Option<Posting>,
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;
    use crate::{LANES, LogChange, Place, ReviewSet};
    use presence_domain::ids::{BusinessId, OrgId};
    use presence_domain::review::FacetKey;

    fn place() -> impl Strategy<Value = Place> {
        (0_i64..3, 0_u8..3, select(vec!["lyon", "metz"]), select(vec!["a", "b"])).prop_map(
            |(effective_at, facet_key, city_key, business_id)| Place {
                effective_at,
                facet_key: FacetKey::from_number(facet_key).expect("a key"),
                city_key: city_key.to_owned(),
                business_id: BusinessId::parse(business_id).expect("an id"),
            },
        )
    }

    /// Returns a log of few reviews, in the order in which they were written.
    fn entries() -> impl Strategy<Value = Vec<LogEntry>> {
        prop::collection::vec((0_u64..24, prop::option::weighted(0.8, place())), 0..120).prop_map(|writes| {
            let mut sequences = LogPosition::default();
            let mut reviews: BTreeMap<u64, (u64, Option<Place>)> = BTreeMap::new();
            let mut entry = |(number, new): (u64, Option<Place>)| {
                let id = ReviewNumber::new(number);
                let (old_version, old) = reviews.get(&number).cloned().unwrap_or_default();
                let version = old_version + 1;
                reviews.insert(number, (version, new.clone()));
                sequences.0[id.lane()] += 1;
                let change = LogChange { id, version, old_version, old, new };
                LogEntry { sequence: sequences.0[id.lane()], change }
            };
            writes.into_iter().map(&mut entry).collect()
        })
    }

    fn trees() -> impl Strategy<Value = TreeKey> {
        let org_id = OrgId::new(42).expect("an id");
        let business = ReviewSet::Business(org_id, BusinessId::parse("a").expect("an id"));
        let sets = vec![ReviewSet::Org(org_id), ReviewSet::City(org_id, "lyon".to_owned()), business];
        (select(sets), prop::option::of(0_u8..3))
            .prop_map(|(set, facet_key)| TreeKey { set, facet_key: facet_key.and_then(FacetKey::from_number) })
    }

    /// Returns the postings of a tree at a position, found change by change.
    fn postings_at(tree: &TreeKey, entries: &[LogEntry], position: &LogPosition) -> BTreeMap<ReviewNumber, Posting> {
        let mut places = BTreeMap::new();
        for LogEntry { sequence, change } in entries {
            if *sequence <= position.0[change.id.lane()] {
                places.insert(change.id, (change.new.clone(), change.version));
            }
        }
        let posting = |(id, (place, version)): (ReviewNumber, (Option<Place>, u64))| {
            let place = place.filter(|place| place.is_in(tree.set.org_id(), tree))?;
            let key = crate::PostingKey { effective_at: place.effective_at, id };
            Some((id, Posting { key, facet_key: place.facet_key, version }))
        };
        places.into_iter().filter_map(posting).collect()
    }

    proptest! {
        #[test]
        fn difference_of_a_tree_is_what_its_postings_differ_by(
            tree in trees(), entries in entries(), cuts in prop::collection::vec((0_u64..20, 0_u64..20), LANES),
            copies in prop::collection::vec(0_usize..120, 0..10), passed in 0_usize..3,
        ) {
            let from = LogPosition(std::array::from_fn(|lane| cuts[lane].0));
            let to = from.max(&LogPosition(std::array::from_fn(|lane| cuts[lane].1)));
            let (before, after) = (postings_at(&tree, &entries, &from), postings_at(&tree, &entries, &to));
            // The log comes lane by lane, some changes twice, and some of those before the first position are gone.
            let mut given = entries.clone();
            given.extend(copies.iter().filter_map(|copy| entries.get(*copy).cloned()));
            given.retain(|entry| entry.sequence + passed as u64 > from.0[entry.lane()]);
            given.sort_by_key(|entry| (entry.lane(), entry.sequence));

            let delta = TreeDelta::between(&tree, &given, &from, &to);

            let differs = |posting: &&Posting, other: &BTreeMap<_, Posting>| other.get(&posting.key.id) != Some(*posting);
            let removed: HashMap<_, _> = before.iter().filter(|(_, one)| differs(one, &after)).map(|(id, one)| (*id, *one)).collect();
            let mut added: Vec<_> = after.values().filter(|posting| differs(posting, &before)).copied().collect();
            added.sort();
            prop_assert_eq!(delta.is_empty(), before == after);
            let mut counts = Posting::counts(after.values());
            counts.subtract_all(&Posting::counts(before.values()));
            prop_assert_eq!(delta.counts(), counts);
            prop_assert_eq!((delta.removed, delta.added), (removed, added));
        }
    }
}
