//! Measurement of the backends: first their answers are compared, then their times are measured.

use std::collections::BTreeMap;
use std::time::Duration;

use presence_bench::cost::Cost;

use super::backend::{Answer, Backend};
use super::backends::{Backends, PreparedSearch};
use super::note;
use super::search::Search;

/// Number of entries that the thin index reads in the further runs of a search. One run over a million takes a minute on a busy
/// machine.
const THIN_INDEX_READS: u64 = 100_000;

/// Cost and times of a search in one backend.
#[derive(Clone, Debug)]
pub(super) struct Measurement {
    pub(super) cost: Cost,
    /// Times of the runs, ascending once all rounds are done. Empty if the search was only counted.
    times: Vec<Duration>,
    /// Processor times of the same runs, in the same way.
    cpu_times: Vec<Duration>,
}

/// Search with its measurements in all backends.
pub(super) struct MeasuredSearch {
    pub(super) search: Search,
    pub(super) measurements: BTreeMap<Backend, Measurement>,
}

impl Measurement {
    /// Returns a measurement without times.
    pub(super) fn counted(cost: Cost) -> Self {
        Self { cost, times: Vec::new(), cpu_times: Vec::new() }
    }

    /// Adds a timed run.
    pub(super) fn add(&mut self, answer: &Answer) {
        self.times.push(answer.elapsed);
        self.cpu_times.push(answer.cpu);
    }

    /// Sorts the times, once all runs are added.
    pub(super) fn finish(&mut self) {
        self.times.sort_unstable();
        self.cpu_times.sort_unstable();
    }

    /// Returns a quantile of the times in milliseconds.
    pub(super) fn quantile_ms(&self, share: f64) -> f64 {
        quantile_ms(&self.times, share)
    }

    /// Returns the median of the processor times in milliseconds.
    pub(super) fn cpu_ms(&self) -> f64 {
        quantile_ms(&self.cpu_times, 0.5)
    }

    /// Returns the median of the times in milliseconds.
    pub(super) fn median_ms(&self) -> f64 {
        self.quantile_ms(0.5)
    }

    /// Returns the number of timed runs.
    pub(super) fn runs(&self) -> usize {
        self.times.len()
    }
}

impl MeasuredSearch {
    /// Returns the median time of a backend in milliseconds.
    pub(super) fn median_ms(&self, backend: Backend) -> Option<f64> {
        self.measurements.get(&backend).map(Measurement::median_ms)
    }

    /// Returns the median processor time of a backend in milliseconds.
    pub(super) fn cpu_ms(&self, backend: Backend) -> Option<f64> {
        self.measurements.get(&backend).map(Measurement::cpu_ms)
    }

    /// Returns the cost of a backend.
    pub(super) fn cost(&self, backend: Backend) -> Option<Cost> {
        self.measurements.get(&backend).map(|measurement| measurement.cost)
    }
}

/// Returns a quantile of ascending times in milliseconds, by the nearest rank.
fn quantile_ms(times: &[Duration], share: f64) -> f64 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a rank among the runs")]
    let rank = (times.len() as f64 * share).ceil() as usize;
    times.get(rank.saturating_sub(1)).map_or(f64::NAN, |time| time.as_secs_f64() * 1e3)
}

/// Makes every search once in every backend. Fails at the first difference between two answers.
pub(super) async fn verify_agreement(
    backends: &Backends,
    searches: &[PreparedSearch],
) -> anyhow::Result<Vec<MeasuredSearch>> {
    let mut measured = Vec::with_capacity(searches.len());
    for prepared in searches {
        let expected = backends.search(Backend::WarmLedger, prepared).await?;
        let mut measurements = BTreeMap::new();
        for backend in backends.for_search(&prepared.search) {
            let answer = backends.search(backend, prepared).await?;
            expected.ensure_agrees(&answer, &prepared.search, backend)?;
            // The thin index is too slow to waste a run. For the others, the first run is a warm-up.
            let mut measurement = Measurement::counted(answer.cost);
            if backend == Backend::ThinIndex {
                measurement.add(&answer);
            }
            measurements.insert(backend, measurement);
        }
        measured.push(MeasuredSearch { search: prepared.search.clone(), measurements });
    }
    note(&format!("{} searches have the same answers", measured.len()));
    Ok(measured)
}

/// Measures all backends in turns, so that other load of the machine affects all alike. The thin index takes part in the first
/// rounds only.
pub(super) async fn measure(
    backends: &Backends,
    searches: &[PreparedSearch],
    measured: &mut [MeasuredSearch],
    total: u64,
    rounds: u64,
) -> anyhow::Result<()> {
    for round in 0..rounds {
        run_round(backends, searches, measured, |backend| backend != Backend::ThinIndex).await?;
        if round < THIN_INDEX_READS / total {
            run_round(backends, searches, measured, |backend| backend == Backend::ThinIndex).await?;
        }
        note(&format!("round {} of {rounds}", round + 1));
    }
    for measurement in measured.iter_mut().flat_map(|search| search.measurements.values_mut()) {
        measurement.finish();
    }
    Ok(())
}

/// Adds one time to the measurements of the backends that take part.
async fn run_round(
    backends: &Backends,
    searches: &[PreparedSearch],
    measured: &mut [MeasuredSearch],
    takes_part: fn(Backend) -> bool,
) -> anyhow::Result<()> {
    for (prepared, measured) in searches.iter().zip(measured) {
        for (backend, measurement) in measured.measurements.iter_mut().filter(|(backend, _)| takes_part(**backend)) {
            measurement.add(&backends.search(*backend, prepared).await?);
        }
    }
    Ok(())
}
