//! Start: what a function takes until it waits for events, and for its first request, with all that others take beside it.

mod candidates;
mod trial;

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use anyhow::Context as _;
use presence_local::{Options, Stack};

use self::candidates::candidates;
use self::trial::{Candidate, CandidateKind, Trial};
use crate::sandbox::environment;
use crate::sandbox::tls::TlsProxy;

const MEGABYTE: f64 = 1e6;

/// Measures every function and renders the report. The programs are those of a folder.
pub(crate) async fn run(programs: &Path, starts: usize) -> anyhow::Result<String> {
    let stack = Stack::start(Options { port: 0, sample: true, ..Options::default() }).await?;
    let folder = tempfile::tempdir()?;
    let upstream = stack.dynamodb_url().trim_start_matches("http://").parse().context("an address")?;
    let proxy = TlsProxy::start(upstream, folder.path(), Duration::ZERO).await?;
    let (url, roots) = (proxy.url(), proxy.roots()?);
    let environment = environment(&url, roots, 256);
    let (candidates, left_out) = candidates(&stack, programs, folder.path()).await?;
    let mut trials: Vec<Vec<Trial>> = candidates.iter().map(|_| Vec::with_capacity(starts)).collect();
    // In turn, so that what else the machine does meets all alike; once beforehand, so that files are in memory.
    for round in 0..=starts {
        for (candidate, trials) in candidates.iter().zip(&mut trials) {
            let trial = candidate.run(&environment).await?;
            if round > 0 {
                trials.push(trial);
            }
        }
    }
    stack.stop().await;
    let mut report = report(&candidates, &trials, starts);
    for why in left_out {
        let _ = writeln!(report, "\nLeft out: {why}.");
    }
    Ok(report)
}

fn report(candidates: &[Candidate], trials: &[Vec<Trial>], starts: usize) -> String {
    let mut report = format!(
        "# Start\n\nMade by `cargo run --profile bench -p presence-bench -- start`, after `cargo build --release \
         -p presence-users -p presence-categories -p presence-reviews -p presence-mailer -p presence-bench-functions`. \
         Medians of {starts} starts of each, in turn, in one run; DynamoDB is the embedded one behind TLS on this \
         machine. Init is from exec to the first poll of the runtime API, with what the function does before it: ours and the least open \
         their connection to DynamoDB there. The first request of ours reads the key and then what it asks for; that of the \
         others is one GetItem. Sizes are of what is deployed, SDKs included, as it is and as a zip file.\n\n\
         | function | MB | zip MB | init ms | CPU ms | first request ms | CPU ms | memory MB |\n\
         |---|---:|---:|---:|---:|---:|---:|---:|\n"
    );
    let rows: Vec<_> = candidates.iter().zip(trials).map(|(candidate, trials)| Row::of(candidate, trials)).collect();
    for Row { kind: _, name, mb, zip_mb, trial } in &rows {
        let Trial { init_ms, init_cpu_ms, request_ms, request_cpu_ms, memory_mb } = trial;
        let _ = writeln!(
            report,
            "| {name} | {mb:.1} | {zip_mb:.2} | {init_ms:.1} | {init_cpu_ms:.1} | {request_ms:.2} | {request_cpu_ms:.2} | {memory_mb:.1} |",
        );
    }
    report.push_str("\n## Aims\n\nBold: missed.\n\n");
    report.push_str(&targets_table(&rows));
    report
}

/// Medians of a candidate.
struct Row {
    kind: CandidateKind,
    name: &'static str,
    mb: f64,
    zip_mb: f64,
    trial: Trial,
}

impl Row {
    fn of(candidate: &Candidate, trials: &[Trial]) -> Self {
        let of = |value: fn(&Trial) -> f64| median(trials.iter().map(value).collect());
        let trial = Trial {
            init_ms: of(|trial| trial.init_ms),
            init_cpu_ms: of(|trial| trial.init_cpu_ms),
            request_ms: of(|trial| trial.request_ms),
            request_cpu_ms: of(|trial| trial.request_cpu_ms),
            memory_mb: of(|trial| trial.memory_mb),
        };
        let [mb, zip_mb] = [candidate.size.plain, candidate.size.zipped].map(|bytes| bytes as f64 / MEGABYTE);
        Self { kind: candidate.kind, name: candidate.name, mb, zip_mb, trial }
    }
}

/// What is to be at most so much, of whom, and how it is had from a row and the time of the empty binary's start.
struct Target {
    what: &'static str,
    limit: f64,
    kinds: &'static [CandidateKind],
    of: fn(&Row, Trial) -> f64,
}

const TARGETS: [Target; 5] = [
    Target {
        what: "CPU of init, in those of the empty binary",
        limit: 2.0,
        kinds: &[CandidateKind::Ours, CandidateKind::Unconnected],
        of: |row, empty| row.trial.init_cpu_ms / empty.init_cpu_ms,
    },
    Target { what: "first request, ms", limit: 1.0, kinds: &[CandidateKind::Ours], of: |row, _| row.trial.request_ms },
    Target {
        what: "CPU of a first request that opens the connection, ms",
        limit: 3.0,
        kinds: &[CandidateKind::Unconnected],
        of: |row, _| row.trial.request_cpu_ms,
    },
    Target { what: "zip, MB", limit: 4.5, kinds: &[CandidateKind::Ours], of: |row, _| row.zip_mb },
    Target { what: "memory, MB", limit: 12.0, kinds: &[CandidateKind::Ours], of: |row, _| row.trial.memory_mb },
];

/// The targets as a table: a column for each of our functions.
fn targets_table(rows: &[Row]) -> String {
    let empty = rows.iter().find(|row| row.kind == CandidateKind::Empty).map(|row| row.trial).unwrap_or_default();
    let ours: Vec<_> =
        rows.iter().filter(|row| matches!(row.kind, CandidateKind::Ours | CandidateKind::Unconnected)).collect();
    let names: Vec<_> = ours.iter().map(|row| row.name).collect();
    let mut table = format!("| | at most | {} |\n|---|---:|{}\n", names.join(" | "), "---:|".repeat(ours.len()));
    for Target { what, limit, kinds, of } in TARGETS {
        let _ = write!(table, "| {what} | {limit} |");
        for row in &ours {
            let value = of(row, empty);
            let _ = match (kinds.contains(&row.kind), value <= limit) {
                (false, _) => write!(table, " |"),
                (true, true) => write!(table, " {value:.2} |"),
                (true, false) => write!(table, " **{value:.2}** |"),
            };
        }
        table.push('\n');
    }
    table
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}
