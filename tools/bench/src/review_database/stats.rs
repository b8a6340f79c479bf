//! Statistics whose reads are counted, and the most that they may cost.

use presence_domain::access::Principal;
use presence_domain::calendar::SECONDS_OF_DAY;
use presence_domain::error::Error;
use presence_domain::ids::{OrgId, UserId};
use presence_domain::review::FacetMask;
use presence_domain::review_stats::{GroupBy, ReviewStats};
use presence_domain::text::city_key;
use presence_domain::user::Role;
use presence_store::{ReviewFilter, StatsError, Stores};

use super::ReviewDatabase;
use super::searches::{LAST_SECOND, Search, listed, named_searches};
use crate::cost::{Cost, measure_cost};
use crate::distribution::{CITIES_BY_SIZE, Distribution};

/// Statistics that are counted.
#[derive(Clone, Debug)]
pub(crate) struct NamedStats {
    /// Name in a table.
    pub(crate) name: String,
    /// Filter of the reviews.
    pub(crate) filter: ReviewFilter,
    /// Property by which they are grouped.
    pub(crate) group_by: Option<GroupBy>,
    /// Role of the caller: a PROVIDER asks for all organisations.
    pub(crate) role: Role,
    /// Most that the statistics may cost, without the key.
    pub(crate) budget: StatsBudget,
}

/// Most that statistics may cost, without the key.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StatsBudget {
    /// Number of read units.
    pub(crate) read_units: f64,
    /// Number of waves.
    pub(crate) waves: u32,
}

/// Statistics and their cost.
#[derive(Clone, Debug)]
pub(crate) struct StatsOutcome {
    /// Statistics; `None` if there are too many groups.
    pub(crate) stats: Option<ReviewStats>,
    /// Calls, waves and units. Verifying the key is not included.
    pub(crate) cost: Cost,
}

/// Cost of statistics with empty caches, and when they are repeated.
#[derive(Clone, Debug)]
pub(crate) struct CountedStats {
    /// Name in a table.
    pub(crate) name: String,
    /// Number of groups; `None` if there are too many.
    pub(crate) groups: Option<usize>,
    /// Cost with empty caches.
    pub(crate) cold: Cost,
    /// Cost when they are repeated.
    pub(crate) repeated: Cost,
}

/// Lists the organisation as one with reviews, and starts the store as a function of reviews does in init. The store needs the
/// `WavesConnector`.
pub(crate) async fn start_store(store: Stores, org_id: OrgId) -> anyhow::Result<Stores> {
    let reviews = store.reviews.clone();
    let start = async move {
        reviews.register_org_with_reviews(org_id).await?;
        reviews.connect().await;
        Ok::<(), Error>(())
    };
    measure_cost(start).await.0?;
    Ok(store)
}

/// Returns the statistics as their caller gets them, and their cost. The store needs the `WavesConnector`.
pub(crate) async fn run_stats(store: &Stores, named: &NamedStats) -> anyhow::Result<StatsOutcome> {
    let org_id = if named.role == Role::Provider { None } else { OrgId::new(1) };
    let caller = Principal { user_id: UserId::random(), org_id, role: named.role };
    let (reviews, filter, group_by) = (store.reviews.clone(), named.filter.clone(), named.group_by);
    let counting = async move { reviews.review_stats(caller.scope(), &filter, group_by).await };
    let (stats, cost) = measure_cost(counting).await;
    match stats {
        Ok(stats) => Ok(StatsOutcome { stats: Some(stats), cost }),
        Err(StatsError::TooManyGroups(_)) => Ok(StatsOutcome { stats: None, cost }),
        Err(StatsError::Failed(error)) => Err(error.into()),
    }
}

