//! Speed of the local stack, run as a process: time to ready, and requests served.

use std::path::PathBuf;
use std::process::Stdio;

use anyhow::{Context as _, ensure};
use futures::stream::{self, StreamExt as _, TryStreamExt as _};
use presence_runtime::clock::Stopwatch;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

/// Number of measured starts.
const STARTS: usize = 11;
/// Number of requests, and of those in flight at once.
const REQUESTS: usize = 20_000;
const IN_FLIGHT: usize = 16;
/// Clock ticks of /proc per second. The number is fixed on Linux.
const TICKS_PER_SECOND: f64 = 100.0;

/// Running process of the local stack.
struct LocalStack {
    process: Child,
    ready_ms: f64,
    /// Addresses and keys, as the stack prints them.
    summary: Value,
}

/// Measures the start and the requests. Renders the section of the report.
pub(crate) async fn report() -> anyhow::Result<String> {
    let mut ready = Vec::with_capacity(STARTS);
    for _ in 0..STARTS {
        let mut stack = LocalStack::start().await?;
        ready.push(stack.ready_ms);
        stack.process.kill().await?;
    }
    ready.sort_by(f64::total_cmp);
    let mut stack = LocalStack::start().await?;
    let per_cpu_second = stack.requests_per_cpu_second().await?;
    stack.process.kill().await?;
    let (median, slowest) = (ready[STARTS / 2], ready[STARTS - 1]);
    Ok(format!(
        "\n## Local stack\n\n| what | figure |\n|---|---:|\n\
         | from process start to ready, sample data loaded: median of {STARTS} | {median:.0} ms |\n\
         | the slowest of them | {slowest:.0} ms |\n\
         | `GET /user/{{user_id}}` through the gateway, on the embedded `DynamoDB`, for each second of the stack's CPU time \
         | {per_cpu_second:.0} |\n"
    ))
}

impl LocalStack {
    async fn start() -> anyhow::Result<Self> {
        let program: PathBuf = std::env::current_exe()?.with_file_name("presence-local");
        ensure!(program.exists(), "build it first: cargo build --profile bench -p presence-local");
        let stopwatch = Stopwatch::start();
        let mut process = Command::new(program)
            .args(["--port", "0", "--json"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()?;
        let mut lines = BufReader::new(process.stdout.take().context("a piped stdout")?).lines();
        let line = lines.next_line().await?.context("the stack ended before it was ready")?;
        let ready_ms = stopwatch.elapsed().as_secs_f64() * 1e3;
        Ok(Self { process, ready_ms, summary: serde_json::from_str(&line)? })
    }

    /// Returns the number of requests that the stack serves in a second of its processor time.
    async fn requests_per_cpu_second(&mut self) -> anyhow::Result<f64> {
        let base_url = self.summary["base_url"].as_str().context("base_url")?;
        let key = self.summary["keys"]["ORG_ADMIN"].as_str().context("a key")?;
        let client = reqwest::Client::new();
        let me: Value = client.get(format!("{base_url}/user/me")).header("x-api-key", key).send().await?.json().await?;
        let url = format!("{base_url}/user/{}", me["id"].as_str().context("an id")?);
        let before = self.cpu_seconds()?;
        let requests = (0..REQUESTS).map(|_| {
            let request = client.get(&url).header("x-api-key", key);
            async move {
                let response = request.send().await?.error_for_status()?;
                response.bytes().await?;
                anyhow::Ok(())
            }
        });
        stream::iter(requests).buffer_unordered(IN_FLIGHT).try_collect::<()>().await?;
        Ok(REQUESTS as f64 / (self.cpu_seconds()? - before))
    }

    /// Returns the processor time of the process, user and system.
    fn cpu_seconds(&self) -> anyhow::Result<f64> {
        let id = self.process.id().context("a running process")?;
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat"))?;
        // The second field is the name in brackets, which may contain blanks. `utime` and `stime` are the fields 14 and 15, and so
        // 11 and 12 after the name.
        let fields: Vec<_> = stat.rsplit(") ").next().unwrap_or_default().split(' ').collect();
        let ticks = |position: usize| fields.get(position).and_then(|text| text.parse::<f64>().ok());
        Ok((ticks(11).context("utime")? + ticks(12).context("stime")?) / TICKS_PER_SECOND)
    }
}
