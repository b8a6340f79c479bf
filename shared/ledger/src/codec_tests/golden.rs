//! Bytes of version 1 of each binary form. They are stored: a change that breaks one of these tests needs a new version.

use std::collections::BTreeMap;

use super::hostile::Kind;
use crate::tree::{
    BranchEntry, BranchRef, MonthSpan, NodeRef, OldestPostings, Period, PeriodNodes, TreeRoot, decode_branch,
    decode_leaf, decode_oldest, decode_root, encode_branch, encode_leaf, encode_oldest, encode_root,
};
use crate::{
    Directory, DirectoryBucket, LogChange, LogPosition, Place, Posting, PostingKey, ReviewNumber, ReviewSet, TreeKey,
    decode_changes, directory_hash, encode_changes,
};
use presence_domain::calendar::Month;
use presence_domain::ids::{BusinessId, OrgId};
use presence_domain::review::{FacetCounts, FacetKey};

fn facet_key(number: u8) -> FacetKey {
    FacetKey::from_number(number).expect("a key")
}

fn posting(effective_at: i64, id: u64, facet: u8, version: u64) -> Posting {
    let key = PostingKey { effective_at, id: ReviewNumber::new(id) };
    Posting { key, facet_key: facet_key(facet), version }
}

fn counts(counts: &[(u8, i64)]) -> FacetCounts {
    let mut all = FacetCounts::default();
    for (facet, count) in counts {
        all.add(facet_key(*facet), *count);
    }
    all
}

/// Asserts that a form has these bytes. Spaces in the text are left out.
fn assert_bytes(bytes: &[u8], expected: &str) {
    assert_eq!(hex::encode(bytes), expected.replace(' ', ""));
}

/// Returns a small value of each kind in its binary form.
pub(super) fn examples() -> [(Kind, Vec<u8>); 7] {
    [
        (Kind::Oldest, encode_oldest(&copies()).expect("copies")),
        (Kind::Root, encode_root(&root())),
        (Kind::Branch, encode_branch(&branch())),
        (Kind::Leaf, encode_leaf(&leaf())),
        (Kind::Changes, encode_changes(&changes())),
        (Kind::Directory, directory().encode()),
        (Kind::DirectoryBucket, directory_bucket().encode()),
    ]
}

fn leaf() -> [Posting; 3] {
    [posting(1_700_000_000, 7, 0, 1), posting(1_700_000_000, 8, 89, 300), posting(1_700_086_400, 2, 4, 2)]
}

#[test]
fn leaf_of_version_1() {
    let bytes = encode_leaf(&leaf());
    assert_bytes(&bytes, "010380c49fd50c000000000000000000070100590000000000000008ac0280a30504000000000000000202");
    assert_eq!(decode_leaf(&bytes).as_deref(), Ok(leaf().as_slice()));
}

fn branch() -> [BranchEntry; 2] {
    let entry = |start, counts, slot, stamp| BranchEntry { start, counts, node: NodeRef { slot, stamp } };
    let second = PostingKey { effective_at: 1_700_000_100, id: ReviewNumber::new(0x0102_0304_0506_0708) };
    let sparse: Vec<_> = (0..20).map(|facet| (facet, 1)).chain([(64, 2), (89, 9)]).collect();
    let dense: Vec<_> = (0..90).map(|facet| (facet, 16)).collect();
    [entry(PostingKey::at(1_700_000_000), counts(&sparse), 0xdead_beef, 0), entry(second, counts(&dense), 1, 200)]
}

#[test]
fn branch_of_version_1() {
    let bytes = encode_branch(&branch());
    assert_bytes(
        &bytes,
        "010280c49fd50c000400000200000000001fffffffffe848deadbeef00c90101020304050607089b0c30c30c30c30c30c30c30c30c30c30c30c30c30c30c30c30c30c30c30c30c30c30c30c30c30c30c30c30c30c30c30c30c30c30c30c30c30c30c30c30c30c30c30c30c0000000001c801",
    );
    assert_eq!(decode_branch(&bytes).as_deref(), Ok(branch().as_slice()));
}

fn root() -> TreeRoot {
    let span = |first, months| MonthSpan { first: Month::from_number(first), months };
    let node = |slot| NodeRef { slot, stamp: 3 };
    let (year, month) = (span(2_023 * 12, 12), span(2_024 * 12 + 4, 1));
    let leaves = vec![(year.start(), node(1)), (PostingKey::at(year.start().effective_at + 1_000), node(2))];
    let branch = BranchRef { start: month.start(), counts: counts(&[(88, 5)]), node: node(3) };
    TreeRoot {
        edition: 12,
        position: LogPosition([1, 2, 3, 4, 5, 6, 7, 1_000]),
        facet_editions: None,
        periods: vec![
            Period { span: year, counts: counts(&[(1, 2)]), nodes: PeriodNodes::Leaves(leaves) },
            Period { span: month, counts: counts(&[(88, 5)]), nodes: PeriodNodes::Branches(vec![branch]) },
        ],
        recent_start: PostingKey { effective_at: 1_716_000_000, id: ReviewNumber::new(9) },
        recent: vec![posting(1_716_000_000, 9, 1, 1)],
        oldest: OldestPostings::NONE,
        free: vec![node(4)],
    }
}

