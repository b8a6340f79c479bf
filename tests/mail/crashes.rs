//! Mailer killed at each of its calls, and each outcome of a send.

use jiff::SignedDuration;
use presence_mailer::DeliveryOutcome;
use presence_tests::logs::with_metrics;
use serde_json::json;

use super::fake_mailer::{LEASE, SendOutcome, sweep};
use super::invitation_fixture::InvitationFixture;
use presence_tests::CrashPoint;

#[tokio::test(flavor = "multi_thread")]
async fn invitation_takes_four_reads_two_transactions_and_a_write() {
    let fixture = InvitationFixture::new().await;
    fixture.invoke(&json!({ "Records": [fixture.record] }), None).await;
    assert_eq!((fixture.process.crashes.calls(), fixture.mails()), (7, 1));
    fixture.assert_consistent("without a crash").await;
    // Delivered again by the stream, each record costs one read: the mail is gone.
    fixture.invoke(&json!({ "Records": [fixture.record, fixture.record] }), None).await;
    assert_eq!((fixture.process.crashes.calls(), fixture.mails()), (2, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn mailer_killed_at_any_call_loses_no_mail_and_sends_no_two_in_five_minutes() {
    for with_stream in [true, false] {
        for call in 1..=7 {
            for moment in [CrashPoint::Before, CrashPoint::After] {
                let what = format!("killed {moment:?} call {call}, stream {with_stream}");
                let fixture = InvitationFixture::new().await;
                fixture.invoke(&json!({ "Records": [fixture.record] }), Some((call, moment))).await;
                let was_sent = fixture.mails();
                assert_eq!(was_sent, usize::from(call >= 6), "{what}");
                fixture.advance_time(with_stream, SignedDuration::from_secs(300)).await;
                assert_eq!(fixture.fake_mailer.too_soon(), Vec::<String>::new(), "{what}");
                fixture.advance_time(with_stream, SignedDuration::from_secs(120)).await;
                fixture.assert_consistent(&what).await;
                // A second mail is sent only if the first was sent and its outcome could not be written.
                assert_eq!(fixture.mails(), 1 + usize::from((call, moment) == (6, CrashPoint::Before)), "{what}");
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn mail_arrives_after_any_outcome_and_no_two_are_sent_in_five_minutes() {
    for (outcome, first, all) in [
        (SendOutcome::Sent, 1, 1),
        (SendOutcome::Refused, 0, 1),
        (SendOutcome::Lost, 1, 2),
        (SendOutcome::Vanished, 0, 1),
        (SendOutcome::DiesBefore, 0, 1),
        (SendOutcome::DiesAfter, 1, 2),
    ] {
        for with_stream in [true, false] {
            let what = format!("{outcome:?}, stream {with_stream}");
            let fixture = InvitationFixture::new().await;
            fixture.fake_mailer.set_outcome(outcome);
            fixture.invoke(&json!({ "Records": [fixture.record] }), None).await;
            assert_eq!(fixture.mails(), first, "{what}");
            fixture.fake_mailer.set_outcome(SendOutcome::Sent);
            if outcome != SendOutcome::Refused && outcome != SendOutcome::Sent {
                fixture.advance_time(with_stream, LEASE - SignedDuration::from_secs(1)).await;
                assert_eq!(fixture.mails(), first, "no mail is sent while the lease holds: {what}");
            }
            fixture.advance_time(with_stream, SignedDuration::from_secs(40)).await;
            assert_eq!(fixture.mails(), all, "{what}");
            fixture.assert_consistent(&what).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn refused_mail_waits_longer_each_time_and_is_given_up_after_a_day() {
    let fixture = InvitationFixture::new().await;
    fixture.fake_mailer.set_outcome(SendOutcome::Refused);
    let user_id = presence_domain::ids::UserId::parse(&fixture.id).expect("an id");
    // From here on the pause is an hour. The last one is cut so that it ends with the day.
    let pauses = [15, 30, 60, 120, 240, 480, 960, 1_920].into_iter().chain([3_600; 22]).chain([3_375]);
    for pause in pauses {
        assert_eq!(fixture.process.outbox.deliver(user_id).await.ok(), Some(DeliveryOutcome::Refused));
        fixture.stack.clock.advance(SignedDuration::from_secs(pause - 1));
        assert_eq!(
            fixture.process.outbox.deliver(user_id).await.ok(),
            Some(DeliveryOutcome::Nothing),
            "before {pause} s"
        );
        fixture.stack.clock.advance(SignedDuration::from_secs(1));
    }
    assert_eq!(fixture.process.outbox.deliver(user_id).await.ok(), Some(DeliveryOutcome::GivenUp));
    fixture.stack.clock.advance(SignedDuration::from_hours(1));
    assert_eq!(fixture.process.outbox.deliver(user_id).await.ok(), Some(DeliveryOutcome::Nothing));
    assert_eq!(fixture.stack.audit().await, []);
    let listed = fixture.stack.stores().outbox.list().await.expect("the store answers");
    assert_eq!(listed[0].state, presence_domain::invitation::MessageState::Failed);

    fixture.fake_mailer.set_outcome(SendOutcome::Sent);
    let now = presence_runtime::clock::Clock::now(fixture.stack.clock.as_ref());
    assert_eq!(fixture.stack.stores().users.retry_mail(&listed[0].id, now).await.ok(), Some(true));
    assert_eq!(
        fixture.stack.stores().users.retry_mail(&listed[0].id, now).await.ok(),
        Some(false),
        "it is waiting already"
    );
    fixture.invoke(&sweep(), None).await;
    assert_eq!(fixture.mails(), 1);
    fixture.assert_consistent("retried").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn mail_that_ses_calls_malformed_is_given_up_at_once_and_starts_no_window() {
    let fixture = InvitationFixture::new().await;
    fixture.fake_mailer.set_outcome(SendOutcome::Malformed);
    let ((), metrics) = Box::pin(with_metrics(fixture.invoke(&json!({ "Records": [fixture.record] }), None))).await;
    assert_eq!(metrics, [("mails_failed".to_owned(), 1.0)]);
    let stored = fixture.stack.stored(&fixture.id).await.expect("the guest");
    assert_eq!(
        (stored.mails[0].state, stored.user.links.as_slice()),
        (presence_domain::invitation::MessageState::Failed, &[][..])
    );
    let now = presence_runtime::clock::Clock::now(fixture.stack.clock.as_ref());
    assert_eq!(fixture.stack.stores().outbox.get_quiet_until(stored.user.email.key(), now).await.ok(), Some(None));
}

#[tokio::test(flavor = "multi_thread")]
async fn replies_lost_for_a_day_cause_20_to_35_mails_and_no_two_in_five_minutes() {
    let fixture = InvitationFixture::new().await;
    fixture.fake_mailer.set_outcome(SendOutcome::Lost);
    for _ in 0..25 * 60 {
        fixture.invoke(&sweep(), None).await;
        fixture.stack.clock.advance(SignedDuration::from_mins(1));
    }
    assert_eq!(fixture.fake_mailer.too_soon(), Vec::<String>::new());
    assert!((20..=35).contains(&fixture.mails()), "{} mails: the pauses grow", fixture.mails());
    let listed = fixture.stack.stores().outbox.list().await.expect("the store answers");
    assert_eq!(listed[0].state, presence_domain::invitation::MessageState::Failed, "it is given up in the end");
}

#[tokio::test(flavor = "multi_thread")]
async fn mail_that_was_not_tried_for_a_day_is_tried() {
    let fixture = InvitationFixture::new().await;
    fixture.stack.clock.advance(SignedDuration::from_hours(25));
    fixture.invoke(&sweep(), None).await;
    assert_eq!(fixture.mails(), 1);
    fixture.assert_consistent("a mailer that was down for a day").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn waiting_mail_is_measured_and_given_up_after_a_day() {
    let fixture = InvitationFixture::new().await;
    let user_id = presence_domain::ids::UserId::parse(&fixture.id).expect("an id");
    fixture.fake_mailer.set_outcome(SendOutcome::Refused);
    assert_eq!(fixture.process.outbox.deliver(user_id).await.ok(), Some(DeliveryOutcome::Refused));
    let age = |seconds: f64| ("outbox_age_seconds".to_owned(), seconds);
    for (hours, metrics) in [
        (1, vec![age(3_600.0)]),
        (23, vec![age(86_400.0), ("mails_failed".to_owned(), 1.0)]),
        // A mail that was given up no longer counts.
        (1, vec![age(0.0)]),
    ] {
        fixture.stack.clock.advance(SignedDuration::from_hours(hours));
        assert_eq!(Box::pin(with_metrics(fixture.invoke(&sweep(), None))).await, ((), metrics));
    }
    assert_eq!(fixture.mails(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn age_of_a_refused_mail_counts_from_the_first_possible_send() {
    let fixture = InvitationFixture::new().await;
    fixture.fake_mailer.set_outcome(SendOutcome::Refused);
    let user_id = presence_domain::ids::UserId::parse(&fixture.id).expect("an id");
    assert_eq!(fixture.process.outbox.deliver(user_id).await.ok(), Some(DeliveryOutcome::Refused));
    fixture.stack.clock.advance(SignedDuration::from_secs(10));
    let ((), metrics) = Box::pin(with_metrics(fixture.invoke(&sweep(), None))).await;
    assert_eq!(metrics, [("outbox_age_seconds".to_owned(), 10.0)], "it waits for five more seconds");
}

#[tokio::test(flavor = "multi_thread")]
async fn records_without_a_mail_are_skipped() {
    let fixture = InvitationFixture::new().await;
    let unrelated = [
        json!(null),
        json!(7),
        json!({}),
        json!({ "dynamodb": null }),
        json!({ "eventName": "REMOVE", "dynamodb": { "Keys": fixture.record["dynamodb"]["Keys"] } }),
        json!({ "dynamodb": { "Keys": { "pk": { "S": "USER#1" }, "sk": { "S": "USER" } }, "NewImage": {} } }),
        json!({ "dynamodb": { "Keys": { "pk": { "B": "AA==" } }, "NewImage": { "due_at": { "N": "soon" } } } }),
    ];
    let records: Vec<_> = unrelated.into_iter().chain([fixture.record.clone()]).collect();
    fixture.invoke(&json!({ "Records": records }), None).await;
    assert_eq!(fixture.mails(), 1, "the record behind them is delivered");
}
