//! Groups by business and city: the trees of these are found by the list of an organisation's businesses, and counted.
//!
//! The list comes from an index that lags, and a business that moves has reviews in two places. So the counts of the groups are
//! compared with those of the whole, at the same position of the log. Only groups that add up are answered.
//!
//! Groups of a city by business may add up by chance. The tree of one business has reviews elsewhere, and another one, which is not listed,
//! has as many here. This takes moves. So the moves are known before the logs, and none may begin or end until the lists are read. While the
//! organisation has a move, the list is complete. Businesses that left the city by a move that ended are no groups, whatever the index
//! says. Then a sum that is right has the right groups.
//!
//! The nodes of the whole are read beside the roots of the places. The order of these reads proves nothing: the log is read before
//! both, each root is proven by it, and a node never changes under the name that a root has for it.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use super::attempt::{StatsAttemptError, sorted};
use super::places::{PlaceGroups, PlaceList};
use super::target::StatsTarget;
use crate::client::parallel::parallel;
use crate::reviews::search::moves::MoveCut;
use crate::{Business, ListPage, ListPosition, ReviewStore};
use presence_domain::error::Error;
use presence_domain::ids::OrgId;
use presence_domain::review::FacetCounts;
use presence_domain::review_stats::{ReviewStats, StatsGroup};
use presence_domain::text::city_key as city_key_of;
use presence_ledger::search::{JointLogs, OrgTarget, TreeCounts, trees_by_org};
use presence_ledger::{OrgLog, ReviewSet, TreeKey};

/// Number of organisations whose businesses are listed at a time. A page of a list has up to 500 KB.
const ORGS_AT_A_TIME: usize = 16;
/// Number of trees whose roots are read at a time. That of a business has some 2 KB.
const TREES_AT_A_TIME: usize = 1_000;

/// Statistics with groups by place, while trees are added.
struct PlaceCounts<'a> {
    target: &'a StatsTarget,
    distrusted: &'a HashSet<TreeKey>,
    /// True if the index that lists businesses may be up to date. Otherwise the directory of businesses is read too, and the moves.
    trusts_index: bool,
    /// Counts of the trees of places.
    parts: TreeCounts,
    groups: PlaceGroups,
}

/// Organisation whose places are counted.
struct ListedOrg {
    list: PlaceList,
    log: Arc<OrgLog>,
    /// Sets that the next read counts.
    sets: BTreeSet<ReviewSet>,
}

impl ReviewStore {
    /// Counts reviews by business or by city.
    pub(super) async fn count_places(
        &self,
        target: &StatsTarget,
        distrusted: &HashSet<TreeKey>,
        trusts_index: bool,
    ) -> Result<ReviewStats, StatsAttemptError> {
        let mut totals = TreeCounts::new(target.filter, None);
        let logs = self.read_joint_logs(target.cut.as_ref()).await?;
        let is_city_by_business = target.is_city_by_business();
        let is_moving = is_city_by_business && target.cut.as_ref().is_some_and(MoveCut::has_moves);
        let mut places = PlaceCounts {
            target,
            distrusted,
            trusts_index: trusts_index && !is_moving,
            parts: TreeCounts::new(target.filter, None),
            groups: PlaceGroups::new(target.group_by, target.city_key.clone()),
        };
        let mut chunks = target.orgs.chunks(ORGS_AT_A_TIME).peekable();
        while let Some(orgs) = chunks.next() {
            let listed = self.start_lists(&mut places, &mut totals, &logs, orgs).await?;
            let is_last = chunks.peek().is_none();
            // At most a branch or a leaf of the whole for each end of the dates, beside some megabytes of the places.
            let whole = self.read_counts(&mut totals);
            // No move may begin or end until the last page of a list is read.
            let is_read_on = is_city_by_business && listed.iter().any(|org| org.list.next.is_some());
            let check = async { if is_last && !is_read_on { self.check_stats_source(target).await } else { Ok(()) } };
            futures::try_join!(whole, check, self.add_all_places(&mut places, listed, is_last))?;
            if is_last && is_read_on {
                self.check_stats_source(target).await?;
            }
        }
        places.finish(totals)
    }

    /// Adds the trees of organisations to the whole. Returns the first page of the places of each that has reviews.
    async fn start_lists(
        &self,
        places: &mut PlaceCounts<'_>,
        totals: &mut TreeCounts,
        joint_logs: &JointLogs,
        orgs: &[OrgTarget],
    ) -> Result<Vec<ListedOrg>, StatsAttemptError> {
        let org_ids: Vec<OrgId> = orgs.iter().map(|org| org.org_id).collect();
        let (snapshots, pages, ()) = futures::try_join!(
            self.searcher.read_snapshots(orgs, joint_logs, places.distrusted, false),
            self.read_pages(places.target, org_ids.iter().map(|org_id| (*org_id, None)).collect()),
            self.searcher.read_all_buckets(&org_ids),
        )?;
        let mut unlisted = if places.trusts_index { Vec::new() } else { self.unlisted_sets(places, &org_ids).await? };
        unlisted.resize(orgs.len(), BTreeSet::new());
        let mut listed = Vec::new();
        for (((org, snapshot), page), unlisted) in orgs.iter().zip(snapshots).zip(pages).zip(unlisted) {
            totals.add_org(org, &snapshot, |_| 0)?;
            let mut sets = places.groups.sets_of_log(org.org_id, &snapshot.log);
            sets.extend(places.groups.sets_of_page(org.org_id, &page));
            sets.extend(unlisted);
            listed.push(ListedOrg { list: PlaceList::new(org.org_id, page.next), log: snapshot.log, sets });
        }
        Ok(listed)
    }

