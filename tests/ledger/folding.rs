//! Folds of logs into trees: after random writes, beside other folds, and after crashes and faults at any call.

use std::sync::Arc;

use presence_store::{FoldLimits, FoldReport};
use presence_tests::{
    CrashConnector, CrashPoint, FaultConnector, FaultKind, InterleavingConnector, Plan, calls_apart, rounds,
};

use super::fold_fixture::{FACETS_FROM, LIMITS, Ledger};
use super::log_writer::{org, write_random};
use super::stored_trees::{StoredTrees, changes_until};

#[tokio::test(flavor = "multi_thread")]
async fn folds_after_random_writes_leave_the_trees_of_a_model() {
    let mut ledger = Ledger::with("folds of random writes", 5_000).await;
    ledger.assert_folded("nothing was written").await;
    for round in 0..rounds(10) {
        let before = StoredTrees::read(&ledger.stack).await;
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
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn trees_grow_from_nothing_in_passes_and_get_facet_trees_at_their_threshold() {
    let mut ledger = Ledger::with("folds from nothing", 0).await;
    ledger.store = ledger.store.clone().with_fold_limits(FoldLimits { pass_changes: 64, ..LIMITS });
    for round in 0..8 {
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

#[tokio::test(flavor = "multi_thread")]
async fn fold_in_the_middle_of_another_one_makes_it_stop_or_find_its_work_done() {
    let mut ledger = Ledger::with("overtaken folds", 750).await;
    let interleaving = InterleavingConnector::new();
    let slower_store = ledger.store_through(&interleaving);
    let (mut call, mut lost, mut ran) = (1, 0, true);
    while ran {
        ledger.write(12).await;
        // The second fold knows more than the first one.
        let (store, writer) =
            (ledger.store.clone(), Arc::new(tokio::sync::Mutex::new(std::mem::take(&mut ledger.writer))));
        let (later, mut later_rng) = (Arc::clone(&writer), ledger.rng.fork());
        let event = async move {
            write_random(&mut *later.lock().await, &store, &mut later_rng, 6).await;
            let report = store.fold_reviews(org(1)).await.expect("the store answers");
            assert_eq!(report.mismatches, 0);
        };
        interleaving.before(call, Box::pin(event)).await;
        let report = slower_store.fold_reviews(org(1)).await.expect("the store answers");
        assert_eq!(report.mismatches, 0);
        lost += usize::from(report.lost);
        ran = interleaving.end().await.1.is_none();
        ledger.writer = std::mem::take(&mut *writer.lock().await);
        ledger.fold_alone().await;
        ledger.assert_folded(&format!("another fold before call {call}")).await;
        call += calls_apart(5) as u64;
    }
    assert!(lost * calls_apart(5) > 20, "{lost} folds of {call} were overtaken");
}

#[tokio::test(flavor = "multi_thread")]
async fn folds_at_the_same_time_leave_the_trees_of_a_model() {
    let mut ledger = Ledger::with("folds at the same time", 1_500).await;
    for round in 0..rounds(12) {
        ledger.write(150).await;
        let stores: Vec<_> = (0..3).map(|_| ledger.store_through(&FaultConnector::new())).collect();
        let folds = stores.iter().map(|store| store.fold_reviews(org(1)));
        for report in futures::future::join_all(folds).await {
            assert_eq!(report.expect("the store answers").mismatches, 0);
        }
        ledger.fold_alone().await;
        ledger.assert_folded(&format!("round {round}")).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn fold_with_faults_is_completed_by_the_next_one() {
    const KINDS: [FaultKind; 6] = [
        FaultKind::Throttle,
        FaultKind::ServerError,
        FaultKind::RefuseConnection,
        FaultKind::UnprocessedKeys,
        FaultKind::LoseReply,
        FaultKind::CutBody,
    ];
    let mut ledger = Ledger::with("folds with faults", 1_500).await;
    let faults = FaultConnector::new();
    let broken = ledger.store_through(&faults);
    for round in 0..u64::try_from(rounds(20)).expect("small") {
        ledger.write(80).await;
        faults.restart(Plan::Seeded { seed: round, percent: 20, kinds: KINDS.to_vec() });
        // It may fail, or think that another fold was first.
        if let Ok(report) = broken.fold_reviews(org(1)).await {
            assert_eq!(report.mismatches, 0);
        }
        ledger.fold_alone().await;
        ledger.assert_folded(&format!("round {round}")).await;
    }
}
