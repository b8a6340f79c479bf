//! Simulation of the protocol: clients with one key, functions that crash, replies that are lost, and a database whose transactions take
//! several steps.
//!
//! A run has up to five requests at a time. Each goes through the steps of the service in any order with the others:
//!
//! 1. **First lookup**: a plain read of the kept answer.
//! 2. **Decision**: a plain read of the user. It may refuse: the address is taken, the user is gone.
//! 3. **Transaction**: the change and its answer, on the condition that no answer is kept. The database first holds both items, and then
//!    writes one after the other. Meanwhile plain reads see some of them, and other transactions conflict.
//! 4. **Second lookup**, after anything but a success: a transactional read of the kept answer, which conflicts with a transaction that
//!    holds it.
//!
//! A client sends its request again until it has a final answer. A day later it uses the key again. Properties of each run:
//!
//! - one effect in a day for a key, and none lost;
//! - each answer 200 tells of this effect, to a client with the same body;
//! - a client with the same body is never refused for the effect of its own request;
//! - once nothing fails any more, each client gets a final answer.
//!
//! Planted faults show that the simulation finds violations.

mod database;
mod function;
mod run;

use run::{Run, violation};

/// Number of runs of each kind.
const RUNS: u64 = 3_000;

crate::listed_enum! {
    /// Fault that the simulation must find.
    enum PlantedFault {
        /// The answer is written without its condition.
        NoCondition,
        /// The answer is written after the transaction, by a write of its own.
        AnswerAfterwards,
        /// A refusal is answered without a second lookup.
        NoSecondLookup,
        /// The second lookup is a plain read, which does not see a transaction that holds the answer.
        PlainSecondLookup,
        /// The body of a request is not compared.
        NoFingerprint,
        /// An expired answer is given again.
        ExpiredAnswers,
        /// An expired answer that is still stored prevents a new one.
        ExpiredAnswerBlocks,
        /// A refusal stands if the second lookup fails.
        FailedLookupIsIgnored,
        /// A lost reply counts as a refusal of the change.
        LostReplyIsFinal,
    }
}

#[test]
fn each_request_has_one_effect_and_one_answer_whatever_fails() {
    let (mut replayed, mut in_progress) = (0, 0);
    for seed in 0..RUNS {
        let run = Run::new(seed, None).finish();
        assert_eq!(violation(&run), None, "run {seed}");
        replayed += run.replayed;
        in_progress += run.in_progress;
    }
    assert!(replayed > 1_000 && in_progress > 20, "too little happened: {replayed} {in_progress}");
}

#[test]
fn planted_faults_are_found() {
    for fault in PlantedFault::ALL {
        let found = (0..RUNS).find_map(|seed| violation(&Run::new(seed, Some(fault)).finish()));
        assert!(found.is_some(), "{fault:?} was not found");
    }
}
