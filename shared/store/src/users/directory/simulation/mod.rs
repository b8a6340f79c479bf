//! Tests of `refresh.rs` on a simulated database with all the bad luck that DynamoDB may bring. The index lags each user by its own time,
//! or stands still. Entries of the log are late, lost or wrongly dated. Writes come between any two reads.
//!
//! Every directory must show the organisation as it was at some instant of the request. Planted faults show that the tests would
//! notice a broken protocol.

mod database;

use std::cell::Cell;
use std::sync::Arc;

use self::database::{Conditions, SimulatedDatabase, SimulatedRequest};
use super::refresh::refresh;
use presence_domain::user_directory::UserDirectory;

thread_local! {
    static SKIPS_CHECK: Cell<bool> = const { Cell::new(false) };
}

/// True if the fault is planted by which every directory counts as current.
pub(super) fn is_check_skipped() -> bool {
    SKIPS_CHECK.get()
}

/// Outcome of the requests of a run.
#[derive(Debug, Default)]
struct Outcome {
    answers: u32,
    wrong: u32,
    refused: u32,
    /// Number of reads of the index.
    index_reads: u32,
    /// Number of users read one by one.
    users_read: u32,
}

const SEEDS: u32 = 6;
const REQUESTS: u32 = 60;
/// Number of functions, each with directories in memory of its own.
const FUNCTIONS: usize = 3;

fn run(conditions: Conditions) -> Outcome {
    let mut sum = Outcome::default();
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    for seed in 0..SEEDS {
        let database = SimulatedDatabase::new(seed.into(), conditions);
        let mut memory: [Vec<Option<Arc<UserDirectory>>>; FUNCTIONS] =
            std::array::from_fn(|_| vec![None; database::ORGS]);
        for _ in 0..REQUESTS {
            database.idle();
            let (function, org) = database.pick(FUNCTIONS);
            let last = &mut memory[function][org];
            let request = SimulatedRequest::begin(&database, org);
            let answer = runtime.block_on(async {
                let head = super::refresh::DirectorySource::get_head(&request).await?;
                match last.take() {
                    Some(last) if last.head() == head => Ok(last),
                    last => refresh(&request, last, head).await,
                }
            });
            match answer {
                Err(_) => sum.refused += 1,
                Ok(directory) => {
                    sum.answers += 1;
                    sum.wrong += u32::from(!request.is_right(&directory));
                    *last = Some(directory);
                }
            }
        }
        let (index_reads, users_read) = database.counts();
        sum.index_reads += index_reads;
        sum.users_read += users_read;
    }
    sum
}

const ALL: u32 = SEEDS * REQUESTS;
/// Minimum number of reads of the index in a run: one for each function and organisation.
const COLD: u32 = SEEDS * 6;
const _: () = assert!(FUNCTIONS * database::ORGS == 6, "the number of directories in memory");

#[test]
fn lagging_index_costs_no_wrong_answer_and_no_further_index_read() {
    let outcome = run(Conditions::default());
    assert_eq!((outcome.answers, outcome.wrong, outcome.refused), (ALL, 0, 0), "{outcome:?}");
    assert!(outcome.index_reads <= COLD + COLD / 20, "warm functions do not read the index again: {outcome:?}");
    assert!(outcome.users_read > ALL, "there were changes to follow: {outcome:?}");
}

#[test]
fn frozen_index_costs_no_wrong_answer() {
    let outcome = run(Conditions { is_frozen: true, ..Conditions::default() });
    assert_eq!((outcome.answers, outcome.wrong, outcome.refused), (ALL, 0, 0), "{outcome:?}");
}

#[test]
fn clocks_that_differ_and_slow_writes_cost_reads_only() {
    let outcome = run(Conditions { skew_ms: 60_000, ..Conditions::default() });
    assert_eq!((outcome.answers, outcome.wrong, outcome.refused), (ALL, 0, 0), "{outcome:?}");
}

#[test]
fn lost_entries_cost_index_reads_and_no_wrong_answer() {
    let outcome = run(Conditions { loses_entries: true, ..Conditions::default() });
    assert_eq!((outcome.answers + outcome.refused, outcome.wrong), (ALL, 0), "{outcome:?}");
    assert!(outcome.index_reads > COLD && outcome.refused < ALL / 100, "{outcome:?}");
}

#[test]
fn lost_entries_and_a_frozen_index_are_refused() {
    let outcome = run(Conditions { loses_entries: true, is_frozen: true, ..Conditions::default() });
    assert_eq!((outcome.answers + outcome.refused, outcome.wrong), (ALL, 0), "{outcome:?}");
    assert!(outcome.refused > 0 && outcome.answers > 0, "{outcome:?}");
}

#[test]
fn planted_faults_are_noticed() {
    SKIPS_CHECK.set(true);
    let unchecked = run(Conditions::default());
    SKIPS_CHECK.set(false);
    assert!(unchecked.wrong > 0, "the digest is not compared: {unchecked:?}");
    let faults = [
        ("entries of removals are not written", Conditions { omits_removals: true, ..Conditions::default() }),
        ("users are read as they were", Conditions { reads_old_users: true, ..Conditions::default() }),
        (
            "the log ends after its first page",
            Conditions { has_one_page: true, skew_ms: 60_000, ..Conditions::default() },
        ),
    ];
    for (what, conditions) in faults {
        let outcome = run(conditions);
        assert_eq!(outcome.wrong, 0, "the digest still holds, {what}: {outcome:?}");
        assert!(outcome.index_reads > COLD, "{what}: {outcome:?}");
    }
    let stale = run(Conditions { reads_old_heads: true, ..Conditions::default() });
    assert!(stale.wrong > 0, "heads are read as they were: {stale:?}");
}
