//! Directory of an organisation's trees: the least edition that each root has, and the position up to which the log is folded.
//!
//! Editions of cities and businesses are in buckets, so that a search reads few of them. Numbers only rise: a writer
//! merges by the maximum, and tries again if another writer was first.

use std::collections::{BTreeMap, BTreeSet};

use super::items::{EDITION, NumberedValue, numbered_item};
use crate::client::parallel::parallel;
use crate::client::read::{Consistency, Item, pk_sk};
use crate::client::tables::Condition;
use crate::keys::{DIRECTORY_SK, directory_bucket_sk, directory_buckets_pk, log_pk};
use crate::{ReviewStore, schema};
use presence_domain::error::Error;
use presence_domain::ids::OrgId;
use presence_ledger::{DIRECTORY_BUCKETS, Directory, DirectoryBucket, LogPosition, ReviewSet, TreeKey, directory_hash};

/// Number of buckets that are written at a time.
const BUCKETS_IN_FLIGHT: u16 = 16;

/// Editions of roots after a fold or a build, by tree. The trees have no facet key.
pub(crate) type RootEditions = BTreeMap<TreeKey, u64>;

/// Returns the bucket that names the root of a city or business.
pub(crate) fn bucket_of(tree: &TreeKey) -> usize {
    usize::try_from(directory_hash(tree) % DIRECTORY_BUCKETS as u64).expect("a number below 16")
}

/// Returns the item of a directory.
pub(crate) fn directory_item(org_id: OrgId, directory: &Directory) -> Item {
    numbered_item(pk_sk(log_pk(org_id), DIRECTORY_SK), EDITION, directory.edition, directory.encode())
}

/// Returns the item of a bucket.
pub(crate) fn bucket_item(org_id: OrgId, number: usize, bucket: &DirectoryBucket) -> Item {
    numbered_item(bucket_key(org_id, number), EDITION, bucket.edition, bucket.encode())
}

/// Adds the editions of the roots of cities and businesses to their buckets. Returns the buckets that changed, by number.
pub(crate) fn raise_editions(
    buckets: &mut [DirectoryBucket; DIRECTORY_BUCKETS],
    editions: &RootEditions,
) -> BTreeSet<usize> {
    let mut raised = BTreeSet::new();
    for (tree, edition) in editions {
        if !matches!(tree.set, ReviewSet::Org(_)) && raise(&mut buckets[bucket_of(tree)], tree, *edition) {
            raised.insert(bucket_of(tree));
        }
    }
    raised
}

impl ReviewStore {
    /// Returns buckets of the directory of an organisation, in the order of their numbers. One that was never written is empty.
    pub(crate) async fn get_buckets(
        &self,
        org_id: OrgId,
        numbers: &[usize],
        consistency: Consistency,
    ) -> Result<Vec<DirectoryBucket>, Error> {
        let keys = numbers.iter().map(|number| bucket_key(org_id, *number)).collect();
        let items = self.get_items(keys, consistency).await?;
        items.into_iter().map(|item| item.map_or_else(|| Ok(DirectoryBucket::default()), read_bucket)).collect()
    }

    /// Brings the directory to a position, with editions of roots that are stored already. Returns the directory.
    ///
    /// Buckets first: the directory names their editions, and promises that all trees contain what lies before its position.
    pub(crate) async fn raise_directory(
        &self,
        org_id: OrgId,
        editions: &RootEditions,
        position: &LogPosition,
    ) -> Result<Directory, Error> {
        let mut by_bucket: BTreeMap<usize, RootEditions> = BTreeMap::new();
        for (tree, edition) in editions.iter().filter(|(tree, _)| !matches!(tree.set, ReviewSet::Org(_))) {
            by_bucket.entry(bucket_of(tree)).or_default().insert(tree.clone(), *edition);
        }
        let raised = by_bucket.iter().map(|(number, editions)| self.raise_bucket(org_id, *number, editions));
        let mut wanted = Directory { trimmed_to: *position, ..Directory::default() };
        for (number, edition) in by_bucket.keys().zip(parallel(BUCKETS_IN_FLIGHT, raised).await?) {
            wanted.bucket_editions[*number] = edition;
        }
        let org_tree = TreeKey { set: ReviewSet::Org(org_id), facet_key: None };
        wanted.org_edition = editions.get(&org_tree).copied().unwrap_or_default();
        self.merge_directory(org_id, &wanted).await
    }

