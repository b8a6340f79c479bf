//! Binary attributes of the ledger as JSON: trees, directories and changes.

use jiff::Timestamp;
use presence_domain::ledger::tree::{PeriodNodes, TreeRoot, decode_branch, decode_leaf, decode_oldest, decode_root};
use presence_domain::ledger::{
    Directory, DirectoryBucket, LogChange, LogPosition, Place, Posting, ReviewNumber, decode_changes,
};
use presence_store::{keys, review_body_json};
use serde_json::{Value, json};

/// Number of entries of a list that are shown.
const MAX_SHOWN: usize = 20;

/// Returns a binary attribute of an item as JSON; `None` if no decoder knows its form.
///
/// `partition` and `sort` are the key of the item in the reviews table.
pub(super) fn decode(partition: &str, sort: &str, attribute: &str, bytes: &[u8]) -> Option<Value> {
    if partition.starts_with(keys::TREE_PK_PREFIX) {
        return match attribute {
            _ if sort.starts_with(keys::NODE_SK_PREFIX) => node_json(bytes),
            "o" => oldest_json(bytes),
            _ => root_json(bytes),
        };
    }
    if partition.starts_with(keys::DIRECTORY_BUCKETS_PK_PREFIX) {
        let bucket = DirectoryBucket::decode(bytes).ok()?;
        return Some(json!({"edition": bucket.edition, "trees": bucket.editions.len()}));
    }
    if sort == keys::REVIEW_SK {
        return review_body_json(bytes);
    }
    if !partition.starts_with(keys::LOG_PK_PREFIX) {
        return None;
    }
    if sort == keys::DIRECTORY_SK {
        return Directory::decode(bytes).ok().map(|directory| directory_json(&directory));
    }
    let changes = attribute.starts_with('c').then(|| decode_changes(bytes).ok())??;
    Some(listed("changes", changes.len(), changes.iter().map(change_json)))
}

fn root_json(bytes: &[u8]) -> Option<Value> {
    let root: TreeRoot = decode_root(bytes).ok()?;
    let periods = root.periods.iter().map(|period| {
        let (nodes, count) = match &period.nodes {
            PeriodNodes::Leaves(leaves) => ("leaves", leaves.len()),
            PeriodNodes::Branches(branches) => ("branches", branches.len()),
        };
        let (from, to) = (day(period.span.start().effective_at), day(period.span.end().effective_at));
        json!({"from": from, "to": to, "reviews": period.counts.total(), nodes: count})
    });
    Some(json!({
        "edition": root.edition,
        "reviews": root.counts().total(),
        "periods": listed("periods", root.periods.len(), periods),
        "newest": postings_json(&root.recent),
        "log": position_json(&root.position),
    }))
}

/// Returns the copies of the oldest postings of a root as JSON. The root beside them tells if they belong to its edition.
fn oldest_json(bytes: &[u8]) -> Option<Value> {
    let (edition, oldest) = decode_oldest(bytes).ok()?;
    Some(json!({"edition": edition, "before": day(oldest.end.effective_at), "oldest": postings_json(&oldest.postings)}))
}

/// Returns a node as JSON. A root says which nodes are leaves; the bytes of a branch are not those of a leaf.
fn node_json(bytes: &[u8]) -> Option<Value> {
    if let Ok(postings) = decode_leaf(bytes) {
        return Some(json!({ "leaf": postings_json(&postings) }));
    }
    let entries = decode_branch(bytes).ok()?;
    let shown = entries.iter().map(|entry| {
        json!({"from": instant(entry.start.effective_at), "reviews": entry.counts.total(), "node": entry.node.slot})
    });
    Some(json!({ "branch": listed("leaves", entries.len(), shown) }))
}

fn directory_json(directory: &Directory) -> Value {
    json!({
        "edition": directory.edition,
        "edition_of_the_organisation": directory.org_edition,
        "editions_of_the_buckets": directory.bucket_editions,
        "log": position_json(&directory.trimmed_to),
    })
}

fn postings_json(postings: &[Posting]) -> Value {
    let shown = postings.iter().map(|posting| {
        json!({"review": review_id(posting.key.id), "at": instant(posting.key.effective_at), "version": posting.version})
    });
    listed("reviews", postings.len(), shown)
}

fn change_json(change: &LogChange) -> Value {
    json!({
        "review": review_id(change.id),
        "version": change.version,
        "before": change.old.as_ref().map(place_json),
        "after": change.new.as_ref().map(place_json),
    })
}

fn place_json(place: &Place) -> Value {
    json!({"at": instant(place.effective_at), "city": place.city_key, "business": place.business_id.as_str()})
}

