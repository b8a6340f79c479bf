//! Simulation of the ledger: the store itself, over tables that behave as badly as `DynamoDB` may.
//!
//! A process is a request to one of several instances. Each of its calls waits for its turn ([`calls`]). A seed chooses which call goes on,
//! what an eventual read shows ([`world`], [`tables`]), and which process dies. Every answer is compared with the truth at the
//! positions of the logs that it was made from ([`oracle`], [`judge`]), and every write of a review with what its process was to do
//! ([`people`]). `PRESENCE_LEDGER_SEEDS` is the number of runs. [`schedules`] play what these runs seldom meet.
//!
//! `tools/ci/planted-faults` plants faults in the shipped code, which these tests must find.

mod applying;
mod calls;
mod judge;
mod names;
mod oracle;
mod people;
mod run;
mod schedules;
mod tables;
mod world;

use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

pub(crate) use applying::applied;

use self::run::{Counts, Run};

/// Environment variable with the number of runs, or with the first and the last seed: `62..62`.
const SEEDS: &str = "PRESENCE_LEDGER_SEEDS";
/// Number of runs by default.
const DEFAULT_SEEDS: u64 = 150;
/// Number of threads that share the runs.
const THREADS: usize = 2;

/// Returns the seeds of the runs.
#[expect(clippy::disallowed_methods, reason = "a test's own setting")]
fn seeds() -> RangeInclusive<u64> {
    let number = |text: &str| text.parse().expect("PRESENCE_LEDGER_SEEDS is a number, or two with .. between them");
    let text = std::env::var(SEEDS).unwrap_or_default();
    match text.split_once("..") {
        _ if text.is_empty() => 1..=DEFAULT_SEEDS,
        Some((first, last)) => number(first)..=number(last),
        None => 1..=number(&text),
    }
}

/// Makes runs until all are made, or one finds something. Returns the sum of their numbers.
fn make_runs(next: &AtomicU64, has_failed: &AtomicBool) -> Result<Counts, String> {
    let mut sum = Counts::default();
    loop {
        let seed = next.fetch_add(1, Ordering::Relaxed);
        if !seeds().contains(&seed) || has_failed.load(Ordering::Relaxed) {
            return Ok(sum);
        }
        match Run::make(seed) {
            Ok(counts) => sum.add(&counts),
            Err(what) => {
                has_failed.store(true, Ordering::Relaxed);
                return Err(format!("run {seed}: {what}"));
            }
        }
    }
}

#[test]
#[expect(clippy::print_stdout, reason = "the numbers belong to the report")]
fn every_answer_is_the_state_at_its_position_of_the_log_under_any_interleaving() {
    let (next, has_failed) = (AtomicU64::new(*seeds().start()), AtomicBool::new(false));
    let sums: Vec<Result<Counts, String>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(|| make_runs(&next, &has_failed))).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    });
    let mut sum = Counts::default();
    for counts in sums {
        sum.add(&counts.unwrap_or_else(|what| panic!("{what}")));
    }
    println!("{sum:?}");
    if *seeds().start() > 1 {
        return;
    }
    assert!(sum.answers > 10 * sum.runs && sum.folds > 2 * sum.runs && sum.changes > 10 * sum.runs, "{sum:?}");
    assert!(sum.moves > 2 * sum.runs && sum.killed > sum.runs && sum.lost_folds > 0, "{sum:?}");
    assert!(sum.acts > sum.runs, "{sum:?}");
    assert!(sum.swept_nodes > 0 && sum.rebuilds > 0 && sum.audits > sum.runs, "{sum:?}");
}
