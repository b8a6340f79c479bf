//! Lambda: the release binaries of the functions behind the runtime API, each with the share of a processor that its memory
//! buys. What every operation takes there, cold and warm, and searches while users change.

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
use self::operations::{OperationGroup, groups};
use self::results::BenchmarkResults;
use self::throttle::ThrottleMode;

/// The options of the benchmark. The default ends in some ten minutes.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Settings {
    /// Where the functions are, built for release
    #[arg(long, value_name = "FOLDER", default_value = "target/release")]
    programs: PathBuf,
    /// Memory of the functions, in MB
    #[arg(long, value_delimiter = ',', default_values_t = [Memory(128), Memory(256), Memory(512), Memory(1_024)])]
    memory: Vec<Memory>,
    /// Users of the organisations that are searched
    #[arg(long, value_delimiter = ',', default_values_t = [10_000, 50_000, 100_000])]
    users: Vec<usize>,
    /// Number of reviews
    #[arg(long, default_value_t = 100_000)]
    reviews: u64,
    /// Only operations of these names, such as `search_users`
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// Requests of each operation after the first
    #[arg(long, default_value_t = 36)]
    requests: usize,
    /// Rounds that they are made in
    #[arg(long, default_value_t = NonZeroUsize::MIN.saturating_add(2))]
    rounds: NonZeroUsize,
    /// Users of an organisation, and how many of them change in a second while it is searched
    #[arg(long, value_delimiter = ',', default_values_t = WRITE_RATES, value_name = "USERS:RATE")]
    changes: Vec<WriteRate>,
    /// Memory of the function that searches while users change
    #[arg(long, default_value_t = Memory(256))]
    liveness_memory: Memory,
    /// Seconds that each of these searches goes on; 0 leaves them out
    #[arg(long, default_value_t = 30)]
    liveness_seconds: u64,
    /// Way in which functions get their share of a processor
    #[arg(long, value_enum, default_value_t = ThrottleMode::Auto)]
    way: ThrottleMode,
    /// Write the figures to this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Results of an earlier run, to compare with
    #[arg(long, value_name = "FILE")]
    before: Option<PathBuf>,
    /// Measure nothing: report the figures of this file
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
}

const WRITE_RATES: [WriteRate; 3] = [
    WriteRate { users: 10_000, writes_per_second: 10.0 },
    WriteRate { users: 50_000, writes_per_second: 5.0 },
    WriteRate { users: 100_000, writes_per_second: 1.0 },
];

/// The speed at which an organisation changes.
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
            _ => Err("must be users and writes a second, such as 10000:10".to_owned()),
        }
    }
}

impl std::fmt::Display for WriteRate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.users, self.writes_per_second)
    }
}

/// Measures everything and renders the report, on a runtime of several threads: the database's answers must not wait for each
/// other here.
pub(crate) async fn run(settings: Settings) -> anyhow::Result<String> {
    let before = settings.before.as_deref().map(read).transpose()?;
    let figures = if let Some(file) = &settings.from {
        read(file)?
    } else {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
        let settings = settings.clone();
        tokio::task::spawn_blocking(move || runtime.block_on(Box::pin(measure(&settings)))).await??
    };
    if let Some(file) = &settings.json {
        std::fs::write(file, format!("{}\n", serde_json::to_string_pretty(&figures)?))?;
    }
    Ok(report::render(&figures, before.as_ref()))
}

/// Reads the figures of a file.
pub(crate) fn read(file: &Path) -> anyhow::Result<BenchmarkResults> {
    let text = std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    serde_json::from_slice(&text).with_context(|| format!("{} has no figures", file.display()))
}

async fn measure(settings: &Settings) -> anyhow::Result<BenchmarkResults> {
    let stage = LambdaEnvironment::load(&settings.programs, settings.way, &settings.users, settings.reviews).await?;
    note("everything is loaded");
    let mut figures = BenchmarkResults {
        way: way(&stage, settings).await?,
        rounds: settings.rounds.get(),
        requests: settings.requests,
        reviews: settings.reviews,
        ..BenchmarkResults::default()
    };
    let rounds = OperationRounds { stage: &stage, settings };
    for group in groups().iter().filter(|group| is_wanted(group, &settings.only)) {
        figures.operations.extend(rounds.measure(group).await?);
    }
    if settings.liveness_seconds > 0 {
        for change in settings.changes.iter().filter(|change| settings.users.contains(&change.users)) {
            figures.liveness.extend(searches_during_writes::measure(&stage, settings, *change).await?);
        }
    }
    Ok(figures)
}

fn is_wanted(group: &OperationGroup, only: &[String]) -> bool {
    only.is_empty() || group.operations.iter().any(|operation| only.iter().any(|name| name == operation.name))
}

/// Returns how functions are given their shares here.
async fn way(stage: &LambdaEnvironment, settings: &Settings) -> anyhow::Result<String> {
    let memory = settings.memory.first().copied().unwrap_or(Memory(256));
    let (function, _) = stage.launcher.start("users", memory).await?;
    let way = function.way().to_owned();
    function.stop().await?;
    Ok(way)
}

/// Says how far it is, beside the report.
fn note(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_of_changes_is_read_as_it_is_shown() {
        for change in WRITE_RATES {
            assert_eq!(change.to_string().parse(), Ok(change));
        }
        for text in ["", "10000", "10000:0", "10000:-1", "x:1"] {
            assert!(text.parse::<WriteRate>().is_err(), "{text}");
        }
    }
}
