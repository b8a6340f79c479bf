//! Synthetic `DynamoDB`: it counts what searches cost at sizes that no local database would hold.
//!
//! It holds each review of a [`Distribution`] in 24 bytes, and generates items when they are read. It answers two operations:
//! a Query or a BatchGetItem of the reviews table, and of the businesses of these reviews. Pages and capacity follow from the
//! sizes of the items, as on `DynamoDB`, so that calls, waves and units are exact. A test holds them against the embedded
//! `DynamoDB`.

mod connector;
mod packed_reviews;
mod searches;
mod tables;

use std::sync::Arc;

use anyhow::Context as _;
use presence_local::connectors::{ConnectorLayer as _, WavesConnector};
use presence_store::{Database, Stores};

use crate::distribution::Distribution;
use connector::SyntheticConnector;
use packed_reviews::PackedReviews;
pub use searches::{PER_PAGE, PagePosition, Search, SearchOutcome, named_searches, random_search, run_search};
use tables::SyntheticTables;

const PREFIX: &str = "presence-";

/// Returns the store over a synthetic database. Each review takes 32 bytes of memory.
pub fn store(distribution: Distribution) -> anyhow::Result<Stores> {
    u32::try_from(distribution.total()).context("the number of reviews must fit into 32 bits")?;
    let tables = Arc::new(SyntheticTables::new(PackedReviews::new(distribution)));
    let client = WavesConnector.over(SyntheticConnector::new(tables));
    // The connector answers every call: the address is never connected to.
    let config = presence_local::sdk_config("http://localhost").into_builder().http_client(client).build();
    Ok(Stores::new(Database::new(&config, PREFIX)))
}

#[cfg(test)]
mod tests;
