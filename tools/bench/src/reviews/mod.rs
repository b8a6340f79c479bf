//! Benchmark of review searches: the ledger, a filter on a thin index, and `PostgreSQL`.

mod backend;
mod backends;
mod delayed_client;
mod first_edition;
pub(crate) mod group_by;
mod ledger;
mod match_counts;
mod measured_stores;
mod plot;
mod postgres;
mod postgres_server;
mod provider;
mod report;
mod rounds;
mod search;
mod targets;
mod thin_index;

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;

use anyhow::{Context as _, ensure};
use presence_bench::distribution::Distribution;
use presence_bench::synthetic_dynamodb::{SyntheticDatabase, run_search};

use backend::Backend;
use backends::{Backends, StorageSizes, WriteUnitsByDate};
use postgres_server::{NOT_INSTALLED, PostgresServer};
use rounds::{MeasuredSearch, Measurement};
use search::{PagePosition, searches};

use crate::import;

/// Results at one number of reviews.
pub(crate) struct SizeResult {
    total: u64,
    searches: Vec<MeasuredSearch>,
    /// Absent if reads were only counted.
    storage: Option<StorageResult>,
}

/// Sizes of the stored data, and the cost of writing more.
struct StorageResult {
    sizes: StorageSizes,
    write_units: WriteUnitsByDate,
}

impl SizeResult {
    /// Returns the search with a label and a page.
    fn find(&self, label: &str, position: PagePosition) -> Option<&MeasuredSearch> {
        self.searches.iter().find(|measured| measured.search.label == label && measured.search.position == position)
    }
}

/// Measures all backends at each of the sizes, counts reads at the larger ones, and writes the plots beside the report.
pub(crate) async fn run(sizes: &[u64], counted: &[u64], rounds: u64, out: Option<&Path>) -> anyhow::Result<String> {
    let with_postgres = PostgresServer::is_installed();
    if !with_postgres {
        note(NOT_INSTALLED);
    }
    let further_sections =
        Box::pin(provider::measure(rounds)).await? + &Box::pin(import::measure_searches_during_import()).await?;
    let mut results = Vec::new();
    for size in sizes {
        results.push(Box::pin(measure_size(&Distribution::new(*size), rounds, with_postgres)).await?);
    }
    for size in counted {
        results.push(count_size(*size, &results).await?);
    }
    results.sort_by_key(|size| size.total);
    let plots = plot::draw_plots(&results)?;
    let files = match out {
        Some(out) => plot::write(&plots, out)?,
        None => Vec::new(),
    };
    Ok(report::render(&results, rounds, &files) + &further_sections)
}

async fn measure_size(reviews: &Distribution, rounds: u64, with_postgres: bool) -> anyhow::Result<SizeResult> {
    let backends = Box::pin(Backends::load(reviews, with_postgres)).await?;
    let prepared = backends.prepare(reviews).await?;
    let mut searches = rounds::verify_agreement(&backends, &prepared).await?;
    rounds::measure(&backends, &prepared, &mut searches, reviews.total(), rounds).await?;
    let sizes = backends.storage_sizes().await?;
    let write_units = Box::pin(backends.measure_write_units()).await?;
    Ok(SizeResult { total: reviews.total(), searches, storage: Some(StorageResult { sizes, write_units }) })
}

/// Counts the reads of the searches without loading reviews.
///
/// The ledger is the store over a synthetic database. The reads of the thin index follow from the size of its entries at the
/// largest measured number of reviews.
async fn count_size(total: u64, measured: &[SizeResult]) -> anyhow::Result<SizeResult> {
    let largest = measured.iter().max_by_key(|size| size.total).context("nothing was measured")?;
    let storage = largest.storage.as_ref().context("nothing was measured")?;
    let entry_bytes = storage.sizes.thin_index as f64 / largest.total as f64;
    let reviews = Distribution::new(total);
    let searches = searches(&reviews)?;
    let database = SyntheticDatabase::new(reviews)?;
    let mut counted = Vec::with_capacity(searches.len());
    for search in searches {
        // A store of its own for each search: what is cached costs nothing.
        let (store, filter) = (database.store(), search.filter.for_store());
        let cold = run_search(&store, &filter, search.page).await?;
        let warm = run_search(&store, &filter, search.page).await?;
        let count = cold.page.count;
        ensure!(count == search.match_count, "{}: the ledger counts {count} reviews", search.name());
        // Only a range of dates is a key condition: for all other filters, the thin index reads every entry.
        let entries = if search.filter.date_range.is_some() { search.match_count } else { total };
        let thin_index = thin_index::estimate_cost(&search, entries, entry_bytes);
        let measurements = BTreeMap::from([
            (Backend::ColdLedger, Measurement::counted(cold.cost)),
            (Backend::WarmLedger, Measurement::counted(warm.cost)),
            (Backend::ThinIndex, Measurement::counted(thin_index)),
        ]);
        counted.push(MeasuredSearch { search, measurements });
    }
    note(&format!("{total} reviews are counted"));
    Ok(SizeResult { total, searches: counted, storage: None })
}

/// Writes a note on the progress to the standard error.
fn note(text: &str) {
    // A failure is ignored: the note is only for people who watch.
    let _ = writeln!(std::io::stderr(), "{text}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(flavor = "multi_thread")]
    async fn all_backends_give_the_same_answers() {
        let reviews = Distribution::new(2_000);
        let backends =
            Box::pin(Backends::load(&reviews, PostgresServer::is_installed())).await.expect("the backends start");
        let prepared = backends.prepare(&reviews).await.expect("the searches are prepared");
        let measured = rounds::verify_agreement(&backends, &prepared).await.expect("the answers agree");
        assert!(measured.iter().filter(|measured| measured.search.match_count > 30).count() > 10);
    }
}
