//! Editions of roots that the directory of an organisation names.

use std::collections::BTreeSet;

use super::directory::bucket_of;
use crate::ReviewStore;
use crate::client::read::Consistency;
use presence_domain::error::Error;
use presence_domain::ids::OrgId;
use presence_domain::ledger::{DIRECTORY_BUCKETS, DirectoryBucket, ReviewSet, TreeKey, directory_hash};

/// Number of roots that are read at a time: one BatchGetItem.
const ROOTS_AT_ONCE: usize = 100;

/// Editions of roots that the directory of an organisation names.
#[derive(Debug)]
pub(crate) struct NamedEditions {
    org_edition: u64,
    buckets: Vec<DirectoryBucket>,
}

impl NamedEditions {
    /// Returns the edition of the root of a set; 0 if the directory does not name it.
    pub(crate) fn edition_of(&self, set: &ReviewSet) -> u64 {
        let tree = TreeKey { set: set.clone(), facet_key: None };
        match set {
            ReviewSet::Org(_) => self.org_edition,
            ReviewSet::City(..) | ReviewSet::Business(..) => {
                let bucket = self.buckets.get(bucket_of(&tree));
                bucket.and_then(|bucket| bucket.editions.get(&directory_hash(&tree)).copied()).unwrap_or_default()
            }
        }
    }
}

impl ReviewStore {
    /// Returns the editions of roots that the directory of an organisation names, by strong reads.
    pub(crate) async fn named_editions(&self, org_id: OrgId) -> Result<NamedEditions, Error> {
        let org_edition = self.query_log(org_id).await?.directory.org_edition;
        let numbers: Vec<usize> = (0..DIRECTORY_BUCKETS).collect();
        let buckets = self.get_buckets(org_id, &numbers, Consistency::Strong).await?;
        Ok(NamedEditions { org_edition, buckets })
    }

    /// Returns the sets whose root has a lower edition than the directory names, each with both editions.
    ///
    /// A root is put before the directory names it. So such a set was damaged: searches wait for a root that nobody puts.
    pub(crate) async fn find_old_roots(
        &self,
        org_id: OrgId,
        sets: &BTreeSet<ReviewSet>,
    ) -> Result<Vec<(ReviewSet, u64, u64)>, Error> {
        let named = self.named_editions(org_id).await?;
        let named: Vec<(ReviewSet, u64)> = sets.iter().map(|set| (set.clone(), named.edition_of(set))).collect();
        let mut old = Vec::new();
        for chunk in named.chunks(ROOTS_AT_ONCE) {
            let trees: Vec<TreeKey> =
                chunk.iter().map(|(set, _)| TreeKey { set: set.clone(), facet_key: None }).collect();
            let roots = self.get_roots(&trees, Consistency::Strong).await?;
            for ((set, named), root) in chunk.iter().zip(roots) {
                let edition = root.map_or(0, |root| root.edition);
                if edition < *named {
                    old.push((set.clone(), *named, edition));
                }
            }
        }
        Ok(old)
    }
}
