//! Search for the worst request of an operation: it changes one of the worst so far, and keeps what costs more.

use fastrand::Rng;

use crate::lambda::memory::Memory;

/// Number of the worst requests that are kept.
const KEPT: usize = 4;
/// Number of readings of a request before it is kept. The least of them counts, since other work of the machine only adds.
const READINGS: usize = 3;
/// Once in so many requests the worst one is read again: all its readings may have been high by chance.
const AGAIN_ONE_IN: usize = 6;
/// One in so many requests is a new one, and no change of a kept one.
const NEW_ONE_IN: usize = 4;
/// Share of its cost that a request keeps without a part that does not make it costly.
const WITHOUT_PART: f64 = 0.95;

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

/// Returns the worst request that is found until `is_over` of the number of requests. `next` makes a new one, or a change of one.
pub(super) async fn climb<C>(
    rng: &mut Rng,
    is_over: impl Fn(usize) -> bool,
    next: impl Fn(&mut Rng, Option<&C>) -> C,
    measure: &impl AsyncFn(&C) -> anyhow::Result<Reading>,
) -> anyhow::Result<WorstRequest<C>> {
    let mut kept = vec![WorstRequest::read(next(rng, None), 0.0, measure).await?];
    for _ in (1..).take_while(|requests| !is_over(*requests)) {
        let is_new = rng.usize(..NEW_ONE_IN) == 0;
        let of = rng.choice(&kept).filter(|_| !is_new).map(|of| &of.candidate);
        let candidate = next(rng, of);
        let costlier_than = kept.get(KEPT - 1).map_or(0.0, |least| least.reading.cpu_ms);
        kept.push(WorstRequest::read(candidate, costlier_than, measure).await?);
        if rng.usize(..AGAIN_ONE_IN) == 0 {
            kept[0].read_again(measure).await?;
        }
        kept.sort_by(|one, other| other.reading.cpu_ms.total_cmp(&one.reading.cpu_ms));
        kept.truncate(KEPT);
    }
    Ok(kept.swap_remove(0))
}

/// Leaves out what does not make a request costly. `smaller` returns it without one part each.
pub(super) async fn simplify<C>(
    found: &mut WorstRequest<C>,
    smaller: impl Fn(&C) -> Vec<C>,
    measure: &impl AsyncFn(&C) -> anyhow::Result<Reading>,
) -> anyhow::Result<()> {
    let (enough, status, mut needed_parts) = (found.reading.cpu_ms * WITHOUT_PART, found.reading.status, 0);
    while let Some(candidate) = smaller(&found.candidate).into_iter().nth(needed_parts) {
        let request = WorstRequest::read(candidate, enough, measure).await?;
        if request.reading.cpu_ms >= enough && request.reading.status == status {
            *found = request;
        } else {
            needed_parts += 1;
        }
    }
    Ok(())
}

impl<C> WorstRequest<C> {
    /// Reads a request, and reads it again while it costs more than this.
    async fn read(
        candidate: C,
        costlier_than: f64,
        measure: &impl AsyncFn(&C) -> anyhow::Result<Reading>,
    ) -> anyhow::Result<Self> {
        let mut request = Self { reading: measure(&candidate).await?, candidate };
        for _ in 1..READINGS {
            if request.reading.cpu_ms > costlier_than {
                request.read_again(measure).await?;
            }
        }
        Ok(request)
    }

    /// Keeps the smaller reading. An answer with another status does not count: a repeated change may be refused.
    async fn read_again(&mut self, measure: &impl AsyncFn(&C) -> anyhow::Result<Reading>) -> anyhow::Result<()> {
        let again = measure(&self.candidate).await?;
        if again.status == self.reading.status && again.cpu_ms < self.reading.cpu_ms {
            self.reading = again;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;
    use crate::worst::texts;

    #[tokio::test]
    async fn worst_text_is_found_although_readings_are_noisy() {
        let noise = RefCell::new(Rng::with_seed(2));
        let next = |rng: &mut Rng, best: Option<&String>| match best {
            Some(best) => texts::mutated(rng, best, 30),
            None => texts::random(rng, 30),
        };
        let measure = async |text: &String| {
            let cost = text.matches('ﷺ').count().min(20) as f64;
            let cpu_ms = cost + f64::from(noise.borrow_mut().u8(..4) / 3) * 100.0;
            Ok(Reading { cpu_ms, memory: Memory(512), status: 200 })
        };
        let rng = &mut Rng::with_seed(1);
        let mut found = climb(rng, |requests| requests == 3_000, next, &measure).await.expect("no error");
        assert_eq!(found.candidate.matches('ﷺ').count().min(20), 20, "{found:?}");
        let without = |text: &String| {
            let left_out = |at: (usize, char)| [&text[..at.0], &text[at.0 + at.1.len_utf8()..]].concat();
            text.char_indices().map(left_out).collect()
        };
        simplify(&mut found, without, &measure).await.expect("no error");
        assert_eq!(found.candidate, "ﷺ".repeat(19), "19 letters cost 95 % of 20");
    }
}