fn copies() -> OldestPostings {
    let end = PostingKey { effective_at: 1_672_600_000, id: ReviewNumber::new(3) };
    let postings = vec![posting(1_672_531_200, 7, 1, 1), posting(1_672_600_000, 2, 1, 300)];
    OldestPostings { end, postings }
}

#[test]
fn copies_of_oldest_postings_of_version_1() {
    let bytes = encode_oldest(&copies()).expect("copies");
    assert_bytes(
        &bytes,
        "0180e78ebb0c0100000000000000030280b486bb0c0001000000000000000701c09904010000000000000002ac02",
    );
    assert_eq!(decode_oldest(&bytes), Ok(copies()));
    assert_eq!(encode_oldest(&OldestPostings::NONE), None);
}

#[test]
fn root_has_the_same_bytes_with_copies_of_its_oldest_postings_and_without() {
    assert_eq!(encode_root(&TreeRoot { oldest: copies(), ..root() }), encode_root(&root()));
}

#[test]
fn root_of_version_1() {
    let bytes = encode_root(&root());
    assert_bytes(
        &bytes,
        "010c01020304050607e8070002d0f6050485ffffffffffffffffffffff80000000000103d00f000000020313030087fffffffffffffffffffff9a0000000030380d4c0e40c0100000000000000090180d4c0e40c0001000000000000000901010000000403",
    );
    assert_eq!(decode_root(&bytes), Ok(root()));
}

#[test]
fn roots_without_postings_and_with_facet_trees_of_version_1() {
    let empty = TreeRoot::empty();
    assert_bytes(&encode_root(&empty), "010000000000000000000000ffffffffffffffffff01000000");
    assert_eq!(decode_root(&encode_root(&empty)), Ok(empty.clone()));
    let with_facet_trees = TreeRoot { facet_editions: Some((0..90).collect()), ..empty };
    let bytes = encode_root(&with_facet_trees);
    assert_bytes(&bytes[..14], "010000000000000000005a000102");
    assert_eq!(decode_root(&bytes), Ok(with_facet_trees));
}

fn changes() -> [LogChange; 3] {
    let place = |effective_at, facet, city_key: &str| Place {
        effective_at,
        facet_key: facet_key(facet),
        city_key: city_key.to_owned(),
        business_id: BusinessId::parse("b1").expect("an id"),
    };
    let change =
        |id, version, old, new| LogChange { id: ReviewNumber::new(id), version, old_version: version - 1, old, new };
    [
        change(3, 1, None, Some(place(1_700_000_000, 5, "lyon"))),
        change(11, 4, Some(place(1_700_000_001, 5, "lyon")), Some(place(1_699_999_999, 6, ""))),
        change(19, 2, Some(place(1_700_000_000, 0, "lyon")), None),
    ]
}

#[test]
fn changes_of_version_1() {
    let bytes = encode_changes(&changes());
    assert_bytes(
        &bytes,
        "0103000000000000000301000280c49fd50c0500046c796f6e00026231000000000000000b040303020501020306000002000000000000001302010102000102",
    );
    assert_eq!(decode_changes(&bytes).as_deref(), Ok(changes().as_slice()));
}

fn directory() -> Directory {
    let mut bucket_editions = [0; 16];
    (bucket_editions[1], bucket_editions[15]) = (5, 128);
    Directory { edition: 300, trimmed_to: LogPosition([9, 8, 7, 6, 5, 4, 3, 2]), org_edition: 77, bucket_editions }
}

#[test]
fn directory_of_version_1() {
    let bytes = directory().encode();
    assert_bytes(&bytes, "01ac0209080706050403024d0005000000000000000000000000008001");
    assert_eq!(Directory::decode(&bytes), Ok(directory()));
}

fn directory_bucket() -> DirectoryBucket {
    DirectoryBucket { edition: 3, editions: BTreeMap::from([(0x1020_3040, 1), (u64::MAX, 200)]) }
}

#[test]
fn directory_bucket_of_version_1() {
    let bytes = directory_bucket().encode();
    assert_bytes(&bytes, "010302000000001020304001ffffffffffffffffc801");
    assert_eq!(DirectoryBucket::decode(&bytes), Ok(directory_bucket()));
}

/// `printf c:42:lyon | sha256sum`.
#[test]
fn directory_hash_never_changes() {
    let org_id = OrgId::new(42).expect("an id");
    let hash = |set, facet_key| directory_hash(&TreeKey { set, facet_key });
    assert_eq!(hash(ReviewSet::City(org_id, "lyon".to_owned()), None), 0x62e0_7d54_b7fa_26be);
    assert_eq!(hash(ReviewSet::City(org_id, "saint étienne".to_owned()), None), 0xbbac_16f3_568d_0dea);
    let business_id = BusinessId::parse("5409c35a97bbc544d8e26737").expect("an id");
    assert_eq!(hash(ReviewSet::Business(org_id, business_id.clone()), None), 0xc37a_ebb2_d015_5653);
    assert_eq!(
        hash(ReviewSet::Business(org_id, business_id), Some(facet_key(3))),
        0xc37a_ebb2_d015_5653,
        "trees of facets have that of the set"
    );
}
