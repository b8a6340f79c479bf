//! Folds of logs into trees: after random writes, and after crashes at any call. The simulation of the store has folds beside others.

use presence_store::{FoldLimits, FoldReport};
use presence_tests::{CrashConnector, CrashPoint, calls_apart, rounds};

use super::fold_fixture::{FACETS_FROM, LIMITS, Ledger};
use super::log_writer::org;
use super::stored_trees::{StoredTrees, changes_until};

#[tokio::test(flavor = "multi_thread")]
async fn folds_after_random_writes_leave_the_trees_of_a_model() {
    let mut ledger = Ledger::with("folds of random writes", 5_000).await;
    let mut before = ledger.assert_folded("nothing was written").await;
    for round in 0..rounds(4) {
        let count = ledger.rng.usize(1..400);
        ledger.write(count).await;
        let reports = ledger.fold_alone().await;
        let after = ledger.assert_folded(&format!("round {round}")).await;
        for (number, report) in (1..).zip(reports) {
            let position =
                |trees: &StoredTrees| trees.directory(org(number)).map_or(0, |found| changes_until(&found.trimmed_to));
            assert_eq!(report.changes, position(&after) - position(&before), "round {round}");
        }
        let again = ledger.fold_alone().await;
        assert_eq!(again, [FoldReport::default(); 2], "there is nothing left to fold");
        before = after;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn trees_grow_from_nothing_in_passes_and_get_facet_trees_at_their_threshold() {
    let mut ledger = Ledger::with("folds from nothing", 0).await;
    ledger.store = ledger.store.clone().with_fold_limits(FoldLimits { pass_changes: 64, ..LIMITS });
    for round in 0..6 {
        ledger.write(450).await;
        ledger.fold_alone().await;
        ledger.assert_folded(&format!("round {round}")).await;
    }
    let in_org_1 = ledger.writer.reviews.values().filter(|review| review.org_id == org(1)).count();
    assert!(i64::try_from(in_org_1).expect("few") > FACETS_FROM, "the threshold was not passed: {in_org_1}");
}

#[tokio::test(flavor = "multi_thread")]
async fn log_that_is_too_long_to_be_read_at_once_is_folded_from_its_start() {
    let mut ledger = Ledger::with("folds of long logs", 300).await;
    for _ in 0..4 {
        ledger.write(250).await;
    }
    let before = StoredTrees::read(&ledger.stack).await.log_size(org(1));
    assert!(before > 24, "{before} chunks");
    for number in [1, 2] {
        // Each lane is read with its newest changes and one older chunk.
        let report = ledger.store.fold_long_log(org(number), 2).await.expect("the store answers");
        assert!(!report.lost && report.mismatches == 0 && report.changes > 0, "{report:?}");
    }
    ledger.assert_folded("a long log").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn fold_that_crashes_at_any_call_is_completed_by_the_next_one() {
    let mut ledger = Ledger::with("crashed folds", 750).await;
    let crash = CrashConnector::new();
    let crashing = ledger.store_through(&crash);
    let (mut call, mut crashes) = (1, 0);
    loop {
        let mut has_crashed = false;
        for point in [CrashPoint::Before, CrashPoint::After] {
            ledger.write(12).await;
            let fold = crash.run(Some((call, point)), crashing.fold_reviews(org(1))).await;
            match fold {
                None => (has_crashed, crashes) = (true, crashes + 1),
                Some(report) => assert!(!report.expect("the store answers").lost),
            }
            ledger.fold_alone().await;
            ledger.assert_folded(&format!("crash {point:?} call {call}")).await;
        }
        if !has_crashed {
            break;
        }
        call += calls_apart(5) as u64;
    }
    assert!(crashes * calls_apart(5) > 80, "only {crashes} crashes");
}