    /// Returns the sets of each organisation that an index may not list: those of its businesses now, and of businesses that are leaving.
    async fn unlisted_sets(
        &self,
        places: &mut PlaceCounts<'_>,
        org_ids: &[OrgId],
    ) -> Result<Vec<BTreeSet<ReviewSet>>, Error> {
        let moves = async {
            match places.target.cut.as_ref().and_then(MoveCut::all_moves) {
                Some(moves) => Ok(Arc::clone(moves)),
                None => self.read_moves().await,
            }
        };
        let (current, moves) = futures::try_join!(self.businesses.current_businesses(org_ids), moves)?;
        let sets = org_ids.iter().zip(current).map(|(org_id, businesses)| {
            let mut sets = places.groups.sets_of_page(*org_id, &ListPage { items: businesses, next: None });
            sets.extend(places.groups.sets_of_moves(*org_id, &moves));
            sets
        });
        Ok(sets.collect())
    }

    /// Adds the trees of all places, and reads further pages of the lists of these beside them. Reads the nodes after the last
    /// organisation.
    async fn add_all_places(
        &self,
        places: &mut PlaceCounts<'_>,
        mut listed: Vec<ListedOrg>,
        is_last: bool,
    ) -> Result<(), StatsAttemptError> {
        let target = places.target;
        while !listed.is_empty() {
            let next = listed.iter_mut().map(|org| (org.list.org_id, org.list.next.take()));
            let unread: Vec<_> = next.filter(|(_, next)| next.is_some()).collect();
            let unread_orgs: HashSet<OrgId> = unread.iter().map(|(org_id, _)| *org_id).collect();
            let pages = async { self.read_pages(target, unread).await.map_err(StatsAttemptError::from) };
            let (pages, ()) = futures::try_join!(pages, self.add_places(places, &mut listed))?;
            listed.retain(|org| unread_orgs.contains(&org.list.org_id));
            for (org, page) in listed.iter_mut().zip(pages) {
                let sets = places.groups.sets_of_page(org.list.org_id, &page);
                org.sets = sets.into_iter().filter(|set| !org.list.has(set)).collect();
                org.list.next = page.next;
            }
        }
        if is_last { self.read_counts(&mut places.parts).await } else { Ok(()) }
    }

    /// Reads a page of the places of each organisation, from a position of its list.
    async fn read_pages(
        &self,
        target: &StatsTarget,
        lists: Vec<(OrgId, Option<ListPosition>)>,
    ) -> Result<Vec<ListPage<Business>>, Error> {
        let city_key = target.city_key.as_deref();
        let reads = lists.into_iter().map(|(org_id, start)| self.businesses.list_in_city(org_id, city_key, start));
        let mut pages = parallel(u16::try_from(ORGS_AT_A_TIME).unwrap_or(u16::MAX), reads).await?;
        if let Some(moves) = target.cut.as_ref().and_then(MoveCut::all_moves) {
            for page in &mut pages {
                let is_here = |one: &Business| !moves.has_left(&one.id, one.org_id, &city_key_of(&one.city));
                page.items.retain(is_here);
            }
        }
        Ok(pages)
    }

    /// Adds the trees of the places that are listed.
    async fn add_places(
        &self,
        places: &mut PlaceCounts<'_>,
        listed: &mut [ListedOrg],
    ) -> Result<(), StatsAttemptError> {
        let sets: Vec<ReviewSet> = listed.iter_mut().flat_map(|org| std::mem::take(&mut org.sets)).collect();
        for sets in sets.chunks(TREES_AT_A_TIME) {
            let orgs = trees_by_org(sets.iter().cloned());
            let log_of = |org: &OrgTarget| {
                let listed = listed.iter().find(|listed| listed.list.org_id == org.org_id);
                listed.map(|listed| Arc::clone(&listed.log))
            };
            let logs: Vec<Arc<OrgLog>> = orgs.iter().filter_map(log_of).collect();
            let snapshots = self.searcher.read_snapshots_at(&orgs, logs, places.distrusted).await?;
            for (org, snapshot) in orgs.iter().zip(&snapshots) {
                let list = listed.iter_mut().find(|listed| listed.list.org_id == org.org_id);
                let Some(ListedOrg { list, .. }) = list else { continue };
                places.parts.add_org(org, snapshot, |set| {
                    list.add(set);
                    places.groups.number_of(set)
                })?;
            }
            places.parts.check_groups()?;
            if places.parts.is_full() {
                self.read_counts(&mut places.parts).await?;
            }
        }
        Ok(())
    }
}

impl PlaceCounts<'_> {
    /// Returns the statistics, if the groups add up to the whole.
    fn finish(self, totals: TreeCounts) -> Result<ReviewStats, StatsAttemptError> {
        let keys = self.groups.into_keys();
        let totals = totals.finish()?.pop().map(|(_, counts)| counts).unwrap_or_default();
        let (mut sum, mut groups) = (FacetCounts::default(), Vec::new());
        for (number, counts) in self.parts.finish()? {
            sum.add_all(&counts);
            groups.extend(keys.get(&number).map(|key| StatsGroup { key: key.clone(), counts }));
        }
        let adds_up = sum == totals;
        let stats = ReviewStats { counts: totals, groups: Some(sorted(groups)) };
        if adds_up { Ok(stats) } else { Err(StatsAttemptError::GroupsDiffer) }
    }
}
