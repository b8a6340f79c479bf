//! Synthetic `DynamoDB`: it counts what searches cost at sizes that no local database would hold.
//!
//! It holds each review of a [`Distribution`] in 24 bytes, and the items of the trees as they are stored. It generates reviews when
//! they are read. It answers reads of the reviews table and of its index, and of the businesses of these reviews. Pages and
//! capacity follow from the sizes of the items, as on `DynamoDB`, so that calls, waves and units are exact. A test holds them
//! against the embedded `DynamoDB`.

mod budgets;
mod connector;
mod packed_reviews;
mod searches;
mod stats;
mod tables;

use std::sync::Arc;

use anyhow::Context as _;
use presence_local::connectors::{ConnectorLayer as _, WavesConnector};
use presence_store::{Database, Stores};

use crate::distribution::Distribution;
pub use budgets::{CountedSearch, check_budgets};
use connector::SyntheticConnector;
use packed_reviews::PackedReviews;
pub use searches::{PER_PAGE, PagePosition, Search, SearchOutcome, named_searches, random_search, run_search};
pub use stats::{CountedStats, NamedStats, StatsBudget, StatsOutcome, count_stats, named_stats, run_stats};
use tables::SyntheticTables;

const PREFIX: &str = "presence-";

/// Database of the reviews of a distribution.
#[derive(Clone, Debug)]
pub struct SyntheticDatabase(Arc<SyntheticTables>);

impl SyntheticDatabase {
    /// Builds the trees of the reviews. Each review takes some 200 bytes of memory meanwhile, and fewer afterwards.
    pub fn new(distribution: Distribution) -> anyhow::Result<Self> {
        u32::try_from(distribution.total()).context("the number of reviews must fit into 32 bits")?;
        Ok(Self(Arc::new(SyntheticTables::new(PackedReviews::new(distribution))?)))
    }

    /// Returns the distribution of the reviews.
    #[must_use]
    pub fn distribution(&self) -> &Distribution {
        self.0.distribution()
    }

    /// Returns a store with empty caches.
    #[must_use]
    pub fn store(&self) -> Stores {
        let client = WavesConnector.over(SyntheticConnector::new(Arc::clone(&self.0)));
        // The connector answers every call: the address is never connected to.
        let config = presence_local::sdk_config("http://localhost").into_builder().http_client(client).build();
        Stores::new(Database::new(&config, PREFIX))
    }
}

#[cfg(test)]
mod tests;
