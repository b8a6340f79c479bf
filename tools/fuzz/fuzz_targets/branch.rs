//! Fuzz target of the branches of trees.
#![no_main]

use libfuzzer_sys::fuzz_target;
use presence_domain::review::FacetMask;
use presence_ledger::tree::{decode_branch, decode_branch_matches, encode_branch};

fuzz_target!(|bytes: &[u8]| {
    let (entries, matches) = (decode_branch(bytes), decode_branch_matches(bytes, FacetMask::ALL));
    assert_eq!(entries.is_ok(), matches.is_ok());
    if let Ok(entries) = entries {
        assert_eq!(decode_branch(&encode_branch(&entries)), Ok(entries));
    }
});
