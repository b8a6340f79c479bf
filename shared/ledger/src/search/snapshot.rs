//! Snapshots of organisations: the log, and roots of trees that are proven current.
//!
//! Roots and buckets are read eventually, or come from the cache. So each may be older than the log. The directory, which the log holds,
//! names the least edition of every bucket, and of the root of the organisation's own tree. A bucket names those of cities and businesses.
//! Older ones are read strongly. A strong read after the log is always recent enough.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::Searcher;
use super::log_view::LogView;
use super::read_error::ReadError;
use super::readings::{BucketNumbers, Readings, bucket_number, org_tree};
use super::target::OrgTarget;
use crate::parallel;
use crate::table::Consistency;
use crate::tree::{TreeRoot, decode_root};
use crate::{OrgLog, ReviewSet, StoredRoot, TreeKey};
use presence_domain::error::Error;
use presence_domain::ids::OrgId;

/// Maximum number of logs that are read at a time. A log has some kilobytes.
const READS_IN_FLIGHT: u16 = 64;
/// Number of roots that are read strongly at once when their bucket is too old. Of more roots, the bucket is read first: it
/// tells which of them have changed.
const MAX_HASTY_ROOTS: usize = 20;

/// Logs that were read at one instant, by organisation.
pub type JointLogs = HashMap<OrgId, Arc<OrgLog>>;

/// State of an organisation at one position of its log.
#[derive(Clone, Debug)]
pub struct OrgSnapshot {
    /// Log of the organisation, with its directory.
    pub log: Arc<OrgLog>,
    /// Roots of the trees that are searched, in their order; `None` for a tree without a root, which is empty.
    pub(super) roots: Vec<Option<StoredRoot>>,
    /// Root of the organisation's own tree, if it is not searched itself. Nothing proves it: it only serves to estimate costs.
    pub(super) org_root: Option<StoredRoot>,
}

impl Searcher {
    /// Reads the logs of organisations, but those that were read together, and the roots of their trees. The roots of distrusted trees
    /// are read strongly. With `estimates`, also reads the roots of the organisations' own trees.
    pub async fn read_snapshots(
        &self,
        orgs: &[OrgTarget],
        joint_logs: &JointLogs,
        distrusted: &HashSet<TreeKey>,
        estimates: bool,
    ) -> Result<Vec<OrgSnapshot>, Error> {
        let (mut readings, unread) = self.cached_readings(orgs, distrusted, estimates);
        let logs = orgs.iter().map(async |org| match joint_logs.get(&org.org_id) {
            Some(log) => Ok(Arc::clone(log)),
            None => self.read_log_of(org.org_id).await,
        });
        let logs = parallel(READS_IN_FLIGHT, logs);
        let (logs, ()) = futures::try_join!(logs, self.read_unread(unread, &mut readings))?;
        self.prove_snapshots(orgs, logs, distrusted, readings).await
    }

    /// Reads the roots of trees, at the positions of logs that were read before.
    pub async fn read_snapshots_at(
        &self,
        orgs: &[OrgTarget],
        logs: Vec<Arc<OrgLog>>,
        distrusted: &HashSet<TreeKey>,
    ) -> Result<Vec<OrgSnapshot>, Error> {
        let (mut readings, unread) = self.cached_readings(orgs, distrusted, false);
        self.read_unread(unread, &mut readings).await?;
        self.prove_snapshots(orgs, logs, distrusted, readings).await
    }

    /// Returns the snapshots of organisations. Reads strongly what is older than the logs say.
    async fn prove_snapshots(
        &self,
        orgs: &[OrgTarget],
        logs: Vec<Arc<OrgLog>>,
        distrusted: &HashSet<TreeKey>,
        mut readings: Readings,
    ) -> Result<Vec<OrgSnapshot>, Error> {
        self.refresh_buckets(orgs, &logs, &mut readings).await?;
        self.refresh_roots(orgs, &logs, distrusted, &mut readings).await?;
        let snapshots = orgs.iter().zip(logs).map(|(org, log)| {
            let roots = org.trees.iter().map(|tree| readings.roots.remove(tree)).collect();
            OrgSnapshot { log, roots, org_root: readings.roots.remove(&org_tree(org.org_id)) }
        });
        Ok(snapshots.collect())
    }

