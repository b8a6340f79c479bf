//! Fuzz target of the directory and of its buckets.
#![no_main]

use libfuzzer_sys::fuzz_target;
use presence_ledger::{Directory, DirectoryBucket};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(directory) = Directory::decode(bytes) {
        assert_eq!(directory.encode(), bytes);
    }
    if let Ok(bucket) = DirectoryBucket::decode(bytes) {
        assert_eq!(bucket.encode(), bytes);
    }
});
