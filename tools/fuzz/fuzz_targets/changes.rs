//! Fuzz target of the changes of the log.
#![no_main]

use libfuzzer_sys::fuzz_target;
use presence_ledger::{decode_changes, encode_changes};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(changes) = decode_changes(bytes) {
        assert_eq!(decode_changes(&encode_changes(&changes)), Ok(changes));
    }
});
