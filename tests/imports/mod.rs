//! Imports while the database breaks, and searches while reviews are written: whatever happens, tables and answers are right.

mod categories;
mod concurrent_search;
mod conflicts;
mod faults;
pub(crate) mod import_env;
mod interleaving;
pub(crate) mod large_dataset;
mod moves;
mod throttling;
