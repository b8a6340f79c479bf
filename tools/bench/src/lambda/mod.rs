//! Benchmark of the release binaries as on Lambda: behind the runtime API, each with the processor share of its memory.

mod cgroup;
pub(crate) mod environment;
mod function;
pub(crate) mod generated_users;
pub(crate) mod memory;
pub(crate) mod operation_rounds;
mod operations;
pub(crate) mod organisation;
pub(crate) mod results;
pub(crate) mod small_orgs;

use std::fmt::Write as _;
use std::io::Write as _;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use anyhow::Context as _;
use flate2::Compression;
use flate2::write::GzEncoder;

use self::environment::LambdaEnvironment;
use self::memory::Memory;
use self::operation_rounds::OperationRounds;
use self::operations::{Operation, OperationGroup, groups};
pub(crate) use self::results::{RESULTS, read};

/// Reply of usual length.
pub(crate) const REPLY: &str = "Merci beaucoup pour votre visite et pour ces mots. Toute l'équipe est ravie que le service vous ait plu, et nous \
    serons heureux de vous accueillir de nouveau très bientôt dans notre magasin.";

/// Options of the benchmark. The default takes some minutes. It needs the right to create control groups.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Settings {
    /// Folder with the release binaries of the functions
    #[arg(long, value_name = "FOLDER", default_value = "target/release")]
    programs: PathBuf,
    /// Memory of every function in MB, in the place of that of the template
    #[arg(long)]
    memory: Option<Memory>,
    /// Numbers of users of the organisations that are searched
    #[arg(long, value_delimiter = ',', default_values_t = [10_000, 50_000, 100_000])]
    users: Vec<usize>,
    /// Number of reviews
    #[arg(long, default_value_t = 100_000)]
    reviews: u64,
    /// Names or variants of the only operations to measure, such as `search_users` or `page 1`
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// Number of requests of each operation after the first
    #[arg(long, default_value_t = 36)]
    requests: usize,
    /// Number of rounds over which the requests are spread
    #[arg(long, default_value_t = NonZeroUsize::MIN.saturating_add(2))]
    rounds: NonZeroUsize,
    /// Write the results to this file, one line of JSON for each operation
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Measures everything and renders the report. It uses a runtime with several threads: on one thread, an answer of the database
/// would wait for the other answers.
pub(crate) async fn run(settings: Settings) -> anyhow::Result<String> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    tokio::task::spawn_blocking(move || runtime.block_on(Box::pin(measure(&settings)))).await?
}

async fn measure(settings: &Settings) -> anyhow::Result<String> {
    let environment = Box::pin(LambdaEnvironment::load(&settings.programs, &settings.users, settings.reviews)).await?;
    note("everything is loaded");
    let rounds = OperationRounds { environment: &environment, settings };
    let mut results = Vec::new();
    for group in groups().iter().filter(|group| is_wanted(group, &settings.only)) {
        results.extend(rounds.measure(group).await?);
    }
    if let Some(file) = &settings.json {
        results::write(file, &results)?;
    }
    let mut report = results::render(&results);
    report.push_str("\n| program | bytes | bytes with gzip |\n|---|---:|---:|\n");
    for function in ["users", "categories", "reviews", "feed", "mailer"] {
        let program = std::fs::read(settings.programs.join(function)).with_context(|| function.to_owned())?;
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(&program)?;
        let _ = writeln!(report, "| {function} | {} | {} |", program.len(), encoder.finish()?.len());
    }
    Ok(report)
}

fn is_wanted(group: &OperationGroup, only: &[String]) -> bool {
    let is_named =
        |operation: &Operation| only.iter().any(|name| [operation.name, operation.variant].contains(&name.as_str()));
    only.is_empty() || group.operations.iter().any(is_named)
}

/// Writes a note on the progress to the standard error.
fn note(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}
