//! Report of the starts in Markdown, with performance targets.

use std::fmt::Write as _;

use super::candidates::FoundCandidates;
use super::trial::{Candidate, CandidateKind, Trial};

const BYTES_PER_MB: f64 = 1e6;

/// Medians of a candidate.
struct Row {
    kind: CandidateKind,
    name: &'static str,
    mb: f64,
    zip_mb: f64,
    median: Trial,
}

/// Upper limit of a value, for the candidates of some kinds.
struct Target {
    label: &'static str,
    limit: f64,
    kinds: &'static [CandidateKind],
    /// Returns the value from a row and from the medians of the empty function.
    value: fn(&Row, Trial) -> f64,
}

const TARGETS: [Target; 5] = [
    Target {
        label: "CPU of init, relative to the empty binary",
        limit: 2.0,
        kinds: &[CandidateKind::Ours, CandidateKind::Unconnected],
        value: |row, empty| row.median.init_cpu_ms / empty.init_cpu_ms,
    },
    Target {
        label: "first request, ms",
        limit: 1.0,
        kinds: &[CandidateKind::Ours],
        value: |row, _| row.median.request_ms,
    },
    Target {
        label: "CPU of a first request that opens the connection, ms",
        limit: 3.0,
        kinds: &[CandidateKind::Unconnected],
        value: |row, _| row.median.request_cpu_ms,
    },
    Target { label: "zip, MB", limit: 4.5, kinds: &[CandidateKind::Ours], value: |row, _| row.zip_mb },
    Target { label: "memory, MB", limit: 12.0, kinds: &[CandidateKind::Ours], value: |row, _| row.median.memory_mb },
];

/// Renders the report. The trials are those of each candidate.
pub(super) fn render(found: &FoundCandidates, trials: &[Vec<Trial>], starts: usize) -> String {
    let rows: Vec<Row> =
        found.candidates.iter().zip(trials).map(|(candidate, trials)| Row::new(candidate, trials)).collect();
    let mut report = introduction(starts);
    for Row { kind: _, name, mb, zip_mb, median } in &rows {
        let Trial { init_ms, init_cpu_ms, request_ms, request_cpu_ms, memory_mb } = median;
        let _ = writeln!(
            report,
            "| {name} | {mb:.1} | {zip_mb:.2} | {init_ms:.1} | {init_cpu_ms:.1} | {request_ms:.2} | {request_cpu_ms:.2} \
             | {memory_mb:.1} |",
        );
    }
    report.push_str("\n## Targets\n\nMissed targets are bold.\n\n");
    report.push_str(&targets_table(&rows));
    for reason in &found.not_installed {
        let _ = writeln!(report, "\nNot measured: {reason}.");
    }
    report
}

fn introduction(starts: usize) -> String {
    format!(
        "# Start\n\nMade by `cargo run --profile bench -p presence-bench -- start`, after `cargo build --release \
         -p presence-users -p presence-categories -p presence-reviews -p presence-mailer -p presence-bench-functions`. Values are \
         medians of {starts} starts of each function, in turns, in one run. DynamoDB is the embedded one behind TLS on this machine. \
         Init is the time from exec to the first poll of the runtime API. Our functions and the minimal one with the SDK open \
         their connection to DynamoDB in it. The first request of our functions reads the key and then the requested data; that of \
         the others is one GetItem. Sizes are those of the deployed files with their SDK, as they are and as a zip file.\n\n\
         | function | MB | zip MB | init ms | CPU ms | first request ms | CPU ms | memory MB |\n\
         |---|---:|---:|---:|---:|---:|---:|---:|\n"
    )
}

impl Row {
    fn new(candidate: &Candidate, trials: &[Trial]) -> Self {
        let median_of = |value: fn(&Trial) -> f64| median(trials.iter().map(value).collect());
        let median = Trial {
            init_ms: median_of(|trial| trial.init_ms),
            init_cpu_ms: median_of(|trial| trial.init_cpu_ms),
            request_ms: median_of(|trial| trial.request_ms),
            request_cpu_ms: median_of(|trial| trial.request_cpu_ms),
            memory_mb: median_of(|trial| trial.memory_mb),
        };
        let [mb, zip_mb] = [candidate.size.plain, candidate.size.zipped].map(|bytes| bytes as f64 / BYTES_PER_MB);
        Self { kind: candidate.kind, name: candidate.name, mb, zip_mb, median }
    }
}

/// Renders the targets with a column for each of our functions.
fn targets_table(rows: &[Row]) -> String {
    let empty = rows.iter().find(|row| row.kind == CandidateKind::Empty).map(|row| row.median).unwrap_or_default();
    let ours: Vec<_> =
        rows.iter().filter(|row| matches!(row.kind, CandidateKind::Ours | CandidateKind::Unconnected)).collect();
    let names: Vec<_> = ours.iter().map(|row| row.name).collect();
    let mut table = format!("| | at most | {} |\n|---|---:|{}\n", names.join(" | "), "---:|".repeat(ours.len()));
    for Target { label, limit, kinds, value } in TARGETS {
        let _ = write!(table, "| {label} | {limit} |");
        for row in &ours {
            let value = value(row, empty);
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
