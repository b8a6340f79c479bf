//! Benchmark of reviews that arrive: rows through the queue, and the build of a first load.

mod build;
mod queue;
mod rows;

use std::fmt::Write as _;
use std::path::Path;

use build::BuildFigures;
use queue::QueueFigures;

use crate::costs::prices::{GB, IMPORT_GB, READ_UNITS, WRITE_UNITS};

/// Numbers of batches that are written at a time.
const BATCHES: [usize; 3] = [1, 4, 8];
/// Numbers of organisations in the file.
const ORGS: [usize; 2] = [1, 20];
/// Number of rows of the first load whose cost is calculated.
const FIRST_LOAD: f64 = 10_000_000.0;

/// Measures everything and renders the report. It uses a runtime of many threads.
pub(crate) async fn run(rows: usize, builds: &[usize], ops: &Path) -> anyhow::Result<String> {
    let (builds, ops) = (builds.to_vec(), ops.to_owned());
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    tokio::task::spawn_blocking(move || runtime.block_on(Box::pin(measure(rows, &builds, &ops)))).await?
}

async fn measure(rows: usize, builds: &[usize], ops: &Path) -> anyhow::Result<String> {
    let profile = if cfg!(debug_assertions) { " Made without optimisation, on a busy machine." } else { "" };
    let mut report = format!(
        "# Reviews that arrive\n\nMade by `cargo run --profile bench -p presence-bench -- ingest`.{profile} Units and bytes are exact. Times are those of \
         one run on {} processors.\n\n## Through the queue\n\nA file of {rows} rows in random order goes through the function, the \
         queue of the local stack and the function again, on the embedded DynamoDB in a file. A batch has up to ten messages of one \
         lane of an organisation; the first column of numbers is how many are written at a time. The split is not part of the rows \
         per second. Units are all that the table takes: reviews, log, trees, marks of what is done and reports.\n\n\
         | organisations | batches at a time | rows per second | split, rows per second | write units per row | read units per row |\n\
         |---:|---:|---:|---:|---:|---:|\n",
        std::thread::available_parallelism()?,
    );
    let mut last = None;
    for orgs in ORGS {
        for batches in BATCHES {
            let figures = queue::measure(rows, orgs, batches).await?;
            let QueueFigures { rows_per_second, split_per_second, write_units, read_units } = figures;
            writeln!(
                report,
                "| {orgs} | {batches} | {rows_per_second:.0} | {split_per_second:.0} | {write_units:.2} | {read_units:.2} |"
            )?;
            last = Some(figures);
        }
    }
    report.push_str(
        "\n## Build of a first load\n\n`ops reviews build` in a process of its own. Half of the rows are of one organisation, the other half of 19.\n\n\
         | rows | seconds | peak of memory, MB | items | parts | GB before compression |\n|---:|---:|---:|---:|---:|---:|\n",
    );
    let mut bytes_per_row = None;
    for rows in builds {
        let BuildFigures { seconds, peak_mb, items, parts, bytes } = build::measure(*rows, ops).await?;
        let gigabytes = bytes as f64 / GB;
        writeln!(report, "| {rows} | {seconds:.0} | {peak_mb:.0} | {items} | {parts} | {gigabytes:.2} |")?;
        bytes_per_row = Some(bytes as f64 / *rows as f64);
    }
    if let (Some(queue), Some(bytes_per_row)) = (last, bytes_per_row) {
        report.push_str(&costs(queue, bytes_per_row));
    }
    Ok(report)
}

/// Returns the cost of a first load each way.
fn costs(queue: QueueFigures, bytes_per_row: f64) -> String {
    let by_queue = FIRST_LOAD / 1e6 * (queue.write_units * WRITE_UNITS + queue.read_units * READ_UNITS);
    let by_import = FIRST_LOAD * bytes_per_row / GB * IMPORT_GB;
    format!(
        "\n## Cost of the first ten million reviews\n\nUS dollars (us-east-1): DynamoDB alone, calculated from the figures above. Lambda, SQS \
         and S3 add less than a tenth to the queue, and cents to the import.\n\n| way | $ |\n|---|---:|\n| through the queue | {by_queue:.2} |\n\
         | import from S3 of the parts of a build | {by_import:.2} |\n"
    )
}
