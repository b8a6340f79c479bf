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

    /// Returns the snapshot of an organisation as the cache has it. It may be older than what is stored. `None` if a part is missing.
    pub(super) fn cached_snapshot(&self, org: &OrgTarget) -> Option<OrgSnapshot> {
        let log = self.cache.log(org.org_id)?;
        let mut roots = Vec::with_capacity(org.trees.len());
        for tree in &org.trees {
            let root = self.cache.root(tree);
            let is_empty = root.is_none() && self.cached_edition(org.org_id, tree) == Some(0);
            if root.is_none() && !is_empty {
                return None;
            }
            roots.push(root);
        }
        Some(OrgSnapshot { log, roots, org_root: self.cache.root(&org_tree(org.org_id)) })
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
        let (mut old_buckets, mut trees) = (BucketNumbers::new(), Vec::new());
        for (OrgTarget { org_id, trees: searched }, log) in orgs.iter().zip(logs) {
            for tree in searched {
                let Some(number) = bucket_number(tree) else { continue };
                let bucket = readings.buckets.get(&(*org_id, number));
                let edition = bucket.map_or(0, |bucket| bucket.edition);
                if edition < log.directory.bucket_editions[number] {
                    old_buckets.entry(*org_id).or_default().insert(number);
                    trees.push(tree.clone());
                }
            }
        }
        if old_buckets.is_empty() {
            return Ok(());
        }
        trees.truncate(if trees.len() <= MAX_HASTY_ROOTS { MAX_HASTY_ROOTS } else { 0 });
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
            let number = |postings: usize| i64::try_from(postings).unwrap_or(i64::MAX);
            Ok(root.counts().total() + number(delta.added.len()) - number(delta.removed.len()))
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
