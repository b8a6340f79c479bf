//! One attempt to count: rounds of reads from the logs to the nodes.

use std::collections::HashSet;

use super::StatsError;
use super::target::StatsTarget;
use crate::ReviewStore;
use crate::reviews::search::attempt::{DRIFT_REPETITIONS, ORGS_AT_A_TIME};
use crate::reviews::search::business_locations::BusinessLocations;
use crate::reviews::search::org_source::SourceError;
use presence_domain::calendar::{Day, Month};
use presence_domain::error::Error;
use presence_domain::review::{FacetCounts, FacetMask, Partner, Rating, ReviewState};
use presence_domain::review_stats::{GroupBy, GroupKey, ReviewStats, StatsGroup, TooManyGroupsError};
use presence_ledger::search::{CountError, ReadError, TreeCounts};
use presence_ledger::{GroupNumber, TreeKey};

/// Occurs when an attempt ends without statistics.
#[derive(Debug)]
pub(super) enum StatsAttemptError {
    /// The ledger was not read.
    Read(ReadError),
    /// The organisations that may have the reviews changed since they were read.
    SourceChanged,
    /// There are too many groups.
    TooManyGroups(TooManyGroupsError),
    /// The groups lack reviews that the whole has, or have others: businesses move, or are too new for the list.
    GroupsDiffer,
}

impl From<ReadError> for StatsAttemptError {
    fn from(error: ReadError) -> Self {
        Self::Read(error)
    }
}

impl From<SourceError> for StatsAttemptError {
    fn from(error: SourceError) -> Self {
        match error {
            SourceError::Changed => Self::SourceChanged,
            SourceError::Failed(error) => error.into(),
        }
    }
}

impl From<Error> for StatsAttemptError {
    fn from(error: Error) -> Self {
        Self::Read(ReadError::Failed(error))
    }
}

impl From<CountError> for StatsAttemptError {
    fn from(error: CountError) -> Self {
        match error {
            CountError::Read(error) => Self::Read(error),
            CountError::TooManyGroups(error) => Self::TooManyGroups(error),
        }
    }
}

impl ReviewStore {
    /// Counts until an attempt has the statistics, or the time is over. `None` if the source of the organisations has changed.
    pub(super) async fn count_reviews(&self, target: &StatsTarget) -> Result<Option<ReviewStats>, StatsError> {
        let (mut retries, mut distrusted) = (self.db.retries(), HashSet::new());
        let mut differing = 0;
        loop {
            match Box::pin(self.attempt_stats(target, &distrusted, differing == 0)).await {
                Ok(stats) => return Ok(Some(stats)),
                Err(StatsAttemptError::SourceChanged) => return Ok(None),
                Err(StatsAttemptError::TooManyGroups(error)) => return Err(error.into()),
                Err(StatsAttemptError::Read(ReadError::Failed(error))) => return Err(error.into()),
                Err(StatsAttemptError::Read(ReadError::Overtaken)) => {}
                Err(StatsAttemptError::Read(ReadError::NodeGone(tree))) => drop(distrusted.insert(tree)),
                Err(StatsAttemptError::GroupsDiffer) => {
                    differing += 1;
                    if differing > DRIFT_REPETITIONS {
                        let text = "the groups of reviews do not add up while a business moves";
                        return Err(Error::Unavailable(text.into()).into());
                    }
                }
            }
            if !retries.pause().await {
                return Err(Error::Unavailable("reviews kept changing while they were counted".into()).into());
            }
        }
    }

    async fn attempt_stats(
        &self,
        target: &StatsTarget,
        distrusted: &HashSet<TreeKey>,
        trusts_index: bool,
    ) -> Result<ReviewStats, StatsAttemptError> {
        if target.has_unknown_places {
            let counted = self.count_places(target, distrusted, trusts_index).await;
            if target.is_city_by_business() && matches!(counted, Err(StatsAttemptError::TooManyGroups(_))) {
                // A business may have left the city meanwhile: then it may be the group too many.
                self.check_cut(target.cut.as_ref()).await?;
            }
            return counted;
        }
        let mut counts = TreeCounts::new(target.filter, target.unit());
        let logs = self.read_joint_logs(target.cut.as_ref()).await?;
        let mut locations = target.source.locations().cloned().unwrap_or_default();
        for orgs in target.orgs.chunks(ORGS_AT_A_TIME) {
            let snapshots = if target.needs_locations() {
                // All trees are of one organisation.
                let (snapshots, found) = self.read_located_snapshots(orgs, distrusted, false).await?;
                locations = found;
                snapshots
            } else {
                self.searcher.read_snapshots(orgs, &logs, distrusted, false).await?
            };
            for (org, snapshot) in orgs.iter().zip(snapshots) {
                let (org, snapshot) = snapshot.narrowed(org, |set| target.admits(set, &locations));
                counts.add_org(&org, &snapshot, |set| target.groups.number_of(set))?;
            }
            if counts.is_full() {
                self.read_counts(&mut counts).await?;
            }
        }
        futures::try_join!(self.read_counts(&mut counts), self.check_stats_source(target))?;
        target.stats_of(&counts.finish()?, &locations)
    }

