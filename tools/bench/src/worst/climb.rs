//! Search for the dearest request of an operation: it changes one of the dearest so far, and keeps what costs more.

use fastrand::Rng;

use crate::lambda::memory::Memory;

/// Number of the dearest requests that are kept.
const KEPT: usize = 4;
/// One in so many readings is another one of the dearest request. The least of its readings counts: other work of the machine only adds.
const AGAIN_ONE_IN: usize = 3;
/// One in so many requests is a new one, and no change of a kept one.
const NEW_ONE_IN: usize = 4;
/// Number of readings of each kept request at the end.
const LAST_READINGS: usize = 3;

/// Request with what it costs.
#[derive(Clone, Debug)]
pub(super) struct WorstRequest<C> {
    pub(super) candidate: C,
    pub(super) reading: Reading,
}

/// Processor time of a request, memory of its function, and status of its answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Reading {
    pub(super) cpu_ms: f64,
    pub(super) memory: Memory,
    pub(super) status: i64,
}

/// Returns the dearest request that is found until `is_over` of the number of readings. `next` makes a new request, or a change of one.
pub(super) async fn climb<C>(
    rng: &mut Rng,
    is_over: impl Fn(usize) -> bool,
    next: impl Fn(&mut Rng, Option<&C>) -> C,
    mut measure: impl AsyncFnMut(&C) -> anyhow::Result<Reading>,
) -> anyhow::Result<WorstRequest<C>> {
    let candidate = next(rng, None);
    let mut kept = vec![WorstRequest { reading: measure(&candidate).await?, candidate }];
    for _ in (1..).take_while(|readings| !is_over(*readings)) {
        if rng.usize(..AGAIN_ONE_IN) == 0 {
            kept[0].read_again(&mut measure).await?;
        } else {
            let is_new = rng.usize(..NEW_ONE_IN) == 0;
            let of = rng.choice(&kept).filter(|_| !is_new).map(|of| &of.candidate);
            let candidate = next(rng, of);
            kept.push(WorstRequest { reading: measure(&candidate).await?, candidate });
        }
        keep_dearest(&mut kept);
    }
    for request in &mut kept {
        for _ in 0..LAST_READINGS {
            request.read_again(&mut measure).await?;
        }
    }
    keep_dearest(&mut kept);
    Ok(kept.swap_remove(0))
}

fn keep_dearest<C>(requests: &mut Vec<WorstRequest<C>>) {
    requests.sort_by(|one, other| other.reading.cpu_ms.total_cmp(&one.reading.cpu_ms));
    requests.truncate(KEPT);
}

impl<C> WorstRequest<C> {
    /// Keeps the smaller reading. An answer with another status does not count: a repeated change may be refused.
    async fn read_again(&mut self, measure: &mut impl AsyncFnMut(&C) -> anyhow::Result<Reading>) -> anyhow::Result<()> {
        let again = measure(&self.candidate).await?;
        if again.status == self.reading.status && again.cpu_ms < self.reading.cpu_ms {
            self.reading = again;
        }
        Ok(())
    }
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
            let cpu_ms = cost + f64::from(noise.u8(..4) / 3) * 100.0;
            Ok(Reading { cpu_ms, memory: Memory(512), status: 200 })
        };
        let found = climb(&mut Rng::with_seed(1), |tries| tries == 3_000, next, measure).await.expect("no error");
        let letters = found.candidate.matches('ﷺ').count();
        assert!(letters >= 28, "{found:?}");
    }
}
