//! Bytes of the commonest answers with and without gzip, and the processor time that it costs.

use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::time::Duration;

use anyhow::{Context as _, ensure};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use presence_local::{Options, Stack};

use crate::cpu_clock::thread_time;

/// Requests with the commonest answers: name and path.
const REQUESTS: [(&str, &str); 5] = [
    ("30 reviews", "/reviews"),
    ("100 reviews", "/reviews?per_page=100"),
    ("statistics of reviews by month", "/reviews/stats?group_by=month"),
    ("10 users", "/user/search"),
    ("30 categories", "/category/search?lang=FR"),
];
/// Levels that are compared.
const LEVELS: [u32; 5] = [1, 2, 5, 6, 9];
/// Number of timed runs, of which the fastest counts: other programs only make a run slower.
const ROUNDS: usize = 301;

/// Reasons for the level of the service.
const CHOICE: &str = "\
## Choice

A search of 30 reviews takes 1.7 ms of processor time in all, one of categories 1.1 ms, and one of users 1.1 ms ([lambda.md](lambda.md)). \
Level 5 adds 1 to 5 % to them. Level 6 saves 1 % of the bytes more, for up to a third more time. Level 1 leaves 22 to 49 % more bytes.

Bytes cost more than time: 1 KB sent costs as much as some 4 ms of a processor at 512 MB. The description of the API is compressed once in \
each process, at level 9: 192 KB become 22 KB in 2 ms.
";

/// Answer to a request, with and without gzip.
struct MeasuredAnswer {
    name: &'static str,
    path: &'static str,
    text: String,
    /// Body as the service compresses it.
    gzip: Vec<u8>,
}

/// Fetches the answers from a local stack with the sample data, and renders the report.
pub(crate) async fn run() -> anyhow::Result<String> {
    let stack = Stack::start(Options { sample: true, ..Options::default() }).await?;
    let mut answers = Vec::new();
    for (name, path) in REQUESTS {
        let text = fetch(&stack, path, "identity").await?;
        let gzip = fetch(&stack, path, "gzip").await?;
        let mut decompressed = Vec::new();
        GzDecoder::new(&gzip[..]).read_to_end(&mut decompressed)?;
        ensure!(decompressed == text, "{path}: the compressed answer has another text");
        answers.push(MeasuredAnswer { name, path, text: String::from_utf8(text)?, gzip });
    }
    stack.stop().await;
    Ok(format!(
        "# Gzip\n\nMade by `cargo run -p presence-bench -- gzip` over the sample data, as its ORG_ADMIN. Bytes are those of bodies, as a client \
         receives them, and exact. Times are processor time of one thread, the lowest of {ROUNDS} runs, with `zlib-rs` optimised.\n\n{}\n{}\n{CHOICE}",
        bytes_table(&answers),
        levels_table(&answers)?
    ))
}

/// Returns the bytes of an answer.
async fn fetch(stack: &Stack, path: &str, accept_encoding: &str) -> anyhow::Result<Vec<u8>> {
    let key = stack.keys().get("ORG_ADMIN").context("a key of the sample")?;
    let request = reqwest::Client::new().get(format!("{}{path}", stack.base_url()));
    let response = request.header("x-api-key", key).header("accept-encoding", accept_encoding).send().await?;
    let coding = response.headers().get("content-encoding").map_or("identity", |_| "gzip");
    ensure!(response.status() == 200 && coding == accept_encoding, "{path}: {} in {coding}", response.status());
    Ok(response.bytes().await?.to_vec())
}

fn bytes_table(answers: &[MeasuredAnswer]) -> String {
    let mut table = String::from(
        "## Bytes\n\n| answer | request | bytes | bytes with gzip | part | of them for Lambda, in base64 |\n|---|---|---:|---:|---:|---:|\n",
    );
    for MeasuredAnswer { name, path, text, gzip } in answers {
        let percent = 100.0 * gzip.len() as f64 / text.len() as f64;
        let (plain, sent, base64) = (text.len(), gzip.len(), gzip.len().div_ceil(3) * 4);
        let _ = writeln!(table, "| {name} | `GET {path}` | {plain} | {sent} | {percent:.0} % | {base64} |");
    }
    table
}

fn levels_table(answers: &[MeasuredAnswer]) -> anyhow::Result<String> {
    let mut table = String::from("## Levels\n\nBytes, and milliseconds of processor time.\n\n| answer |");
    table.extend(LEVELS.map(|level| format!(" level {level} |")));
    table.push_str("\n|---|");
    table.extend(LEVELS.map(|_| "---:|"));
    for answer in answers {
        let _ = write!(table, "\n| {} |", answer.name);
        for level in LEVELS {
            let (bytes, time) = measure(&answer.text, Compression::new(level))?;
            let _ = write!(table, " {bytes}, {:.3} ms |", time.as_secs_f64() * 1000.0);
        }
    }
    table.push('\n');
    Ok(table)
}

/// Returns the compressed size, and the processor time of the fastest run.
fn measure(text: &str, level: Compression) -> anyhow::Result<(usize, Duration)> {
    let (mut size, mut fastest) = (0, Duration::MAX);
    for _ in 0..ROUNDS {
        let start = thread_time();
        size = compress(text, level)?.len();
        fastest = fastest.min(thread_time().saturating_sub(start));
    }
    Ok((size, fastest))
}

fn compress(text: &str, level: Compression) -> std::io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(text.len() / 4), level);
    encoder.write_all(text.as_bytes())?;
    encoder.finish()
}
