//! What searches cost at sizes that no database here would hold: the real store over a `DynamoDB` that only counts.
//!
//! It holds each review of a [`Distribution`] in 24 bytes and makes tallies, slips and texts when they are read: a Query
//! or a BatchGetItem of the reviews table, or of the businesses that the reviews are of, is answered as `DynamoDB` would
//! answer it after every review was posted, page by page, with the capacity that follows from its sizes of items. So
//! calls, waves and units are exact; a test holds them against the embedded `DynamoDB`. It can do nothing else.

mod connector;
mod packed_reviews;
mod searches;
mod tables;

use std::sync::Arc;

use anyhow::Context as _;
use aws_smithy_runtime_api::client::http::SharedHttpClient;
use presence_store::Store;

use crate::distribution::Distribution;
use connector::SyntheticConnector;
use packed_reviews::PackedReviews;
pub use searches::{PER_PAGE, PagePosition, Search, SearchOutcome, named, random, run_search};
use tables::SyntheticTables;

const PREFIX: &str = "presence-";

/// The store over so many reviews: 32 bytes of memory each.
pub fn store(distribution: Distribution) -> anyhow::Result<Store> {
    u32::try_from(distribution.total()).context("a number of reviews has 32 bits here")?;
    let tables = Arc::new(SyntheticTables::new(PackedReviews::new(distribution)));
    let client = SharedHttpClient::new(SyntheticConnector::new(tables));
    // The address is never called.
    let config = presence_local::sdk_config("http://localhost").into_builder().http_client(client).build();
    Ok(Store::new(&config, PREFIX))
}

#[cfg(test)]
mod tests;
