//! One start of one function.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use serde_json::Value;
use tokio::process::Command;

use crate::sandbox::process::{CpuMeter, peak_mb, process_id};
use crate::sandbox::runtime_api::{API_FUNCTION_TIMEOUT, RuntimeApi};

/// What a function is compared as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CandidateKind {
    /// The limit.
    Empty,
    /// As it is deployed.
    Ours,
    /// Ours, with no connection opened while it starts.
    Unconnected,
    /// To compare with: the least with the SDK, and other languages.
    Other,
}

/// How large something is, in bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Size {
    pub(super) plain: u64,
    pub(super) zipped: u64,
}

/// A function that can be started.
pub(super) struct Candidate {
    pub(super) kind: CandidateKind,
    pub(super) name: &'static str,
    pub(super) program: PathBuf,
    pub(super) arguments: Vec<OsString>,
    /// The event of its first request.
    pub(super) event: String,
    /// What is deployed, with its SDK.
    pub(super) size: Size,
}

/// What one start took.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Trial {
    /// From exec to the first poll of the runtime API.
    pub(super) init_ms: f64,
    /// CPU of the process until then.
    pub(super) init_cpu_ms: f64,
    /// From the event to its answer.
    pub(super) request_ms: f64,
    /// CPU of the process from the first poll to the second.
    pub(super) request_cpu_ms: f64,
    /// The most memory that it had resident.
    pub(super) memory_mb: f64,
}

impl Candidate {
    /// Starts it in a clean environment, lets it answer its event, and ends it.
    pub(super) async fn run(&self, environment: &[(&str, String)]) -> anyhow::Result<Trial> {
        let mut api = RuntimeApi::start(API_FUNCTION_TIMEOUT).await?;
        let mut command = Command::new(&self.program);
        command
            .args(&self.arguments)
            .env_clear()
            .envs(environment.iter().map(|(name, value)| (name, value)))
            .kill_on_drop(true);
        command.env("AWS_LAMBDA_RUNTIME_API", api.address().to_string());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let started = api.now();
        let mut process = command.spawn().with_context(|| format!("could not start {}", self.program.display()))?;
        let id = process_id(&process)?;
        let mut cpu = CpuMeter::new(id);
        let polled = api.wait_for_poll().await?;
        let init_cpu_ms = cpu.used_ms()?;
        let sent = api.send(&self.event)?;
        let (answered, answer) = api.wait_for_answer().await?;
        api.wait_for_poll().await?;
        let trial = Trial {
            init_ms: ms(polled.saturating_sub(started)),
            init_cpu_ms,
            request_ms: ms(answered.saturating_sub(sent)),
            request_cpu_ms: cpu.used_ms()? - init_cpu_ms,
            memory_mb: peak_mb(id)?,
        };
        process.kill().await?;
        check(&answer).with_context(|| format!("the answer of {}", self.name))?;
        Ok(trial)
    }
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// An answer over HTTP is 200; others are an object or nothing.
fn check(answer: &[u8]) -> anyhow::Result<()> {
    let answer: Value = serde_json::from_slice(answer)?;
    ensure!(answer.get("statusCode").is_none_or(|status| status == 200), "{answer}");
    Ok(())
}
