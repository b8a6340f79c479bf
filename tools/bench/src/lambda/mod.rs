//! Benchmark of the release binaries as on Lambda: behind the runtime API, each with the processor share of its memory.
//!
//! It measures every operation, cold and warm, and searches while users change.

mod cgroup;
mod duty_cycle;
mod environment;
mod function;
pub(crate) mod memory;
mod operation_rounds;
mod operations;
mod report;
pub(crate) mod results;
mod searches_during_writes;
mod throttle;

use std::io::Write as _;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use self::environment::LambdaEnvironment;
use self::memory::Memory;
use self::operation_rounds::OperationRounds;
use self::operations::{Operation, OperationGroup, groups};
use self::results::BenchmarkResults;
use self::throttle::ThrottleMode;

/// Options of the benchmark. The default takes some ten minutes.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Settings {
    /// Folder with the release binaries of the functions
    #[arg(long, value_name = "FOLDER", default_value = "target/release")]
    programs: PathBuf,
    /// Sizes of the functions' memory, in MB
    #[arg(long, value_delimiter = ',', default_values_t = [Memory(128), Memory(256), Memory(512), Memory(1_024)])]
    memory: Vec<Memory>,
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
    /// Numbers of users of an organisation, and of changes per second while it is searched
    #[arg(long, value_delimiter = ',', default_values_t = WRITE_RATES, value_name = "USERS:RATE")]
    changes: Vec<WriteRate>,
    /// Memory of the function that searches while users change, in MB
    #[arg(long = "liveness-memory", value_name = "MB", default_value_t = Memory(256))]
    during_writes_memory: Memory,
    /// Seconds of searches while users change; 0 skips them
    #[arg(long = "liveness-seconds", value_name = "SECONDS", default_value_t = 30)]
    during_writes_seconds: u64,
    /// Way to give functions their share of a processor
    #[arg(long = "way", value_enum, default_value_t = ThrottleMode::Auto)]
    throttle_mode: ThrottleMode,
    /// Write the results to this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Results of an earlier run to compare with. They are kept in the results
    #[arg(long, value_name = "FILE")]
    before: Option<PathBuf>,
    /// Paragraph about this run, in Markdown, for the page. It is kept in the results
    #[arg(long = "note", value_name = "TEXT")]
    notes: Vec<String>,
    /// Measure nothing: report the results in this file
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
}

const WRITE_RATES: [WriteRate; 3] = [
    WriteRate { users: 10_000, writes_per_second: 10.0 },
    WriteRate { users: 50_000, writes_per_second: 5.0 },
    WriteRate { users: 100_000, writes_per_second: 1.0 },
];

/// Rate at which the users of an organisation change.
#[derive(Clone, Copy, Debug, PartialEq)]
struct WriteRate {
    users: usize,
    writes_per_second: f64,
}

impl std::str::FromStr for WriteRate {
    type Err = String;

    /// Reads `USERS:RATE`.
    fn from_str(text: &str) -> Result<Self, String> {
        let parsed = text.split_once(':').and_then(|(users, rate)| Some((users.parse().ok()?, rate.parse().ok()?)));
        match parsed {
            Some((users, writes_per_second)) if writes_per_second > 0.0 => Ok(Self { users, writes_per_second }),
            _ => Err("must be users and writes per second, such as 10000:10".to_owned()),
        }
    }
}

impl std::fmt::Display for WriteRate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.users, self.writes_per_second)
    }
}

/// Measures everything and renders the report. It uses a runtime with several threads: on one thread, an answer of the database
/// would wait for the other answers.
pub(crate) async fn run(settings: Settings) -> anyhow::Result<String> {
    let before = settings.before.as_deref().map(read).transpose()?;
    let mut results = if let Some(file) = &settings.from {
        read(file)?
    } else {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
        let settings = settings.clone();
        tokio::task::spawn_blocking(move || runtime.block_on(Box::pin(measure(&settings)))).await??
    };
    results.notes.extend(settings.notes);
    if let Some(before) = before {
        results.before = Some(Box::new(before));
    }
    if let Some(file) = &settings.json {
        std::fs::write(file, format!("{}\n", serde_json::to_string_pretty(&results)?))?;
    }
    Ok(report::render(&results))
}

/// Reads the results in a file.
pub(crate) fn read(file: &Path) -> anyhow::Result<BenchmarkResults> {
    let text = std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    serde_json::from_slice(&text).with_context(|| format!("{} has no results", file.display()))
}

async fn measure(settings: &Settings) -> anyhow::Result<BenchmarkResults> {
    let environment =
        LambdaEnvironment::load(&settings.programs, settings.throttle_mode, &settings.users, settings.reviews).await?;
    note("everything is loaded");
    let mut results = BenchmarkResults {
        throttle: describe_throttle(&environment, settings).await?,
        rounds: settings.rounds.get(),
        requests: settings.requests,
        reviews: settings.reviews,
        ..BenchmarkResults::default()
    };
    let rounds = OperationRounds { environment: &environment, settings };
    for group in groups().iter().filter(|group| is_wanted(group, &settings.only)) {
        results.operations.extend(rounds.measure(group).await?);
    }
    if settings.during_writes_seconds > 0 {
        for rate in settings.changes.iter().filter(|rate| settings.users.contains(&rate.users)) {
            let searches = searches_during_writes::measure(&environment, settings, *rate).await?;
            results.searches_during_writes.extend(searches);
        }
    }
    Ok(results)
}

fn is_wanted(group: &OperationGroup, only: &[String]) -> bool {
    let is_named =
        |operation: &Operation| only.iter().any(|name| [operation.name, operation.variant].contains(&name.as_str()));
    only.is_empty() || group.operations.iter().any(is_named)
}

/// Starts a function to find out how this machine throttles. Returns the description.
async fn describe_throttle(environment: &LambdaEnvironment, settings: &Settings) -> anyhow::Result<String> {
    let memory = settings.memory.first().copied().unwrap_or(Memory(256));
    let (function, _) = environment.launcher.start("users", memory).await?;
    let description = function.throttle().to_owned();
    function.stop().await?;
    Ok(description)
}

/// Writes a note on the progress to the standard error.
fn note(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn write_rate_is_parsed_as_it_is_displayed() {
        for rate in WRITE_RATES {
            assert_eq!(rate.to_string().parse(), Ok(rate));
        }
        for text in ["", "10000", "10000:0", "10000:-1", "x:1"] {
            assert!(text.parse::<WriteRate>().is_err(), "{text}");
        }
    }
}
