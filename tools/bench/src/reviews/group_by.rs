//! Comparison of statistics: the ledger, `GROUP BY` of `PostgreSQL`, and reading every entry of the thin index.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use presence_bench::cost::Cost;
use presence_bench::distribution::{CITIES_BY_SIZE, Distribution};
use presence_domain::review::Rating;
use presence_domain::review_stats::{GroupBy, ReviewStats, Totals};
use presence_domain::text::city_key;

use super::backends::Backends;
use super::delayed_client::CALL_DELAY;
use super::note;
use super::postgres_server::{NOT_INSTALLED, PostgresServer};
use super::report::{grouped, ms};
use super::search::{DATE_RANGE, Filter};

const INTRODUCTION: &str = "\
# Statistics beside other ways

Made by `cargo run --profile bench -p presence-bench -- group-by`. The reviews and the backends are those of [reviews.md](reviews.md):

- **ledger**: `GET /reviews/stats` without its request: the store of the service on an embedded `DynamoDB`. **Cold** has an empty
  cache, **warm** that of all statistics so far.
- **PostgreSQL** 15: `GROUP BY` over an index that holds every column of the statement, so that it reads no table. All data fits
  into its buffers. Statements are prepared.
- **every entry**: a Query over all entries of an index with facets, city and business. The program groups them.

All must give the same groups with the same numbers, or the run ends. Units, calls and waves are exact, without the key. Times are
medians of ROUNDSin milliseconds, in turns; every entry is read once. Each call of `DynamoDB` is delayed by DELAY.
";

/// Note of a run without timed rounds, for a machine with other work.
const ONLY_COUNTED: &str = "
**This run** was made with `--rounds 0`, on a machine with other work: nothing is timed. What is counted holds on any machine.
";

/// Request for statistics.
pub(super) struct StatsCase {
    label: &'static str,
    pub(super) filter: Filter,
    pub(super) group_by: Option<GroupBy>,
}

/// Number of reviews of each rating, by the key of the group. Statistics without groups have one, whose key is empty.
pub(super) type Groups = BTreeMap<String, [u64; Rating::ALL.len()]>;

/// Answer of a backend.
pub(super) struct StatsAnswer {
    pub(super) groups: Groups,
    /// Cost in `DynamoDB`. Zero for `PostgreSQL`.
    pub(super) cost: Cost,
    pub(super) elapsed: Duration,
}

/// Backend of the comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StatsBackend {
    ColdLedger,
    WarmLedger,
    Postgres,
    EveryEntry,
}

/// Measured times of a case in the backends that take turns, and the costs of those with `DynamoDB`.
struct MeasuredCase {
    case: StatsCase,
    groups: usize,
    cold: StatsAnswer,
    warm: StatsAnswer,
    every_entry: StatsAnswer,
    /// Medians: cold, warm, `PostgreSQL`.
    medians: [Option<f64>; 3],
}

/// Measures all cases at so many reviews, and returns the report.
pub(crate) async fn run(size: u64, rounds: u64) -> anyhow::Result<String> {
    let with_postgres = PostgresServer::is_installed();
    if !with_postgres {
        note(NOT_INSTALLED);
    }
    let reviews = Distribution::new(size);
    let backends = Box::pin(Backends::load(&reviews, with_postgres)).await?;
    backends.prepare_statistics().await?;
    let mut measured = Vec::new();
    for case in cases() {
        note(case.label);
        measured.push(measure(&backends, case, rounds, with_postgres).await?);
    }
    Ok(render(&measured, size, rounds))
}

fn cases() -> Vec<StatsCase> {
    let city = Filter { city_key: Some(city_key(CITIES_BY_SIZE[1])), ..Filter::default() };
    let rating = Filter { rating: Some(Rating::ALL[0]), ..Filter::default() };
    let days = Filter { date_range: Some(DATE_RANGE), ..Filter::default() };
    let case = |label, filter: &Filter, group_by| StatsCase { label, filter: filter.clone(), group_by };
    let none = &Filter::default();
    vec![
        case("all", none, None),
        case("rating 1", &rating, None),
        case("city of 3 %", &city, None),
        case("400 days", &days, None),
        case("all by rating", none, Some(GroupBy::Rating)),
        case("all by month", none, Some(GroupBy::Month)),
        case("rating 1 by month", &rating, Some(GroupBy::Month)),
        case("city of 3 % by month", &city, Some(GroupBy::Month)),
        case("400 days by day", &days, Some(GroupBy::Day)),
        case("all by business", none, Some(GroupBy::Business)),
        case("all by city", none, Some(GroupBy::City)),
    ]
}

