//! Fuzz target of the roots of trees.
#![no_main]

use libfuzzer_sys::fuzz_target;
use presence_domain::ledger::FacetMask;
use presence_domain::ledger::tree::{RootSummary, decode_root, encode_root};

fuzz_target!(|bytes: &[u8]| {
    let (root, summary) = (decode_root(bytes), RootSummary::decode(bytes, FacetMask::ALL));
    assert_eq!(root.is_ok(), summary.is_ok());
    if let Ok(root) = root {
        assert_eq!(decode_root(&encode_root(&root)), Ok(root));
    }
});
