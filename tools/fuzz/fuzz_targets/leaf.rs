//! Fuzz target of the leaves of trees.
#![no_main]

use libfuzzer_sys::fuzz_target;
use presence_ledger::tree::{decode_leaf, decode_leaf_matches, encode_leaf};
use presence_domain::review::FacetMask;
use presence_ledger::PostingFilter;

fuzz_target!(|bytes: &[u8]| {
    let postings = decode_leaf(bytes);
    let filter = PostingFilter { mask: FacetMask::ALL, from: None, to: None };
    assert_eq!(postings, decode_leaf_matches(bytes, &filter));
    if let Ok(postings) = postings {
        assert_eq!(decode_leaf(&encode_leaf(&postings)), Ok(postings));
    }
});
