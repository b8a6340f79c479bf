//! Events of changes: which change has which event, with which fields.

use super::*;
use crate::api_key::ApiKeyId;
use crate::review::{Rating, fixture};
use crate::user::fixture::{actor, at, org};

fn review() -> Review {
    Review {
        version: 3,
        city_key: "paris".to_owned(),
        date: 100,
        content: Some("Fine".to_owned()),
        state: ReviewState::NotTreated,
        ..fixture::review("Ab12")
    }
}

fn fields(event: &Event) -> Vec<&'static str> {
    match &event.subject {
        EventSubject::User { fields, .. } => fields.iter().map(|field| field.as_str()).collect(),
        EventSubject::Review { fields, .. } => fields.iter().map(|field| field.as_str()).collect(),
        EventSubject::Invitation { .. }
        | EventSubject::Reply { .. }
        | EventSubject::Key { .. }
        | EventSubject::Webhook { .. } => Vec::new(),
    }
}

#[test]
fn each_kind_has_a_name_of_its_own() {
    let names: std::collections::BTreeSet<_> = EventKind::ALL.into_iter().map(EventKind::as_str).collect();
    assert_eq!(names.len(), EventKind::ALL.len());
    for name in names {
        assert_eq!(name.split('.').count(), 2, "{name}");
    }
}

#[test]
fn changes_of_users_and_keys_have_events_and_those_of_mails_and_limits_have_none() {
    let (key, new) = ["7-0a0a0a0a0a0a", "7-0b0b0b0b0b0b"].map(|id| ApiKeyId::parse(id).expect("an id")).into();
    let record = |action| AuditRecord {
        at: at(9),
        actor: actor(),
        action,
        target: UserId::parse("7").expect("an id").into(),
        org_id: Some(org(1)),
        fields: vec![UserField::Email, UserField::Role],
        version: Some(4),
        left_org: None,
        tables: None,
    };
    for (action, kind) in [
        (AuditAction::Create, Some(EventKind::UserCreated)),
        (AuditAction::Update, Some(EventKind::UserUpdated)),
        (AuditAction::Delete, Some(EventKind::UserDeleted)),
        (AuditAction::Activate, Some(EventKind::UserActivated)),
        (AuditAction::Invite, None),
        (AuditAction::IssueKey(key), Some(EventKind::KeyIssued)),
        (AuditAction::RotateKey(key, Some(new)), Some(EventKind::KeyRotated)),
        (AuditAction::RotateKey(key, None), None),
        (AuditAction::RevokeKey(key), Some(EventKind::KeyRevoked)),
        (AuditAction::SetKeyLimit(key), None),
        (AuditAction::Restore(1), Some(EventKind::UserUpdated)),
        (AuditAction::Reply, None),
    ] {
        let event = Event::of_record(&record(action));
        assert_eq!(event.as_ref().map(|event| event.kind), kind, "{action:?}");
        if let Some(event) = event {
            assert_eq!((event.org_id, event.version, event.at), (Some(org(1)), Some(4), at(9)));
            match event.subject {
                EventSubject::Key { id, replaces } => {
                    let replaced = action.new_key_id().map(|_| key);
                    assert_eq!((id, replaces), (action.new_key_id().unwrap_or(key), replaced), "{action:?}");
                }
                _ => assert_eq!(fields(&event), ["email", "role"]),
            }
        }
    }
}

#[test]
fn a_delivery_that_ended_has_an_event() {
    let user = UserId::parse("7").expect("an id");
    for (report, name) in [(DeliveryReport::Sent, "invitation.sent"), (DeliveryReport::GivenUp, "invitation.given_up")]
    {
        let event = Event::of_delivery(user, None, 5, report, at(9));
        assert_eq!((event.kind.as_str(), event.version, event.at), (name, Some(5), at(9)));
        assert_eq!(event.subject, EventSubject::Invitation { user_id: user });
    }
}

/// Change of a review, with the kind and the field of the event that it causes.
type ReviewCase = (fn(&mut Review), Option<(&'static str, &'static str)>);

