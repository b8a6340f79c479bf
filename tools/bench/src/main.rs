//! Benchmarks behind the numbers of the documentation. Run them with `cargo run --profile bench -p presence-bench -- costs` (or
//! `budgets`, `lambda`, `stats`, `worst` or `writes`).
//!
//! Calls, waves and units are counted and exact. Times are medians of one run: compare them only within that run.

#![expect(clippy::cast_precision_loss, reason = "reports have rounded numbers anyway")]

mod budgets;
mod cost;
mod costs;
mod distribution;
mod feed_events;
mod lambda;
mod request_log;
mod review_database;
mod sandbox;
mod stats;
mod worst;
mod writes;

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
    /// Counts the reads of searches of reviews without loading these, and compares them with the budgets
    Budgets {
        /// Numbers of reviews
        #[arg(long, value_delimiter = ',', default_values_t = [1_000_000, 10_000_000])]
        sizes: Vec<u64>,
        /// Number of changes in the log that no fold has brought into the trees. The budgets are for none
        #[arg(long, default_value_t = 0)]
        unfolded: usize,
    },
    /// Counts the reads of statistics of reviews without loading these, and compares them with the budgets
    Stats {
        /// Numbers of reviews
        #[arg(long, value_delimiter = ',', default_values_t = [10_000, 1_000_000, 10_000_000])]
        sizes: Vec<u64>,
    },
    /// Counts the write units of reviews, of reviews that arrive at a rate, and of a day with millions of them
    Writes(writes::Settings),
    /// Counts calls, waves and units of every operation, and calculates the price
    Costs {
        /// Results of the benchmark `lambda`, with the time of each operation
        #[arg(long, value_name = "FILE", default_value = lambda::RESULTS)]
        durations: PathBuf,
    },
    /// Measures every operation with the processor share of Lambda, and the start and size of each function
    Lambda(lambda::Settings),
    /// Searches the request of each operation that takes most of the processor
    Worst(worst::Settings),
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let args = Args::parse();
    let mut beyond = 0;
    let report = match args.benchmark {
        Benchmark::Budgets { sizes, unfolded } => {
            let budgets = budgets::run(&sizes, unfolded).await?;
            beyond = budgets.beyond;
            budgets.text
        }
        Benchmark::Stats { sizes } => {
            let stats = stats::run(&sizes).await?;
            beyond = stats.beyond;
            stats.text
        }
        Benchmark::Writes(settings) => Box::pin(writes::run(&settings)).await?,
        Benchmark::Costs { durations } => Box::pin(costs::run(&durations)).await?,
        Benchmark::Lambda(settings) => lambda::run(settings).await?,
        Benchmark::Worst(settings) => {
            let worst = Box::pin(worst::run(&settings)).await?;
            beyond = worst.beyond;
            worst.text
        }
    };
    write!(std::io::stdout(), "{report}")?;
    args.out.map_or(Ok(()), |file| std::fs::write(file, &report))?;
    anyhow::ensure!(beyond == 0, "{beyond} requests are beyond their budgets");
    Ok(())
}
