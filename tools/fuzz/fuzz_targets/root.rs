//! Fuzz target of [`presence_fuzz::root`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| presence_fuzz::within_memory(presence_fuzz::root, bytes));
