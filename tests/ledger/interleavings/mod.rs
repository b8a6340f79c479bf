//! Random interleavings of real writers, moves of businesses, folds and searches, call by call, compared with the truth of the transactions.
//!
//! The simulation of the domain plays the protocol. Here the store itself plays, over the embedded database, with the forms of
//! DynamoDB's calls: pages, batches, tokens, throttling, conflicts. A [`StepConnector`](presence_tests::StepConnector) stops
//! before each call. `PRESENCE_LEDGER_SEEDS` is the number of runs.

mod oracle;
mod processes;
mod run;

use std::sync::atomic::{AtomicU64, Ordering};

use presence_tests::TestStack;

use self::run::{Counts, Run};

/// Environment variable with the number of runs.
const SEEDS: &str = "PRESENCE_LEDGER_SEEDS";
/// Number of runs by default.
const DEFAULT_SEEDS: u64 = 16;
/// Number of runs at a time, each on a thread of its own.
const THREADS: usize = 4;

/// Returns the number of runs.
#[expect(clippy::disallowed_methods, reason = "a test's own setting")]
fn seeds() -> u64 {
    std::env::var(SEEDS).map_or(DEFAULT_SEEDS, |text| text.parse().expect("PRESENCE_LEDGER_SEEDS is a number"))
}

/// Makes runs one after the other until all are made. Returns the sum of their numbers.
fn make_runs(next: &AtomicU64, stack: &TestStack) -> Counts {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let mut sum = Counts::default();
    loop {
        let seed = next.fetch_add(1, Ordering::Relaxed);
        if seed > seeds() {
            return sum;
        }
        match runtime.block_on(Run::new(seed, stack).run()) {
            Ok(counts) => sum.add(&counts),
            Err(what) => panic!("run {seed}: {what}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
#[expect(clippy::print_stdout, reason = "the numbers belong to the report")]
async fn every_answer_is_the_state_at_its_position_of_the_log_under_any_interleaving() {
    let stack = TestStack::start().await;
    let next = AtomicU64::new(1);
    let sums: Vec<Counts> = tokio::task::block_in_place(|| {
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(|| make_runs(&next, &stack))).collect();
            threads
                .into_iter()
                .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
                .collect()
        })
    });
    let mut sum = Counts::default();
    for counts in &sums {
        sum.add(counts);
    }
    println!("{sum:?}");
    assert!(sum.answers > 2 * sum.runs && sum.folds > sum.runs && sum.changes > 5 * sum.runs, "{sum:?}");
    assert!(sum.moves > sum.runs, "{sum:?}");
    assert!(sum.killed > 0 && sum.lost_replies > 0 && sum.stale_reads > sum.runs && sum.lost_folds > 0, "{sum:?}");
}
