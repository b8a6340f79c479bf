//! Records of changes: which change is recorded, and as what.

use super::*;
use crate::invitation::ActivationToken;
use crate::patch::Patch;
use crate::review::{Review, ReviewState, fixture::review};
use crate::user::fixture::{actor, at, business, hash, org, user};
use crate::user::{NewUser, References, Status, UserPatch};
use crate::{error::FieldErrors, user::fixture};

/// Returns the spelling of the action and the names of the fields.
fn summary(record: &AuditRecord) -> (&'static str, Vec<&'static str>) {
    (record.action.as_str(), record.fields.iter().map(|field| field.as_str()).collect())
}

fn patched(before: &User, patch: &UserPatch) -> Option<UserChange> {
    let change =
        before.apply_patch(patch, &References::default(), |_| hash("b"), FieldErrors::default(), &actor(), at(9));
    change.expect("a valid patch")
}

#[test]
fn each_transition_is_recorded_with_its_author_and_its_fields() {
    let (active, invited) = (user(Status::Active), user(Status::Invited));
    let with_business = User { business_ids: vec![business("a")], ..active.clone() };
    let new = NewUser { status: Status::Invited, ..fixture::new_user() };
    let invite_anew = UserPatch { status: Some(Status::Invited), ..UserPatch::default() };
    let cases = [
        (
            None,
            User::create(new, invited.id, &actor(), at(9)),
            "create",
            "email first_name last_name role status org_id",
        ),
        (Some(&active), patched(&active, &invite_anew).expect("a change"), "update", "password status"),
        (
            Some(&with_business),
            with_business.remove_business(&business("a"), org(1), &actor(), at(9)).expect("a change"),
            "update",
            "business_ids",
        ),
        (Some(&invited), invited.invite(&actor(), at(9)).expect("a change"), "invite", ""),
        (Some(&active), active.delete(&actor(), at(9)), "delete", ""),
    ];
    for (before, change, action, fields) in cases {
        let record = AuditRecord::of_change(before, &change).expect("a record");
        assert_eq!(summary(&record), (action, fields.split_whitespace().collect()));
        assert_eq!((record.at, &record.actor, &record.target), (at(9), &actor(), &active.id.into()), "{action}");
        assert_eq!((record.org_id, record.left_org, record.key_id()), (Some(org(1)), None, None), "{action}");
        assert_eq!(record.version, Some(before.map_or(1, |before| before.version + 1)), "{action}");
    }
}

#[test]
fn an_invited_user_is_the_author_of_its_activation() {
    let invited = user(Status::Invited);
    let record = AuditRecord::of_change(Some(&invited), &invited.activate(hash("b"), at(9))).expect("a record");
    assert_eq!(summary(&record), ("activate", vec!["password", "status"]));
    assert_eq!(record.actor, Actor::Invitee(invited.id));
}

#[test]
fn a_change_without_effect_is_not_recorded() {
    let before = user(Status::Active);
    let same = UserPatch { phone: Patch::Clear, status: Some(Status::Active), ..UserPatch::default() };
    assert_eq!(patched(&before, &same), None);
    let change = UserChange::by(&actor(), AuditAction::Update, before.clone(), at(9));
    assert_eq!(AuditRecord::of_change(Some(&before), &change), None);
}

#[test]
fn deliveries_are_not_recorded() {
    let before = user(Status::Invited);
    let message = crate::invitation::OutboxMessage::new("MAIL#1".to_owned(), before.id, at(0), at(0));
    let link_life = SignedDuration::from_hours(72);
    let claim = before.claim_delivery(&message, ActivationToken::generate().hash(), link_life, at(9));
    assert_eq!(AuditRecord::of_change(Some(&before), &claim.change()), None);
}

#[test]
fn a_user_that_moves_is_found_under_its_new_organisation() {
    let before = user(Status::Active);
    let after = User { org_id: Some(org(2)), ..before.clone() };
    let change = UserChange::by(&actor(), AuditAction::Update, after, at(9));
    let record = AuditRecord::of_change(Some(&before), &change).expect("a record");
    assert_eq!(
        (record.org_id, record.left_org, summary(&record).1),
        (Some(org(2)), Some(Some(org(1))), vec!["org_id"])
    );
}

#[test]
fn a_change_of_a_review_names_its_fields_and_the_version_after_it() {
    let before = Review { version: 4, ..review("a") };
    let after = Review { version: 5, state: ReviewState::NotTreated, ..before.clone() };
    let record = AuditRecord::of_review(&before, &after, actor(), AuditAction::SetReviewState, at(9));
    assert_eq!((record.version, record.org_id, record.field_names()), (Some(5), Some(org(1)), vec!["state"]));
}

#[test]
fn actions_have_one_spelling_and_those_on_keys_name_the_key() {
    use AuditAction::{Activate, Create, Delete, Invite, IssueKey, RevokeKey, RotateKey, SetKeyLimit, Update};
    let key = ApiKeyId::parse("7-0a0a0a0a0a0a").expect("an id");
    let on_reviews =
        [AuditAction::SetReviewState, AuditAction::Reply, AuditAction::RemoveReply, AuditAction::ReplyOutcome];
    let on_webhooks = WebhookAction::ALL.map(AuditAction::Webhook);
    let on_keys = [IssueKey(key), RotateKey(key, None), RevokeKey(key), SetKeyLimit(key)];
    for action in
        [Create, Update, Delete, Invite, Activate].into_iter().chain(on_reviews).chain(on_webhooks).chain(on_keys)
    {
        assert_eq!(AuditAction::parse(action.as_str(), action.key_id(), None), Some(action));
        let other_key = if action.key_id().is_none() { Some(key) } else { None };
        assert_eq!(AuditAction::parse(action.as_str(), other_key, None), None, "{action:?}");
        assert_eq!(AuditAction::parse(action.as_str(), action.key_id(), Some(3)), None, "{action:?}");
    }
    for action in [AuditAction::Restore(3), AuditAction::Secure(0)] {
        assert_eq!(AuditAction::parse(action.as_str(), None, action.repeated()), Some(action));
        assert_eq!(AuditAction::parse(action.as_str(), None, None), None, "{action:?}");
    }
    assert_eq!(on_keys.map(AuditAction::key_id), [Some(key); 4]);
    let new = ApiKeyId::parse("7-0b0b0b0b0b0b");
    assert_eq!(on_keys.map(|action| action.with_new_key(new).new_key_id()), [None, new, None, None]);
}

#[test]
fn a_record_names_the_key_that_was_used_or_changed() {
    let key = ApiKeyId::parse("8-0a0a0a0a0a0a").expect("an id");
    let by = |actor, action| UserChange::by(&actor, action, User { lang: None, ..user(Status::Invited) }, at(0));
    let used = ApiKeyId::parse("8-0b0b0b0b0b0b").expect("an id");
    for (actor, action) in [
        (Actor::Key(key), AuditAction::Create),
        (actor(), AuditAction::IssueKey(key)),
        (Actor::Key(used), AuditAction::RevokeKey(key)),
    ] {
        let record = AuditRecord::of_change(None, &by(actor, action)).expect("a record");
        assert_eq!(record.key_id(), Some(key), "{action:?}");
    }
}