#[test]
fn changes_of_a_review_name_the_fields_that_the_api_shows_differently() {
    let before = review();
    let after = |change: fn(&mut Review)| {
        let mut after = Review { version: 4, ..review() };
        change(&mut after);
        after
    };
    let cases: [ReviewCase; 11] = [
        (|_| {}, None),
        (|review| review.city_key = "lyon".to_owned(), None),
        // The creation counts as the last change of a review that was never changed.
        (|review| review.update_date = Some(100), None),
        (|review| review.delete_date = Some(jiff::civil::date(2026, 3, 1)), None),
        (|review| review.update_date = Some(200), Some(("review.updated", "update_date"))),
        (|review| review.rating = Rating::ALL[0], Some(("review.updated", "rating"))),
        (|review| review.org_id = org(2), Some(("review.updated", "org_id"))),
        (|review| review.content = None, Some(("review.updated", "content"))),
        (|review| review.author_name = Some("Zoë".to_owned()), Some(("review.updated", "author_name"))),
        (|review| review.state = ReviewState::Treated, Some(("review.updated", "state"))),
        (|review| review.state = ReviewState::Deleted, Some(("review.deleted", "state"))),
    ];
    for (number, (change, expected)) in cases.into_iter().enumerate() {
        let after = after(change);
        let event = Event::of_review(Some(&before), Some(&after), at(9));
        let found = event.as_ref().map(|event| (event.kind.as_str(), fields(event).join(" ")));
        assert_eq!(found, expected.map(|(kind, fields)| (kind, fields.to_owned())), "case {number}");
        if let Some(event) = event {
            assert_eq!((event.version, event.org_id), (Some(4), Some(after.org_id)), "case {number}");
        }
    }
}

#[test]
fn a_new_review_names_what_it_has_and_a_removed_one_nothing() {
    let given = Event::of_review(None, Some(&review()), at(9)).expect("an event");
    let expected = "org_id business_id partner partner_id date update_date rating content state key";
    assert_eq!((given.kind, fields(&given).join(" ")), (EventKind::ReviewCreated, expected.to_owned()));
    let removed = Event::of_review(Some(&review()), None, at(9)).expect("an event");
    assert_eq!((removed.kind, removed.version), (EventKind::ReviewDeleted, Some(4)));
    assert_eq!(fields(&removed), Vec::<&str>::new());
    assert_eq!(Event::of_review(None, None, at(9)), None);
}

#[test]
fn a_review_that_comes_back_is_updated() {
    let day = Some(jiff::civil::date(2026, 3, 1));
    let deleted = Review { state: ReviewState::Deleted, delete_date: day, ..review() };
    let back = Review { version: 4, delete_date: day, ..review() };
    let event = Event::of_review(Some(&deleted), Some(&back), at(9)).expect("an event");
    assert_eq!((event.kind, fields(&event)), (EventKind::ReviewUpdated, vec!["delete_date", "state"]));
    let edited = Review { content: None, ..deleted.clone() };
    let event = Event::of_review(Some(&deleted), Some(&edited), at(9)).expect("an event");
    assert_eq!(event.kind, EventKind::ReviewUpdated, "it was deleted before");
}

#[test]
fn what_becomes_of_a_reply_has_an_event_with_its_version() {
    use crate::review::ReplyOutcome::{Published, Rejected, Removed};
    use crate::review::{OutcomeReport, ReplyOutcome, ReplyText, SeenAt};
    let by = UserId::parse("7").expect("an id");
    let text = |text| ReplyText::parse(text).expect("a text");
    let report = |review: &Review, version, outcome: ReplyOutcome| {
        let report = OutcomeReport { version, outcome, reason: None };
        review.record_outcome(report, at(9)).expect("an outcome").expect("a change")
    };
    let replied = review().reply_with(text("A"), by, at(9)).expect("a reply");
    let (published, rejected) = (report(&replied, 1, Published), report(&replied, 1, Rejected));
    let removing = published.remove_reply(by, at(9)).expect("a reply").expect("a change");
    let gone = rejected.remove_reply(by, at(9)).expect("a reply").expect("a change");
    let row = Review { reply_comment: Some("X".to_owned()), seen_at: Some(SeenAt::at(99_000_000)), ..review() };
    let replaced = Review::accept(Some(&published), &row).review;
    for (before, after, expected) in [
        (&review(), &replied, Some(("reply.requested", 1))),
        (&replied, &published, Some(("reply.published", 1))),
        (&replied, &rejected, Some(("reply.rejected", 1))),
        (&rejected, &gone, Some(("reply.removed", 1))),
        (&published, &removing, Some(("reply.requested", 2))),
        (&removing, &report(&removing, 2, Removed), Some(("reply.removed", 2))),
        (&removing, &report(&removing, 2, Rejected), Some(("reply.rejected", 2))),
        (&removing, &removing.reply_with(text("B"), by, at(9)).expect("a reply"), Some(("reply.requested", 3))),
        (&published, &replaced, None),
        (&published, &Review { rating: Rating::ALL[0], ..published.clone() }, None),
        (&review(), &review(), None),
    ] {
        let event = Event::of_reply(Some(before), Some(after), at(9));
        assert_eq!(event.map(|event| (event.kind.as_str(), event.version.expect("a version"))), expected);
    }
    assert_eq!(Event::of_reply(None, Some(&replied), at(9)), None);
}
