//! Synthetic `DynamoDB`: it counts what searches cost at sizes that no local database would hold.
//!
//! It holds each review of a [`Distribution`] in 24 bytes, and the items of the trees as they are stored. It generates reviews when
//! they are read. It answers reads of the reviews table and of its index, and of the businesses of these reviews, and writes of the
//! reviews table, whose items it keeps. Pages and capacity follow from the sizes of the items, as on `DynamoDB`, so that calls,
//! waves and units are exact. Tests hold them against the embedded `DynamoDB`.

mod arrivals;
mod budgets;
mod connector;
mod full_day;
mod packed_reviews;
mod recorder;
mod searches;
mod stats;
mod tables;
mod write_units;
mod writes;

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::Context as _;
use aws_smithy_runtime_api::client::http::HttpClient;
use presence_local::connectors::{ConnectorLayer as _, WavesConnector};
use presence_store::{Database, Stores};

use crate::distribution::Distribution;
pub use arrivals::{Arrivals, ArrivalsOutcome, play_arrivals};
pub use budgets::{CountedSearch, check_budgets};
use connector::SyntheticConnector;
pub use full_day::{FullDay, SearchOfDay, fill_day};
use packed_reviews::PackedReviews;
use recorder::Recorder;
pub use recorder::{PartitionLoad, WrittenUnits};
pub use searches::{PER_PAGE, PagePosition, Search, SearchOutcome, named_searches, random_search, run_search};
pub use stats::{
    CountedStats, NamedStats, StatsBudget, StatsOutcome, count_stats, named_stats, run_stats, start_store,
};
use tables::SyntheticTables;
pub use write_units::{WriteCase, count_write_units, fill_log};
pub use writes::WriteKind;

const PREFIX: &str = "presence-";

/// Database of the reviews of a distribution.
#[derive(Clone, Debug)]
pub struct SyntheticDatabase {
    tables: Arc<SyntheticTables>,
    recorder: Arc<Recorder>,
}

impl SyntheticDatabase {
    /// Builds the trees of the reviews. Each review takes some 200 bytes of memory meanwhile, and fewer afterwards.
    pub fn new(distribution: Distribution) -> anyhow::Result<Self> {
        u32::try_from(distribution.total()).context("the number of reviews must fit into 32 bits")?;
        let tables = Arc::new(SyntheticTables::new(PackedReviews::new(distribution))?);
        Ok(Self { tables, recorder: Arc::default() })
    }

    /// Returns the distribution of the reviews.
    #[must_use]
    pub fn distribution(&self) -> &Distribution {
        self.tables.distribution()
    }

    /// Returns a store with empty caches.
    #[must_use]
    pub fn store(&self) -> Stores {
        store_over(WavesConnector.over(self.connector()))
    }

    /// Returns a store with empty caches, whose calls take no virtual time: for counts without waves.
    #[must_use]
    pub fn store_without_waves(&self) -> Stores {
        store_over(self.connector())
    }

    /// Returns a connection whose calls take no virtual time of their own.
    fn database(&self) -> Database {
        self.store_without_waves().database
    }

    /// Returns the units that were written since the last call, and the number of writes, by the kind of item.
    #[must_use]
    pub fn take_written(&self) -> BTreeMap<WriteKind, WrittenUnits> {
        self.recorder.take_written()
    }

    fn connector(&self) -> SyntheticConnector {
        SyntheticConnector::new(Arc::clone(&self.tables), Arc::clone(&self.recorder))
    }
}

fn store_over(client: impl HttpClient + 'static) -> Stores {
    // The connector answers every call: the address is never connected to.
    let config = presence_local::sdk_config("http://localhost").into_builder().http_client(client).build();
    Stores::new(Database::new(&config, PREFIX))
}

#[cfg(test)]
mod tests;
