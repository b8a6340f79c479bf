//! Day with millions of reviews of one organisation and one facet key: imported and searched.

use std::sync::Arc;

use anyhow::ensure;
use presence_domain::access::{Principal, Scope};
use presence_domain::calendar::{Day, SECONDS_OF_DAY};
use presence_domain::ids::UserId;
use presence_domain::page::PageRequest;
use presence_domain::review::{FacetKey, FacetMask, Review};
use presence_domain::user::Role;
use presence_store::meter::Meter;
use presence_store::{FoldLimits, ReviewFilter};

use super::ReviewDatabase;
use super::write_units::copies_of_last_month;
use crate::cost::{Cost, measure_cost};
use crate::distribution::SINGLE_DAY;

/// Search of the day, and its cost with empty caches.
#[derive(Clone, Debug)]
pub(crate) struct SearchOfDay {
    /// Name in a table.
    pub(crate) name: String,
    /// Number of matches.
    pub(crate) count: u64,
    /// Calls, waves and units.
    pub(crate) cost: Cost,
}

/// Outcome of an import into a full day.
#[derive(Clone, Debug)]
pub(crate) struct FullDay {
    /// Number of reviews of the day at the end.
    pub(crate) reviews: u64,
    /// Number of reviews that were imported into the day, the others were built.
    pub(crate) imported: usize,
    /// Write units of an imported review, folds included.
    pub(crate) write_units: f64,
    /// Searches, each compared with the ordered list of all reviews.
    pub(crate) searches: Vec<SearchOfDay>,
}

/// Imports reviews into a database of reviews of one day, and searches it: pages at both ends and in the middle, all reviews and those
/// of the facet key, of the day and of one hour.
pub(crate) async fn fill_day(
    database: &ReviewDatabase,
    imported: usize,
    limits: FoldLimits,
) -> anyhow::Result<FullDay> {
    let org_id = database.distribution().org().id;
    let scope = Principal { user_id: UserId::random(), org_id: Some(org_id), role: Role::OrgAdmin }.scope();
    let new = copies_of_last_month(database.distribution(), imported, false, "day");
    let limits = FoldLimits { fold_from: 4_096, ..limits };
    let (store, meter) = (database.stores_without_waves().reviews.with_fold_limits(limits), Arc::new(Meter::default()));
    let import = async {
        for portion in new.chunks(1_024) {
            store.upsert_reviews(portion).await?;
        }
        store.fold_written_reviews().await;
        anyhow::Ok(())
    };
    Arc::clone(&meter).watch(import).await?;
    ensure!(store.count_unfolded(org_id).await? == 0, "the log is not folded");
    let listed = listing(database, &new);
    let mut searches = Vec::new();
    for (name, filter) in filters(&new) {
        searches.extend(search_pages(database, scope, name, &filter, &listed).await?);
    }
    let write_units = meter.cost().write_units / imported as f64;
    Ok(FullDay { reviews: listed.len() as u64, imported, write_units, searches })
}

/// Returns second and id of all reviews, newest first.
fn listing(database: &ReviewDatabase, new: &[Review]) -> Vec<(i64, String)> {
    let stored = database.distribution().headers().flatten().map(|header| (header.at, header.id.as_str().to_owned()));
    let new = new.iter().map(|review| (review.date, review.id.as_str().to_owned()));
    let mut listed: Vec<(i64, String)> = stored.chain(new).collect();
    listed.sort_unstable_by(|one, other| other.cmp(one));
    listed
}

/// Returns filters that all reviews match, or those of an hour.
fn filters(new: &[Review]) -> [(&'static str, ReviewFilter); 3] {
    let all = ReviewFilter::ALL;
    let facet_key = new.first().map(FacetKey::of);
    let mask = FacetMask::from_predicate(|state, rating, partner, has_content| {
        Some(FacetKey::new(state, rating, partner, has_content)) == facet_key
    });
    let noon = Day::parse(SINGLE_DAY).map_or(0, Day::start) + SECONDS_OF_DAY / 2;
    let hour = ReviewFilter { from: Some(noon), to: Some(noon + 3_599), ..all.clone() };
    [("all reviews", all.clone()), ("the facet key", ReviewFilter { mask, ..all }), ("an hour", hour)]
}

/// Searches the first, the middle and the last page with empty caches.
async fn search_pages(
    database: &ReviewDatabase,
    scope: Scope,
    name: &str,
    filter: &ReviewFilter,
    listed: &[(i64, String)],
) -> anyhow::Result<Vec<SearchOfDay>> {
    let is_inside = |at: i64| filter.from.is_none_or(|from| at >= from) && filter.to.is_none_or(|to| at <= to);
    let matches: Vec<&str> = listed.iter().filter(|(at, _)| is_inside(*at)).map(|(_, id)| id.as_str()).collect();
    let per_page = usize::try_from(PageRequest::DEFAULT_SIZE)?;
    let pages = matches.chunks(per_page).collect::<Vec<_>>();
    let mut searches = Vec::new();
    for (label, position) in [("page 1", 0), ("middle page", pages.len() / 2), ("last page", pages.len() - 1)] {
        let request = PageRequest { page: position as u64 + 1, ..PageRequest::default() };
        let (store, own) = (database.stores().reviews, filter.clone());
        let (found, cost) = measure_cost(async move { store.search_reviews(scope, &own, request).await }).await;
        let found = found?;
        let ids: Vec<&str> = found.items.iter().map(|review| review.id.as_str()).collect();
        ensure!(found.count == matches.len() as u64, "{name}: {} of {} reviews", found.count, matches.len());
        ensure!(ids == pages[position], "{name}, {label}: another page");
        searches.push(SearchOfDay { name: format!("{name}, {label}"), count: found.count, cost });
    }
    Ok(searches)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distribution::Distribution;

    #[tokio::test(flavor = "multi_thread")]
    async fn full_day_of_one_facet_key_is_imported_and_searched() {
        let database = ReviewDatabase::start(Distribution::of_one_day(30_000)).await.expect("a database");
        let limits = FoldLimits { pass_changes: 500, ..FoldLimits::default() };
        let day = fill_day(&database, 3_000, limits).await.expect("every page is right");
        assert_eq!(day.reviews, 33_000);
        for search in day.searches {
            assert!(search.cost.read_units <= 20.0 && search.cost.waves <= 4, "{search:?}");
        }
    }
}
