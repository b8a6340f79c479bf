//! Fuzz target of [`presence_fuzz::events`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| presence_fuzz::events(bytes));