    async fn read_log_of(&self, org_id: OrgId) -> Result<Arc<OrgLog>, Error> {
        let log = Arc::new(self.logs.query_log(org_id).await?);
        self.cache.insert_log(org_id, Arc::clone(&log));
        Ok(log)
    }

    /// Reads those buckets strongly that are older than the directory says. With them the roots that they name, if they are few.
    async fn refresh_buckets(
        &self,
        orgs: &[OrgTarget],
        logs: &[Arc<OrgLog>],
        readings: &mut Readings,
    ) -> Result<(), Error> {
        let (old_buckets, trees) = readings.old_buckets(orgs, logs);
        if old_buckets.is_empty() {
            return Ok(());
        }
        let buckets = self.read_buckets(&old_buckets, Consistency::Strong);
        let (buckets, ()) = futures::try_join!(buckets, self.refresh(&trees, readings))?;
        readings.buckets.extend(buckets);
        Ok(())
    }

    /// Reads those roots strongly that are older than the directory says, and those that are distrusted.
    async fn refresh_roots(
        &self,
        orgs: &[OrgTarget],
        logs: &[Arc<OrgLog>],
        distrusted: &HashSet<TreeKey>,
        readings: &mut Readings,
    ) -> Result<(), Error> {
        let mut old = Vec::new();
        for (OrgTarget { org_id, trees }, log) in orgs.iter().zip(logs) {
            let is_old = |tree: &&TreeKey| {
                let edition = readings.roots.get(tree).map_or(0, |root| root.edition);
                let is_proven = edition >= readings.named_edition(*org_id, &log.directory, tree);
                !readings.fresh.contains(tree) && (!is_proven || distrusted.contains(tree))
            };
            old.extend(trees.iter().filter(is_old).cloned());
        }
        self.refresh(&old, readings).await
    }
}

impl Readings {
    /// Returns the buckets that are older than the directory says, and the trees in them; no trees if these are many.
    fn old_buckets(&self, orgs: &[OrgTarget], logs: &[Arc<OrgLog>]) -> (BucketNumbers, Vec<TreeKey>) {
        let (mut old_buckets, mut trees) = (BucketNumbers::new(), Vec::new());
        for (OrgTarget { org_id, trees: searched }, log) in orgs.iter().zip(logs) {
            for tree in searched {
                let Some(number) = bucket_number(tree) else { continue };
                let bucket = self.buckets.get(&(*org_id, number));
                let edition = bucket.map_or(0, |bucket| bucket.edition);
                if edition < log.directory.bucket_editions[number] {
                    old_buckets.entry(*org_id).or_default().insert(number);
                    trees.push(tree.clone());
                }
            }
        }
        if trees.len() > MAX_HASTY_ROOTS {
            trees.clear();
        }
        (old_buckets, trees)
    }
}

impl OrgSnapshot {
    /// Returns those trees of a target whose sets are admitted, and their part of the snapshot.
    #[must_use]
    pub fn narrowed(self, org: &OrgTarget, admits: impl Fn(&ReviewSet) -> bool) -> (OrgTarget, Self) {
        let trees = org.trees.iter().cloned().zip(self.roots);
        let (trees, roots) = trees.filter(|(tree, _)| admits(&tree.set)).unzip();
        (OrgTarget { org_id: org.org_id, trees }, Self { roots, ..self })
    }

    /// Returns the number of items of each tree of the target, in order.
    pub fn totals(&self, org: &OrgTarget) -> Result<Vec<i64>, ReadError> {
        let total = |(tree, stored): (&TreeKey, &Option<StoredRoot>)| {
            let root = decode_at(stored.as_ref(), &self.log)?;
            let delta = LogView::new(&self.log, 1).delta(tree, &root.position);
            Ok(delta.total_after(&root))
        };
        org.trees.iter().zip(&self.roots).map(total).collect()
    }

