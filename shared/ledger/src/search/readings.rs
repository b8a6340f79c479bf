//! Readings of the state of organisations: the buckets of directories and the roots of trees that are known, from the cache and by reads.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use super::Searcher;
use super::cache::SearchCache;
use super::target::OrgTarget;
use crate::parallel;
use crate::table::Consistency;
use crate::{DIRECTORY_BUCKETS, Directory, DirectoryBucket, ReviewSet, StoredRoot, TreeKey, bucket_of, directory_hash};
use presence_domain::error::Error;
use presence_domain::ids::OrgId;

/// Maximum number of directories that are read at a time.
const READS_IN_FLIGHT: u16 = 64;

/// Directories and roots that are known so far, while they are read.
#[derive(Default)]
pub(super) struct Readings {
    pub(super) buckets: HashMap<(OrgId, usize), Arc<DirectoryBucket>>,
    pub(super) roots: HashMap<TreeKey, StoredRoot>,
    /// Trees whose root was read strongly after the log.
    pub(super) fresh: HashSet<TreeKey>,
}

/// Buckets and roots that must be read.
#[derive(Default)]
pub(super) struct Unread {
    buckets: BucketNumbers,
    roots: Vec<TreeKey>,
}

/// Buckets to read, by organisation.
pub(super) type BucketNumbers = BTreeMap<OrgId, BTreeSet<usize>>;

impl Readings {
    /// Returns the least edition that the root of a tree has, by the directory. The buckets must be recent enough.
    pub(super) fn named_edition(&self, org_id: OrgId, directory: &Directory, tree: &TreeKey) -> u64 {
        match bucket_number(tree) {
            None => directory.org_edition,
            Some(number) => self.buckets.get(&(org_id, number)).map_or(0, |bucket| named_in(bucket, tree)),
        }
    }
}

impl SearchCache {
    /// Returns the edition of a root that the cached directory names, if it is cached.
    pub(super) fn named_edition(&self, org_id: OrgId, tree: &TreeKey) -> Option<u64> {
        match bucket_number(tree) {
            None => Some(self.log(org_id)?.directory.org_edition),
            Some(number) => Some(named_in(&*self.bucket(org_id, number)?, tree)),
        }
    }
}

impl Searcher {
    /// Returns what the cache has, and what must be read.
    pub(super) fn cached_readings(
        &self,
        orgs: &[OrgTarget],
        distrusted: &HashSet<TreeKey>,
        estimates: bool,
    ) -> (Readings, Unread) {
        let (mut readings, mut unread) = (Readings::default(), Unread::default());
        for OrgTarget { org_id, trees } in orgs {
            for tree in trees {
                if let Some(number) = bucket_number(tree) {
                    match self.cache.bucket(*org_id, number) {
                        Some(bucket) => drop(readings.buckets.insert((*org_id, number), bucket)),
                        None => drop(unread.buckets.entry(*org_id).or_default().insert(number)),
                    }
                }
                // Distrusted roots are read after the log: only then a strong read proves itself.
                if distrusted.contains(tree) {
                    continue;
                }
                match self.cache.root(tree) {
                    Some(root) => drop(readings.roots.insert(tree.clone(), root)),
                    None if self.cache.named_edition(*org_id, tree) == Some(0) => {}
                    None => unread.roots.push(tree.clone()),
                }
            }
            // One unit more, which most often saves some: the reviews of a large city are cheaper to read as one range.
            let org_tree = org_tree(*org_id);
            if estimates && !trees.contains(&org_tree) {
                match self.cache.root(&org_tree) {
                    Some(root) => drop(readings.roots.insert(org_tree, root)),
                    None => unread.roots.push(org_tree),
                }
            }
        }
        (readings, unread)
    }

    pub(super) async fn read_roots(
        &self,
        trees: &[TreeKey],
        consistency: Consistency,
    ) -> Result<Vec<(TreeKey, StoredRoot)>, Error> {
        if trees.is_empty() {
            return Ok(Vec::new());
        }
        let roots = trees.iter().zip(self.trees.get_roots(trees, consistency).await?);
        let found: Vec<_> = roots.filter_map(|(tree, root)| Some((tree.clone(), root?))).collect();
        for (tree, root) in &found {
            self.cache.insert_root(tree, root.clone());
        }
        Ok(found)
    }

    pub(super) async fn read_buckets(
        &self,
        numbers: &BucketNumbers,
        consistency: Consistency,
    ) -> Result<Vec<((OrgId, usize), Arc<DirectoryBucket>)>, Error> {
        let reads = numbers.iter().map(async |(org_id, numbers)| {
            let numbers: Vec<usize> = numbers.iter().copied().collect();
            let buckets = self.trees.get_buckets(*org_id, &numbers, consistency).await?;
            Ok((*org_id, numbers, buckets))
        });
        let mut read = Vec::new();
        for (org_id, numbers, buckets) in parallel(READS_IN_FLIGHT, reads).await? {
            for (number, bucket) in numbers.into_iter().zip(buckets) {
                let bucket = Arc::new(bucket);
                self.cache.insert_bucket(org_id, number, Arc::clone(&bucket));
                read.push(((org_id, number), bucket));
            }
        }
        Ok(read)
    }

    /// Reads what is not cached, eventually.
    pub(super) async fn read_unread(&self, unread: Unread, readings: &mut Readings) -> Result<(), Error> {
        let roots = self.read_roots(&unread.roots, Consistency::Eventual);
        let buckets = self.read_buckets(&unread.buckets, Consistency::Eventual);
        let (roots, buckets) = futures::try_join!(roots, buckets)?;
        readings.roots.extend(roots);
        readings.buckets.extend(buckets);
        Ok(())
    }

    /// Reads those buckets of directories eventually that are not cached: all of each organisation.
    pub async fn read_all_buckets(&self, org_ids: &[OrgId]) -> Result<(), Error> {
        let unread = org_ids.iter().map(|org_id| {
            let numbers = (0..DIRECTORY_BUCKETS).filter(|number| self.cache.bucket(*org_id, *number).is_none());
            (*org_id, numbers.collect::<BTreeSet<_>>())
        });
        let unread = unread.filter(|(_, numbers)| !numbers.is_empty()).collect();
        self.read_buckets(&unread, Consistency::Eventual).await.map(|_| ())
    }

    /// Reads roots strongly.
    pub(super) async fn refresh(&self, trees: &[TreeKey], readings: &mut Readings) -> Result<(), Error> {
        let roots = self.read_roots(trees, Consistency::Strong).await?;
        readings.fresh.extend(trees.iter().cloned());
        readings.roots.extend(roots);
        Ok(())
    }
}

/// Returns the tree of all reviews of an organisation.
pub(super) fn org_tree(org_id: OrgId) -> TreeKey {
    TreeKey { set: ReviewSet::Org(org_id), facet_key: None }
}

/// Returns the bucket of the directory that names the root of a tree; `None` for an organisation's tree, which the directory
/// itself names.
pub(super) fn bucket_number(tree: &TreeKey) -> Option<usize> {
    (!matches!(tree.set, ReviewSet::Org(_))).then(|| bucket_of(tree))
}

fn named_in(bucket: &DirectoryBucket, tree: &TreeKey) -> u64 {
    bucket.editions.get(&directory_hash(tree)).copied().unwrap_or_default()
}
