//! A release binary of a function, running with its share of a processor.

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

use super::memory::Memory;
use super::throttle::{Throttle, ThrottleMode};
use crate::sandbox::environment;
use crate::sandbox::process::{CpuMeter, peak_mb, process_id};
use crate::sandbox::runtime_api::{API_FUNCTION_TIMEOUT, RuntimeApi};

/// The time that the template gives the mailer.
const MAILER_TIMEOUT: Duration = Duration::from_mins(1);

/// Starts functions.
pub(super) struct FunctionLauncher {
    /// Where the release binaries are.
    pub(super) programs: PathBuf,
    pub(super) dynamodb_url: String,
    pub(super) ses_url: String,
    pub(super) roots: String,
    pub(super) way: ThrottleMode,
}

/// The figures of a start. It has the whole processor, as on Lambda.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct InitTimes {
    pub(super) ms: f64,
    pub(super) cpu_ms: f64,
}

/// The figures of one event.
#[derive(Clone, Copy, Debug)]
pub(super) struct Invocation {
    pub(super) ms: f64,
    pub(super) cpu_ms: f64,
    /// The status of the answer; 200 where it has none.
    pub(super) status: u64,
    /// The answer, as it goes to the gateway.
    pub(super) answer_bytes: u64,
    /// The bytes that the function has logged.
    pub(super) log_bytes: u64,
}

/// A running function.
pub(super) struct RunningFunction {
    api: RuntimeApi,
    process: Child,
    id: u32,
    cpu: CpuMeter,
    logged: Arc<AtomicU64>,
    throttle: Throttle,
}

impl FunctionLauncher {
    /// Starts a function and gives it its share as soon as it waits for events.
    pub(super) async fn start(&self, name: &str, memory: Memory) -> anyhow::Result<(RunningFunction, InitTimes)> {
        let mut api = RuntimeApi::start(if name == "mailer" { MAILER_TIMEOUT } else { API_FUNCTION_TIMEOUT }).await?;
        let program = self.programs.join(name);
        ensure!(program.exists(), "{} is missing: build the functions with `cargo build --release`", program.display());
        let mut command = Command::new(&program);
        command.env_clear().envs(environment(&self.dynamodb_url, &self.roots, memory.0)).kill_on_drop(true);
        command.env("AWS_LAMBDA_RUNTIME_API", api.address().to_string()).env("AWS_ENDPOINT_URL_SESV2", &self.ses_url);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let started = api.now();
        let mut process = command.spawn().with_context(|| format!("could not start {}", program.display()))?;
        let logged = count(process.stdout.take().context("a piped stdout")?);
        let id = process_id(&process)?;
        let mut cpu = CpuMeter::new(id);
        let polled = api.wait_for_poll().await?;
        let init = InitTimes { ms: ms(polled.saturating_sub(started)), cpu_ms: cpu.used_ms()? };
        let throttle = Throttle::apply(id, memory, self.way)?;
        Ok((RunningFunction { api, process, id, cpu, logged, throttle }, init))
    }
}

impl RunningFunction {
    /// Hands it an event, and waits for its answer and for the poll behind it.
    pub(super) async fn invoke(&mut self, event: &str) -> anyhow::Result<Invocation> {
        let (used_ms, logged) = (self.cpu.used_ms()?, self.logged.load(Ordering::Relaxed));
        let sent = self.api.send(event)?;
        let (answered, answer) = self.api.wait_for_answer().await?;
        self.api.wait_for_poll().await?;
        // The log of the request is written before its answer, and read beside it.
        tokio::task::yield_now().await;
        Ok(Invocation {
            ms: ms(answered.saturating_sub(sent)),
            cpu_ms: self.cpu.used_ms()? - used_ms,
            status: status(&answer)?,
            answer_bytes: answer.len() as u64,
            log_bytes: self.logged.load(Ordering::Relaxed) - logged,
        })
    }

    /// Returns the most memory that it had resident.
    pub(super) fn peak_mb(&self) -> anyhow::Result<f64> {
        peak_mb(self.id)
    }

    /// Returns how it is given its share.
    pub(super) fn way(&self) -> &'static str {
        self.throttle.describe()
    }

    /// Ends it, and then what limits it.
    pub(super) async fn stop(mut self) -> anyhow::Result<()> {
        Ok(self.process.kill().await?)
    }
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn status(answer: &Bytes) -> anyhow::Result<u64> {
    let answer: Value = serde_json::from_slice(answer)?;
    Ok(answer.get("statusCode").and_then(Value::as_u64).unwrap_or(200))
}

/// Counts what a function writes.
fn count(mut log: ChildStdout) -> Arc<AtomicU64> {
    let logged = Arc::new(AtomicU64::new(0));
    let counter = Arc::clone(&logged);
    tokio::spawn(async move {
        let mut buffer = [0; 4096];
        while let Ok(bytes @ 1..) = log.read(&mut buffer).await {
            counter.fetch_add(bytes as u64, Ordering::Relaxed);
        }
    });
    logged
}
