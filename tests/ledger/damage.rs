//! Damage to stored trees. No write of the store does any of this.

use std::collections::HashMap;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use presence_domain::ids::{BusinessId, OrgId};
use presence_domain::review::FacetKey;
use presence_ledger::tree::{
    NodeRef, PeriodNodes, TreeRoot, decode_branch, decode_leaf, decode_oldest, decode_root, encode_leaf, encode_oldest,
    encode_root,
};
use presence_ledger::{
    DIRECTORY_BUCKETS, Directory, DirectoryBucket, Posting, ReviewNumber, ReviewSet, TreeKey, directory_hash,
};
use presence_store::keys::{
    DIRECTORY_SK, directory_bucket_sk, directory_buckets_pk, log_pk, node_sk, root_sk, tree_pk,
};
use presence_store::schema;
use presence_tests::TestStack;

/// Damage of one tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Damage {
    /// A posting of the root is lost.
    LostPosting,
    /// The root has a posting of a review that does not exist.
    StrayPosting,
    /// A posting of the root has an earlier version than its review.
    OldVersion,
    /// A posting of the root has another facet key than its review.
    OtherFacetKey,
    /// A posting of the root is at another second than its review.
    OtherSecond,
    /// The counts of a period are too high.
    WrongCount,
    /// The copies of the oldest postings lack one.
    LostCopy,
    /// A leaf lacks a posting.
    LostInLeaf,
    /// A node is lost.
    LostNode,
    /// A node cannot be read.
    GarbledNode,
    /// The root is lost.
    LostRoot,
    /// The root cannot be read.
    GarbledRoot,
    /// The root is older than the directory or the root of its set says.
    OldRoot,
}

impl Damage {
    /// Damage of postings, which a tree of any size can have.
    pub(super) const OF_POSTINGS: [Self; 5] =
        [Self::LostPosting, Self::StrayPosting, Self::OldVersion, Self::OtherFacetKey, Self::OtherSecond];
    /// Damage of roots.
    pub(super) const OF_ROOTS: [Self; 3] = [Self::LostRoot, Self::GarbledRoot, Self::OldRoot];
    /// Damage of periods and nodes, which only large trees have.
    pub(super) const OF_NODES: [Self; 4] = [Self::WrongCount, Self::LostInLeaf, Self::LostNode, Self::GarbledNode];
}

/// Trees of a stack, past the store.
pub(super) struct StoredTrees {
    client: Client,
    table: String,
}

type Item = HashMap<String, AttributeValue>;

/// Returns the tree of an organisation.
pub(super) fn org_tree(org: u64) -> TreeKey {
    TreeKey { set: ReviewSet::Org(OrgId::new(org).expect("an id")), facet_key: None }
}

/// Returns the tree of a city.
pub(super) fn city_tree(org: u64, city_key: &str) -> TreeKey {
    let set = ReviewSet::City(OrgId::new(org).expect("an id"), city_key.to_owned());
    TreeKey { set, facet_key: None }
}

/// Returns the tree of a business.
pub(super) fn business_tree(org: u64, id: &str) -> TreeKey {
    let set = ReviewSet::Business(OrgId::new(org).expect("an id"), BusinessId::parse(id).expect("an id"));
    TreeKey { set, facet_key: None }
}

/// Returns the tree of the facet key that most postings of a root have.
pub(super) fn largest_facet_tree(tree: &TreeKey, root: &TreeRoot) -> TreeKey {
    let largest = root.counts().nonzero().max_by_key(|(_, count)| *count).expect("a posting").0;
    TreeKey { facet_key: Some(largest), ..tree.clone() }
}

impl StoredTrees {
    pub(super) fn of(stack: &TestStack) -> Self {
        let client = stack.dynamodb_client();
        Self { client, table: stack.stores().database.name(&schema::REVIEWS) }
    }

    /// Damages a tree.
    pub(super) async fn damage(&self, tree: &TreeKey, damage: Damage) {
        let mut root = self.root(tree).await;
        let middle = root.recent.len() / 2;
        match damage {
            Damage::LostPosting => drop(root.recent.remove(middle)),
            Damage::StrayPosting => root.recent.insert(middle, stray_before(&root.recent[middle])),
            Damage::OldVersion => root.recent[middle].version -= 1,
            Damage::OtherFacetKey => root.recent[middle].facet_key = other_than(root.recent[middle].facet_key),
            Damage::OtherSecond => {
                let mut moved = root.recent.remove(0);
                moved.key.effective_at = root.recent.last().expect("postings").key.effective_at + 1;
                root.recent.push(moved);
            }
            Damage::WrongCount => {
                let period = &mut root.periods[0];
                // The counts of a period with branches are stored with these.
                let counts = match &mut period.nodes {
                    PeriodNodes::Leaves(_) => &mut period.counts,
                    PeriodNodes::Branches(branches) => &mut branches[0].counts,
                };
                let facet_key = counts.nonzero().next().expect("a posting").0;
                counts.add(facet_key, 40);
            }
            // Sweeps raise editions that nobody names.
            Damage::OldRoot => root.edition = 0,
            Damage::LostCopy => return self.damage_copies(tree).await,
            Damage::LostInLeaf => return self.damage_leaf(tree, &root).await,
            Damage::LostNode => return self.delete(node_key(tree, first_node(&root))).await,
            Damage::GarbledNode => return self.garble(node_key(tree, first_node(&root))).await,
            Damage::LostRoot => return self.delete(root_key(tree)).await,
            Damage::GarbledRoot => return self.garble(root_key(tree)).await,
        }
        self.put_root(tree, &root).await;
    }

    /// Returns the root of a tree.
    pub(super) async fn root(&self, tree: &TreeKey) -> TreeRoot {
        let item = self.item(root_key(tree)).await;
        decode_root(item["v"].as_b().expect("bytes").as_ref()).expect("a root")
    }

