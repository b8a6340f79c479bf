//! Changes that no writer folds: the auditor's schedule folds them, organisation by organisation.

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use presence_ledger::ReviewSet;
use presence_store::keys::tree_pk;
use presence_store::{LeftoverFolds, schema};
use presence_tests::logs::with_metrics;
use presence_tests::{FaultConnector, FaultKind, Plan};

use super::fold_fixture::{FACETS_FROM, Ledger};
use super::log_writer::org;
use super::stored_trees::StoredTrees;

/// Folds what is left, and returns the result and the measured length.
async fn fold_leftovers(ledger: &Ledger) -> (LeftoverFolds, f64) {
    let (folds, metrics) = Box::pin(with_metrics(ledger.store.fold_leftovers(|| true))).await;
    let lengths: Vec<f64> =
        metrics.into_iter().filter(|(name, _)| name == "unfolded_changes").map(|(_, value)| value).collect();
    let [length] = lengths[..] else { panic!("one measurement a run: {lengths:?}") };
    (folds.expect("the store answers"), length)
}

/// Makes the root of an organisation unreadable. No write of the store does this.
async fn damage_root(ledger: &Ledger, set: &ReviewSet) {
    let client = ledger.stack.dynamodb_client();
    let text = |value: &str| AttributeValue::S(value.to_owned());
    let update = client.update_item().table_name(ledger.stack.stores().database.name(&schema::REVIEWS));
    let update = update.key("pk", text(&tree_pk(set))).key("sk", text("ROOT")).update_expression("SET v = :v");
    let wrong = AttributeValue::B(Blob::new(b"no root".to_vec()));
    update.expression_attribute_values(":v", wrong).send().await.expect("DynamoDB answers");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_schedule_folds_long_logs_of_every_organisation_and_leaves_short_ones() {
    let mut ledger = Ledger::with("leftovers", 900).await;
    ledger.write(1_200).await;
    let (folds, length) = fold_leftovers(&ledger).await;
    assert_eq!((folds.orgs, folds.failed, folds.longest), (2, 0, 0));
    assert!(folds.changes > 1_000 && length == 0.0, "{folds:?}");
    ledger.assert_folded("long logs").await;
    ledger.write(30).await;
    let (folds, length) = fold_leftovers(&ledger).await;
    assert!(folds.changes == 0 && (1..64).contains(&folds.longest), "{folds:?}");
    assert!((1.0..64.0).contains(&length), "{length}");
    assert!(StoredTrees::read(&ledger.stack).await.log_size(org(1)) > 0, "a short log stays");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_log_that_cannot_be_folded_is_measured_and_does_not_stop_the_others() {
    let mut ledger = Ledger::with("leftovers of a damaged tree", 900).await;
    ledger.write(1_200).await;
    damage_root(&ledger, &ReviewSet::Org(org(1))).await;
    let (folds, length) = fold_leftovers(&ledger).await;
    assert_eq!((folds.orgs, folds.failed), (2, 1));
    assert!(folds.longest > 500 && length > 500.0, "{folds:?}");
    let trees = StoredTrees::read(&ledger.stack).await;
    assert!(trees.log_size(org(1)) > 0);
    assert_eq!(trees.log_size(org(2)), 0);
    trees.assert_hold(org(2), &ledger.writer.reviews, FACETS_FROM);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_time_nothing_is_folded_and_a_log_that_a_dead_fold_did_not_trim_is_trimmed() {
    let mut ledger = Ledger::with("leftovers of a dead fold", 900).await;
    ledger.write(300).await;
    let folds = ledger.store.fold_leftovers(|| false).await.expect("the store answers");
    assert_eq!(folds, LeftoverFolds::default());
    // The updates of a fold come last: they trim the lanes of the log.
    let faults = FaultConnector::new();
    let dying = ledger.store_through(&faults);
    let plan = Plan::Of { operation: "UpdateItem", call: 1, kind: FaultKind::RefuseConnection, times: u64::MAX };
    faults.restart(plan);
    dying.fold_reviews(org(1)).await.expect_err("no update arrives");
    let trees = StoredTrees::read(&ledger.stack).await;
    assert_eq!(trees.directory(org(1)).map(|found| found.edition), Some(2));
    assert!(trees.log_size(org(1)) > 0, "the fold died in its trim");
    let (folds, _) = fold_leftovers(&ledger).await;
    assert_eq!(folds.failed, 0);
    assert_eq!(StoredTrees::read(&ledger.stack).await.log_size(org(1)), 0);
}
