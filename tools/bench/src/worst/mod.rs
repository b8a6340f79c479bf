//! Search for the request of each operation that takes most of the processor, over data that makes requests dear.

mod candidate;
mod climb;
mod database;
mod functions;
mod operations;
mod texts;

use std::fmt::Write as _;
use std::io::Write as _;

use anyhow::Context as _;
use fastrand::Rng;
use presence_local::gateway::MEMORY_MB;
use presence_runtime::telemetry;
use tokio::runtime::Handle;

use self::candidate::{Candidate, RequestSpace};
use self::climb::{WorstRequest, climb};
use self::database::HostileDatabase;
use self::functions::Functions;
use self::operations::{Operation, operations};
use crate::lambda::memory::Memory;

/// Largest time of the processor at a function's memory: a quarter of the ten seconds after which Lambda ends an invocation. The rest is
/// for calls of DynamoDB.
const MAX_MS: f64 = 2_500.0;

/// Options of the search. The default takes half an hour.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Settings {
    /// Number of requests that are tried for each operation
    #[arg(long, default_value_t = 300)]
    tries: usize,
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
    let report = Box::pin(search(settings, runtime.handle().clone())).await;
    // It may not be dropped inside of this one.
    runtime.shutdown_background();
    report
}

async fn search(settings: &Settings, runtime: Handle) -> anyhow::Result<WorstRequests> {
    let mut rng = Rng::with_seed(settings.seed);
    let database = Box::pin(HostileDatabase::load(settings, &mut rng)).await?;
    let functions = Functions::new(&database, runtime);
    let mut report = WorstRequests {
        text: "| operation | CPU ms | ms at MB | status | caller | fields of the request |\n|---|---:|---:|---:|---|---|\n".to_owned(),
        beyond: 0,
    };
    let operations = operations()?;
    let is_wanted =
        |operation: &&Operation| settings.only.is_empty() || settings.only.iter().any(|name| name == operation.name);
    for operation in operations.iter().filter(is_wanted) {
        let space = RequestSpace { operation, known: &database.known, callers: database.callers.len() };
        let next = |rng: &mut Rng, of: Option<&Candidate>| space.next(rng, of);
        let measure = async |candidate: &Candidate| functions.measure(&space, candidate).await;
        let found = climb(&mut rng, settings.tries, next, measure).await?.context("a request")?;
        report.add(&space, &found, database.callers[found.candidate.caller].0)?;
    }
    Ok(report)
}

impl WorstRequests {
    fn add(&mut self, space: &RequestSpace<'_>, found: &WorstRequest<Candidate>, caller: &str) -> anyhow::Result<()> {
        let Operation { function, name, .. } = space.operation;
        let megabytes = MEMORY_MB.iter().find(|(of, _)| of == function).context("a function")?.1;
        let cpu_ms = found.reading.cpu_ms;
        let ms = cpu_ms / Memory(u32::try_from(megabytes)?).share();
        self.beyond += usize::from(ms > MAX_MS);
        let (status, request) = (found.reading.status, space.describe(&found.candidate));
        let row = format!("| `{name}` | {cpu_ms:.1} | {ms:.0} at {megabytes} | {status} | {caller} | {request} |");
        writeln!(std::io::stderr(), "{row}")?;
        writeln!(self.text, "{row}")?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn every_operation_has_a_dearest_request() {
        let settings = Settings { tries: 3, only: Vec::new(), users: 40, reviews: 300, orgs: 2, seed: 1 };
        let found = Box::pin(run(&settings)).await.expect("no request is lost");
        let rows = found.text.lines().skip(2).count();
        assert_eq!(rows, operations().expect("all are described").len(), "{}", found.text);
    }
}
