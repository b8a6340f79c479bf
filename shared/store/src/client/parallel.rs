//! Concurrent calls.

pub(crate) use presence_ledger::parallel;
