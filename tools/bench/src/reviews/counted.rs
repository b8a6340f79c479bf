//! Numbers of reviews that are not loaded, only counted.

use std::collections::BTreeMap;

use anyhow::{Context as _, ensure};
use presence_bench::distribution::Distribution;
use presence_bench::synthetic_dynamodb;

use super::backend::Backend;
use super::match_counts::searches;
use super::rounds::{BackendFigures, MeasuredSearch};
use super::{SizeResult, note, thin_index};

/// The same searches: the ledger's reads by the store over a database that only knows sizes, the thin index's by arithmetic
/// from what its entries weigh in the largest of the measured sizes.
pub(super) async fn counted(total: u64, measured: &[SizeResult]) -> anyhow::Result<SizeResult> {
    let largest = measured.iter().max_by_key(|size| size.total).context("nothing was measured")?;
    let storage = largest.storage.as_ref().context("nothing was measured")?;
    let entry_bytes = storage.thin as f64 / largest.total as f64;
    let reviews = Distribution::new(total);
    let searches = searches(&reviews)?;
    let store = synthetic_dynamodb::store(reviews)?;
    let mut counted = Vec::with_capacity(searches.len());
    for search in searches {
        let found = synthetic_dynamodb::run_search(&store, &search.filter.for_store(), search.page).await?;
        ensure!(found.page.count == search.match_count, "{}: {} are counted", search.name(), found.page.count);
        let entries = if search.filter.between.is_some() { search.match_count } else { total };
        let thin = thin_index::estimate_cost(&search, entries, entry_bytes);
        let figures = BTreeMap::from([
            (Backend::Ledger, BackendFigures::counted(found.cost)),
            (Backend::ThinIndex, BackendFigures::counted(thin)),
        ]);
        counted.push(MeasuredSearch { search, figures });
    }
    note(&format!("{total} reviews are counted"));
    Ok(SizeResult { total, searches: counted, storage: None })
}
