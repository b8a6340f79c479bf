//! Sweeps of nodes that no root names, beside folds.

use std::collections::BTreeSet;
use std::sync::Arc;

use presence_ledger::ReviewSet;
use presence_store::ReviewStore;
use presence_tests::{FaultConnector, FaultKind, InterleavingConnector, Plan, ReviewModel};

use super::fold_fixture::Ledger;
use super::log_writer::org;
use super::stored_trees::sets_of;

async fn sweep_all(store: &ReviewStore, sets: &BTreeSet<ReviewSet>) -> usize {
    let mut deleted = 0;
    for set in sets {
        deleted += store.sweep_set(set).await.expect("the store answers");
    }
    deleted
}

fn sets(writer: &ReviewModel) -> BTreeSet<ReviewSet> {
    writer.reviews.values().flat_map(sets_of).collect()
}

/// Leaves nodes behind that no root names: folds that lose the replies to their puts.
async fn leave_orphans(ledger: &mut Ledger, folds: u64) {
    let faults = FaultConnector::new();
    let broken = ledger.store_through(&faults);
    for seed in 0..folds {
        ledger.write(60).await;
        faults.restart(Plan::Seeded { seed, percent: 15, kinds: vec![FaultKind::LoseReply] });
        let _ = broken.fold_reviews(org(1)).await;
    }
    ledger.fold_alone().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sweep_deletes_the_nodes_that_no_root_names_and_no_others() {
    let mut ledger = Ledger::with("sweeps", 2_500).await;
    leave_orphans(&mut ledger, 6).await;
    let orphans = ledger.assert_folded("before the sweep").await.orphans();
    assert!(orphans > 0, "there is something to sweep");
    assert_eq!(sweep_all(&ledger.store, &sets(&ledger.writer)).await, orphans);
    assert_eq!(ledger.assert_folded("after the sweep").await.orphans(), 0);
    assert_eq!(sweep_all(&ledger.store, &sets(&ledger.writer)).await, 0, "nothing is left");
    ledger.write(100).await;
    ledger.fold_alone().await;
    ledger.assert_folded("after another fold").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sweep_before_any_call_of_a_fold_deletes_no_node_that_a_root_names() {
    let (mut call, mut ran) = (1, true);
    while ran {
        // New trees have no free slots. So the nodes of the fold are in slots that no root names, until it puts the root.
        let mut ledger = Ledger::with("sweeps beside folds", 900).await;
        let interleaving = InterleavingConnector::new();
        let folding = ledger.store_through(&interleaving);
        ledger.write(30).await;
        let (store, sets) = (ledger.store.clone(), sets(&ledger.writer));
        interleaving
            .before(
                call,
                Box::pin(async move {
                    sweep_all(&store, &sets).await;
                }),
            )
            .await;
        folding.fold_reviews(org(1)).await.expect("the store answers");
        ran = interleaving.end().await.1.is_none();
        ledger.fold_alone().await;
        ledger.assert_folded(&format!("a sweep before call {call}")).await;
        call += 5;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn fold_before_any_call_of_a_sweep_keeps_its_nodes() {
    let mut ledger = Ledger::with("folds beside sweeps", 1_500).await;
    let interleaving = InterleavingConnector::new();
    let sweeping = ledger.store_through(&interleaving);
    let (mut call, mut ran) = (1, true);
    while ran {
        leave_orphans(&mut ledger, 1).await;
        ledger.write(40).await;
        let store = Arc::new(ledger.store.clone());
        let event = async move {
            store.fold_reviews(org(1)).await.expect("the store answers");
        };
        interleaving.before(call, Box::pin(event)).await;
        let swept: BTreeSet<ReviewSet> =
            [ReviewSet::Org(org(1)), ReviewSet::City(org(1), "lyon".to_owned())].into_iter().collect();
        sweep_all(&sweeping, &swept).await;
        ran = interleaving.end().await.1.is_none();
        ledger.fold_alone().await;
        ledger.assert_folded(&format!("a fold before call {call}")).await;
        call += 2;
    }
}
