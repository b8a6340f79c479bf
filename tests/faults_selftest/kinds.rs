//! Each kind of fault: what the SDK makes of it, and whether the call was applied.

use std::time::Duration;

use aws_sdk_dynamodb::config::retry::RetryConfig;
use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_dynamodb::operation::put_item::{PutItemError, PutItemOutput};
use presence_tests::ConnectorLayer as _;
use presence_tests::{Attempt, AttemptOutcome, FaultConnector, FaultKind, Plan, in_process_client};
use rstest::rstest;
use tokio::time::Instant;

use super::database::{Embedded, exists, get, put, put_action};

type PutFailure = SdkError<PutItemError>;

/// Puts the thing `a` through a connector that breaks every attempt; says also whether the thing is there afterwards.
async fn broken_put(kind: FaultKind) -> (Result<PutItemOutput, PutFailure>, bool) {
    let embedded = Embedded::start().await;
    let faults = FaultConnector::new();
    faults.set_plan(Plan::EveryAttempt(kind));
    let result = put(&embedded.client(faults.over(in_process_client())), "a").send().await;
    assert_eq!(faults.observed().last().map(|attempt| attempt.outcome.clone()), Some(AttemptOutcome::Broken(kind)));
    let applied = exists(&embedded, "a").await;
    (result, applied)
}

/// True if the error is that of a service, with this status.
fn is_service_error(error: &PutFailure, status: u16, is_of_kind: fn(&PutItemError) -> bool) -> bool {
    let found = error.raw_response().map(|raw| raw.status().as_u16());
    error.as_service_error().is_some_and(is_of_kind) && found == Some(status)
}

fn is_io_failure(error: &PutFailure) -> bool {
    matches!(error, SdkError::DispatchFailure(failure) if failure.is_io())
}

#[rstest]
#[case::throttle_is_the_throughput_error(FaultKind::Throttle, false, |error: &PutFailure| {
    is_service_error(error, 400, PutItemError::is_provisioned_throughput_exceeded_exception)
})]
#[case::server_error_is_a_500(FaultKind::ServerError, false, |error: &PutFailure| {
    is_service_error(error, 500, PutItemError::is_internal_server_error)
})]
#[case::refused_connection_is_a_dispatch_failure(FaultKind::RefuseConnection, false, is_io_failure)]
#[case::lost_reply_is_an_io_failure_of_an_applied_call(FaultKind::LoseReply, true, is_io_failure)]
#[case::cut_body_applies_the_put_and_does_not_parse(FaultKind::CutBody, true, is_unparsed_success)]
#[tokio::test]
async fn broken_put_is_an_error(
    #[case] kind: FaultKind,
    #[case] is_applied: bool,
    #[case] is_expected: impl Fn(&PutFailure) -> bool,
) {
    let (result, applied) = broken_put(kind).await;
    let error = result.expect_err("a broken put fails");
    assert!(is_expected(&error), "{error:?}");
    assert_eq!(applied, is_applied);
}

#[tokio::test]
async fn delay_applies_the_call_and_answers_late() {
    let wait = Duration::from_millis(50);
    let begin = Instant::now();
    let (result, applied) = broken_put(FaultKind::Delay(wait)).await;
    result.expect("a delayed put succeeds");
    assert!(begin.elapsed() >= wait);
    assert!(applied);
}

#[tokio::test]
async fn delay_past_the_attempt_timeout_is_a_timeout_of_an_applied_call() {
    let embedded = Embedded::start().await;
    let faults = FaultConnector::new();
    faults.set_plan(Plan::EveryAttempt(FaultKind::Delay(Duration::from_mins(1))));
    let client =
        embedded.client_with(faults.over(in_process_client()), RetryConfig::disabled(), Duration::from_secs(1));
    // On a busy machine the timeout may strike before the call is sent.
    for _ in 0..20 {
        let error = put(&client, "a").send().await.expect_err("the attempt timeout ends it");
        assert!(matches!(error, SdkError::TimeoutError(_)), "{error:?}");
        if exists(&embedded, "a").await {
            return;
        }
    }
    panic!("it was not applied");
}