    /// Returns the edition of a tree's root that searches know to be the least one: of the directory, a bucket of it, or the root of
    /// the set.
    pub(super) async fn named_edition(&self, tree: &TreeKey) -> u64 {
        let org_id = tree.set.org_id();
        match (&tree.set, tree.facet_key) {
            (set, Some(facet_key)) => {
                let root = self.root(&TreeKey { set: set.clone(), facet_key: None }).await;
                root.facet_editions.expect("facet trees")[usize::from(facet_key.number())]
            }
            (ReviewSet::Org(_), None) => {
                let item = self.item(key(log_pk(org_id), DIRECTORY_SK.to_owned())).await;
                Directory::decode(item["v"].as_b().expect("bytes").as_ref()).expect("a directory").org_edition
            }
            (_, None) => {
                let hash = directory_hash(tree);
                let bucket = directory_bucket_sk(usize::try_from(hash % DIRECTORY_BUCKETS as u64).expect("small"));
                let item = self.item(key(directory_buckets_pk(org_id), bucket)).await;
                let bucket = DirectoryBucket::decode(item["v"].as_b().expect("bytes").as_ref()).expect("a bucket");
                bucket.editions[&hash]
            }
        }
    }

    async fn put_root(&self, tree: &TreeKey, root: &TreeRoot) {
        let mut item = self.item(root_key(tree)).await;
        item.insert("e".to_owned(), AttributeValue::N(root.edition.to_string()));
        item.insert("v".to_owned(), AttributeValue::B(Blob::new(encode_root(root))));
        self.put(item).await;
    }

    /// Takes the first posting out of the first leaf.
    async fn damage_leaf(&self, tree: &TreeKey, root: &TreeRoot) {
        let leaf = match &root.periods[0].nodes {
            PeriodNodes::Leaves(leaves) => leaves[0].1,
            PeriodNodes::Branches(branches) => {
                let branch = self.item(node_key(tree, branches[0].node)).await;
                decode_branch(branch["v"].as_b().expect("bytes").as_ref()).expect("a branch")[0].node
            }
        };
        let mut item = self.item(node_key(tree, leaf)).await;
        let mut postings = decode_leaf(item["v"].as_b().expect("bytes").as_ref()).expect("a leaf");
        postings.remove(0);
        item.insert("v".to_owned(), AttributeValue::B(Blob::new(encode_leaf(&postings))));
        self.put(item).await;
    }

    /// Takes a posting out of the copies of the oldest ones.
    async fn damage_copies(&self, tree: &TreeKey) {
        let mut item = self.item(root_key(tree)).await;
        let mut oldest = decode_oldest(item["o"].as_b().expect("bytes").as_ref()).expect("copies");
        oldest.postings.remove(oldest.postings.len() / 2);
        let bytes = encode_oldest(&oldest).expect("copies");
        item.insert("o".to_owned(), AttributeValue::B(Blob::new(bytes)));
        self.put(item).await;
    }

    async fn garble(&self, key: Item) {
        let mut item = self.item(key).await;
        let bytes = item["v"].as_b().expect("bytes").as_ref().to_vec();
        item.insert("v".to_owned(), AttributeValue::B(Blob::new(&bytes[..bytes.len() / 2])));
        self.put(item).await;
    }

    async fn item(&self, key: Item) -> Item {
        let get = self.client.get_item().table_name(&self.table).set_key(Some(key));
        get.send().await.expect("DynamoDB answers").item.expect("the item is there")
    }

    async fn put(&self, item: Item) {
        self.client.put_item().table_name(&self.table).set_item(Some(item)).send().await.expect("DynamoDB answers");
    }

    async fn delete(&self, key: Item) {
        self.client.delete_item().table_name(&self.table).set_key(Some(key)).send().await.expect("DynamoDB answers");
    }

    /// Deletes every item of the reviews table that the predicate names by its partition key.
    pub(super) async fn delete_all(&self, is_deleted: impl Fn(&str) -> bool) {
        let mut start = None;
        loop {
            let scan = self.client.scan().table_name(&self.table).set_exclusive_start_key(start);
            let page = scan.send().await.expect("DynamoDB answers");
            for item in page.items.unwrap_or_default() {
                if is_deleted(item["pk"].as_s().expect("a text")) {
                    let key = ["pk", "sk"].map(|name| (name.to_owned(), item[name].clone()));
                    self.delete(key.into()).await;
                }
            }
            start = page.last_evaluated_key;
            if start.is_none() {
                return;
            }
        }
    }
}

fn root_key(tree: &TreeKey) -> Item {
    key(tree_pk(&tree.set), root_sk(tree.facet_key))
}

fn node_key(tree: &TreeKey, node: NodeRef) -> Item {
    key(tree_pk(&tree.set), node_sk(tree.facet_key, node.slot))
}

fn key(pk: String, sk: String) -> Item {
    HashMap::from([("pk".to_owned(), AttributeValue::S(pk)), ("sk".to_owned(), AttributeValue::S(sk))])
}

fn first_node(root: &TreeRoot) -> NodeRef {
    match &root.periods[0].nodes {
        PeriodNodes::Leaves(leaves) => leaves[0].1,
        PeriodNodes::Branches(branches) => branches[0].node,
    }
}

/// Returns a posting right before another one.
fn stray_before(posting: &Posting) -> Posting {
    let mut stray = *posting;
    stray.key.id = ReviewNumber::new(posting.key.id.get() - 1);
    stray
}

fn other_than(facet_key: FacetKey) -> FacetKey {
    FacetKey::from_number((facet_key.number() + 1) % 90).expect("a facet key")
}
