//! Reviews: what a search costs by the ledger, by a filter on a thin index, and by `PostgreSQL`.

mod backend;
mod backends;
mod counted;
mod delayed_client;
mod ledger;
mod match_counts;
mod plot;
mod postgres;
mod postgres_server;
mod report;
mod rounds;
mod search;
mod targets;
mod thin_index;

use std::io::Write as _;
use std::path::Path;

use presence_bench::distribution::Distribution;

use backends::{Backends, StorageSizes};
use postgres_server::{MISSING, PostgresServer};
use rounds::MeasuredSearch;
use search::PagePosition;

/// What came out for a number of reviews.
pub(crate) struct SizeResult {
    total: u64,
    searches: Vec<MeasuredSearch>,
    /// None where it was counted and not measured.
    storage: Option<StorageSizes>,
}

/// Compares at each of the sizes, counts at those beyond them, and writes the plots beside the report.
pub(crate) async fn run(sizes: &[u64], counted: &[u64], rounds: u64, out: Option<&Path>) -> anyhow::Result<String> {
    let with_postgres = PostgresServer::is_installed();
    if !with_postgres {
        note(MISSING);
    }
    let mut all = Vec::new();
    for size in sizes {
        all.push(measured(&Distribution::new(*size), rounds, with_postgres).await?);
    }
    for size in counted {
        all.push(counted::counted(*size, &all).await?);
    }
    all.sort_by_key(|size| size.total);
    let plots = plot::plots(&all)?;
    let files = match out {
        Some(out) => plot::write(&plots, out)?,
        None => Vec::new(),
    };
    Ok(report::report(&all, rounds, &files))
}

async fn measured(reviews: &Distribution, rounds: u64, with_postgres: bool) -> anyhow::Result<SizeResult> {
    let (stage, ready) = Backends::load(reviews, with_postgres).await?;
    let mut agreed = rounds::verify_agreement(&stage, ready).await?;
    rounds::measure(&stage, &mut agreed, reviews.total(), rounds).await?;
    let storage = Some(stage.measure_storage().await?);
    let searches = agreed.into_iter().map(|(_, measured)| measured).collect();
    Ok(SizeResult { total: reviews.total(), searches, storage })
}

fn find<'a>(size: &'a SizeResult, what: &str, place: PagePosition) -> Option<&'a MeasuredSearch> {
    size.searches.iter().find(|measured| measured.search.what == what && measured.search.place == place)
}

/// Tells whoever waits how far it is.
fn note(text: &str) {
    // Nobody may be there to read it.
    let _ = writeln!(std::io::stderr(), "{text}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(flavor = "multi_thread")]
    async fn every_contender_gives_the_same_answers() {
        let reviews = Distribution::new(2_000);
        let (stage, ready) =
            Backends::load(&reviews, PostgresServer::is_installed()).await.expect("the backends start");
        let agreed = rounds::verify_agreement(&stage, ready).await.expect("they agree");
        assert!(agreed.iter().filter(|(_, measured)| measured.search.match_count > 30).count() > 10);
    }
}
