//! Reviews that arrive at a rate: the load of each partition in each second of virtual time, and what searches meet meanwhile.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use anyhow::ensure;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use presence_domain::access::{Principal, Scope};
use presence_domain::ids::UserId;
use presence_domain::page::PageRequest;
use presence_domain::review::Review;
use presence_domain::user::Role;
use presence_ledger::{LANES, ReviewNumber};
use presence_local::connectors::count_waves;
use presence_runtime::clock::Timer;
use presence_store::meter::Meter;
use presence_store::{FoldLimits, RetryPolicy, ReviewFilter, ReviewStore, WriteRate};
use tokio::time::Instant;

use super::partition_limits::PartitionLimits;
use super::write_units::copies_of_last_month;
use super::{PartitionLoad, ReviewDatabase};

/// Virtual time of a call.
const CALL_TIME: Duration = Duration::from_millis(5);
/// Time between the beginnings of two searches.
const SEARCH_INTERVAL: Duration = Duration::from_millis(50);

/// Reviews of one organisation and one month that arrive.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrivals {
    /// Number of reviews in each second.
    pub(crate) a_second: usize,
    /// Number of seconds.
    pub(crate) seconds: usize,
    /// True for reviews that are newer than all stored ones; false for reviews of the last stored month.
    pub(crate) is_newest: bool,
    /// Limits of folds.
    pub(crate) fold_limits: FoldLimits,
}

/// Outcome of the arrivals.
#[derive(Clone, Debug)]
pub(crate) struct ArrivalsOutcome {
    /// Load of partitions, by their kind.
    pub(crate) loads: BTreeMap<String, PartitionLoad>,
    /// Virtual time from the first review to the end of the last write.
    pub(crate) written_after: Duration,
    /// Longest time that a review of one second waited for those before it.
    pub(crate) longest_delay: Duration,
    /// Read units of each search, ascending.
    pub(crate) searches: Vec<f64>,
    /// Write units of a review, folds included.
    pub(crate) write_units: f64,
}

/// Timer of virtual time.
#[derive(Debug)]
struct VirtualTimer(Instant);

impl Timer for VirtualTimer {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }

    fn sleep(&self, time: Duration) -> BoxFuture<'_, ()> {
        tokio::time::sleep(time).boxed()
    }
}

/// Plays the arrivals in virtual time: each lane has a writer, which writes the reviews of each second as the import does. A warm
/// function searches page 1 meanwhile.
pub(crate) async fn play_arrivals(database: &ReviewDatabase, arrivals: Arrivals) -> anyhow::Result<ArrivalsOutcome> {
    let (database, limits) = (database.clone(), PartitionLimits::new(CALL_TIME));
    tokio::task::spawn_blocking(move || count_waves(play(&database, &limits, arrivals)).0).await?
}

async fn play(
    database: &ReviewDatabase,
    limits: &PartitionLimits,
    arrivals: Arrivals,
) -> anyhow::Result<ArrivalsOutcome> {
    let org_id = database.distribution().org().id;
    let scope = Principal { user_id: UserId::random(), org_id: Some(org_id), role: Role::OrgAdmin }.scope();
    let connection = database.database_over(limits);
    let searching = ReviewStore::new(&connection);
    let count_before = count(&searching, scope).await?;
    let new = arrivals.a_second * arrivals.seconds;
    let reviews = copies_of_last_month(database.distribution(), new, arrivals.is_newest, "arrival");
    let started_at = Instant::now();
    let rate = Arc::new(WriteRate::new(Arc::new(VirtualTimer(started_at))));
    let importing = connection.with_partition_pace().with_retry_policy(RetryPolicy::WhileImporting(rate));
    let importing = ReviewStore::new(&importing).with_fold_limits(arrivals.fold_limits);
    limits.restart();
    let writers = (0..LANES).map(|lane| write_lane(&importing, lane, &reviews, arrivals.a_second));
    let writing = futures::future::try_join_all(writers);
    let mut searches = Vec::new();
    let delays = tokio::select! {
        delays = writing => delays?,
        error = search_for_ever(&searching, scope, &mut searches) => return Err(error),
    };
    let written_after = started_at.elapsed();
    importing.fold_written_reviews().await;
    let loads = limits.loads();
    let found = count(&searching, scope).await? - count_before;
    ensure!(found == new as u64, "{found} of {new} reviews are found");
    searches.sort_by(f64::total_cmp);
    let written = loads.iter().filter(|(kind, _)| kind.starts_with("writes"));
    let units: f64 = written.map(|(_, load)| load.units).sum();
    let longest_delay = delays.into_iter().max().unwrap_or_default();
    Ok(ArrivalsOutcome { loads, written_after, longest_delay, searches, write_units: units / new as f64 })
}

