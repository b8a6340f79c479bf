//! Trees as they are stored, read item by item without the store, and compared with a list of reviews.

use std::collections::{BTreeMap, BTreeSet};

use aws_sdk_dynamodb::types::AttributeValue;
use presence_domain::ids::OrgId;
use presence_domain::review::{FacetKey, Review};
use presence_ledger::tree::{
    LEAF_MAX, NodeRef, PeriodNodes, TreeRoot, decode_branch, decode_leaf, decode_oldest, decode_root,
};
use presence_ledger::{
    DIRECTORY_BUCKETS, Directory, DirectoryBucket, LogPosition, Place, Posting, PostingKey, ReviewNumber, ReviewSet,
    TreeKey, directory_hash,
};
use presence_store::keys::{REVIEW_SK, directory_bucket_sk, directory_buckets_pk, log_pk, node_sk, root_sk, tree_pk};
use presence_store::schema;
use presence_tests::{Item, TestStack};

/// Items of the reviews table that are no reviews, by partition and sort key.
pub(super) struct StoredTrees {
    items: BTreeMap<(String, String), Item>,
}

impl StoredTrees {
    /// Scans the table.
    pub(super) async fn read(stack: &TestStack) -> Self {
        let scan = stack.dynamodb_client().scan().table_name(stack.stores().database.name(&schema::REVIEWS));
        let scan = scan.consistent_read(true).filter_expression("sk <> :review");
        let scan = scan.expression_attribute_values(":review", AttributeValue::S(REVIEW_SK.to_owned()));
        let mut found = scan.into_paginator().items().send();
        let mut items = BTreeMap::new();
        while let Some(item) = found.next().await {
            let item = item.expect("DynamoDB answers");
            let text = |name: &str| item[name].as_s().expect("a text").clone();
            items.insert((text("pk"), text("sk")), item);
        }
        Self { items }
    }

    /// Compares the trees of an organisation, without its log, with the reviews that it should have. Sets of at least
    /// `facets_from` reviews must have facet trees.
    pub(super) fn assert_hold(
        &self,
        org_id: OrgId,
        reviews: &BTreeMap<presence_domain::review::ReviewId, Review>,
        facets_from: i64,
    ) {
        let mut expected: BTreeMap<ReviewSet, Vec<Posting>> = BTreeMap::new();
        for review in reviews.values().filter(|review| review.org_id == org_id) {
            for set in sets_of(review) {
                expected.entry(set).or_default().push(posting_of(review));
            }
        }
        let stored: BTreeSet<&String> = self.items.keys().filter(|(_, sk)| sk == "ROOT").map(|(pk, _)| pk).collect();
        let empty = stored.iter().filter(|pk| is_of(pk, org_id) && !expected.keys().any(|set| tree_pk(set) == ***pk));
        for pk in empty {
            assert_eq!(self.postings(pk, None), [], "{pk} counts nothing any more");
        }
        for (set, mut postings) in expected {
            postings.sort_unstable();
            self.assert_set(&set, &postings, facets_from);
            self.assert_named(org_id, &set);
        }
    }

    fn assert_set(&self, set: &ReviewSet, postings: &[Posting], facets_from: i64) {
        let pk = tree_pk(set);
        assert_eq!(self.postings(&pk, None), postings, "{set}");
        let needs_facets = i64::try_from(postings.len()).expect("few") >= facets_from;
        let root = self.root(&pk, None).unwrap_or_else(|| panic!("{set} has a root"));
        match root.facet_editions {
            None => assert!(!needs_facets || matches!(set, ReviewSet::Business(..)), "{set} has facet trees"),
            Some(editions) => {
                for (facet_key, named) in (0..).map_while(FacetKey::from_number).zip(editions) {
                    let own: Vec<_> =
                        postings.iter().filter(|posting| posting.facet_key == facet_key).copied().collect();
                    assert_eq!(self.postings(&pk, Some(facet_key)), own, "{set}, {facet_key:?}");
                    let facet_root = self.root(&pk, Some(facet_key)).expect("every facet tree has a root");
                    assert!(facet_root.edition >= named, "{set}, {facet_key:?}");
                }
            }
        }
    }

