//! Numbers of reviews that are not loaded, only counted.

use std::collections::BTreeMap;

use anyhow::{Context as _, ensure};
use presence_bench::counting;
use presence_bench::distribution::Distribution;

use super::answer::Contender;
use super::census::searches;
use super::rounds::{Figures, Measured};
use super::{Size, note, thin};

/// The same searches: the ledger's reads by the store over a database that only knows sizes, the thin index's by arithmetic
/// from what its entries weigh in the largest of the measured sizes.
pub(super) async fn counted(total: u64, measured: &[Size]) -> anyhow::Result<Size> {
    let largest = measured.iter().max_by_key(|size| size.total).context("nothing was measured")?;
    let weights = largest.weights.as_ref().context("nothing was measured")?;
    let entry_bytes = weights.thin as f64 / largest.total as f64;
    let reviews = Distribution::of(total);
    let searches = searches(&reviews)?;
    let store = counting::store(reviews)?;
    let mut counted = Vec::with_capacity(searches.len());
    for search in searches {
        let found = counting::figures(&store, &search.filter.for_store(), search.page).await?;
        ensure!(found.page.count == search.matching, "{}: {} are counted", search.name(), found.page.count);
        let entries = if search.filter.between.is_some() { search.matching } else { total };
        let thin = thin::reckoned(&search, entries, entry_bytes);
        let figures = BTreeMap::from([
            (Contender::Ledger, Figures::counted(found.cost)),
            (Contender::Thin, Figures::counted(thin)),
        ]);
        counted.push(Measured { search, figures });
    }
    note(&format!("{total} reviews are counted"));
    Ok(Size { total, searches: counted, weights: None })
}