    /// Adds editions of roots to a bucket. Returns the edition of the bucket that has them.
    async fn raise_bucket(&self, org_id: OrgId, number: usize, editions: &RootEditions) -> Result<u64, Error> {
        let mut retries = self.db.retries();
        loop {
            let item = self.db.get(&schema::REVIEWS, bucket_key(org_id, number)).await?;
            let (mut bucket, condition) = match item {
                None => (DirectoryBucket::default(), Condition::NotThere),
                Some(item) => {
                    let bucket = read_bucket(item)?;
                    let condition = Condition::NumberIs(EDITION, bucket.edition);
                    (bucket, condition)
                }
            };
            let mut is_raised = false;
            for (tree, edition) in editions {
                is_raised |= raise(&mut bucket, tree, *edition);
            }
            if !is_raised {
                return Ok(bucket.edition);
            }
            bucket.edition += 1;
            if self.db.put_if(&schema::REVIEWS, bucket_item(org_id, number, &bucket), condition).await? {
                return Ok(bucket.edition);
            }
            if !retries.pause_after_progress().await {
                return Err(kept_changing());
            }
        }
    }

    /// Merges numbers into the directory of an organisation. Returns the directory that has them.
    async fn merge_directory(&self, org_id: OrgId, wanted: &Directory) -> Result<Directory, Error> {
        let mut retries = self.db.retries();
        loop {
            let item = self.db.get(&schema::REVIEWS, pk_sk(log_pk(org_id), DIRECTORY_SK)).await?;
            let stored = item.map(read_directory).transpose()?;
            let merged = merge(stored.as_ref(), wanted);
            if stored.as_ref() == Some(&merged) {
                return Ok(merged);
            }
            let condition = match &stored {
                None => Condition::NotThere,
                Some(stored) => Condition::NumberIs(EDITION, stored.edition),
            };
            let merged = Directory { edition: merged.edition + 1, ..merged };
            if self.db.put_if(&schema::REVIEWS, directory_item(org_id, &merged), condition).await? {
                return Ok(merged);
            }
            if !retries.pause_after_progress().await {
                return Err(kept_changing());
            }
        }
    }
}

/// Raises the edition of a tree's root in its bucket. True if it was lower.
fn raise(bucket: &mut DirectoryBucket, tree: &TreeKey, edition: u64) -> bool {
    let named = bucket.editions.entry(directory_hash(tree)).or_default();
    let is_raised = *named < edition;
    *named = edition.max(*named);
    is_raised
}

/// Returns the directory with the higher ones of the numbers of both, in the edition of the stored one.
fn merge(stored: Option<&Directory>, wanted: &Directory) -> Directory {
    let stored = stored.cloned().unwrap_or_default();
    Directory {
        edition: stored.edition,
        trimmed_to: stored.trimmed_to.max(&wanted.trimmed_to),
        org_edition: stored.org_edition.max(wanted.org_edition),
        bucket_editions: std::array::from_fn(|n| stored.bucket_editions[n].max(wanted.bucket_editions[n])),
    }
}

fn bucket_key(org_id: OrgId, number: usize) -> Item {
    pk_sk(directory_buckets_pk(org_id), directory_bucket_sk(number))
}

fn read_bucket(item: Item) -> Result<DirectoryBucket, Error> {
    DirectoryBucket::decode(&NumberedValue::read(item, EDITION)?.bytes).map_err(Error::internal)
}

fn read_directory(item: Item) -> Result<Directory, Error> {
    Directory::decode(&NumberedValue::read(item, EDITION)?.bytes).map_err(Error::internal)
}

fn kept_changing() -> Error {
    Error::Unavailable("the directory of an organisation's trees kept changing while it was written".into())
}
