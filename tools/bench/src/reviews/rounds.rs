//! Asking everyone: first whether they agree, then how long it takes.

use std::collections::BTreeMap;
use std::time::Duration;

use presence_store::meter::Cost;

use super::backend::Backend;
use super::backends::{Backends, PreparedSearch};
use super::note;
use super::search::Search;

/// Reviews that the thin index reads in the further runs of a search: one run of a million takes a minute on a busy machine.
const THIN_READS: u64 = 100_000;

/// What a contender needs for a search.
#[derive(Clone, Debug)]
pub(super) struct BackendFigures {
    pub(super) cost: Cost,
    /// Ascending.
    times: Vec<Duration>,
}

/// A search and what each contender needs for it.
pub(super) struct MeasuredSearch {
    pub(super) search: Search,
    pub(super) figures: BTreeMap<Backend, BackendFigures>,
}

impl BackendFigures {
    /// Of what was not timed.
    pub(super) fn counted(cost: Cost) -> Self {
        Self { cost, times: Vec::new() }
    }

    /// The time below which this share of the runs lies, in milliseconds: by nearest rank.
    pub(super) fn quantile_ms(&self, share: f64) -> f64 {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a rank among the runs")]
        let rank = (self.times.len() as f64 * share).ceil() as usize;
        self.times.get(rank.saturating_sub(1)).map_or(f64::NAN, |time| time.as_secs_f64() * 1e3)
    }

    /// The median in milliseconds.
    pub(super) fn p50(&self) -> f64 {
        self.quantile_ms(0.5)
    }

    /// How often it was measured.
    pub(super) fn runs(&self) -> usize {
        self.times.len()
    }
}

/// Asks every contender everything once; the first difference is a failure.
pub(super) async fn verify_agreement(
    stage: &Backends,
    searches: Vec<PreparedSearch>,
) -> anyhow::Result<Vec<(PreparedSearch, MeasuredSearch)>> {
    let mut agreed = Vec::with_capacity(searches.len());
    for ready in searches {
        let ledgers = stage.ask(Backend::Ledger, &ready).await?;
        let mut figures = BTreeMap::new();
        for who in stage.backends(&ready.search) {
            let answer = stage.ask(who, &ready).await?;
            ledgers.ensure_agrees(&answer, &ready.search, who)?;
            // What takes so long is not made more often than it must; the others' first run is to warm up.
            let times = if who == Backend::ThinIndex { vec![answer.elapsed] } else { Vec::new() };
            figures.insert(who, BackendFigures { cost: answer.cost, times });
        }
        let measured = MeasuredSearch { search: ready.search.clone(), figures };
        agreed.push((ready, measured));
    }
    note(&format!("{} searches have the same answers", agreed.len()));
    Ok(agreed)
}

/// Measures everyone in turns, so that what else the machine does hits all alike. The thin index, which takes so much
/// longer, has fewer turns, at the ends of the first rounds.
pub(super) async fn measure(
    stage: &Backends,
    agreed: &mut [(PreparedSearch, MeasuredSearch)],
    total: u64,
    rounds: u64,
) -> anyhow::Result<()> {
    for round in 0..rounds {
        turn(stage, agreed, |who| who != Backend::ThinIndex).await?;
        if round < THIN_READS / total {
            turn(stage, agreed, |who| who == Backend::ThinIndex).await?;
        }
        note(&format!("round {} of {rounds}", round + 1));
    }
    let all = agreed.iter_mut().flat_map(|(_, measured)| measured.figures.values_mut());
    all.for_each(|figures| figures.times.sort_unstable());
    Ok(())
}

async fn turn(
    stage: &Backends,
    agreed: &mut [(PreparedSearch, MeasuredSearch)],
    has_a_turn: impl Fn(Backend) -> bool,
) -> anyhow::Result<()> {
    for (ready, measured) in agreed {
        for (who, figures) in measured.figures.iter_mut().filter(|(who, _)| has_a_turn(**who)) {
            figures.times.push(stage.ask(*who, ready).await?.elapsed);
        }
    }
    Ok(())
}