    /// Checks that the directory names the root of a set, and no later edition than it has.
    fn assert_named(&self, org_id: OrgId, set: &ReviewSet) {
        let tree = TreeKey { set: set.clone(), facet_key: None };
        let directory = self.directory(org_id).expect("a fold writes the directory");
        let named = if *set == ReviewSet::Org(org_id) {
            directory.org_edition
        } else {
            let number = usize::try_from(directory_hash(&tree) % DIRECTORY_BUCKETS as u64).expect("small");
            let item = self.item(&directory_buckets_pk(org_id), &directory_bucket_sk(number)).expect("a bucket");
            let bucket = DirectoryBucket::decode(bytes_of(item)).expect("a bucket");
            assert!(directory.bucket_editions[number] <= bucket.edition, "{set}");
            assert!(directory.bucket_editions[number] > 0, "{set}");
            bucket.editions[&directory_hash(&tree)]
        };
        let root = self.root(&tree_pk(set), None).expect("a root");
        assert!(named > 0 && named <= root.edition, "{set}: {named} is named, {} is stored", root.edition);
        assert!(
            directory.trimmed_to.covers(&root.position),
            "{set}: a fold that ends leaves no root behind the directory"
        );
    }

    /// Returns the directory of an organisation.
    pub(super) fn directory(&self, org_id: OrgId) -> Option<Directory> {
        let item = self.item(&log_pk(org_id), "~")?;
        Some(Directory::decode(bytes_of(item)).expect("a directory"))
    }

    /// Returns the number of sealed chunks and of attributes with changes that are left in a log.
    pub(super) fn log_size(&self, org_id: OrgId) -> usize {
        let of_log = self.items.iter().filter(|((pk, sk), _)| *pk == log_pk(org_id) && sk != "~");
        of_log.flat_map(|(_, item)| item.keys()).filter(|name| name.starts_with('c')).count()
    }

    /// Returns the number of nodes that are neither named by a root nor free.
    pub(super) fn orphans(&self) -> usize {
        let mut nodes: BTreeSet<(String, String)> =
            self.items.keys().filter(|(_, sk)| sk.starts_with("NODE#")).cloned().collect();
        for ((pk, sk), _) in self.items.iter().filter(|((_, sk), _)| sk.starts_with("ROOT")) {
            let facet_key = sk.strip_prefix("ROOT#").map(|number| number.parse().expect("a number"));
            let facet_key = facet_key.map(|number| FacetKey::from_number(number).expect("a facet key"));
            let root = self.root(pk, facet_key).expect("a root");
            for node in self.leaves(pk, facet_key, &root).1.into_iter().chain(root.free) {
                nodes.remove(&(pk.clone(), node_sk(facet_key, node.slot)));
            }
        }
        nodes.len()
    }

    /// Returns the postings of a tree, after a look at its form.
    fn postings(&self, pk: &str, facet_key: Option<FacetKey>) -> Vec<Posting> {
        let root = self.root(pk, facet_key).unwrap_or_else(|| panic!("{pk} has a root of {facet_key:?}"));
        let (mut postings, nodes) = self.leaves(pk, facet_key, &root);
        let free: BTreeSet<u32> = root.free.iter().map(|node| node.slot).collect();
        assert!(nodes.iter().all(|node| !free.contains(&node.slot)), "{pk}: a node in use is free");
        assert!(postings.last().is_none_or(|last| last.key < root.recent_start), "{pk}");
        assert!(root.recent.iter().all(|posting| root.recent_start <= posting.key), "{pk}");
        self.assert_copies(pk, facet_key, &root, &postings);
        postings.extend(&root.recent);
        assert!(postings.is_sorted_by(|first, second| first.key < second.key), "{pk}: postings ascend");
        assert_eq!(root.counts(), Posting::counts(&postings), "{pk}");
        postings
    }

    /// Checks that the root of an organisation has copies of the oldest postings of its leaves, and no other root has any.
    fn assert_copies(&self, pk: &str, facet_key: Option<FacetKey>, root: &TreeRoot, in_leaves: &[Posting]) {
        let item = self.item(pk, &root_sk(facet_key)).expect("a root");
        let has_copies = facet_key.is_none() && pk.starts_with("TREE#o:") && !root.periods.is_empty();
        assert_eq!(item.contains_key("o"), has_copies, "{pk}");
        let Some(bytes) = item.get("o") else { return };
        let copies = decode_oldest(bytes.as_b().expect("bytes").as_ref()).expect("copies");
        let before_end = in_leaves.iter().filter(|posting| posting.key < copies.end);
        assert!(copies.postings.iter().eq(before_end) && copies.end <= root.recent_start, "{pk}");
        assert!(!copies.postings.is_empty() || in_leaves.is_empty(), "{pk}");
    }

