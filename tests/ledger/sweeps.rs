//! Sweeps of nodes that no root names. The simulation of the store has sweeps beside folds.

use std::collections::BTreeSet;

use presence_ledger::ReviewSet;
use presence_store::ReviewStore;
use presence_tests::{FaultConnector, FaultKind, Plan, ReviewModel};

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
