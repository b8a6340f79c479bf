//! The protocol of `follow.rs` against a world that is as unkind as DynamoDB may be: an index that lags each user by its own
//! time or stands still, entries of the log that are late, lost or wrongly dated, and writes between any two reads.
//!
//! Every answer must be the organisation as it was at some instant of the request. Planted faults show that a broken protocol
//! or a kinder world would be noticed.

mod world;

use std::cell::Cell;
use std::sync::Arc;

use self::world::{Kind, Request, World};
use super::follow::current;
use presence_domain::directory::Directory;

thread_local! {
    static SKIPS_CHECK: Cell<bool> = const { Cell::new(false) };
}

/// True if the fault is planted by which a directory counts as current unseen.
pub(super) fn is_check_skipped() -> bool {
    SKIPS_CHECK.get()
}

/// The outcome of the requests of a run.
#[derive(Debug, Default)]
struct Outcome {
    answers: u32,
    wrong: u32,
    refused: u32,
    /// Organisations read by the index.
    loads: u32,
    /// Users read one by one.
    users_read: u32,
}

const SEEDS: u32 = 6;
const REQUESTS: u32 = 60;
/// Warm functions, each with a memory of its own.
const FUNCTIONS: usize = 3;

fn run(kind: Kind) -> Outcome {
    let mut sum = Outcome::default();
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    for seed in 0..SEEDS {
        let world = World::new(seed.into(), kind);
        let mut memory: [Vec<Option<Arc<Directory>>>; FUNCTIONS] = std::array::from_fn(|_| vec![None; world::ORGS]);
        for _ in 0..REQUESTS {
            world.idle();
            let (function, org) = world.pick(FUNCTIONS);
            let last = &mut memory[function][org];
            let request = Request::begin(&world, org);
            let answer = runtime.block_on(async {
                let head = super::follow::Source::head(&request).await?;
                match last.take() {
                    Some(last) if last.roster() == head => Ok(last),
                    last => current(&request, last, head).await,
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
        let (loads, users_read) = world.counts();
        sum.loads += loads;
        sum.users_read += users_read;
    }
    sum
}

const ALL: u32 = SEEDS * REQUESTS;
/// The least that a run loads: each function each organisation, once.
const COLD: u32 = SEEDS * 6;
const _: () = assert!(FUNCTIONS * world::ORGS == 6, "which is how many directories are in memory");

#[test]
fn answers_are_right_and_come_without_a_load_while_an_index_lags() {
    let outcome = run(Kind::default());
    assert_eq!((outcome.answers, outcome.wrong, outcome.refused), (ALL, 0, 0), "{outcome:?}");
    assert!(outcome.loads <= COLD + COLD / 20, "warm functions do not read organisations anew: {outcome:?}");
    assert!(outcome.users_read > ALL, "there were changes to follow: {outcome:?}");
}

#[test]
fn answers_are_right_with_an_index_that_stands_still() {
    let outcome = run(Kind { is_frozen: true, ..Kind::default() });
    assert_eq!((outcome.answers, outcome.wrong, outcome.refused), (ALL, 0, 0), "{outcome:?}");
}

#[test]
fn clocks_that_differ_by_a_minute_and_writes_that_take_ten_seconds_cost_reads_only() {
    let outcome = run(Kind { skew_ms: 60_000, ..Kind::default() });
    assert_eq!((outcome.answers, outcome.wrong, outcome.refused), (ALL, 0, 0), "{outcome:?}");
}

#[test]
fn entries_that_are_lost_cost_loads_and_never_a_wrong_answer() {
    let outcome = run(Kind { loses_entries: true, ..Kind::default() });
    assert_eq!((outcome.answers + outcome.refused, outcome.wrong), (ALL, 0), "{outcome:?}");
    assert!(outcome.loads > COLD && outcome.refused < ALL / 100, "{outcome:?}");
}

#[test]
fn nothing_left_of_the_log_and_an_index_that_stands_still_is_refused() {
    let outcome = run(Kind { loses_entries: true, is_frozen: true, ..Kind::default() });
    assert_eq!((outcome.answers + outcome.refused, outcome.wrong), (ALL, 0), "{outcome:?}");
    assert!(outcome.refused > 0 && outcome.answers > 0, "{outcome:?}");
}

#[test]
fn a_planted_fault_is_noticed() {
    SKIPS_CHECK.set(true);
    let unchecked = run(Kind::default());
    SKIPS_CHECK.set(false);
    assert!(unchecked.wrong > 0, "the digest is not compared: {unchecked:?}");
    let faults = [
        ("entries of deletions and moves are not written", Kind { forgets_gone: true, ..Kind::default() }),
        ("users are read as they were", Kind { reads_old_users: true, ..Kind::default() }),
        (
            "the log is never looked at further back",
            Kind { has_no_further_look: true, skew_ms: 60_000, ..Kind::default() },
        ),
    ];
    for (what, kind) in faults {
        let outcome = run(kind);
        assert_eq!(outcome.wrong, 0, "the digest still holds, {what}: {outcome:?}");
        assert!(outcome.loads > COLD, "{what}: {outcome:?}");
    }
    let stale = run(Kind { reads_old_heads: true, ..Kind::default() });
    assert!(stale.wrong > 0, "heads are read as they were: {stale:?}");
}
