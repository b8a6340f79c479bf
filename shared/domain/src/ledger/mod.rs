//! The vocabulary of the review ledger, without storage: review sets, facets, counts, days and months.
//!
//! The ledger is the index that counts and finds reviews. `presence-store` stores and reads it.
//! This module knows the review; the review does not know the ledger.

mod calendar;
mod facets;
mod review_set;

pub use calendar::{Day, Month, SECONDS_OF_DAY};
pub use facets::{FACET_KEY_COUNT, FacetCounts, FacetKey, FacetMask};
pub use review_set::ReviewSet;