/// Returns the position of a log: the last sequence number of each lane.
fn position_json(position: &LogPosition) -> Value {
    json!({ "last_of_each_lane": position.0 })
}

/// Returns the number of entries of a list, and the first of them.
fn listed(name: &str, count: usize, entries: impl Iterator<Item = Value>) -> Value {
    let shown: Vec<Value> = entries.take(MAX_SHOWN).collect();
    let list = if shown.len() < count { format!("first_{MAX_SHOWN}") } else { "all".to_owned() };
    json!({ name: count, list: shown })
}

fn review_id(number: ReviewNumber) -> Value {
    number.to_id().map_or(Value::Null, |id| id.as_str().into())
}

fn instant(second: i64) -> Value {
    Timestamp::from_second(second).map_or(Value::Null, |at| at.to_string().into())
}

fn day(second: i64) -> Value {
    Timestamp::from_second(second).map_or(Value::Null, |at| at.strftime("%Y-%m-%d").to_string().into())
}

#[cfg(test)]
mod tests {
    use presence_domain::ledger::tree::{
        BranchEntry, NodeRef, OldestPostings, encode_branch, encode_leaf, encode_oldest, encode_root,
    };
    use presence_domain::ledger::{FacetCounts, FacetKey, PostingKey};
    use presence_domain::review::ReviewId;

    use super::*;

    fn posting(second: i64) -> Posting {
        let id = ReviewNumber::of(&ReviewId::parse("zzzzzzzzzzzz").expect("an id"));
        let key = PostingKey { effective_at: second, id };
        Posting { key, facet_key: FacetKey::from_number(3).expect("a facet key"), version: 2 }
    }

    #[test]
    fn nodes_and_roots_of_trees_are_decoded() {
        let postings: Vec<_> = (0..30).map(posting).collect();
        let leaf = decode("TREE#o:42", "NODE#00000001", "v", &encode_leaf(&postings)).expect("a leaf");
        assert_eq!(leaf["leaf"]["reviews"], 30);
        let expected = json!({"review": "zzzzzzzzzzzz", "at": "1970-01-01T00:00:00Z", "version": 2});
        assert_eq!(leaf["leaf"]["first_20"][0], expected);
        let oldest = OldestPostings { end: PostingKey::at(86_400), postings: postings[..1].to_vec() };
        let root = TreeRoot { edition: 5, recent: postings[..2].to_vec(), oldest, ..TreeRoot::empty() };
        let copies = encode_oldest(&root).expect("copies");
        let copies = decode("TREE#c:42:paris", "ROOT", "o", &copies).expect("copies");
        assert_eq!((&copies["edition"], &copies["before"]), (&json!(5), &json!("1970-01-02")));
        assert_eq!(copies["oldest"]["all"].as_array().map(Vec::len), Some(1));
        let root = decode("TREE#c:42:paris", "ROOT#07", "v", &encode_root(&root)).expect("a root");
        assert_eq!((&root["edition"], &root["reviews"]), (&json!(5), &json!(2)));
        assert_eq!(root["newest"]["all"].as_array().map(Vec::len), Some(2));
    }

    #[test]
    fn branches_are_told_from_leaves() {
        let node = NodeRef { slot: 9, stamp: 1 };
        let counts = FacetCounts::of(&[posting(0), posting(1)]);
        let bytes = encode_branch(&[BranchEntry { start: posting(0).key, counts, node }]);
        let branch = decode("TREE#o:42", "NODE#00000001", "v", &bytes).expect("a branch");
        let expected = json!({"from": "1970-01-01T00:00:00Z", "reviews": 2, "node": 9});
        assert_eq!(branch["branch"], json!({"leaves": 1, "all": [expected]}));
    }

    #[test]
    fn directories_are_decoded_and_other_bytes_are_not() {
        let directory = Directory { edition: 4, ..Directory::default() };
        assert_eq!(decode("LOG#42", "~", "v", &directory.encode()).expect("a directory")["edition"], 4);
        let bucket = DirectoryBucket { edition: 6, editions: [(1, 1), (2, 1)].into() };
        let expected = Some(json!({"edition": 6, "trees": 2}));
        assert_eq!(decode("DIR#42", "03", "v", &bucket.encode()), expected);
        for (partition, sort, attribute) in
            [("R#1", "R", "v"), ("LOG#42", "0", "c1"), ("TREE#o:1", "ROOT", "v"), ("DIR#42", "03", "v")]
        {
            assert_eq!(decode(partition, sort, attribute, b"\xff\xff\xff"), None, "{partition}");
        }
    }
}
