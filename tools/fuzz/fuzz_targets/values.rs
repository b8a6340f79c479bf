//! Fuzz target of [`presence_fuzz::values`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| presence_fuzz::within_memory(presence_fuzz::values, bytes));
