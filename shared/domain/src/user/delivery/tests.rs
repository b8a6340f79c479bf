//! Steps of the delivery of a mail, and their effect on the user.

use super::super::fixture::{at, link_statuses, org, user, with_links};
use super::super::{Role, Status};
use super::*;
use crate::invitation::{ActivationToken, DisabledWebhook, LinkStatus, MarkReason, MessageState, WINDOW};
use crate::webhook_id::WebhookId;

const LINK_LIFE: SignedDuration = SignedDuration::from_hours(72);

fn message() -> OutboxMessage {
    OutboxMessage::new("MAIL#1".to_owned(), user(Status::Invited).id, at(0), at(0))
}

fn claim(before: &User, now: i64) -> DeliveryClaim {
    before.claim_delivery(&message(), ActivationToken::generate().hash(), LINK_LIFE, at(now))
}

#[test]
fn the_next_step_follows_from_mail_and_pace() {
    let due = message();
    let tried = due.with_attempt(at(320), at(0));
    let given_up = tried.given_up();
    let day = 24 * 3600;
    for (case, message, quiet_until, now, expected) in [
        ("due", &due, None, 0, DeliveryStep::Claim),
        ("not due", &due, None, -1, DeliveryStep::Wait),
        ("given up", &given_up, None, day, DeliveryStep::Wait),
        ("a mail was sent just now", &due, Some(300), 299, DeliveryStep::Postpone(at(300))),
        ("the window is over", &due, Some(300), 300, DeliveryStep::Claim),
        ("never tried, however old", &due, None, 2 * day, DeliveryStep::Claim),
        ("tried for a day", &tried, None, day, DeliveryStep::GiveUp),
        ("tried for a day, and may have been sent", &tried, Some(day + 9), day, DeliveryStep::Postpone(at(day + 9))),
        ("tried for less than a day", &tried, None, day - 1, DeliveryStep::Claim),
    ] {
        let user = User { quiet_until: quiet_until.map(at), ..user(Status::Invited) };
        assert_eq!(user.next_delivery_step(message, None, at(now)), expected, "{case}");
        let mark = AddressMark { reason: MarkReason::Bounced, at: at(0) };
        let marked = if expected == DeliveryStep::Wait { expected } else { DeliveryStep::GiveUpMarked(mark) };
        assert_eq!(user.next_delivery_step(message, Some(mark), at(now)), marked, "{case}, marked");
    }
}

/// Returns a notice about a webhook of organisation 1.
fn notice() -> OutboxMessage {
    let id = WebhookId::random(org(1), 0);
    let about = DisabledWebhook { id, host: "hooks.example.com".to_owned(), label: None };
    OutboxMessage::notice("MAIL#1".to_owned(), user(Status::Active).id, about, at(0))
}

#[test]
fn a_notice_goes_to_active_admins_of_its_organisation_only() {
    for (role, status, org_id, expected) in [
        (Role::OrgAdmin, Status::Active, Some(org(1)), DeliveryStep::Claim),
        (Role::OrgAdmin, Status::Invited, Some(org(1)), DeliveryStep::Cancel),
        (Role::BusinessManager, Status::Active, Some(org(1)), DeliveryStep::Cancel),
        (Role::OrgAdmin, Status::Active, Some(org(2)), DeliveryStep::Cancel),
        (Role::Provider, Status::Active, None, DeliveryStep::Cancel),
    ] {
        let user = User { role, org_id, ..user(status) };
        assert_eq!(user.next_delivery_step(&notice(), None, at(0)), expected, "{role:?} {status:?} {org_id:?}");
    }
}

#[test]
fn a_notice_makes_no_link_and_is_reported_as_no_invitation() {
    let before = User { role: Role::OrgAdmin, ..user(Status::Active) };
    let token = ActivationToken::generate().hash();
    let claim = before.claim_delivery(&notice(), token, LINK_LIFE, at(0));
    assert_eq!(link_statuses(&claim.user, &[token]), [LinkStatus::Expired]);
    let sent = claim.user.record_sent(&claim, Some("MAIL#1"), at(1)).expect("a change");
    assert_eq!((&sent.mail, sent.delivery), (&MailEffect::Cancel, None));
    let after = sent.after.expect("a user");
    assert_eq!((after.links.as_slice().len(), after.quiet_until), (0, Some(at(1) + WINDOW)));
    assert_eq!(UserChange::of_mail(before, notice().given_up(), at(2)).delivery, None);
}

#[test]
fn a_claim_adds_the_link_and_keeps_other_mails_away() {
    for status in Status::ALL {
        let (before, older) = with_links(User { invited_at: Some(at(0)), ..user(status) }, 1);
        let claim = claim(&before, 10);
        let after = claim.change().after.expect("a user");
        assert_eq!(claim.change().mail, MailEffect::Rewrite(claim.message.clone()));
        assert_eq!((claim.message.attempts, claim.message.due_at), (1, claim.quiet_until()));
        assert_eq!((after.invited_at, after.quiet_until), (Some(at(0)), Some(at(10 + 20 + 300))), "{status:?}");
        assert_eq!(link_statuses(&after, &[older[0], claim.token_hash]), [LinkStatus::Open, LinkStatus::Open]);
        assert_eq!((after.status, &after.password), (status, &before.password));
    }
}

