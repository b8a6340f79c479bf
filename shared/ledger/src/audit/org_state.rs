//! All reviews of an organisation at one position of its log, by strong reads of the reviews themselves.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::filed::FiledReview;
use super::{Auditor, TRANSACTION_TIME};
use crate::parallel;
use crate::table::Consistency;
use crate::tree::decode_root;
use crate::{ALL_KEYS, LogChange, LogPosition, OrgLog, OrgPostings, PostingKey, ReviewNumber, ReviewSet, TreeKey};
use presence_domain::error::Error;
use presence_domain::ids::OrgId;

/// Maximum number of times that the reviews are read again because the log was trimmed meanwhile.
const MAX_READS: usize = 5;
/// Number of reviews that are listed before they are read.
const SLICE: usize = 20_000;
/// Number of reviews in one strong read, ten batches.
const READ: usize = 1_000;
/// Number of such reads at a time.
const READS_IN_FLIGHT: u16 = 4;

impl Auditor<'_> {
    /// Returns the postings of an organisation and the position of the log at which they are exact. `None` if there are more than
    /// `max_reviews`, or if not all of them may have been found. Takes some 40 bytes a review.
    ///
    /// Reviews are found by `listing-index`, which lags, by the log, and by trees. The tree of the organisation has all of them, and so have
    /// those of its businesses, or of their cities, together. Each review is read strongly. One that was written meanwhile is in the log: its
    /// posting is that of the last change there. If the log was trimmed meanwhile, everything is read again.
    ///
    /// If neither trees can be read, the index must do. The operator may wait for it: `max_reviews` is [`usize::MAX`] then.
    pub(super) async fn read_org_postings(
        &self,
        org_id: OrgId,
        max_reviews: usize,
    ) -> Result<Option<(OrgPostings, LogPosition)>, Error> {
        for _ in 0..MAX_READS {
            let before = self.logs.query_log(org_id).await?;
            let mut known: BTreeSet<ReviewNumber> = before.entries.iter().map(|entry| entry.change.id).collect();
            let has_all = self.add_ids_of_trees(org_id, max_reviews, &mut known).await?;
            if !has_all && max_reviews < usize::MAX {
                return Ok(None);
            }
            // The review and the change of a transaction appear one by one.
            self.items.sleep(TRANSACTION_TIME).await;
            let Some(mut postings) = self.read_listed(org_id, &known, max_reviews).await? else { return Ok(None) };
            self.items.sleep(TRANSACTION_TIME).await;
            let after = self.logs.query_log(org_id).await?;
            if before.end.covers(&after.directory.trimmed_to) {
                replay(&mut postings, &before.end, &after);
                return Ok(Some((postings, after.end)));
            }
        }
        Err(Error::Unavailable("reviews kept being written while they were counted".into()))
    }

    /// Adds the reviews that the tree of an organisation names, or else those of its businesses or their cities. False if so many of these
    /// are damaged that reviews may be missing, or as soon as there are more than `max_reviews`.
    async fn add_ids_of_trees(
        &self,
        org_id: OrgId,
        max_reviews: usize,
        ids: &mut BTreeSet<ReviewNumber>,
    ) -> Result<bool, Error> {
        let set = ReviewSet::Org(org_id);
        let Some(is_read) = self.add_ids_of_tree(set, max_reviews, ids).await? else { return Ok(false) };
        if is_read {
            return Ok(true);
        }
        let (mut damaged_cities, mut has_all) = (BTreeSet::new(), true);
        for (business_id, city_key) in self.items.current_businesses(org_id).await? {
            let set = ReviewSet::Business(org_id, business_id);
            let Some(is_read) = self.add_ids_of_tree(set, max_reviews, ids).await? else { return Ok(false) };
            match city_key {
                Some(city_key) if !is_read => drop(damaged_cities.insert(city_key)),
                Some(_) => {}
                None => has_all &= is_read,
            }
        }
        for city_key in damaged_cities {
            let set = ReviewSet::City(org_id, city_key);
            let Some(is_read) = self.add_ids_of_tree(set, max_reviews, ids).await? else { return Ok(false) };
            has_all &= is_read;
        }
        Ok(has_all)
    }

    /// Adds the reviews that a tree names. False if it is damaged; `None` if there are more than `max_reviews`. A tree whose root counts
    /// so many is not read: its postings might not fit into memory.
    async fn add_ids_of_tree(
        &self,
        set: ReviewSet,
        max_reviews: usize,
        ids: &mut BTreeSet<ReviewNumber>,
    ) -> Result<Option<bool>, Error> {
        let (org_id, tree) = (set.org_id(), TreeKey { set, facet_key: None });
        if max_reviews < usize::MAX && self.count_of_root(&tree).await? > max_reviews {
            return Ok(None);
        }
        let views = self.view_trees(org_id, &[tree], &ALL_KEYS).await?;
        ids.extend(views.iter().flat_map(|view| &view.current).map(|posting| posting.key.id));
        Ok((ids.len() <= max_reviews).then(|| views.iter().all(|view| view.faults.is_empty())))
    }

    /// Returns the number of postings that the root of a tree counts; 0 if it cannot be read.
    async fn count_of_root(&self, tree: &TreeKey) -> Result<usize, Error> {
        let stored = self.trees.get_root(tree, Consistency::Strong).await?;
        let root = stored.and_then(|stored| decode_root(&stored.bytes).ok());
        Ok(root.map_or(0, |root| usize::try_from(root.counts().total()).unwrap_or_default()))
    }

    /// Returns the postings of the reviews that are listed and of further ones, each as its body was when it was read.
    async fn read_listed(
        &self,
        org_id: OrgId,
        further: &BTreeSet<ReviewNumber>,
        max_reviews: usize,
    ) -> Result<Option<OrgPostings>, Error> {
        let mut postings = OrgPostings::new(org_id);
        self.add_bodies(further, &mut postings).await?;
        let mut from = PostingKey::FIRST;
        loop {
            let slice = self.items.list_slice(org_id, from, SLICE).await?;
            let listed = slice.listed.iter().map(|review| review.id).filter(|id| !further.contains(id)).collect();
            self.add_bodies(&listed, &mut postings).await?;
            if postings.len() > max_reviews {
                return Ok(None);
            }
            if slice.is_last() {
                // A review that moved meanwhile may be listed twice.
                postings.keep_latest();
                return Ok(Some(postings));
            }
            from = slice.keys.end;
        }
    }

    /// Reads reviews strongly, and adds the postings of those of the organisation.
    async fn add_bodies(&self, ids: &BTreeSet<ReviewNumber>, postings: &mut OrgPostings) -> Result<(), Error> {
        let ids: Vec<ReviewNumber> = ids.iter().copied().collect();
        let reads = ids.chunks(READ).map(|ids| self.items.get_filed(ids));
        let org_id = postings.org_id();
        for FiledReview { id, version, org_id: own, place } in
            parallel(READS_IN_FLIGHT, reads).await?.into_iter().flatten()
        {
            if own == org_id {
                postings.add_posting(id, version, &place);
            }
        }
        Ok(())
    }
}