    /// True if both are the same position of the log, and the same roots.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let edition = |root: &Option<StoredRoot>| root.as_ref().map(|root| root.edition);
        let editions = |roots: &[Option<StoredRoot>]| roots.iter().map(edition).collect::<Vec<_>>();
        self.log.end == other.log.end && editions(&self.roots) == editions(&other.roots)
    }
}

/// Decodes a root. The log must include everything that the root contains: a root that was folded since is too new.
pub(super) fn decode_at(root: Option<&StoredRoot>, log: &OrgLog) -> Result<TreeRoot, ReadError> {
    let Some(root) = root else { return Ok(TreeRoot::empty()) };
    let root = decode_root(&root.bytes)?;
    if log.end.covers(&root.position) { Ok(root) } else { Err(ReadError::Overtaken) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{org_id, place, posting_at};
    use crate::tree::encode_root;
    use crate::{
        DIRECTORY_BUCKETS, Directory, DirectoryBucket, LANES, LogChange, LogEntry, LogPosition, Place, ReviewNumber,
    };

    fn city(number: usize) -> TreeKey {
        TreeKey { set: ReviewSet::City(org_id(), number.to_string()), facet_key: None }
    }

    /// Returns a root with this number of postings.
    fn root(edition: u64, postings: i64) -> StoredRoot {
        let root = TreeRoot { edition, recent: (0..postings).map(posting_at).collect(), ..TreeRoot::empty() };
        StoredRoot { edition, bytes: encode_root(&root).into(), oldest: None }
    }

    #[test]
    fn buckets_older_than_the_directory_are_read_again_beside_the_roots_of_few_trees() {
        for (edition, searched, old_buckets, trees) in [
            (7, MAX_HASTY_ROOTS, false, 0),
            (6, MAX_HASTY_ROOTS, true, MAX_HASTY_ROOTS),
            (6, MAX_HASTY_ROOTS + 1, true, 0),
        ] {
            let org = OrgTarget { org_id: org_id(), trees: (0..searched).map(city).collect() };
            let directory = Directory { bucket_editions: [7; DIRECTORY_BUCKETS], ..Directory::default() };
            let log = Arc::new(OrgLog { directory, ..OrgLog::default() });
            let bucket = Arc::new(DirectoryBucket { edition, ..DirectoryBucket::default() });
            let mut readings = Readings::default();
            readings.buckets.extend((0..DIRECTORY_BUCKETS).map(|number| ((org_id(), number), Arc::clone(&bucket))));
            let old = readings.old_buckets(&[org], &[log]);
            assert_eq!((!old.0.is_empty(), old.1.len()), (old_buckets, trees), "edition {edition}, {searched} trees");
        }
    }

    #[test]
    fn totals_are_those_of_the_roots_with_what_the_log_adds_and_removes() {
        let changes = [(None, Some(place())), (None, Some(place())), (Some(place()), None)];
        let entry = |(number, (old, new)): (u64, (Option<Place>, Option<Place>))| {
            let id = ReviewNumber::new(number);
            LogEntry { sequence: 1, change: LogChange { id, version: 2, old_version: 1, old, new } }
        };
        let entries = (0..).zip(changes).map(entry).collect();
        let log = Arc::new(OrgLog { entries, end: LogPosition([1; LANES]), ..OrgLog::default() });
        let org = OrgTarget { org_id: org_id(), trees: vec![city(1), city(2), city(3)] };
        let roots = vec![Some(root(1, 3)), None, Some(root(1, 5))];
        let totals = OrgSnapshot { log, roots, org_root: None }.totals(&org).expect("roots that can be read");
        assert_eq!(totals, [4, 0, 5]);
    }

    #[test]
    fn snapshots_are_the_same_at_one_position_and_with_the_same_roots() {
        let snapshot = |edition, last| {
            let log = Arc::new(OrgLog { end: LogPosition([last; LANES]), ..OrgLog::default() });
            OrgSnapshot { log, roots: vec![Some(root(edition, 0))], org_root: None }
        };
        for (edition, last, is_same) in [(3, 5, true), (4, 5, false), (3, 6, false)] {
            let other = snapshot(edition, last);
            assert_eq!(snapshot(3, 5).is_same(&other), is_same, "edition {edition} at {last}");
        }
    }
}
