//! Decoders of the binary forms of the ledger: two decoders agree, and what is decoded is the same after it was encoded again.

use presence_domain::review::FacetMask;
use presence_ledger::tree::{
    RootSummary, decode_branch, decode_branch_matches, decode_leaf, decode_leaf_matches, decode_oldest, decode_root,
    encode_branch, encode_leaf, encode_oldest, encode_root,
};
use presence_ledger::{Directory, DirectoryBucket, PostingFilter, decode_changes, encode_changes};

/// Checks the decoders of the root of a tree, and of the copies of oldest postings beside it.
pub fn root(bytes: &[u8]) {
    let (root, summary) = (decode_root(bytes), RootSummary::decode(bytes, FacetMask::ALL));
    assert_eq!(root.is_ok(), summary.is_ok());
    if let Ok(root) = root {
        assert_eq!(decode_root(&encode_root(&root)), Ok(root));
    }
    if let Ok(oldest) = decode_oldest(bytes) {
        // Nobody writes copies that end before the first key.
        if let Some(bytes) = encode_oldest(&oldest) {
            assert_eq!(decode_oldest(&bytes), Ok(oldest));
        }
    }
}

/// Checks the decoders of a branch of a tree.
pub fn branch(bytes: &[u8]) {
    let (entries, matches) = (decode_branch(bytes), decode_branch_matches(bytes, FacetMask::ALL));
    assert_eq!(entries.is_ok(), matches.is_ok());
    if let Ok(entries) = entries {
        assert_eq!(decode_branch(&encode_branch(&entries)), Ok(entries));
    }
}

/// Checks the decoders of a leaf of a tree.
pub fn leaf(bytes: &[u8]) {
    let postings = decode_leaf(bytes);
    let filter = PostingFilter { mask: FacetMask::ALL, from: None, to: None };
    assert_eq!(postings, decode_leaf_matches(bytes, &filter));
    if let Ok(postings) = postings {
        assert_eq!(decode_leaf(&encode_leaf(&postings)), Ok(postings));
    }
}

/// Checks the decoder of the changes of the log.
pub fn changes(bytes: &[u8]) {
    if let Ok(changes) = decode_changes(bytes) {
        assert_eq!(decode_changes(&encode_changes(&changes)), Ok(changes));
    }
}

/// Checks the decoders of the directory and of its buckets.
pub fn directory(bytes: &[u8]) {
    if let Ok(directory) = Directory::decode(bytes) {
        assert_eq!(directory.encode(), bytes);
    }
    if let Ok(bucket) = DirectoryBucket::decode(bytes) {
        assert_eq!(bucket.encode(), bytes);
    }
}
