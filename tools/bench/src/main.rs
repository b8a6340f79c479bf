//! Benchmarks whose figures the documentation quotes. Run them with `cargo run --profile bench -p presence-bench -- users` (or
//! `import`, `lambda`, `reviews`, `costs` or `start`).
//!
//! What is exact (calls, waves, units) is counted; times are medians of one run, to be compared within that run.

#![expect(clippy::cast_precision_loss, reason = "figures for reading are rounded anyway")]

mod costs;
mod import;
mod lambda;
mod request_log;
mod reviews;
mod sandbox;
mod start;
mod users;

use std::io::Write as _;
use std::path::PathBuf;

use clap::{Parser, Subcommand};

#[derive(Debug, Parser)]
#[command(name = "bench")]
struct Args {
    #[command(subcommand)]
    benchmark: Benchmark,
    /// Write the report to this file too
    #[arg(long, global = true, value_name = "FILE")]
    out: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
enum Benchmark {
    /// Fuzzy search over large organisations, get user through the gateway, and time to ready
    Users,
    /// How fast reviews are imported, and what that costs
    Import {
        /// Rows of the imported file
        #[arg(long, default_value_t = 50_000)]
        reviews: usize,
    },
    /// Searches of reviews: the ledger, a filter on a thin index and `PostgreSQL`, side by side
    Reviews {
        /// How many reviews, as often as they are given
        #[arg(long, value_delimiter = ',', default_values_t = [10_000, 100_000, 1_000_000])]
        sizes: Vec<u64>,
        /// How many reviews where reads are only counted
        #[arg(long, value_delimiter = ',', default_values_t = [10_000_000])]
        counted: Vec<u64>,
        /// How often each search is timed
        #[arg(long, default_value_t = 40)]
        rounds: u64,
    },
    /// What every operation costs: calls, waves, units, and the price
    Costs {
        /// Durations of operations, as the benchmark `lambda` measured them
        #[arg(long, value_name = "FILE", default_value = "shared/docs/benchmarks/lambda.json")]
        durations: PathBuf,
    },
    /// Measures every operation with the share of a processor that Lambda gives, and searches while users change
    Lambda(lambda::Settings),
    /// How soon each function is ready, and answers, beside an empty one and those of other languages
    Start {
        /// Where the functions are, built for release
        #[arg(long, value_name = "FOLDER", default_value = "target/release")]
        programs: PathBuf,
        /// How often each is started
        #[arg(long, default_value_t = 30)]
        starts: usize,
    },
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let args = Args::parse();
    let report = match args.benchmark {
        Benchmark::Costs { durations } => costs::run(&durations).await?,
        Benchmark::Lambda(settings) => lambda::run(settings).await?,
        Benchmark::Start { programs, starts } => start::run(&programs, starts).await?,
        Benchmark::Users => users::run().await?,
        Benchmark::Import { reviews } => import::run(reviews).await?,
        Benchmark::Reviews { sizes, counted, rounds } => {
            reviews::run(&sizes, &counted, rounds, args.out.as_deref()).await?
        }
    };
    write!(std::io::stdout(), "{report}")?;
    args.out.map_or(Ok(()), |file| std::fs::write(file, &report))?;
    Ok(())
}
