//! Search for the dearest request of an operation: it changes the dearest one so far, and keeps what costs more.

use fastrand::Rng;

/// Number of readings of a request before it counts as dearer. The least of them counts, since other work of the machine only adds.
const READINGS: usize = 3;
/// One in so many requests is a new one, and no change of the dearest.
const NEW_ONE_IN: usize = 4;

/// Request with what it costs.
#[derive(Clone, Debug)]
pub(super) struct WorstRequest<C> {
    pub(super) candidate: C,
    pub(super) reading: Reading,
}

/// Processor time of a request, and the status of its answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Reading {
    pub(super) cpu_ms: f64,
    pub(super) status: i64,
}

impl Reading {
    fn least(self, other: Self) -> Self {
        if other.cpu_ms < self.cpu_ms { other } else { self }
    }
}

/// Returns the dearest of so many requests. `next` makes a new request, or a change of one. `measure` returns `None` for a request that
/// does not reach the function.
pub(super) async fn climb<C>(
    rng: &mut Rng,
    tries: usize,
    next: impl Fn(&mut Rng, Option<&C>) -> C,
    mut measure: impl AsyncFnMut(&C) -> anyhow::Result<Option<Reading>>,
) -> anyhow::Result<Option<WorstRequest<C>>> {
    let mut best: Option<WorstRequest<C>> = None;
    for _ in 0..tries {
        let is_new = rng.usize(..NEW_ONE_IN) == 0;
        let candidate = next(rng, best.as_ref().map(|found| &found.candidate).filter(|_| !is_new));
        let dearest = best.as_ref().map_or(0.0, |found| found.reading.cpu_ms);
        let Some(mut reading) = measure(&candidate).await? else { continue };
        for _ in 1..READINGS {
            if reading.cpu_ms > dearest
                && let Some(again) = measure(&candidate).await?
            {
                reading = reading.least(again);
            }
        }
        if reading.cpu_ms > dearest {
            best = Some(WorstRequest { candidate, reading });
        }
    }
    Ok(best)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::worst::texts;

    #[tokio::test]
    async fn dearest_text_is_found_although_readings_are_noisy() {
        let mut noise = Rng::with_seed(2);
        let next = |rng: &mut Rng, best: Option<&String>| match best {
            Some(best) => texts::mutated(rng, best, 30),
            None => texts::random(rng, 30),
        };
        let measure = async |text: &String| {
            let cost = text.matches('ﷺ').count() as f64;
            let reading = Reading { cpu_ms: cost + f64::from(noise.u8(..3) / 2) * 100.0, status: 200 };
            Ok((!text.contains('"')).then_some(reading))
        };
        let found = climb(&mut Rng::with_seed(1), 3_000, next, measure).await.expect("no error").expect("a text");
        let letters = found.candidate.matches('ﷺ').count();
        assert!(letters >= 28 && !found.candidate.contains('"'), "{found:?}");
    }
}
