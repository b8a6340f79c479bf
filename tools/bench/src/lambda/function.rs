//! Process of a release binary, throttled to its share of a processor.

use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::{Context as _, ensure};
use bytes::Bytes;
use serde_json::Value;
use tokio::io::AsyncReadExt as _;
use tokio::process::{Child, ChildStdout, Command};

use super::cgroup::Cgroup;
use super::memory::Memory;
use crate::sandbox::environment;
use crate::sandbox::process::{CpuMeter, peak_mb};
use crate::sandbox::runtime_api::{API_FUNCTION_TIMEOUT, RuntimeApi};

/// Timeout of the mailer in the template.
const MAILER_TIMEOUT: Duration = Duration::from_mins(1);

/// Launcher of functions.
pub(super) struct FunctionLauncher {
    /// Folder with the release binaries.
    pub(super) programs: PathBuf,
    pub(super) dynamodb_url: String,
    pub(super) ses_url: String,
    /// File with the certificates that functions trust.
    pub(super) roots: String,
}

/// Time of a start. As on Lambda, a start has a whole processor.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct InitTimes {
    pub(super) ms: f64,
    pub(super) cpu_ms: f64,
}

/// Measured values of one event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Invocation {
    pub(crate) ms: f64,
    pub(crate) cpu_ms: f64,
    /// Size of the answer as it goes to the gateway.
    pub(crate) answer_bytes: u64,
    /// Bytes that the function has logged.
    pub(crate) log_bytes: u64,
}

/// Running process of a function.
pub(super) struct RunningFunction {
    api: RuntimeApi,
    process: Child,
    id: u32,
    cpu: CpuMeter,
    logged_bytes: Arc<AtomicU64>,
    _throttle: Cgroup,
}

impl FunctionLauncher {
    /// Starts a function. Throttles it as soon as it waits for events.
    pub(super) async fn start(&self, name: &str, memory: Memory) -> anyhow::Result<(RunningFunction, InitTimes)> {
        let mut api = RuntimeApi::start(if name == "mailer" { MAILER_TIMEOUT } else { API_FUNCTION_TIMEOUT }).await?;
        let program = self.programs.join(name);
        ensure!(program.exists(), "{} is missing: build the functions with `cargo build --release`", program.display());
        let mut command = Command::new(&program);
        command.env_clear().envs(environment(&self.dynamodb_url, &self.roots, memory.0)).kill_on_drop(true);
        command.env("AWS_LAMBDA_RUNTIME_API", api.address.to_string()).env("AWS_ENDPOINT_URL_SESV2", &self.ses_url);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let started = api.now();
        let mut process = command.spawn().with_context(|| format!("could not start {}", program.display()))?;
        let logged_bytes = count_bytes(process.stdout.take().context("a piped stdout")?);
        let id = process.id().context("the process has ended")?;
        let mut cpu = CpuMeter::new(id);
        let polled = api.wait_for_poll().await?;
        let init = InitTimes { ms: polled.saturating_sub(started).as_secs_f64() * 1e3, cpu_ms: cpu.used_ms()? };
        let throttle = Cgroup::new(&format!("presence-bench-{id}"), memory)
            .context("this process may not create control groups: run it as root")?;
        throttle.add_process(id).context("cannot add the process to the control group")?;
        Ok((RunningFunction { api, process, id, cpu, logged_bytes, _throttle: throttle }, init))
    }
}

impl RunningFunction {
    /// Sends an event. Waits for its answer and for the next poll. Returns the measured values and the status: 200 for an answer
    /// without one.
    pub(super) async fn invoke(&mut self, event: &str) -> anyhow::Result<(Invocation, u64)> {
        let (used_ms, logged_bytes) = (self.cpu.used_ms()?, self.logged_bytes.load(Ordering::Relaxed));
        let sent = self.api.send(event)?;
        let (answered, answer) = self.api.wait_for_answer().await?;
        self.api.wait_for_poll().await?;
        // The function logs before it answers, but another task reads the log: it must run before the bytes are read.
        tokio::task::yield_now().await;
        let invocation = Invocation {
            ms: answered.saturating_sub(sent).as_secs_f64() * 1e3,
            cpu_ms: self.cpu.used_ms()? - used_ms,
            answer_bytes: answer.len() as u64,
            log_bytes: self.logged_bytes.load(Ordering::Relaxed) - logged_bytes,
        };
        Ok((invocation, status(&answer)?))
    }

    /// Returns the peak of the resident memory.
    pub(super) fn peak_mb(&self) -> anyhow::Result<f64> {
        peak_mb(self.id)
    }

    /// Ends the process, then removes its throttle.
    pub(super) async fn stop(mut self) -> anyhow::Result<()> {
        Ok(self.process.kill().await?)
    }
}

fn status(answer: &Bytes) -> anyhow::Result<u64> {
    let answer: Value = serde_json::from_slice(answer)?;
    Ok(answer.get("statusCode").and_then(Value::as_u64).unwrap_or(200))
}

/// Reads a log in a task. Returns the counter of its bytes.
fn count_bytes(mut log: ChildStdout) -> Arc<AtomicU64> {
    let logged_bytes = Arc::new(AtomicU64::new(0));
    let counter = Arc::clone(&logged_bytes);
    tokio::spawn(async move {
        let mut buffer = [0; 4096];
        while let Ok(bytes @ 1..) = log.read(&mut buffer).await {
            counter.fetch_add(bytes as u64, Ordering::Relaxed);
        }
    });
    logged_bytes
}
