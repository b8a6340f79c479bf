//! Imports with database faults, and searches during imports: tables and answers stay right.

mod categories;
mod concurrent_search;
mod conflicts;
mod faults;
pub(crate) mod import_env;
pub(crate) mod large_dataset;
mod latency;
mod moves;
mod people;
pub(crate) mod throttling;
