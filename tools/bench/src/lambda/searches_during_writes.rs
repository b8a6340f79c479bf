//! Searches by a function with its share of a processor, while users of the organisation change.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::{Context as _, ensure};
use presence_runtime::clock::Stopwatch;
use serde_json::json;
use tokio::task::JoinHandle;

use super::environment::{LambdaEnvironment, Organisation};
use super::function::RunningFunction;
use super::results::{SearchesDuringWrites, warm};
use super::{Settings, WriteRate, note};
use crate::sandbox::event;

/// The query of the searches while users change.
const QUERY: &str = "display_business_ids=False&query=lefevrre";
/// Searches until a new function has the directory. Where it never answers, the figures say so.
const FIRST_SEARCHES: usize = 5;

/// Measures both kinds of callers of an organisation.
pub(super) async fn measure(
    stage: &LambdaEnvironment,
    settings: &Settings,
    change: WriteRate,
) -> anyhow::Result<Vec<SearchesDuringWrites>> {
    let org = stage.org(change.users)?;
    let mut all = Vec::new();
    for back_to_back in [false, true] {
        let (mut function, _) = stage.launcher.start("users", settings.liveness_memory).await?;
        let event = event::get("GET /api/v2/user/search", "/api/v2/user/search", QUERY, &org.key);
        for _ in 0..FIRST_SEARCHES {
            if function.invoke(&event).await?.status == 200 {
                break;
            }
        }
        let cold_peak_mb = function.peak_mb()?;
        let writer = Writer::start(stage, org, change.writes_per_second);
        let seconds = Duration::from_secs(settings.liveness_seconds);
        let figures = searches(&mut function, &event, back_to_back, seconds).await;
        let written_per_second = writer.stop().await?;
        let (times, seconds) = figures?;
        all.push(SearchesDuringWrites {
            users: change.users,
            memory: settings.liveness_memory,
            writes_per_second: change.writes_per_second,
            written_per_second,
            back_to_back,
            seconds,
            warm: warm(&times, function.peak_mb()?).context("a search")?,
            cold_peak_mb,
        });
        function.stop().await?;
        note(&format!("{} users, {} writes a second", change.users, change.writes_per_second));
    }
    Ok(all)
}

/// Searches for so long. Returns each search's time, processor time and status, and how long it all took.
async fn searches(
    function: &mut RunningFunction,
    event: &str,
    back_to_back: bool,
    time: Duration,
) -> anyhow::Result<(Vec<(f64, f64, u64)>, f64)> {
    let watch = Stopwatch::start();
    let mut times = Vec::new();
    while watch.elapsed() < time {
        let found = function.invoke(event).await?;
        ensure!(matches!(found.status, 200 | 503), "a search was answered {}", found.status);
        times.push((found.ms, found.cpu_ms, found.status));
        if !back_to_back {
            let next = Duration::from_secs(watch.elapsed().as_secs() + 1);
            tokio::time::sleep(next.saturating_sub(watch.elapsed())).await;
        }
    }
    Ok((times, watch.elapsed().as_secs_f64()))
}

/// Changes users at a rate, through the service in this process, which is not throttled.
struct Writer {
    task: JoinHandle<anyhow::Result<()>>,
    written: Arc<AtomicU64>,
    watch: Stopwatch,
}

impl Writer {
    fn start(stage: &LambdaEnvironment, org: &Organisation, writes_per_second: f64) -> Self {
        let written = Arc::new(AtomicU64::new(0));
        let counter = Arc::clone(&written);
        let (base, key) = (stage.base_url(), org.key.clone());
        let mut rng = fastrand::Rng::with_seed(9);
        let ids: Vec<u64> = (0..1_000).map(|_| org.any(&mut rng)).collect();
        let task = tokio::spawn(async move {
            let client = reqwest::Client::new();
            let mut ticks = tokio::time::interval(Duration::from_secs_f64(1.0 / writes_per_second));
            for id in ids.iter().cycle() {
                ticks.tick().await;
                // Another number than before: the same one again would be no change.
                let body = json!({ "phone": format!("+33 {:09}", fastrand::u32(..1_000_000_000)) });
                let request = client.post(format!("{base}/user/{id}")).header("x-api-key", &key).json(&body);
                let answer = request.send().await?;
                ensure!(answer.status() == 200, "a change was answered {}", answer.status());
                counter.fetch_add(1, Ordering::Relaxed);
            }
            Ok(())
        });
        Self { task, written, watch: Stopwatch::start() }
    }

    /// Stops it, and returns what it wrote each second.
    async fn stop(self) -> anyhow::Result<f64> {
        let rate = self.written.load(Ordering::Relaxed) as f64 / self.watch.elapsed().as_secs_f64();
        if self.task.is_finished() {
            self.task.await??;
        } else {
            self.task.abort();
        }
        Ok(rate)
    }
}
