//! Reviews: what a search costs by the ledger, by a filter on a thin index, and by `PostgreSQL`.

mod aims;
mod answer;
mod census;
mod cluster;
mod counted;
mod delay;
mod ledger;
mod plot;
mod postgres;
mod report;
mod rounds;
mod search;
mod stage;
mod thin;

use std::io::Write as _;
use std::path::Path;

use presence_bench::distribution::Distribution;

use cluster::{Cluster, MISSING};
use rounds::Measured;
use search::Place;
use stage::{Stage, Weights};

/// What came out for a number of reviews.
pub(crate) struct Size {
    total: u64,
    searches: Vec<Measured>,
    /// None where it was counted and not measured.
    weights: Option<Weights>,
}

/// Compares at each of the sizes, counts at those beyond them, and writes the plots beside the report.
pub(crate) async fn run(sizes: &[u64], counted: &[u64], rounds: u64, out: Option<&Path>) -> anyhow::Result<String> {
    let with_postgres = Cluster::is_installed();
    if !with_postgres {
        note(MISSING);
    }
    let mut all = Vec::new();
    for size in sizes {
        all.push(measured(&Distribution::of(*size), rounds, with_postgres).await?);
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

async fn measured(reviews: &Distribution, rounds: u64, with_postgres: bool) -> anyhow::Result<Size> {
    let (stage, ready) = Stage::load(reviews, with_postgres).await?;
    let mut agreed = rounds::agree(&stage, ready).await?;
    rounds::measure(&stage, &mut agreed, reviews.total(), rounds).await?;
    let weights = Some(stage.weigh().await?);
    let searches = agreed.into_iter().map(|(_, measured)| measured).collect();
    Ok(Size { total: reviews.total(), searches, weights })
}

fn find<'a>(size: &'a Size, what: &str, place: Place) -> Option<&'a Measured> {
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
        let reviews = Distribution::of(2_000);
        let (stage, ready) = Stage::load(&reviews, Cluster::is_installed()).await.expect("the contenders start");
        let agreed = rounds::agree(&stage, ready).await.expect("they agree");
        assert!(agreed.iter().filter(|(_, measured)| measured.search.matching > 30).count() > 10);
    }
}
