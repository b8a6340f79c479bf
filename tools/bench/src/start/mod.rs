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
use self::trial::{Candidate, Trial};

const MEGABYTE: f64 = 1e6;

/// Measures every function and renders the report. The programs are those of a folder.
pub(crate) async fn run(programs: &Path, starts: usize) -> anyhow::Result<String> {
    let stack = Stack::start(Options { port: 0, sample: true, ..Options::default() }).await?;
    let folder = tempfile::tempdir()?;
    let upstream = stack.dynamodb_url().trim_start_matches("http://").parse().context("an address")?;
    let proxy = TlsProxy::start(upstream, folder.path()).await?;
    let (url, roots) = (proxy.url(), proxy.roots()?);
    let environment = environment(&url, roots);
    let candidates = candidates(&stack, programs, folder.path()).await?;
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
    Ok(report(&candidates, &trials, starts))
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
         -p presence-users -p presence-categories -p presence-reviews -p presence-mailer -p presence-bench-functions`. Medians of {starts} starts of each, in turn, in one run; DynamoDB is the embedded one behind TLS on this \
         machine. Init is from exec to the first poll of the runtime API, with what the function does before it: ours open \
         their connection to DynamoDB there. The first request of ours reads the key and what it asks for; that of the \
         others is one GetItem. Zip files are what is deployed.\n\n\
         | function | zip MB | init ms | CPU ms | first request ms | CPU ms | memory MB |\n\
         |---|---:|---:|---:|---:|---:|---:|\n"
    );
    for (candidate, trials) in candidates.iter().zip(trials) {
        let of = |value: fn(&Trial) -> f64| median(trials.iter().map(value).collect());
        let zip = candidate.zip_bytes.map_or_else(|| "–".to_owned(), |bytes| format!("{:.2}", bytes as f64 / MEGABYTE));
        let _ = writeln!(
            report,
            "| {} | {zip} | {:.1} | {:.1} | {:.2} | {:.2} | {:.1} |",
            candidate.name,
            of(|trial| trial.init_ms),
            of(|trial| trial.init_cpu_ms),
            of(|trial| trial.request_ms),
            of(|trial| trial.request_cpu_ms),
            of(|trial| trial.memory_mb),
        );
    }
    report
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}