/// Returns statistics of all kinds: totals of each named search, and each property of groups.
pub(crate) fn named_stats(distribution: &Distribution) -> Vec<NamedStats> {
    let totals = named_searches(distribution).into_iter().map(|Search { name, filter }| {
        let businesses = filter.businesses.as_ref().map_or(0, |ids| u32::try_from(ids.len()).unwrap_or(u32::MAX));
        // The root of each business has up to three blocks of 4 KB.
        let read_units = if businesses > 1 { f64::from(businesses) * 1.6 + 20.0 } else { 20.0 };
        NamedStats {
            name: format!("totals: {name}"),
            filter,
            group_by: None,
            role: Role::OrgAdmin,
            budget: StatsBudget { read_units, waves: 3 },
        }
    });
    let mut all: Vec<NamedStats> = totals.collect();
    let whole = ReviewFilter::ALL;
    let last_days = |days: i64| {
        let from = LAST_SECOND + 1 - days * SECONDS_OF_DAY;
        ReviewFilter { from: Some(from), to: Some(LAST_SECOND), ..whole.clone() }
    };
    let to_the_second = ReviewFilter { from: Some(LAST_SECOND - 400 * SECONDS_OF_DAY - 12_345), ..whole.clone() };
    let in_city = ReviewFilter { city_key: Some(city_key(CITIES_BY_SIZE[0])), ..whole.clone() };
    let rated_one =
        ReviewFilter { mask: FacetMask::from_predicate(|_, rating, _, _| rating.get() == 1), ..whole.clone() };
    for (name, filter, group_by, read_units, waves) in [
        ("by rating", whole.clone(), GroupBy::Rating, 20.0, 3),
        ("by year", whole.clone(), GroupBy::Year, 60.0, 3),
        ("by month", whole.clone(), GroupBy::Month, 60.0, 3),
        ("by month, a city of 30 %", in_city.clone(), GroupBy::Month, 60.0, 3),
        ("by month, rated 1", rated_one, GroupBy::Month, 60.0, 3),
        ("by day, 30 days", last_days(30), GroupBy::Day, 40.0, 3),
        ("by day, 365 days", last_days(365), GroupBy::Day, 400.0, 3),
        ("by day, 1,000 days", last_days(1_000), GroupBy::Day, 1_100.0, 3),
        ("by day, 1,826 days: too many", whole.clone(), GroupBy::Day, 1_500.0, 3),
        ("by city, 201 cities", whole.clone(), GroupBy::City, 800.0, 3),
        // The list, the roots, and branches and leaves of large cities.
        ("by city, 30 days", last_days(30), GroupBy::City, 1_500.0, 4),
        ("by business, 566 businesses", whole.clone(), GroupBy::Business, 1_200.0, 3),
        ("by business, 150 of a city", in_city, GroupBy::Business, 500.0, 3),
        ("by business, 30 days", last_days(30), GroupBy::Business, 2_500.0, 3),
        ("by business, 400 days to the second", to_the_second, GroupBy::Business, 2_500.0, 3),
    ] {
        let budget = StatsBudget { read_units, waves };
        all.push(NamedStats { name: name.to_owned(), filter, group_by: Some(group_by), role: Role::OrgAdmin, budget });
    }
    let named = |number: usize| ReviewFilter { businesses: Some(listed(distribution, number)), ..whole.clone() };
    let named_in_30_days =
        |number: usize| ReviewFilter { businesses: Some(listed(distribution, number)), ..last_days(30) };
    for (name, filter, group_by, role, read_units) in [
        ("by city, 20 businesses", named(20), Some(GroupBy::City), Role::OrgAdmin, 60.0),
        ("by city, 100 businesses", named(100), Some(GroupBy::City), Role::OrgAdmin, 200.0),
        ("by city, 100 businesses, 30 days", named_in_30_days(100), Some(GroupBy::City), Role::OrgAdmin, 400.0),
        ("PROVIDER: totals", whole.clone(), None, Role::Provider, 20.0),
        ("PROVIDER: by month", whole.clone(), Some(GroupBy::Month), Role::Provider, 60.0),
        ("PROVIDER: by day, 30 days", last_days(30), Some(GroupBy::Day), Role::Provider, 60.0),
        ("PROVIDER: by city, 201 cities", whole.clone(), Some(GroupBy::City), Role::Provider, 800.0),
        ("PROVIDER: by city, 100 businesses", named(100), Some(GroupBy::City), Role::Provider, 300.0),
        (
            "PROVIDER: by city, 100 businesses, 30 days",
            named_in_30_days(100),
            Some(GroupBy::City),
            Role::Provider,
            500.0,
        ),
        ("PROVIDER: by business, 566 businesses", whole.clone(), Some(GroupBy::Business), Role::Provider, 1_200.0),
    ] {
        let budget = StatsBudget { read_units, waves: 3 };
        all.push(NamedStats { name: name.to_owned(), filter, group_by, role, budget });
    }
    all
}

/// Counts the reads of all named statistics. Returns their costs, and those beyond their budgets.
pub(crate) async fn count_stats(database: &ReviewDatabase) -> anyhow::Result<(Vec<CountedStats>, Vec<String>)> {
    let (mut counted, mut beyond) = (Vec::new(), Vec::new());
    for named in named_stats(database.distribution()) {
        let store = start_store(database.stores(), database.distribution().org().id).await?;
        let cold = run_stats(&store, &named).await?;
        let repeated = run_stats(&store, &named).await?;
        anyhow::ensure!(cold.stats == repeated.stats, "{}: the repeated statistics are others", named.name);
        let StatsBudget { read_units, waves } = named.budget;
        if cold.cost.read_units > read_units || cold.cost.waves > waves || repeated.cost.waves > cold.cost.waves {
            beyond
                .push(format!("{}: {:?}, repeated {:?}, of {:?}", named.name, cold.cost, repeated.cost, named.budget));
        }
        let groups = cold.stats.and_then(|stats| Some(stats.groups.as_ref()?.len()));
        counted.push(CountedStats { name: named.name, groups, cold: cold.cost, repeated: repeated.cost });
    }
    Ok((counted, beyond))
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn counted(reviews: u64) -> Vec<CountedStats> {
        let database = ReviewDatabase::start(Distribution::new(reviews)).await.expect("a database");
        let (counted, beyond) = count_stats(&database).await.expect("answers");
        assert!(beyond.is_empty(), "{} are beyond their budgets:\n{}", beyond.len(), beyond.join("\n"));
        counted
    }

    #[tokio::test]
    async fn statistics_are_within_their_budgets_whatever_the_number_of_reviews() {
        for reviews in [10_000, 100_000] {
            counted(reviews).await;
        }
    }

    #[tokio::test]
    async fn a_thousand_days_and_all_businesses_in_a_range_of_dates_take_three_waves() {
        // Enough reviews that each day has leaves of its own, and that the range cuts leaves of the whole and of the businesses.
        let counted = counted(500_000).await;
        for (name, calls) in [("by day, 1,000 days", 13), ("by business, 400 days to the second", 18)] {
            let cold = counted.iter().find(|stats| stats.name == name).expect("it is counted").cold;
            assert_eq!((cold.calls, cold.waves), (calls, 3), "{name}: {cold:?}");
        }
    }
}
