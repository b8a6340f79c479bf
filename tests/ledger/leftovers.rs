//! Changes that no writer folds: the auditor's schedule folds them, organisation by organisation.

use std::time::Duration;

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use presence_ledger::ReviewSet;
use presence_local::Options;
use presence_runtime::clock::Deadline;
use presence_store::keys::tree_pk;
use presence_store::{AuditSettings, LeftoverFolds, schema};
use presence_tests::logs::with_metrics;
use presence_tests::{FaultConnector, FaultKind, Plan, TestStack};

use super::fold_fixture::{FACETS_FROM, Ledger};
use super::log_writer::org;
use super::stored_trees::StoredTrees;

/// Longest wait for a fold: a busy machine must not fail a test.
const PATIENCE: Duration = Duration::from_mins(1);

async fn fold_leftovers(ledger: &Ledger) -> LeftoverFolds {
    Box::pin(ledger.store.fold_leftovers(|| true)).await.expect("the store answers")
}

/// Runs the auditor, and returns the lengths of the longest log that it measures.
async fn measured_lengths(ledger: &Ledger) -> Vec<f64> {
    let (clock, settings) = (ledger.stack.clock.as_ref(), AuditSettings::new(0.0, false));
    let run = presence_auditor::handle(&ledger.store, clock, settings, Deadline::after(PATIENCE * 4));
    let (run, metrics) = Box::pin(with_metrics(run)).await;
    run.expect("the store answers");
    metrics.into_iter().filter(|(name, _)| name == "unfolded_changes").map(|(_, value)| value).collect()
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
    let folds = fold_leftovers(&ledger).await;
    assert_eq!((folds.orgs, folds.failed, folds.longest), (2, 0, 0));
    assert!(folds.changes > 1_000, "{folds:?}");
    ledger.assert_folded("long logs").await;
    ledger.write(30).await;
    let folds = fold_leftovers(&ledger).await;
    assert!(folds.changes == 0 && (1..64).contains(&folds.longest), "{folds:?}");
    assert!(StoredTrees::read(&ledger.stack).await.log_size(org(1)) > 0, "a short log stays");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_local_stack_folds_by_itself() {
    let mut ledger = Ledger::with("leftovers of a local stack", 900).await;
    let fold_interval = Some(Duration::from_millis(20));
    let stack = TestStack::with(Options { fold_interval, ..ledger.stack.second_stack_options() }).await;
    for round in 1..=2 {
        ledger.write(600).await;
        let folded = async {
            while stack.stores().reviews.count_unfolded(org(1)).await.expect("the store answers") >= 64 {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::time::timeout(PATIENCE, folded).await.unwrap_or_else(|_| panic!("no fold in round {round}"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_log_that_cannot_be_folded_is_measured_and_does_not_stop_the_others() {
    let mut ledger = Ledger::with("leftovers of a damaged tree", 900).await;
    ledger.write(1_200).await;
    damage_root(&ledger, &ReviewSet::Org(org(1))).await;
    let folds = fold_leftovers(&ledger).await;
    assert_eq!((folds.orgs, folds.failed), (2, 1));
    assert!(folds.longest > 500, "{folds:?}");
    let lengths = measured_lengths(&ledger).await;
    assert!(matches!(lengths[..], [length] if length > 500.0), "{lengths:?}");
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
    let folds = fold_leftovers(&ledger).await;
    assert_eq!(folds.failed, 0);
    assert_eq!(StoredTrees::read(&ledger.stack).await.log_size(org(1)), 0);
}
