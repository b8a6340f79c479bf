//! Tests of the ledger without HTTP: searches that no request can ask for, damaged ledgers, bulk items, the scheduled audit.

mod drift;
mod model;
mod oracle;
mod scheduled;
mod tree_search;