    /// Returns the postings in the leaves of a tree, and the names of its nodes. Every count must be that of what is below it.
    fn leaves(&self, pk: &str, facet_key: Option<FacetKey>, root: &TreeRoot) -> (Vec<Posting>, Vec<NodeRef>) {
        let (mut all, mut names) = (Vec::new(), Vec::new());
        for period in &root.periods {
            let before = all.len();
            match &period.nodes {
                PeriodNodes::Leaves(leaves) => {
                    self.add_leaves(pk, facet_key, leaves, &mut all);
                    names.extend(leaves.iter().map(|(_, node)| *node));
                }
                PeriodNodes::Branches(branches) => {
                    for branch in branches {
                        let before = all.len();
                        let entries = decode_branch(self.node(pk, facet_key, branch.node)).expect("a branch");
                        for entry in &entries {
                            let before = all.len();
                            self.add_leaves(pk, facet_key, &[(entry.start, entry.node)], &mut all);
                            assert_eq!(entry.counts, Posting::counts(&all[before..]), "{pk}");
                        }
                        assert_eq!(branch.counts, Posting::counts(&all[before..]), "{pk}");
                        names.push(branch.node);
                        names.extend(entries.iter().map(|entry| entry.node));
                    }
                }
            }
            assert_eq!(period.counts, Posting::counts(&all[before..]), "{pk}");
            let is_inside = |posting: &Posting| (period.span.start()..period.span.end()).contains(&posting.key);
            assert!(all[before..].iter().all(is_inside), "{pk}: {:?}", period.span);
        }
        (all, names)
    }

    fn add_leaves(
        &self,
        pk: &str,
        facet_key: Option<FacetKey>,
        leaves: &[(PostingKey, NodeRef)],
        all: &mut Vec<Posting>,
    ) {
        for (_, node) in leaves {
            let postings = decode_leaf(self.node(pk, facet_key, *node)).expect("a leaf");
            assert!((1..=LEAF_MAX).contains(&postings.len()), "{pk}: {} postings in a leaf", postings.len());
            all.extend(postings);
        }
    }

    fn root(&self, pk: &str, facet_key: Option<FacetKey>) -> Option<TreeRoot> {
        let item = self.item(pk, &root_sk(facet_key))?;
        let root = decode_root(bytes_of(item)).expect("a root");
        assert_eq!(item["e"], AttributeValue::N(root.edition.to_string()), "{pk}");
        Some(root)
    }

    fn node(&self, pk: &str, facet_key: Option<FacetKey>, node: NodeRef) -> &[u8] {
        let item = self.item(pk, &node_sk(facet_key, node.slot)).unwrap_or_else(|| panic!("{pk}: {node:?} is gone"));
        assert_eq!(item["s"], AttributeValue::N(node.stamp.to_string()), "{pk}: {node:?}");
        bytes_of(item)
    }

    fn item(&self, pk: &str, sk: &str) -> Option<&Item> {
        self.items.get(&(pk.to_owned(), sk.to_owned()))
    }
}

/// True if the partition is one of trees of the organisation.
fn is_of(pk: &str, org_id: OrgId) -> bool {
    let org = org_id.to_string();
    pk.strip_prefix("TREE#").is_some_and(|set| set.split(':').nth(1) == Some(&org))
}

/// Returns the sets that count a review.
pub(super) fn sets_of(review: &Review) -> [ReviewSet; 3] {
    [
        ReviewSet::Org(review.org_id),
        ReviewSet::City(review.org_id, review.city_key.clone()),
        ReviewSet::Business(review.org_id, review.business_id.clone()),
    ]
}

/// Returns the posting that the trees should have for a review.
fn posting_of(review: &Review) -> Posting {
    let Place { effective_at, facet_key, .. } = Place::of(review);
    let key = PostingKey { effective_at, id: ReviewNumber::of(&review.id) };
    Posting { key, facet_key, version: review.version }
}

fn bytes_of(item: &Item) -> &[u8] {
    item["v"].as_b().expect("a binary value").as_ref()
}

/// Returns the number of changes that a position includes.
pub(super) fn changes_until(position: &LogPosition) -> u64 {
    position.0.iter().sum()
}
