//! Fuzz target of [`presence_fuzz::directory`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| presence_fuzz::within_memory(presence_fuzz::directory, bytes));
