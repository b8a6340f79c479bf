//! Searches while reviews are imported: latency and units of both.

use std::fmt::Write as _;
use std::time::Duration;

use anyhow::ensure;
use aws_smithy_http_client::Builder;
use aws_smithy_types::timeout::TimeoutConfig;
use presence_domain::access::{Principal, Scope};
use presence_domain::ids::{OrgId, UserId};
use presence_domain::page::PageRequest;
use presence_domain::user::Role;
use presence_local::connectors::ConnectorLayer as _;
use presence_local::sdk_config;
use presence_runtime::clock::Stopwatch;
use presence_runtime::config::Config;
use presence_store::{Database, ReviewFilter, Stores};
use tokio::time::MissedTickBehavior;

use super::generated_rows::ImportRows;
use super::metering_connector::MeteringConnector;
use super::{ImportEnvironment, Usage};

/// Number of imported rows.
const ROWS: usize = 50_000;
/// Time between the beginnings of two searches.
const SEARCH_INTERVAL: Duration = Duration::from_millis(50);
/// Number of searches while nothing is imported.
const QUIET_SEARCHES: usize = 100;

/// Searches, one after the other.
struct Searches {
    times: Vec<Duration>,
    usage: Usage,
}

/// Import of all rows.
struct MeasuredImport {
    seconds: f64,
    usage: Usage,
}

/// Measures an import alone and one with searches of its largest organisation, and renders a section of a report. It uses a
/// runtime of many threads, as the operator's command line does.
pub(crate) async fn measure_searches_during_import() -> anyhow::Result<String> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    tokio::task::spawn_blocking(move || runtime.block_on(Box::pin(measure()))).await?
}

async fn measure() -> anyhow::Result<String> {
    let rows = ImportRows::new(ROWS).ordered();
    let alone = ImportEnvironment::start().await?.timed_import(&rows).await?;
    let environment = ImportEnvironment::start().await?;
    let searcher = Searcher::new(&environment)?;
    let (accompanied, meanwhile) = {
        let mut import = Box::pin(environment.timed_import(&rows));
        searcher.search_until(&mut import).await?
    };
    environment.audit(ROWS).await?;
    let quiet = searcher.search_times(QUIET_SEARCHES).await?;
    Ok(render(
        [("import alone", &alone), ("import, a search each 50 ms", &accompanied)],
        [("search, nothing is imported", &quiet), ("search during the import", &meanwhile)],
    ))
}

/// Function that searches, with a client and a meter of its own.
struct Searcher {
    meter: MeteringConnector,
    store: Stores,
    scope: Scope,
}

impl Searcher {
    fn new(environment: &ImportEnvironment) -> anyhow::Result<Self> {
        let meter = MeteringConnector::default();
        let config = sdk_config(&environment.dynamodb.endpoint_url());
        // The emulator answers one call at a time: a search may wait behind the import for longer than the usual timeouts.
        let config = config.into_builder().timeout_config(TimeoutConfig::disabled());
        let config = config.http_client(meter.over(Builder::new().build_http())).build();
        let store = Stores::new(Database::new(&config, Config::DEFAULT_TABLE_PREFIX));
        let org_id = OrgId::new(1);
        ensure!(org_id.is_some(), "1 is an organisation");
        Ok(Self { meter, store, scope: Principal { user_id: UserId::random(), org_id, role: Role::OrgAdmin }.scope() })
    }

    /// Searches until the import is done.
    async fn search_until(
        &self,
        import: &mut (impl Future<Output = anyhow::Result<MeasuredImport>> + Unpin),
    ) -> anyhow::Result<(MeasuredImport, Searches)> {
        let mut times = Vec::new();
        let searches = async {
            let mut ticks = search_ticks();
            loop {
                ticks.tick().await;
                match self.search().await {
                    Ok(time) => times.push(time),
                    Err(error) => return error,
                }
            }
        };
        let import = tokio::select! {
            import = import => import?,
            error = searches => return Err(error),
        };
        Ok((import, self.finish(times, Usage::default())))
    }

    /// Makes a number of searches.
    async fn search_times(&self, count: usize) -> anyhow::Result<Searches> {
        let (mut ticks, before, mut times) = (search_ticks(), self.meter.usage(), Vec::new());
        for _ in 0..count {
            ticks.tick().await;
            times.push(self.search().await?);
        }
        Ok(self.finish(times, before))
    }

    /// Returns the time of page 1.
    async fn search(&self) -> anyhow::Result<Duration> {
        let watch = Stopwatch::start();
        self.store.reviews.search_reviews(self.scope, &ReviewFilter::ALL, PageRequest::default()).await?;
        Ok(watch.elapsed())
    }

    fn finish(&self, mut times: Vec<Duration>, before: Usage) -> Searches {
        times.sort_unstable();
        Searches { times, usage: self.meter.usage().since(before) }
    }
}

impl ImportEnvironment {
    async fn timed_import(&self, rows: &str) -> anyhow::Result<MeasuredImport> {
        let (before, watch) = (self.meter.usage(), Stopwatch::start());
        self.import("reviews", rows).await?;
        Ok(MeasuredImport { seconds: watch.elapsed().as_secs_f64(), usage: self.meter.usage().since(before) })
    }
}

/// Returns the ticks of searches. Ticks while a search is running are left out.
fn search_ticks() -> tokio::time::Interval {
    let mut ticks = tokio::time::interval(SEARCH_INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
    ticks
}

fn render(imports: [(&str, &MeasuredImport); 2], searches: [(&str, &Searches); 2]) -> String {
    let mut section = format!(
        "\n## Searches during an import\n\n`ops import reviews` imports {ROWS} reviews of five organisations. Meanwhile a warm function \
         searches page 1 of the largest one, which gets half of them, each {} ms, \
         unless the search before is still running. The import shares the embedded `DynamoDB` with the \
         searches; calls have no added delay.\n\n\
         | import | rows a second | write units a row | read units a row |\n|---|---:|---:|---:|\n",
        SEARCH_INTERVAL.as_millis(),
    );
    for (label, MeasuredImport { seconds, usage }) in imports {
        let rows = ROWS as f64;
        let (speed, writes, reads) = (rows / seconds, usage.write_units / rows, usage.read_units / rows);
        let _ = writeln!(section, "| {label} | {speed:.0} | {writes:.2} | {reads:.2} |");
    }
    section.push_str(
        "\n| search | searches | p50 ms | p99 ms | units, mean | calls, mean |\n|---|---:|---:|---:|---:|---:|\n",
    );
    for (label, Searches { times, usage }) in searches {
        let count = times.len().max(1);
        let ms = |rank: usize| times.get(rank.saturating_sub(1)).map_or(f64::NAN, |time| time.as_secs_f64() * 1e3);
        let (median, p99) = (ms(count.div_ceil(2)), ms((count * 99).div_ceil(100)));
        let (units, calls) = (usage.read_units / count as f64, usage.calls as f64 / count as f64);
        let _ = writeln!(section, "| {label} | {} | {median:.1} | {p99:.1} | {units:.2} | {calls:.2} |", times.len());
    }
    section
}
