//! Groups by business and city: the trees of these are found by the list of an organisation's businesses, and counted.
//!
//! The list comes from an index that lags, and a business that moves has reviews in two places. So the counts of the groups are
//! compared with those of the whole, at the same position of the log. Only groups that add up are answered.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use super::attempt::{StatsAttemptError, sorted};
use super::places::{PlaceGroups, PlaceList};
use super::target::StatsTarget;
use super::tree_counts::TreeCounts;
use crate::client::parallel::parallel;
use crate::reviews::log::OrgLog;
use crate::reviews::search::moves::OrgCut;
use crate::reviews::search::target::{OrgTarget, trees_by_org};
use crate::{Business, ListPage, ReviewStore};
use presence_domain::error::Error;
use presence_domain::ids::OrgId;
use presence_domain::ledger::{FacetCounts, ReviewSet, TreeKey};
use presence_domain::review_stats::{ReviewStats, StatsGroup};

/// Number of organisations whose businesses are listed at a time. A page of a list has up to 500 KB.
const ORGS_AT_A_TIME: usize = 16;
/// Number of trees whose roots are read at a time. That of a business has some 2 KB.
const TREES_AT_A_TIME: usize = 1_000;

/// Statistics with groups by place, while trees are added.
struct PlaceCounts<'a> {
    target: &'a StatsTarget,
    distrusted: &'a HashSet<TreeKey>,
    /// Counts of the whole.
    totals: TreeCounts,
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
    ) -> Result<ReviewStats, StatsAttemptError> {
        let mut cut = OrgCut::default();
        let mut counts = PlaceCounts {
            target,
            distrusted,
            totals: TreeCounts::new(target.filter, None),
            parts: TreeCounts::new(target.filter, None),
            groups: PlaceGroups::new(target.group_by, target.city_key.clone()),
        };
        for orgs in target.orgs.chunks(ORGS_AT_A_TIME) {
            let mut listed = self.start_lists(&mut counts, &mut cut, orgs).await?;
            while !listed.is_empty() {
                self.add_places(&mut counts, &mut listed).await?;
                listed.retain(|org| org.list.next.is_some());
                self.continue_lists(&mut counts, &mut listed).await?;
            }
        }
        self.read_counts(&mut counts.totals).await?;
        self.read_counts(&mut counts.parts).await?;
        if target.orgs.len() > 1 {
            self.check_moves(&cut).await?;
        }
        counts.finish()
    }

    /// Adds the trees of organisations to the whole. Returns the first page of the places of each that has reviews.
    async fn start_lists(
        &self,
        counts: &mut PlaceCounts<'_>,
        cut: &mut OrgCut,
        orgs: &[OrgTarget],
    ) -> Result<Vec<ListedOrg>, StatsAttemptError> {
        let org_ids: Vec<OrgId> = orgs.iter().map(|org| org.org_id).collect();
        let lists: Vec<PlaceList> = org_ids.iter().map(|org_id| PlaceList::new(*org_id)).collect();
        let city_key = counts.target.city_key.as_deref();
        let (snapshots, pages, ()) = futures::try_join!(
            self.read_snapshots(orgs, counts.distrusted, false),
            self.read_pages(lists, city_key),
            self.read_all_buckets(&org_ids),
        )?;
        let mut listed = Vec::new();
        for ((org, snapshot), (mut list, page)) in orgs.iter().zip(snapshots).zip(pages) {
            cut.add(org.org_id, &snapshot.log);
            counts.totals.add_org(org, &snapshot, |_| 0)?;
            let mut sets = counts.groups.sets_of_log(org.org_id, &snapshot.log);
            sets.extend(counts.groups.sets_of_page(org.org_id, &page));
            list.next = page.next;
            listed.push(ListedOrg { list, log: snapshot.log, sets });
        }
        Ok(listed)
    }

    /// Reads the next page of the places of each organisation.
    async fn continue_lists(
        &self,
        counts: &mut PlaceCounts<'_>,
        listed: &mut Vec<ListedOrg>,
    ) -> Result<(), StatsAttemptError> {
        let (lists, logs): (Vec<_>, Vec<_>) = listed.drain(..).map(|org| (org.list, org.log)).unzip();
        let pages = self.read_pages(lists, counts.target.city_key.as_deref()).await?;
        for ((mut list, page), log) in pages.into_iter().zip(logs) {
            let sets = counts.groups.sets_of_page(list.org_id, &page);
            list.next = page.next;
            listed.push(ListedOrg { sets: sets.into_iter().filter(|set| !list.has(set)).collect(), list, log });
        }
        Ok(())
    }

    async fn read_pages(
        &self,
        lists: Vec<PlaceList>,
        city_key: Option<&str>,
    ) -> Result<Vec<(PlaceList, ListPage<Business>)>, Error> {
        let reads = lists.into_iter().map(async |mut list| {
            let page = self.businesses.list_in_city(list.org_id, city_key, list.next.take()).await?;
            Ok((list, page))
        });
        parallel(u16::try_from(ORGS_AT_A_TIME).unwrap_or(u16::MAX), reads).await
    }

    /// Adds the trees of the places that are listed.
    async fn add_places(
        &self,
        counts: &mut PlaceCounts<'_>,
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
            let snapshots = self.read_snapshots_at(&orgs, logs, counts.distrusted).await?;
            for (org, snapshot) in orgs.iter().zip(&snapshots) {
                let list = listed.iter_mut().find(|listed| listed.list.org_id == org.org_id);
                let Some(ListedOrg { list, .. }) = list else { continue };
                counts.parts.add_org(org, snapshot, |set| {
                    list.add(set);
                    counts.groups.number_of(set)
                })?;
            }
            counts.parts.check_groups()?;
            if counts.parts.is_full() {
                self.read_counts(&mut counts.parts).await?;
            }
        }
        Ok(())
    }
}

impl PlaceCounts<'_> {
    /// Returns the statistics, if the groups add up to the whole.
    fn finish(self) -> Result<ReviewStats, StatsAttemptError> {
        let keys = self.groups.into_keys();
        let totals = self.totals.finish()?.pop().map(|(_, counts)| counts).unwrap_or_default();
        let (mut sum, mut groups) = (FacetCounts::default(), Vec::new());
        for (number, counts) in self.parts.finish()? {
            sum.add_all(&counts);
            groups.extend(keys.get(&number).map(|key| StatsGroup { key: key.clone(), counts }));
        }
        let adds_up = sum == totals;
        let stats = ReviewStats { counts: totals, groups: Some(sorted(groups)) };
        if adds_up { Ok(stats) } else { Err(StatsAttemptError::GroupsDiffer(Box::new(stats))) }
    }
}