async fn measure(
    backends: &Backends,
    case: StatsCase,
    rounds: u64,
    with_postgres: bool,
) -> anyhow::Result<MeasuredCase> {
    let turns = [StatsBackend::ColdLedger, StatsBackend::WarmLedger, StatsBackend::Postgres];
    let turns = &turns[..if with_postgres { 3 } else { 2 }];
    let every_entry = backends.statistics(StatsBackend::EveryEntry, &case).await?;
    let mut first = Vec::new();
    // The second answer of the warm ledger counts: the first one fills its cache.
    backends.statistics(StatsBackend::WarmLedger, &case).await?;
    for backend in turns {
        let answer = backends.statistics(*backend, &case).await?;
        ensure!(answer.groups == every_entry.groups, "{}: {backend:?} has other groups", case.label);
        first.push(answer);
    }
    let mut times = vec![Vec::new(); turns.len()];
    for _ in 0..rounds {
        for (backend, times) in turns.iter().zip(&mut times) {
            times.push(backends.statistics(*backend, &case).await?.elapsed);
        }
    }
    let mut medians = times.into_iter().map(|mut times| {
        times.sort_unstable();
        times.get(times.len() / 2).map(|time| time.as_secs_f64() * 1e3)
    });
    let medians = std::array::from_fn(|_| medians.next().flatten());
    let mut answers = first.into_iter();
    let (cold, warm) = answers.next().zip(answers.next()).context("two backends were asked")?;
    Ok(MeasuredCase { groups: every_entry.groups.len(), case, cold, warm, every_entry, medians })
}

/// Returns the groups of the store's answer.
pub(super) fn groups_of(stats: &ReviewStats) -> Groups {
    match &stats.groups {
        None => Groups::from([(String::new(), Totals::of(&stats.counts).ratings)]),
        Some(groups) => groups.iter().map(|group| (group.key.to_string(), Totals::of(&group.counts).ratings)).collect(),
    }
}

fn render(measured: &[MeasuredCase], size: u64, rounds: u64) -> String {
    let mut report = INTRODUCTION.replace("DELAY", &format!("{} ms", CALL_DELAY.as_secs_f64() * 1e3));
    report = report.replace("ROUNDS", &if rounds == 0 { String::new() } else { format!("{rounds} runs ") });
    if rounds == 0 {
        report.push_str(ONLY_COUNTED);
    }
    let _ = writeln!(report, "\n## {} reviews\n", grouped(size));
    report.push_str("| statistics | groups | ledger, cold: units | calls | waves | ms | warm: units | waves | ms | PostgreSQL, ms | every entry: units | calls | ms |\n");
    report.push_str("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n");
    for MeasuredCase { case, groups, cold, warm, every_entry, medians } in measured {
        let every_entry_ms = Some(every_entry.elapsed.as_secs_f64() * 1e3).filter(|_| rounds > 0);
        let or_dash = |time: Option<f64>| time.map_or_else(|| "–".to_owned(), ms);
        let [cold_ms, warm_ms, postgres_ms] = medians.map(or_dash);
        let _ = writeln!(
            report,
            "| {} | {groups} | {} | {} | {} | {cold_ms} | {} | {} | {warm_ms} | {postgres_ms} | {} | {} | {} |",
            case.label,
            cold.cost.read_units,
            cold.cost.calls,
            cold.cost.waves,
            warm.cost.read_units,
            warm.cost.waves,
            every_entry.cost.read_units,
            every_entry.cost.calls,
            or_dash(every_entry_ms),
        );
    }
    report
}
