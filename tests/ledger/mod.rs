//! Tests of the ledger without HTTP: searches that no request can ask for, damaged ledgers, bulk items, the scheduled audit.

mod damage;
mod drift;
mod fold_budget;
mod fold_fixture;
mod folding;
mod leftovers;
mod log_writer;
mod log_writing;
mod model;
mod moves;
mod oldest_postings;
mod oracle;
mod scheduled;
mod stats;
mod stored_log;
mod stored_trees;
mod sweeps;
mod tree_search;
