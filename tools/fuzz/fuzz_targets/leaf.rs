//! Fuzz target of [`presence_fuzz::leaf`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| presence_fuzz::leaf(bytes));