#[test]
fn a_mail_that_was_sent_is_done_and_replaces_the_older_links() {
    for status in Status::ALL {
        let (before, older) = with_links(User { invited_at: Some(at(0)), ..user(status) }, 1);
        let claim = claim(&before, 10);
        for (waiting, mail) in
            [(Some("MAIL#1"), MailEffect::Cancel), (Some("MAIL#2"), MailEffect::Keep), (None, MailEffect::Keep)]
        {
            let change = claim.user.record_sent(&claim, waiting, at(12)).expect("a change");
            assert_eq!(change.mail, mail, "{status:?} {waiting:?}");
            assert_eq!(change.delivery, Some(DeliveryReport::Sent), "{status:?} {waiting:?}");
            let after = change.after.expect("a user");
            assert_eq!((after.invited_at, after.quiet_until), (Some(at(0)), Some(at(12) + WINDOW)));
            let expected = [LinkStatus::Replaced, LinkStatus::Open];
            assert_eq!(link_statuses(&after, &[older[0], claim.token_hash]), expected);
        }
    }
}

#[test]
fn a_mail_that_was_not_sent_leaves_no_link_and_no_window() {
    for status in Status::ALL {
        let (before, older) = with_links(User { invited_at: Some(at(0)), ..user(status) }, 1);
        let claim = claim(&before, 10);
        let message = claim.message_after_refusal("MessageRejected", at(12));
        assert_eq!((message.state, message.due_at), (MessageState::Pending, at(12 + 15)));
        for (waiting, mail) in [
            (Some("MAIL#1"), MailEffect::Rewrite(message.clone())),
            (Some("MAIL#2"), MailEffect::Keep),
            (None, MailEffect::Keep),
        ] {
            let change = claim.user.record_not_sent(&claim, waiting, &message, at(12)).expect("a change");
            assert_eq!(change.mail, mail, "{status:?} {waiting:?}");
            let after = change.after.expect("a user");
            assert_eq!((after.invited_at, after.quiet_until), (Some(at(0)), None));
            let expected = [LinkStatus::Open, LinkStatus::Unknown];
            assert_eq!(link_statuses(&after, &[older[0], claim.token_hash]), expected);
        }
    }
}

#[test]
fn a_claim_is_the_last_one_after_the_user_was_stored_in_milliseconds() {
    let now = at(10) + SignedDuration::from_nanos(123_456_789);
    let before = User { invited_at: Some(at(0)), ..user(Status::Invited) };
    let claim = before.claim_delivery(&message(), ActivationToken::generate().hash(), LINK_LIFE, now);
    let to_stored = |instant: Timestamp| Timestamp::from_millisecond(instant.as_millisecond()).expect("an instant");
    let stored = User { quiet_until: claim.user.quiet_until.map(to_stored), ..claim.user.clone() };
    let refused = claim.message_after_refusal("MessageRejected", at(12));
    let change = stored.record_not_sent(&claim, Some("MAIL#1"), &refused, at(12)).expect("a change");
    assert_eq!(change.mail, MailEffect::Rewrite(refused));
    assert_eq!(change.after.expect("a user").quiet_until, None);
}

#[test]
fn a_later_claim_of_another_mailer_ends_later() {
    let first = claim(&user(Status::Invited), 0);
    let second = claim(&first.user, 400);
    let sent = second.user.record_sent(&first, Some("MAIL#1"), at(410)).expect("a change");
    assert_eq!(sent.mail, MailEffect::Cancel, "the mail was sent: it is done");
    assert_eq!(sent.after.map(|after| after.quiet_until), Some(Some(second.quiet_until())));
    let refused = second.user.record_not_sent(&first, Some("MAIL#1"), &first.message, at(410)).expect("a change");
    assert_eq!(refused.mail, MailEffect::Keep, "the other mailer decides on it");
    assert_eq!(refused.after.map(|after| after.quiet_until), Some(Some(second.quiet_until())));
}

#[test]
fn only_a_mail_that_was_given_up_is_reported_among_those_that_were_not_sent() {
    let before = user(Status::Invited);
    let claim = claim(&before, 10);
    let (refused, failed) = (claim.message_after_refusal("MessageRejected", at(12)), claim.message.given_up());
    for (message, waiting, report) in [
        (&refused, Some("MAIL#1"), None),
        (&failed, Some("MAIL#1"), Some(DeliveryReport::GivenUp)),
        (&failed, Some("MAIL#2"), None),
    ] {
        let change = claim.user.record_not_sent(&claim, waiting, message, at(12)).expect("a change");
        assert_eq!(change.delivery, report, "{:?} {waiting:?}", message.state);
    }
    assert_eq!(claim.change().delivery, None);
    assert_eq!(DeliveryReport::ALL.map(|report| DeliveryReport::parse(report.as_str())), DeliveryReport::ALL.map(Some));
}

#[test]
fn a_user_that_does_not_know_the_link_any_more_is_left_alone() {
    let before = user(Status::Invited);
    let claim = claim(&before, 10);
    assert_eq!(before.record_sent(&claim, Some("MAIL#1"), at(12)), None);
    assert_eq!(before.record_not_sent(&claim, Some("MAIL#1"), &claim.message, at(12)), None);
}

#[test]
fn a_refused_mail_is_given_up_after_a_day() {
    let claim = claim(&user(Status::Invited), 0);
    let day = 24 * 3600;
    assert_eq!(claim.message_after_refusal("MessageRejected", at(day - 1)).state, MessageState::Pending);
    assert_eq!(claim.message_after_refusal("MessageRejected", at(day)).state, MessageState::Failed);
}