/// Replaces the postings of reviews that changed behind a position by those after their last change.
fn replay(postings: &mut OrgPostings, from: &LogPosition, log: &OrgLog) {
    let later = log.entries.iter().filter(|entry| !from.includes(entry.lane(), entry.sequence));
    // The changes of a review are in the order of its lane.
    let last: HashMap<ReviewNumber, &LogChange> = later.map(|entry| (entry.change.id, &entry.change)).collect();
    let changed: HashSet<ReviewNumber> = last.keys().copied().collect();
    postings.remove(&changed);
    for (id, change) in last {
        if let Some(place) = &change.new {
            postings.add_posting(id, change.version, place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::place;
    use crate::{LANES, LogEntry, Place};

    #[test]
    fn changes_behind_a_position_replace_what_was_read_and_earlier_ones_do_not() {
        let org_id = OrgId::new(1).expect("an id");
        let id = |number: u64| ReviewNumber::new(number * LANES as u64);
        let place_at = |effective_at| Place { effective_at, ..place() };
        let mut postings = OrgPostings::new(org_id);
        for number in 1..=3 {
            postings.add_posting(id(number), 5, &place_at(100));
        }
        let changes = [(1, 4, Some(40)), (2, 6, Some(60)), (2, 7, Some(70)), (3, 6, None), (4, 1, Some(80))];
        let entry = |(sequence, (number, version, second)): (u64, (u64, u64, Option<i64>))| {
            let (old_version, new) = (version - 1, second.map(place_at));
            LogEntry { sequence, change: LogChange { id: id(number), version, old_version, old: None, new } }
        };
        let log = OrgLog { entries: (1..).zip(changes).map(entry).collect(), ..OrgLog::default() };
        // The first change was there before the reviews were read.
        replay(&mut postings, &LogPosition([1, 0, 0, 0, 0, 0, 0, 0]), &log);
        let mut of_org = Vec::new();
        let taken: Result<(), Error> = postings.for_each_set(|own| {
            if own.set == ReviewSet::Org(org_id) {
                of_org = own.postings;
            }
            Ok(())
        });
        taken.expect("every set is taken");
        let found: Vec<_> = of_org.iter().map(|own| (own.key.id, own.version, own.key.effective_at)).collect();
        assert_eq!(found, [(id(2), 7, 70), (id(4), 1, 80), (id(1), 5, 100)]);
    }
}
