//! The conflict simulator: which overlapping calls are cancelled, and which are not.

use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_dynamodb::operation::transact_write_items::{TransactWriteItemsError, TransactWriteItemsOutput};
use aws_sdk_dynamodb::types::{ConditionCheck, Get, TransactGetItem, TransactWriteItem};
use presence_tests::ConnectorLayer as _;
use presence_tests::{AttemptOutcome, FaultConnector, FaultKind, Plan, in_process_client};

use super::database::{Embedded, TABLE, get, key_names, put, put_action, text};

/// Longer than any test, so that only the clock's window and not its speed decides.
const LONG: Duration = Duration::from_mins(10);

async fn with_window(window: Duration) -> (Embedded, FaultConnector, Client) {
    let embedded = Embedded::start().await;
    let faults = FaultConnector::with_keys(key_names());
    faults.set_plan(Plan::OverlapConflicts { window });
    let client = embedded.client(faults.over(in_process_client()));
    (embedded, faults, client)
}

async fn transact(
    client: &Client,
    actions: Vec<TransactWriteItem>,
) -> Result<TransactWriteItemsOutput, SdkError<TransactWriteItemsError>> {
    client.transact_write_items().set_transact_items(Some(actions)).send().await
}

async fn put_all(
    client: &Client,
    names: &[&str],
) -> Result<TransactWriteItemsOutput, SdkError<TransactWriteItemsError>> {
    transact(client, names.iter().copied().map(put_action).collect()).await
}

fn condition_check(pk: &str) -> TransactWriteItem {
    let check = ConditionCheck::builder()
        .table_name(TABLE)
        .key("pk", text(pk))
        .key("sk", text("-"))
        .condition_expression("attribute_exists(pk)")
        .build()
        .expect("a whole check");
    TransactWriteItem::builder().condition_check(check).build()
}

#[tokio::test]
async fn transaction_on_an_item_of_one_just_finished_is_cancelled_at_its_place() {
    let (_embedded, faults, client) = with_window(LONG).await;
    put_all(&client, &["a", "b"]).await.expect("the first has nothing to conflict with");
    let error = put_all(&client, &["c", "b"]).await.expect_err("the second names an item of the first");
    assert_eq!(error.code(), Some("TransactionCanceledException"));
    assert_eq!(faults.observed()[1].outcome, AttemptOutcome::Conflicted(vec![1]));
    put_all(&client, &["d"]).await.expect("other items are free");
    put_all(&client, &["c"]).await.expect("a cancelled transaction holds nothing");
}

#[tokio::test]
async fn items_are_free_again_after_the_window() {
    let (_embedded, _faults, client) = with_window(Duration::ZERO).await;
    put_all(&client, &["a"]).await.expect("the first");
    put_all(&client, &["a"]).await.expect("no window, no conflict with one that has ended");
}

#[tokio::test]
async fn transactions_in_flight_conflict_without_any_window() {
    let embedded = Embedded::start().await;
    let slow = FaultConnector::new();
    slow.set_plan(Plan::EveryAttempt(FaultKind::Delay(Duration::from_secs(2))));
    let faults = FaultConnector::with_keys(key_names());
    faults.set_plan(Plan::OverlapConflicts { window: Duration::ZERO });
    let client = embedded.client(faults.over(slow.over(in_process_client())));
    let (first, second) = tokio::join!(put_all(&client, &["a"]), put_all(&client, &["a"]));
    assert!(first.is_ok() != second.is_ok(), "exactly one of {first:?} and {second:?}");
}

#[tokio::test]
async fn condition_checks_hold_their_item_too() {
    let (_embedded, faults, client) = with_window(LONG).await;
    put(&client, "a").send().await.expect("a single write holds nothing");
    transact(&client, vec![condition_check("a"), put_action("b")]).await.expect("a check and a put");
    transact(&client, vec![put_action("c"), condition_check("a")]).await.expect_err("the checked item is held");
    assert_eq!(faults.observed()[2].outcome, AttemptOutcome::Conflicted(vec![1]));
}

#[tokio::test]
async fn single_write_and_transactional_read_of_a_held_item_are_refused_and_plain_reads_pass() {
    let (_embedded, _faults, client) = with_window(LONG).await;
    put_all(&client, &["a"]).await.expect("the holder");
    let error = put(&client, "a").send().await.expect_err("the item is held");
    assert_eq!(error.code(), Some("TransactionConflictException"));
    let one = Get::builder().table_name(TABLE).key("pk", text("a")).key("sk", text("-")).build().expect("a whole get");
    let read = client.transact_get_items().transact_items(TransactGetItem::builder().get(one).build());
    let error = read.send().await.expect_err("the item is held");
    assert_eq!(error.code(), Some("TransactionCanceledException"));
    get(&client, "a").send().await.expect("a plain read never conflicts");
}

#[tokio::test]
async fn retry_with_the_same_token_does_not_conflict_with_itself() {
    let (_embedded, _faults, client) = with_window(LONG).await;
    for _ in 0..2 {
        let call = client.transact_write_items().client_request_token("once").transact_items(put_action("a"));
        call.send().await.expect("the same token, the same transaction");
    }
}

#[tokio::test]
async fn table_without_key_names_is_an_error_of_the_test_and_not_a_silent_pass() {
    let embedded = Embedded::start().await;
    let faults = FaultConnector::new();
    faults.set_plan(Plan::OverlapConflicts { window: LONG });
    let error = put_all(&embedded.client(faults.over(in_process_client())), &["a"])
        .await
        .expect_err("nothing is known of the table's key");
    assert!(matches!(&error, SdkError::DispatchFailure(failure) if failure.is_user()), "{error:?}");
}