/// Writes the reviews of one lane, those of each second as soon as it is over. Returns the longest time that a second waited for the
/// end of its writes.
async fn write_lane(store: &ReviewStore, lane: usize, reviews: &[Review], a_second: usize) -> anyhow::Result<Duration> {
    let started_at = Instant::now();
    let mut longest = Duration::ZERO;
    for (second, arrived) in (1..).zip(reviews.chunks(a_second)) {
        // Lanes take turns, so that a second has the reviews of a second.
        let due = Duration::from_secs(second) + Duration::from_secs(1) * u32::try_from(lane)? / u32::try_from(LANES)?;
        tokio::time::sleep_until(started_at + due).await;
        let own = arrived.iter().filter(|review| ReviewNumber::of(&review.id).lane() == lane);
        store.upsert_reviews(&own.cloned().collect::<Vec<_>>()).await?;
        longest = longest.max(started_at.elapsed().saturating_sub(due));
    }
    Ok(longest)
}

/// Searches page 1 at intervals, and notes the read units of each search. Ends with an error only.
async fn search_for_ever(store: &ReviewStore, scope: Scope, units: &mut Vec<f64>) -> anyhow::Error {
    let mut ticks = tokio::time::interval(SEARCH_INTERVAL);
    loop {
        ticks.tick().await;
        let meter = Arc::new(Meter::default());
        let filter = ReviewFilter::ALL;
        let search = store.search_reviews(scope, &filter, PageRequest::default());
        if let Err(error) = Arc::clone(&meter).watch(search).await {
            return error.into();
        }
        units.push(meter.cost().read_units);
    }
}

async fn count(store: &ReviewStore, scope: Scope) -> anyhow::Result<u64> {
    Ok(store.search_reviews(scope, &ReviewFilter::ALL, PageRequest::default()).await?.count)
}

#[cfg(test)]
mod tests {
    use presence_domain::error::Error;
    use presence_store::with_deadline;

    use super::*;
    use crate::distribution::Distribution;

    #[tokio::test(flavor = "multi_thread")]
    async fn a_fold_of_more_units_than_a_partition_has_is_not_throttled() {
        let database = ReviewDatabase::start(Distribution::of_one_day(60_000)).await.expect("a database");
        let fold_limits = FoldLimits::default();
        let arrivals = Arrivals { a_second: 1_000, seconds: 5, is_newest: false, fold_limits };
        let outcome = play_arrivals(&database, arrivals).await.expect("every review is written");
        let trees = outcome.loads["writes: the trees of an organisation"];
        assert!(trees.units > 2_000.0, "a fold takes more than a second has: {trees:?}");
        assert!(trees.most_in_second <= 950.0, "the pace is that of a partition: {trees:?}");
        for (kind, load) in &outcome.loads {
            assert_eq!(load.throttled, 0, "{kind}: {load:?}");
        }
        assert!(outcome.longest_delay < Duration::from_secs(3), "writers wait: {:?}", outcome.longest_delay);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_fold_without_enough_time_before_the_deadline_ends_early_and_a_later_one_folds_everything() {
        let database = ReviewDatabase::start(Distribution::of_one_day(60_000)).await.expect("a database");
        let never = FoldLimits { fold_from: u64::MAX, ..FoldLimits::default() };
        let store = database.stores_without_waves().reviews.with_fold_limits(never);
        for portion in copies_of_last_month(database.distribution(), 4_096, false, "deadline").chunks(1_024) {
            store.upsert_reviews(portion).await.expect("reviews are written");
        }
        let limits = PartitionLimits::new(Duration::ZERO);
        let folds = move || count_waves(fold_twice(&database, &limits)).0;
        tokio::task::spawn_blocking(folds).await.expect("no panic");
    }

    /// Folds with little time, and again with enough.
    async fn fold_twice(database: &ReviewDatabase, limits: &PartitionLimits) {
        limits.restart();
        let store = ReviewStore::new(&database.database_over(limits).with_partition_pace());
        let org_id = database.distribution().org().id;
        let (started_at, second) = (Instant::now(), Duration::from_secs(1));
        let folded = with_deadline(2 * second, store.fold_reviews(org_id)).await.expect("the fold ends by itself");
        assert!(matches!(folded, Err(Error::Unavailable(_))), "{folded:?}");
        assert!(started_at.elapsed() <= second, "there is time left: {:?}", started_at.elapsed());
        let report = store.fold_reviews(org_id).await.expect("the fold has time");
        assert_eq!((report.changes, report.mismatches, report.lost), (4_096, 0, false));
        let scope = Principal { user_id: UserId::random(), org_id: Some(org_id), role: Role::OrgAdmin }.scope();
        assert_eq!(count(&store, scope).await.expect("a count"), 64_096);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_thousand_reviews_a_second_of_one_month_stay_within_the_rates_of_partitions() {
        let database = ReviewDatabase::start(Distribution::new(10_000)).await.expect("a database");
        let arrivals = Arrivals { a_second: 1_000, seconds: 6, is_newest: true, fold_limits: FoldLimits::default() };
        let outcome = play_arrivals(&database, arrivals).await.expect("every review is written");
        assert!(outcome.longest_delay < Duration::from_secs(1), "writers keep up: {:?}", outcome.longest_delay);
        for (kind, load) in &outcome.loads {
            // A writer that folds writes some reviews of the index in the next second: within the second that a bucket holds.
            let most = match kind.as_str() {
                kind if kind.starts_with("reads") => 3_000.0,
                kind if kind.contains("listing-index") => 1_250.0,
                _ => 1_000.0,
            };
            assert!(load.most_in_second <= most && load.throttled == 0, "{kind}: {load:?}");
        }
    }
}
