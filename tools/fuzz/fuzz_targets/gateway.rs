//! Fuzz target of [`presence_fuzz::gateway`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| presence_fuzz::gateway(bytes));