    /// Reads the nodes that counts need. The deadline is checked between the reads, also if all are cached.
    pub(super) async fn read_counts(&self, counts: &mut TreeCounts) -> Result<(), StatsAttemptError> {
        while self.searcher.read_counts(counts).await? {
            tokio::task::yield_now().await;
        }
        Ok(())
    }

    /// Checks, after the logs were read, that the source still names the same organisations, and that no review moved between them.
    pub(super) async fn check_stats_source(&self, target: &StatsTarget) -> Result<(), StatsAttemptError> {
        futures::try_join!(self.check_source(&target.source), self.check_cut(target.cut.as_ref()))?;
        Ok(())
    }
}

impl StatsTarget {
    /// Returns the statistics with these counts by group, if the groups have all of them.
    fn stats_of(
        &self,
        counts: &[(GroupNumber, FacetCounts)],
        locations: &BusinessLocations,
    ) -> Result<ReviewStats, StatsAttemptError> {
        let mut sum = FacetCounts::default();
        for (_, counts) in counts {
            sum.add_all(counts);
        }
        let groups = self.group_by.map(|group_by| match group_by {
            GroupBy::City => self.groups_by_city(counts, locations),
            _ => facet_groups(group_by, &sum).unwrap_or_else(|| self.numbered_groups(group_by, counts)),
        });
        let total = |groups: &Vec<StatsGroup>| groups.iter().map(|group| group.counts.total()).sum::<i64>();
        let is_complete = groups.as_ref().is_none_or(|groups| total(groups) == sum.total());
        if is_complete { Ok(ReviewStats { counts: sum, groups }) } else { Err(StatsAttemptError::GroupsDiffer) }
    }

    /// Returns the groups that have numbers of their own.
    fn numbered_groups(&self, group_by: GroupBy, counts: &[(GroupNumber, FacetCounts)]) -> Vec<StatsGroup> {
        let group = |(number, counts): &(GroupNumber, FacetCounts)| {
            Some(StatsGroup { key: self.group_key(group_by, *number)?, counts: counts.clone() })
        };
        sorted(counts.iter().filter_map(group).collect())
    }

    fn group_key(&self, group_by: GroupBy, number: GroupNumber) -> Option<GroupKey> {
        match group_by {
            GroupBy::Day => Some(GroupKey::Day(Day::from_number(number))),
            GroupBy::Month => Some(GroupKey::Month(Month::from_number(number))),
            GroupBy::Year => Some(GroupKey::Year(number)),
            _ => self.groups.key_of(number).cloned(),
        }
    }
}

/// Returns the groups in the order of their keys.
pub(super) fn sorted(mut groups: Vec<StatsGroup>) -> Vec<StatsGroup> {
    groups.sort_by(|one, other| one.key.cmp(&other.key));
    groups
}

/// Returns the groups by a property that facet keys have; `None` for another property.
fn facet_groups(group_by: GroupBy, counts: &FacetCounts) -> Option<Vec<StatsGroup>> {
    let keys: Vec<(GroupKey, FacetMask)> = match group_by {
        GroupBy::Partner => Partner::ALL
            .map(|key| (GroupKey::Partner(key), FacetMask::from_predicate(|_, _, partner, _| partner == key)))
            .to_vec(),
        GroupBy::State => ReviewState::ALL
            .map(|key| (GroupKey::State(key), FacetMask::from_predicate(|state, _, _, _| state == key)))
            .to_vec(),
        GroupBy::Rating => Rating::ALL
            .map(|key| (GroupKey::Rating(key), FacetMask::from_predicate(|_, rating, _, _| rating == key)))
            .to_vec(),
        _ => return None,
    };
    let groups = keys.into_iter().map(|(key, mask)| StatsGroup { key, counts: counts.masked(mask) });
    Some(groups.filter(|group| group.counts.total() > 0).collect())
}
