//! Calls of a delivery that `DynamoDB` refuses for now: the mail is sent once, and its outcome is recorded.

use std::time::Duration;

use jiff::SignedDuration;
use presence_domain::ids::UserId;
use presence_mailer::DeliveryOutcome;
use presence_store::with_retries_for;
use presence_tests::ConnectorLayer as _;
use presence_tests::{FaultConnector, FaultKind, Plan, in_process_client, long_timeouts};

use super::fake_mailer::SendOutcome;
use super::invitation_fixture::InvitationFixture;

/// Time for the retries of a call: more than a busy machine needs.
const LONG: Duration = Duration::from_mins(10);
/// Number of refusals in a row: more than the four attempts of the SDK.
const IN_A_ROW: u64 = 9;
/// Number of calls after which a delivery has certainly ended.
const MAX_CALLS: u64 = 20;

/// Delivers a mail whose calls are refused from this one on. Returns false if the delivery makes fewer calls.
async fn deliver_refused(kind: FaultKind, call: u64, outcome: SendOutcome, expected: DeliveryOutcome) -> bool {
    let mut fixture = InvitationFixture::new().await;
    let faults = FaultConnector::new();
    let stack = &fixture.stack;
    let stores = stack.stores_through(faults.over(in_process_client()), long_timeouts(), stack.table_prefix());
    fixture.process.outbox.users = stores.users;
    fixture.process.outbox.outbox = stores.outbox;
    fixture.fake_mailer.set_outcome(outcome);
    faults.restart(Plan::At { call, kind, times: IN_A_ROW });
    let id = UserId::parse(&fixture.id).expect("an id");
    let delivered = with_retries_for(LONG, fixture.process.outbox.deliver(id)).await;
    assert_eq!(delivered.ok(), Some(expected), "{kind:?} from call {call} on");
    let is_last = faults.observed().len() < usize::try_from(call).expect("a small number");
    faults.set_plan(Plan::None);
    fixture.fake_mailer.set_outcome(SendOutcome::Sent);
    fixture.advance_time(false, SignedDuration::from_mins(6)).await;
    assert_eq!(fixture.mails(), 1, "{kind:?} from call {call} on");
    fixture.assert_consistent(&format!("{kind:?} from call {call} on")).await;
    !is_last
}

#[rstest::rstest]
#[case::throttled(FaultKind::Throttle)]
#[case::held_by_a_transaction(FaultKind::TransactionConflict)]
#[tokio::test(flavor = "multi_thread")]
async fn delivery_that_is_refused_at_any_call_sends_one_mail_and_records_it(#[case] kind: FaultKind) {
    let outcomes = [(SendOutcome::Sent, DeliveryOutcome::Sent), (SendOutcome::Refused, DeliveryOutcome::Refused)];
    // Side by side, since they mostly wait.
    let deliveries = outcomes.map(|(outcome, expected)| async move {
        let mut call = 1;
        while Box::pin(deliver_refused(kind, call, outcome, expected)).await {
            call += 1;
            assert!(call < MAX_CALLS, "a delivery makes few calls");
        }
        assert!(call > 5, "a delivery reads, claims, and records: {call}");
    });
    futures::future::join_all(deliveries).await;
}
