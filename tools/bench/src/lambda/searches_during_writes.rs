//! Searches by a throttled function while users of the organisation change.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::{Context as _, ensure};
use presence_runtime::clock::Stopwatch;
use serde_json::json;
use tokio::task::JoinHandle;

use super::environment::{LambdaEnvironment, Organisation};
use super::function::{Invocation, RunningFunction};
use super::results::{SearchesDuringWrites, WarmRequests};
use super::{Settings, WriteRate, note};
use crate::sandbox::event;

/// Query string of the searches.
const QUERY: &str = "display_business_ids=False&query=lefevrre";
/// Attempts until a new function holds the directory. If all are answered 503, the results show it.
const WARM_UP_ATTEMPTS: usize = 5;
/// Number of users that are changed in turn.
const CHANGED_USERS: usize = 1_000;

/// Measures an organisation with one search a second, and with searches back to back.
pub(super) async fn measure(
    environment: &LambdaEnvironment,
    settings: &Settings,
    rate: WriteRate,
) -> anyhow::Result<Vec<SearchesDuringWrites>> {
    let mut results = Vec::new();
    for back_to_back in [false, true] {
        results.push(measure_pace(environment, settings, rate, back_to_back).await?);
        note(&format!("{} users, {} writes a second", rate.users, rate.writes_per_second));
    }
    Ok(results)
}

async fn measure_pace(
    environment: &LambdaEnvironment,
    settings: &Settings,
    rate: WriteRate,
    back_to_back: bool,
) -> anyhow::Result<SearchesDuringWrites> {
    let org = environment.org(rate.users)?;
    let (mut function, _) = environment.launcher.start("users", settings.during_writes_memory).await?;
    let event = event::get("GET /api/v2/user/search", "/api/v2/user/search", QUERY, &org.key);
    warm_up(&mut function, &event).await?;
    let cold_peak_mb = function.peak_mb()?;
    let writer = Writer::start(environment, org, rate.writes_per_second);
    let time = Duration::from_secs(settings.during_writes_seconds);
    let watch = Stopwatch::start();
    let searches = search_for(&mut function, &event, back_to_back, time).await;
    let seconds = watch.elapsed().as_secs_f64();
    // The writer ends before an error of the searches is returned.
    let written_per_second = writer.stop().await?;
    let searches = WarmRequests::summarise(&searches?, function.peak_mb()?).context("a search")?;
    function.stop().await?;
    Ok(SearchesDuringWrites {
        users: rate.users,
        memory: settings.during_writes_memory,
        writes_per_second: rate.writes_per_second,
        written_per_second,
        back_to_back,
        seconds,
        searches,
        cold_peak_mb,
    })
}

async fn warm_up(function: &mut RunningFunction, event: &str) -> anyhow::Result<()> {
    for _ in 0..WARM_UP_ATTEMPTS {
        if function.invoke(event).await?.status == 200 {
            break;
        }
    }
    Ok(())
}

async fn search_for(
    function: &mut RunningFunction,
    event: &str,
    back_to_back: bool,
    time: Duration,
) -> anyhow::Result<Vec<Invocation>> {
    let watch = Stopwatch::start();
    let mut searches = Vec::new();
    while watch.elapsed() < time {
        let search = function.invoke(event).await?;
        ensure!(matches!(search.status, 200 | 503), "a search was answered {}", search.status);
        searches.push(search);
        if !back_to_back {
            let next = Duration::from_secs(watch.elapsed().as_secs() + 1);
            tokio::time::sleep(next.saturating_sub(watch.elapsed())).await;
        }
    }
    Ok(searches)
}

/// Task that changes users at a rate. It calls the service in this process, which is not throttled.
struct Writer {
    task: JoinHandle<anyhow::Result<()>>,
    written: Arc<AtomicU64>,
    watch: Stopwatch,
}

impl Writer {
    fn start(environment: &LambdaEnvironment, org: &Organisation, writes_per_second: f64) -> Self {
        let written = Arc::new(AtomicU64::new(0));
        let counter = Arc::clone(&written);
        let (base_url, key) = (environment.base_url(), org.key.clone());
        let mut rng = fastrand::Rng::with_seed(9);
        let ids: Vec<u64> = (0..CHANGED_USERS).map(|_| org.random_active_user(&mut rng)).collect();
        let task = tokio::spawn(async move {
            let client = reqwest::Client::new();
            let mut ticks = tokio::time::interval(Duration::from_secs_f64(1.0 / writes_per_second));
            for id in ids.iter().cycle() {
                ticks.tick().await;
                // A random number: to write the same number again would not be a change.
                let body = json!({ "phone": format!("+33 {:09}", fastrand::u32(..1_000_000_000)) });
                let request = client.post(format!("{base_url}/user/{id}")).header("x-api-key", &key).json(&body);
                let response = request.send().await?;
                ensure!(response.status() == 200, "a change was answered {}", response.status());
                counter.fetch_add(1, Ordering::Relaxed);
            }
            Ok(())
        });
        Self { task, written, watch: Stopwatch::start() }
    }

    /// Stops the task. Returns the number of its writes per second.
    async fn stop(self) -> anyhow::Result<f64> {
        let rate = self.written.load(Ordering::Relaxed) as f64 / self.watch.elapsed().as_secs_f64();
        if self.task.is_finished() {
            // The task ends by itself only with an error.
            self.task.await??;
        } else {
            self.task.abort();
        }
        Ok(rate)
    }
}
