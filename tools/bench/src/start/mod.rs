//! Start: what a function takes until it waits for events, and for its first request, with all that others take beside it.

mod candidates;
mod runtime_api;
mod tls;
mod trial;

use std::fmt::Write as _;
use std::path::Path;

use anyhow::Context as _;
use presence_local::{Options, Stack};

use self::candidates::candidates;
use self::tls::TlsProxy;
use self::trial::{Candidate, Kind, Trial};

const MEGABYTE: f64 = 1e6;

/// Measures every function and renders the report. The programs are those of a folder.
pub(crate) async fn run(programs: &Path, starts: usize) -> anyhow::Result<String> {
    let stack = Stack::start(Options { port: 0, sample: true, ..Options::default() }).await?;
    let folder = tempfile::tempdir()?;
    let upstream = stack.dynamodb_url().trim_start_matches("http://").parse().context("an address")?;
    let proxy = TlsProxy::start(upstream, folder.path()).await?;
    let (url, roots) = (proxy.url(), proxy.roots()?);
    let environment = environment(&url, roots);
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

/// What AWS Lambda sets, and where DynamoDB is.
fn environment<'a>(url: &'a str, roots: &'a str) -> [(&'static str, &'a str); 16] {
    [
        ("PATH", "/usr/local/bin:/usr/bin:/bin"),
        ("AWS_REGION", "eu-west-1"),
        ("AWS_DEFAULT_REGION", "eu-west-1"),
        ("AWS_ACCESS_KEY_ID", "bench"),
        ("AWS_SECRET_ACCESS_KEY", "bench"),
        ("AWS_LAMBDA_FUNCTION_NAME", "bench"),
        ("AWS_LAMBDA_FUNCTION_VERSION", "$LATEST"),
        ("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "256"),
        ("AWS_LAMBDA_LOG_GROUP_NAME", "/aws/lambda/bench"),
        ("AWS_LAMBDA_LOG_STREAM_NAME", "bench"),
        ("AWS_ENDPOINT_URL_DYNAMODB", url),
        ("MAIL_SENDER", "no-reply@presence.example"),
        ("PUBLIC_BASE_URL", "https://presence.example"),
        // The certificates to trust: ours and boto3 read the one, Node.js the other.
        ("NODE_EXTRA_CA_CERTS", roots),
        ("AWS_CA_BUNDLE", roots),
        ("PYTHONDONTWRITEBYTECODE", "1"),
    ]
}

fn report(candidates: &[Candidate], trials: &[Vec<Trial>], starts: usize) -> String {
    let mut report = format!(
        "# Start\n\nMade by `cargo run --profile bench -p presence-bench -- start`, after `cargo build --release \
         -p presence-users -p presence-categories -p presence-reviews -p presence-mailer -p presence-bench-functions`. \
         Medians of {starts} starts of each, in turn, in one run; DynamoDB is the embedded one behind TLS on this \
         machine. Init is from exec to the first poll of the runtime API, with what the function does before it: ours open \
         their connection to DynamoDB there. The first request of ours reads the key and then what it asks for; that of the \
         others is one GetItem. Zip files are what is deployed, SDKs included.\n\n\
         | function | zip MB | init ms | CPU ms | first request ms | CPU ms | memory MB |\n\
         |---|---:|---:|---:|---:|---:|---:|\n"
    );
    let rows: Vec<_> = candidates.iter().zip(trials).map(|(candidate, trials)| Row::of(candidate, trials)).collect();
    for Row { kind: _, name, zip_mb, trial } in &rows {
        let Trial { init_ms, init_cpu_ms, request_ms, request_cpu_ms, memory_mb } = trial;
        let _ = writeln!(
            report,
            "| {name} | {zip_mb:.2} | {init_ms:.1} | {init_cpu_ms:.1} | {request_ms:.2} | {request_cpu_ms:.2} | {memory_mb:.1} |",
        );
    }
    report.push_str("\n## Aims\n\n| | of | aim | measured | |\n|---|---|---:|---:|---|\n");
    for (aim, of, limit, measured) in aims(&rows) {
        let is_met = if measured <= limit { "met" } else { "missed" };
        let _ = writeln!(report, "| {aim} | {of} | {limit:.2} | {measured:.2} | {is_met} |");
    }
    report
}

/// Medians of a candidate.
struct Row {
    kind: Kind,
    name: &'static str,
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
        Self { kind: candidate.kind, name: candidate.name, zip_mb: candidate.zip_bytes as f64 / MEGABYTE, trial }
    }
}

/// What each of our functions is to be like: what, whose, the most that it may be, and what it is.
fn aims(rows: &[Row]) -> Vec<(&'static str, &'static str, f64, f64)> {
    let empty = rows.iter().find(|row| row.kind == Kind::Empty).map(|row| row.trial).unwrap_or_default();
    let mut aims = Vec::new();
    for Row { kind, name, zip_mb, trial } in rows {
        if matches!(kind, Kind::Ours | Kind::Unconnected) {
            aims.push(("CPU of init, in those of the empty binary", *name, 2.0, trial.init_cpu_ms / empty.init_cpu_ms));
        }
        match kind {
            Kind::Ours => {
                aims.push(("first request, ms", *name, 1.0, trial.request_ms));
                aims.push(("zip, MB", *name, 4.5, *zip_mb));
                aims.push(("memory, MB", *name, 12.0, trial.memory_mb));
            }
            Kind::Unconnected => aims.push(("CPU of the first request, ms", *name, 3.0, trial.request_cpu_ms)),
            Kind::Empty | Kind::Other => {}
        }
    }
    aims
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}
