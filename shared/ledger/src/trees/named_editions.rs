//! Editions of roots that the directory of an organisation names.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::directory::bucket_of;
use crate::table::Consistency;
use crate::{DirectoryBucket, ReviewSet, TreeKey, Trees, directory_hash};
use presence_domain::error::Error;
use presence_domain::ids::OrgId;

impl Trees {
    /// Returns the editions of roots that the directory of an organisation names, by strong reads of its buckets; 0 for a root
    /// that is not named. The directory itself names that of the organisation. The trees have no facet key.
    pub async fn named_editions<'a>(
        &self,
        org_id: OrgId,
        trees: impl IntoIterator<Item = &'a TreeKey>,
        org_edition: u64,
    ) -> Result<HashMap<TreeKey, u64>, Error> {
        let mut named = HashMap::new();
        let mut in_buckets = Vec::new();
        for tree in trees {
            match &tree.set {
                ReviewSet::Org(_) => drop(named.insert(tree.clone(), org_edition)),
                ReviewSet::City(..) | ReviewSet::Business(..) => in_buckets.push(tree),
            }
        }
        let numbers: BTreeSet<usize> = in_buckets.iter().map(|tree| bucket_of(tree)).collect();
        let numbers: Vec<usize> = numbers.into_iter().collect();
        let buckets = self.get_buckets(org_id, &numbers, Consistency::Strong).await?;
        let buckets: BTreeMap<usize, DirectoryBucket> = numbers.into_iter().zip(buckets).collect();
        for tree in in_buckets {
            let bucket = buckets.get(&bucket_of(tree));
            let edition = bucket.and_then(|bucket| bucket.editions.get(&directory_hash(tree)).copied());
            named.insert(tree.clone(), edition.unwrap_or_default());
        }
        Ok(named)
    }
}
