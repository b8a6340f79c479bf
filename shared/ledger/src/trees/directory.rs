//! Directory of an organisation's trees: the least edition that each root has, and the position up to which the log is folded.
//!
//! Editions of cities and businesses are in buckets, so that a search reads few of them. Numbers only rise: a writer
//! merges by the maximum, and tries again if another writer was first.

use std::collections::{BTreeMap, BTreeSet};

use crate::parallel::parallel;
use crate::table::{Consistency, NewValue, NumberedValue, ValueName};
use crate::{DIRECTORY_BUCKETS, Directory, DirectoryBucket, LogPosition, ReviewSet, TreeKey, Trees, directory_hash};
use presence_domain::error::Error;
use presence_domain::ids::OrgId;

/// Number of buckets that are written at a time.
const BUCKETS_IN_FLIGHT: u16 = 16;

/// Editions of roots after a fold or a build, by tree. The trees have no facet key.
pub type RootEditions = BTreeMap<TreeKey, u64>;

/// Returns the bucket that names the root of a city or business.
pub fn bucket_of(tree: &TreeKey) -> usize {
    usize::try_from(directory_hash(tree) % DIRECTORY_BUCKETS as u64).expect("a number below 16")
}

/// Adds the editions of the roots of cities and businesses to their buckets. Returns the buckets that changed, by number.
pub fn raise_editions(buckets: &mut [DirectoryBucket; DIRECTORY_BUCKETS], editions: &RootEditions) -> BTreeSet<usize> {
    let mut raised = BTreeSet::new();
    for (tree, edition) in editions {
        if !matches!(tree.set, ReviewSet::Org(_)) && raise(&mut buckets[bucket_of(tree)], tree, *edition) {
            raised.insert(bucket_of(tree));
        }
    }
    raised
}

impl Trees {
    /// Returns buckets of the directory of an organisation, in the order of their numbers. One that was never written is empty.
    pub async fn get_buckets(
        &self,
        org_id: OrgId,
        numbers: &[usize],
        consistency: Consistency,
    ) -> Result<Vec<DirectoryBucket>, Error> {
        let names = numbers.iter().map(|number| ValueName::Bucket(org_id, *number)).collect();
        let values = self.table.get(names, consistency).await?;
        let bucket = |value: Option<NumberedValue>| value.map_or_else(|| Ok(DirectoryBucket::default()), read_bucket);
        values.into_iter().map(bucket).collect()
    }

    /// Returns a value by a strong read.
    async fn get_value(&self, name: ValueName<'_>) -> Result<Option<NumberedValue>, Error> {
        Ok(self.table.get(vec![name], Consistency::Strong).await?.into_iter().flatten().next())
    }

    /// Brings the directory to a position, with editions of roots that are stored already. Returns the directory.
    ///
    /// Buckets first: the directory names their editions, and promises that all trees contain what lies before its position.
    pub async fn raise_directory(
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
        let mut pauses = self.table.pauses();
        loop {
            let name = ValueName::Bucket(org_id, number);
            let stored = self.get_value(name).await?.map(read_bucket).transpose()?;
            let known = stored.as_ref().map(|bucket| bucket.edition);
            let mut bucket = stored.unwrap_or_default();
            let mut is_raised = false;
            for (tree, edition) in editions {
                is_raised |= raise(&mut bucket, tree, *edition);
            }
            if !is_raised {
                return Ok(bucket.edition);
            }
            bucket.edition += 1;
            if self.table.put(name, numbered(bucket.edition, bucket.encode()), known).await? {
                return Ok(bucket.edition);
            }
            if !pauses.pause_after_progress().await {
                return Err(kept_changing());
            }
        }
    }

    /// Merges numbers into the directory of an organisation. Returns the directory that has them.
    async fn merge_directory(&self, org_id: OrgId, wanted: &Directory) -> Result<Directory, Error> {
        let mut pauses = self.table.pauses();
        loop {
            let name = ValueName::Directory(org_id);
            let stored = self
                .get_value(name)
                .await?
                .map(|value| Directory::decode(&value.bytes).map_err(Error::internal))
                .transpose()?;
            let merged = merge(stored.as_ref(), wanted);
            if stored.as_ref() == Some(&merged) {
                return Ok(merged);
            }
            let known = stored.as_ref().map(|stored| stored.edition);
            let merged = Directory { edition: merged.edition + 1, ..merged };
            if self.table.put(name, numbered(merged.edition, merged.encode()), known).await? {
                return Ok(merged);
            }
            if !pauses.pause_after_progress().await {
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

fn numbered(number: u64, bytes: Vec<u8>) -> NewValue {
    NewValue { number, bytes, oldest: None }
}

#[expect(clippy::needless_pass_by_value, reason = "it maps what is stored")]
fn read_bucket(value: NumberedValue) -> Result<DirectoryBucket, Error> {
    DirectoryBucket::decode(&value.bytes).map_err(Error::internal)
}

fn kept_changing() -> Error {
    Error::Unavailable("the directory of an organisation's trees kept changing while it was written".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn editions_only_rise_whichever_writer_is_last() {
        let org_id = OrgId::new(1).expect("an id");
        let tree = TreeKey { set: ReviewSet::City(org_id, "lyon".to_owned()), facet_key: None };
        let mut bucket = DirectoryBucket::default();
        for (edition, named, is_raised) in [(5, 5, true), (4, 5, false), (5, 5, false), (6, 6, true)] {
            assert_eq!(raise(&mut bucket, &tree, edition), is_raised, "{edition}");
            assert_eq!(bucket.editions[&directory_hash(&tree)], named, "{edition}");
        }
    }
}
