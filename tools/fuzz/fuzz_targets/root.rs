//! Fuzz target of the roots of trees, and of the copies of oldest postings beside them.
#![no_main]

use libfuzzer_sys::fuzz_target;
use presence_domain::review::FacetMask;
use presence_ledger::tree::{RootSummary, TreeRoot, decode_oldest, decode_root, encode_oldest, encode_root};

fuzz_target!(|bytes: &[u8]| {
    let (root, summary) = (decode_root(bytes), RootSummary::decode(bytes, FacetMask::ALL));
    assert_eq!(root.is_ok(), summary.is_ok());
    if let Ok(root) = root {
        assert_eq!(decode_root(&encode_root(&root)), Ok(root));
    }
    if let Ok((edition, oldest)) = decode_oldest(bytes) {
        // Nobody writes copies that end before the first key.
        if let Some(bytes) = encode_oldest(&TreeRoot { edition, oldest: oldest.clone(), ..TreeRoot::empty() }) {
            assert_eq!(decode_oldest(&bytes), Ok((edition, oldest)));
        }
    }
});
