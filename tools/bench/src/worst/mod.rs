//! Search for the request of each operation that takes most of the processor, over data that makes requests costly.

mod candidate;
mod climb;
mod database;
mod functions;
mod operations;
mod texts;

use std::io::Write as _;
use std::time::Duration;

use fastrand::Rng;
use presence_runtime::clock::Stopwatch;
use presence_runtime::telemetry;
use tokio::runtime::Handle;

use self::candidate::{Candidate, RequestSpace};
use self::climb::{Reading, climb, simplify};
use self::database::HostileDatabase;
use self::functions::Functions;
use self::operations::operations;

/// Largest time of the processor at a function's memory: a quarter of the ten seconds after which Lambda ends an invocation. The rest is
/// for calls of `DynamoDB`.
const MAX_MS: f64 = 2_500.0;

/// Options of the search.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Settings {
    /// Largest number of requests that are tried for each operation
    #[arg(long, default_value_t = 300)]
    requests: usize,
    /// Seconds after which the search of an operation ends
    #[arg(long, default_value_t = 40)]
    seconds: u64,
    /// Names of the only operations to search, such as `search_users`
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// Number of users of the organisation
    #[arg(long, default_value_t = 5_000)]
    users: usize,
    /// Number of reviews of the organisation
    #[arg(long, default_value_t = 20_000)]
    reviews: u64,
    /// Number of further organisations, which a PROVIDER sees
    #[arg(long, default_value_t = 1_500)]
    orgs: u64,
    /// Seed of data and requests. Readings differ a little, so that the same seed may find another request
    #[arg(long, default_value_t = 25)]
    seed: u64,
}

/// Report, and the number of operations that are beyond the limit.
pub(crate) struct WorstRequests {
    pub(crate) text: String,
    pub(crate) beyond: usize,
}

/// Searches all operations.
pub(crate) async fn run(settings: &Settings) -> anyhow::Result<WorstRequests> {
    telemetry::init(std::io::sink);
    let runtime = functions::runtime()?;
    let found = Box::pin(search(settings, runtime.handle().clone())).await;
    // It may not be dropped inside of this one.
    runtime.shutdown_background();
    let mut found = found?;
    found.sort_by(|(one, _), (other, _)| ms_at_memory(other).total_cmp(&ms_at_memory(one)));
    let head =
        "| operation | CPU ms | ms at MB | status | caller | fields of the request |\n|---|---:|---:|---:|---|---|\n";
    let rows: String = found.iter().map(|(_, row)| &**row).collect();
    let beyond = found.iter().filter(|(reading, _)| ms_at_memory(reading) > MAX_MS).count();
    Ok(WorstRequests { text: format!("{head}{rows}"), beyond })
}

/// Returns the reading of each operation's worst request, with its row of the report.
async fn search(settings: &Settings, runtime: Handle) -> anyhow::Result<Vec<(Reading, String)>> {
    let mut rng = Rng::with_seed(settings.seed);
    let database = Box::pin(HostileDatabase::load(settings, &mut rng)).await?;
    let functions = Functions::new(&database, runtime);
    let (seconds, only) = (Duration::from_secs(settings.seconds), &settings.only);
    let mut rows = Vec::new();
    for operation in operations()?.iter().filter(|operation| only.is_empty() || only.contains(&operation.name)) {
        let space = RequestSpace { operation, known: &database.known, callers: database.callers.len() };
        let next = |rng: &mut Rng, of: Option<&Candidate>| space.next(rng, of);
        let measure = async |candidate: &Candidate| functions.measure(&space, candidate).await;
        let watch = Stopwatch::start();
        let is_over = |requests| requests >= settings.requests || watch.elapsed() >= seconds;
        let mut found = climb(&mut rng, is_over, next, &measure).await?;
        simplify(&mut found, |candidate| space.smaller(candidate), &measure).await?;
        let (name, caller) = (&operation.name, database.callers[found.candidate.caller].0);
        let (request, Reading { cpu_ms, memory, status }) = (space.describe(&found.candidate), found.reading);
        let ms = ms_at_memory(&found.reading);
        let row = format!("| `{name}` | {cpu_ms:.1} | {ms:.0} at {memory} | {status} | {caller} | {request} |\n");
        write!(std::io::stderr(), "{row}")?;
        rows.push((found.reading, row));
    }
    Ok(rows)
}

/// Returns the time that the processor needs with the share of the function's memory.
fn ms_at_memory(reading: &Reading) -> f64 {
    reading.cpu_ms / reading.memory.share()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn every_operation_has_a_worst_request() {
        let settings =
            Settings { requests: 1, seconds: 10, only: Vec::new(), users: 100, reviews: 600, orgs: 2, seed: 1 };
        let found = Box::pin(run(&settings)).await.expect("no request is lost");
        let rows = found.text.lines().skip(2).count();
        assert_eq!(rows, operations().expect("all are described").len(), "{}", found.text);
    }
}
