//! Single start of a function.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use serde_json::Value;
use tokio::process::Command;

use crate::sandbox::process::{CpuMeter, peak_mb, process_id};
use crate::sandbox::runtime_api::{API_FUNCTION_TIMEOUT, RuntimeApi};

/// Role of a function in the comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CandidateKind {
    /// Empty function: the lower limit.
    Empty,
    /// Function of ours, as it is deployed.
    Ours,
    /// Function of ours that opens no connection while it starts.
    Unconnected,
    /// Function to compare with: the minimal one with the SDK, or one in another language.
    Other,
}

/// Size of the deployed files in bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Size {
    pub(super) plain: u64,
    pub(super) zipped: u64,
}

/// Function that is compared.
pub(super) struct Candidate {
    pub(super) kind: CandidateKind,
    pub(super) name: &'static str,
    pub(super) program: PathBuf,
    pub(super) arguments: Vec<OsString>,
    /// Event of the first request.
    pub(super) event: String,
    /// Size of the function with its SDK.
    pub(super) size: Size,
}

/// Times and memory of one start.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Trial {
    /// Time from exec to the first poll of the runtime API.
    pub(super) init_ms: f64,
    /// Processor time until the first poll.
    pub(super) init_cpu_ms: f64,
    /// Time from the event to its answer.
    pub(super) request_ms: f64,
    /// Processor time from the first poll to the second.
    pub(super) request_cpu_ms: f64,
    /// Peak of the resident memory.
    pub(super) memory_mb: f64,
}

impl Candidate {
    /// Starts the function in a clean environment, sends its event, and ends it after the answer.
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
            init_ms: milliseconds(polled.saturating_sub(started)),
            init_cpu_ms,
            request_ms: milliseconds(answered.saturating_sub(sent)),
            request_cpu_ms: cpu.used_ms()? - init_cpu_ms,
            memory_mb: peak_mb(id)?,
        };
        process.kill().await?;
        ensure_success(&answer).with_context(|| format!("the answer of {}", self.name))?;
        Ok(trial)
    }
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Fails if an answer has a status other than 200. Answers to other events have no status.
fn ensure_success(answer: &[u8]) -> anyhow::Result<()> {
    let answer: Value = serde_json::from_slice(answer)?;
    ensure!(answer.get("statusCode").is_none_or(|status| status == 200), "{answer}");
    Ok(())
}
