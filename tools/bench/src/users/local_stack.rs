//! The local stack as a process: how soon it is ready, and how much it serves.

use std::path::PathBuf;
use std::process::Stdio;

use anyhow::{Context as _, ensure};
use futures::stream::{self, StreamExt as _, TryStreamExt as _};
use presence_runtime::clock::Stopwatch;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

const STARTS: usize = 11;
const REQUESTS: usize = 20_000;
const IN_FLIGHT: usize = 16;
/// Clock ticks of /proc in a second: fixed on Linux.
const TICKS: f64 = 100.0;

struct LocalStack {
    process: Child,
    ready_ms: f64,
    summary: Value,
}

/// Measures both and renders them.
pub(crate) async fn report() -> anyhow::Result<String> {
    let mut ready = Vec::with_capacity(STARTS);
    for _ in 0..STARTS {
        let mut server = LocalStack::start().await?;
        ready.push(server.ready_ms);
        server.process.kill().await?;
    }
    ready.sort_by(f64::total_cmp);
    let mut server = LocalStack::start().await?;
    let per_cpu_second = server.requests_per_cpu_second().await?;
    server.process.kill().await?;
    let (median, slowest) = (ready[STARTS / 2], ready[STARTS - 1]);
    Ok(format!(
        "\n## Local stack\n\n| what | figure |\n|---|---:|\n\
         | from process start to ready, sample data loaded: median of {STARTS} | {median:.0} ms |\n\
         | the slowest of them | {slowest:.0} ms |\n\
         | `GET /user/{{user_id}}` through the gateway, on the embedded `DynamoDB`, for each second of the stack's CPU \
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

    async fn requests_per_cpu_second(&mut self) -> anyhow::Result<f64> {
        let base = self.summary["base_url"].as_str().context("base_url")?;
        let key = self.summary["keys"]["ORG_ADMIN"].as_str().context("a key")?;
        let client = reqwest::Client::new();
        let me: Value = client.get(format!("{base}/user/me")).header("x-api-key", key).send().await?.json().await?;
        let url = format!("{base}/user/{}", me["id"].as_str().context("an id")?);
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

    /// CPU time of the process, user and system.
    fn cpu_seconds(&self) -> anyhow::Result<f64> {
        let id = self.process.id().context("a running process")?;
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat"))?;
        // The fields behind the name, which may hold blanks; utime and stime are the 14th and 15th of all.
        let fields: Vec<_> = stat.rsplit(") ").next().unwrap_or_default().split(' ').collect();
        let ticks = |field: usize| fields.get(field).and_then(|text| text.parse::<f64>().ok());
        Ok((ticks(11).context("utime")? + ticks(12).context("stime")?) / TICKS)
    }
}