/// True if the error is that of the SDK for a success that does not parse: an unhandled service error without a code, on status 200.
fn is_unparsed_success<E: ProvideErrorMetadata>(error: &SdkError<E>) -> bool {
    let unhandled = error.as_service_error().is_some_and(|source| source.code().is_none());
    unhandled && error.raw_response().is_some_and(|raw| raw.status().is_success())
}

#[tokio::test]
async fn cut_body_of_a_read_is_an_error_and_not_an_absent_item() {
    let embedded = Embedded::start().await;
    let faults = FaultConnector::new();
    let client = embedded.client(faults.over(in_process_client()));
    put(&client, "a").send().await.expect("a put");
    faults.set_plan(Plan::EveryAttempt(FaultKind::CutBody));
    let error = get(&client, "a").send().await.expect_err("half an answer is an error");
    assert!(is_unparsed_success(&error), "{error:?}");
}

#[tokio::test]
async fn hang_ends_by_the_timeout_of_the_attempt_and_applies_nothing() {
    let embedded = Embedded::start().await;
    let faults = FaultConnector::new();
    faults.set_plan(Plan::EveryAttempt(FaultKind::Hang));
    let client =
        embedded.client_with(faults.over(in_process_client()), RetryConfig::disabled(), Duration::from_millis(50));
    let error = put(&client, "a").send().await.expect_err("the attempt timeout ends it");
    assert!(matches!(error, SdkError::TimeoutError(_)), "{error:?}");
    assert!(!exists(&embedded, "a").await);
}

#[tokio::test]
async fn transaction_conflict_refuses_a_single_write_and_lets_a_read_pass() {
    let (result, applied) = broken_put(FaultKind::TransactionConflict).await;
    let error = result.expect_err("a put in conflict fails");
    assert_eq!(error.code(), Some("TransactionConflictException"));
    assert!(!applied);

    let embedded = Embedded::start().await;
    let faults = FaultConnector::new();
    faults.set_plan(Plan::EveryAttempt(FaultKind::TransactionConflict));
    get(&embedded.client(faults.over(in_process_client())), "a").send().await.expect("a read passes");
    assert_eq!(faults.observed()[0].outcome, AttemptOutcome::Passed);
}

#[tokio::test]
async fn fault_could_break_the_calls_that_it_applies_to_and_no_others() {
    let embedded = Embedded::start().await;
    let faults = FaultConnector::new();
    let client = embedded.client(faults.over(in_process_client()));
    get(&client, "a").send().await.expect("a read");
    put(&client, "a").send().await.expect("a write");
    let attempts = faults.observed();
    let could_have = |kind| attempts.iter().map(|attempt| attempt.could_have(kind)).collect::<Vec<_>>();
    assert_eq!(could_have(FaultKind::Throttle), [true, true]);
    assert_eq!(could_have(FaultKind::TransactionConflict), [false, true]);
    assert_eq!(could_have(FaultKind::TransactionThrottle), [false, false]);
    assert_eq!(attempts.iter().map(Attempt::is_write).collect::<Vec<_>>(), [false, true]);
    faults.reset();
    assert!(faults.observed().is_empty(), "the record begins again");
}

#[tokio::test]
async fn transaction_conflict_cancels_with_one_reason_for_each_item_in_order() {
    let embedded = Embedded::start().await;
    let faults = FaultConnector::new();
    faults.set_plan(Plan::EveryAttempt(FaultKind::TransactionConflict));
    let client = embedded.client(faults.over(in_process_client()));
    for expected in [["TransactionConflict", "None", "None"], ["None", "TransactionConflict", "None"]] {
        let actions = ["a", "b", "c"].map(put_action).to_vec();
        let error = client.transact_write_items().set_transact_items(Some(actions)).send().await;
        let error = error.expect_err("a cancelled transaction fails").into_service_error();
        let aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError::TransactionCanceledException(
            cancelled,
        ) = error
        else {
            panic!("not a cancellation: {error:?}");
        };
        let codes: Vec<&str> = cancelled.cancellation_reasons().iter().filter_map(|reason| reason.code()).collect();
        assert_eq!(codes, expected);
    }
    assert!(!exists(&embedded, "a").await);
}
