//! Patches by status, mailbox, password and references.

use std::collections::HashMap;

use super::super::fixture::{actor, at, business, email, hash, link_statuses, org, user, with_links};
use super::*;
use crate::error::ValidationError;
use crate::invitation::LinkStatus;

const OTHER_ADDRESS: &str = "bea@example.org";
/// Another spelling of the present address: the same mailbox.
const SAME_MAILBOX: &str = "ANN@Example.org";

fn apply(before: &User, patch: &UserPatch, now: i64) -> Result<Option<UserChange>, Error> {
    let references = References { org_exists: true, owners: HashMap::new() };
    before.apply_patch(patch, &references, |_| hash("new"), FieldErrors::default(), &actor(), at(now))
}

fn no_hash(_: &Password) -> PasswordHash {
    panic!("no password is to be hashed")
}

fn password(text: &str) -> Result<Password, FieldError> {
    Password::parse(text).map_err(FieldError::from)
}

fn field_errors(result: Result<Option<UserChange>, Error>) -> Vec<String> {
    match result {
        Err(Error::Invalid(ValidationError::Fields(errors))) => {
            errors.iter().map(|(field, _)| field.to_owned()).collect()
        }
        other => panic!("{other:?}"),
    }
}

/// One transition: statuses before and after, the new address, and the expected mail, pace and links.
struct Transition {
    status: (Status, Status),
    address: &'static str,
    mail: MailEffect,
    invited_at: Option<i64>,
    quiet_until: Option<i64>,
    link: LinkStatus,
}

/// The user was sent a mail at 0, and an invitation was accepted at 310 that waits. The patch comes at 320.
#[test]
fn status_and_mailbox_decide_on_mail_pace_and_links() {
    use LinkStatus::{Open, Unknown, Used};
    use Status::{Active, Invited};
    let send = |due_at| MailEffect::Send { due_at: at(due_at) };
    let keep = || MailEffect::Keep;
    let cancel = || MailEffect::Cancel;
    #[rustfmt::skip]
    let transitions = [
        Transition { status: (Active, Active), address: SAME_MAILBOX, mail: keep(), invited_at: Some(310), quiet_until: Some(300), link: Open },
        Transition { status: (Active, Active), address: OTHER_ADDRESS, mail: cancel(), invited_at: Some(0), quiet_until: Some(300), link: Unknown },
        // The window of the invitation that waits: the new one waits for its end.
        Transition { status: (Active, Invited), address: SAME_MAILBOX, mail: send(610), invited_at: Some(320), quiet_until: Some(300), link: Open },
        // The one that waits is called off with its mailbox, and the window of the last mail is over.
        Transition { status: (Active, Invited), address: OTHER_ADDRESS, mail: send(320), invited_at: Some(320), quiet_until: Some(300), link: Unknown },
        Transition { status: (Invited, Invited), address: SAME_MAILBOX, mail: keep(), invited_at: Some(310), quiet_until: Some(300), link: Open },
        Transition { status: (Invited, Invited), address: OTHER_ADDRESS, mail: cancel(), invited_at: None, quiet_until: None, link: Unknown },
        Transition { status: (Invited, Active), address: SAME_MAILBOX, mail: cancel(), invited_at: Some(0), quiet_until: Some(300), link: Used },
        Transition { status: (Invited, Active), address: OTHER_ADDRESS, mail: cancel(), invited_at: None, quiet_until: None, link: Unknown },
    ];
    for Transition { status, address, mail, invited_at, quiet_until, link } in transitions {
        let case = format!("{status:?} {address}");
        let before = User { invited_at: Some(at(310)), quiet_until: Some(at(300)), ..user(status.0) };
        let (before, hashes) = with_links(before, 1);
        let activates = status == (Invited, Active);
        let patch = UserPatch {
            status: Some(status.1),
            email: Some(email(address)),
            password: activates.then(|| password("secret")),
            ..UserPatch::default()
        };
        let change = apply(&before, &patch, 320).expect("a valid patch").expect("a change");
        assert_eq!((&change.mail, change.keeps_an_admin), (&mail, false), "{case}");
        let after = change.after.expect("a user");
        assert_eq!(after.status, status.1, "{case}");
        assert_eq!((after.invited_at, after.quiet_until), (invited_at.map(at), quiet_until.map(at)), "{case}");
        assert_eq!(link_statuses(&after, &hashes), [link], "{case}");
        assert_eq!(after.email.as_str(), address, "{case}");
    }
}

#[test]
fn status_decides_on_the_password() {
    use Status::{Active, Invited};
    let old = || Some(hash("a"));
    #[rustfmt::skip]
    let cases = [
        ("an active user keeps it", (Active, Active), old(), None, Ok(old())),
        ("an active user changes it", (Active, Active), old(), Some(password("secret")), Ok(Some(hash("new")))),
        ("a bad one is refused", (Active, Active), old(), Some(password("short")), Err("password")),
        ("an active user without one stays so", (Active, Active), None, None, Ok(None)),
        ("it is forgotten", (Active, Invited), old(), None, Ok(None)),
        ("a given one is ignored", (Active, Invited), old(), Some(password("secret")), Ok(None)),
        ("a bad one is ignored, too", (Invited, Invited), None, Some(password("short")), Ok(None)),
        ("a stored one stays", (Invited, Invited), old(), Some(password("secret")), Ok(old())),
        ("activation needs one", (Invited, Active), None, None, Err("password")),
        ("activation takes the stored one", (Invited, Active), old(), None, Ok(old())),
        ("activation takes the given one", (Invited, Active), None, Some(password("secret")), Ok(Some(hash("new")))),
    ];
    for (case, (from, to), stored, given, expected) in cases {
        let before = User { password: stored.clone(), phone: None, ..user(from) };
        let first_name = PersonName::parse("Eve").ok();
        let patch = UserPatch { status: Some(to), password: given, first_name, ..UserPatch::default() };
        match (apply(&before, &patch, 0), expected) {
            (Ok(Some(change)), Ok(expected)) => {
                assert_eq!(change.after.map(|after| after.password), Some(expected), "{case}");
            }
            (result, Err(field)) => assert_eq!(field_errors(result), [field], "{case}"),
            (result, Ok(_)) => panic!("{case}: {result:?}"),
        }
    }
}

#[test]
fn links_are_used_up_by_a_new_password_of_an_active_user_only() {
    let new_password = UserPatch { password: Some(password("secret")), ..UserPatch::default() };
    let new_name = UserPatch { first_name: PersonName::parse("Eve").ok(), ..new_password.clone() };
    for (status, patch, expected) in
        [(Status::Active, &new_password, LinkStatus::Used), (Status::Invited, &new_name, LinkStatus::Open)]
    {
        let (before, hashes) = with_links(user(status), 1);
        let after = apply(&before, patch, 0).expect("a valid patch").expect("a change").after.expect("a user");
        assert_eq!(link_statuses(&after, &hashes), [expected], "{status:?}");
    }
}

#[test]
fn a_field_that_is_named_is_set_or_emptied_and_others_stay() {
    let before = user(Status::Active);
    let phone = Phone::parse("1").expect("a number");
    let set = UserPatch {
        phone: Patch::Set(phone.clone().expect("a number")),
        lang: Patch::Set(Lang::Fr),
        ..UserPatch::default()
    };
    let after = apply(&before, &set, 0).expect("a valid patch").expect("a change").after.expect("a user");
    let expected = User { phone, lang: Some(Lang::Fr), version: after.version, ..before.clone() };
    assert_eq!(after, expected);
    let clear = UserPatch { phone: Patch::Clear, lang: Patch::Clear, ..UserPatch::default() };
    let cleared = apply(&after, &clear, 0).expect("a valid patch").expect("a change").after.expect("a user");
    assert_eq!(cleared, User { version: cleared.version, ..before });
}

#[test]
fn a_field_with_its_stored_value_is_no_change() {
    for status in Status::ALL {
        let before = User { business_ids: vec![business("gone")], ..user(status) };
        let patch = UserPatch {
            email: Some(before.email.clone()),
            first_name: Some(before.first_name.clone()),
            last_name: Some(before.last_name.clone()),
            phone: Patch::Clear,
            lang: Patch::Clear,
            status: Some(status),
            role: Some(before.role),
            org_id: before.org_id,
            business_ids: Some(vec!["gone".to_owned()]),
            password: None,
        };
        assert!(!patch.changes_membership(&before) && !patch.moves(&before));
        let none = References::default();
        for patch in [UserPatch::default(), patch] {
            let change = before.apply_patch(&patch, &none, no_hash, FieldErrors::default(), &actor(), at(0));
            assert_eq!(change.expect("a valid patch"), None, "{status:?}");
        }
    }
}

#[test]
fn role_status_and_businesses_are_the_membership() {
    let before = User { business_ids: vec![business("a"), business("b")], ..user(Status::Active) };
    let list = |ids: &[&str]| Some(ids.iter().map(|id| (*id).to_owned()).collect());
    for (patch, expected) in [
        (UserPatch { role: Some(Role::OrgAdmin), ..UserPatch::default() }, true),
        (UserPatch { status: Some(Status::Invited), ..UserPatch::default() }, true),
        (UserPatch { business_ids: list(&["b", "a"]), ..UserPatch::default() }, true),
        (UserPatch { business_ids: list(&["a", "b"]), ..UserPatch::default() }, false),
        (UserPatch { email: Some(email(OTHER_ADDRESS)), ..UserPatch::default() }, false),
    ] {
        assert_eq!(patch.changes_membership(&before), expected, "{patch:?}");
    }
}

#[test]
fn a_user_that_moves_needs_businesses_of_the_new_organisation() {
    let before = User { business_ids: vec![business("a")], ..user(Status::Active) };
    let moves = UserPatch { org_id: Some(org(2)), ..UserPatch::default() };
    let moves_without = UserPatch { business_ids: Some(Vec::new()), ..moves.clone() };
    let owners = |number| HashMap::from([(business("a"), org(number))]);
    for (case, patch, org_exists, owners, expected) in [
        ("the business moved before", &moves, true, owners(2), Ok(vec![business("a")])),
        ("the business stays behind", &moves, true, owners(1), Err(vec!["business_ids"])),
        ("an empty list fits", &moves_without, true, owners(1), Ok(Vec::new())),
        ("no such organisation", &moves_without, false, owners(1), Err(vec!["org_id"])),
        ("all errors together", &moves, false, owners(1), Err(vec!["business_ids", "org_id"])),
    ] {
        let references = References { org_exists, owners };
        let result = before.apply_patch(patch, &references, no_hash, FieldErrors::default(), &actor(), at(0));
        match expected {
            Ok(business_ids) => {
                let after = result.expect(case).expect(case).after.expect(case);
                assert_eq!((after.org_id, after.business_ids), (Some(org(2)), business_ids), "{case}");
            }
            Err(fields) => assert_eq!(field_errors(result), fields, "{case}"),
        }
    }
}

#[test]
fn only_a_provider_may_be_without_an_organisation() {
    let before = User { org_id: None, role: Role::Provider, ..user(Status::Active) };
    let patch = UserPatch { role: Some(Role::OrgAdmin), ..UserPatch::default() };
    assert_eq!(field_errors(apply(&before, &patch, 0)), ["org_id"]);
}

#[test]
fn errors_of_the_form_are_returned_with_those_of_the_rules() {
    let errors = FieldErrors::one("last_name", "is required");
    let patch = UserPatch { password: Some(password("short")), ..UserPatch::default() };
    let result = user(Status::Active).apply_patch(&patch, &References::default(), no_hash, errors, &actor(), at(0));
    assert_eq!(field_errors(result), ["last_name", "password"]);
}

#[test]
fn only_a_new_address_must_be_deliverable() {
    let stored = email("anñ@example.org");
    let before = User { email: stored.clone(), ..user(Status::Active) };
    let same = UserPatch { email: Some(stored), ..UserPatch::default() };
    assert_eq!(apply(&before, &same, 0).expect("a valid patch"), None);
    let other = UserPatch { email: Some(email("beñ@example.org")), ..UserPatch::default() };
    assert_eq!(field_errors(apply(&before, &other, 0)), ["email"]);
}

#[test]
fn the_error_of_the_last_admin_names_the_role_if_it_changes() {
    let before = User { role: Role::OrgAdmin, ..user(Status::Active) };
    for (patch, names_role) in [
        (UserPatch { role: Some(Role::BusinessManager), ..UserPatch::default() }, true),
        (UserPatch { status: Some(Status::Invited), ..UserPatch::default() }, false),
    ] {
        let change = apply(&before, &patch, 0).expect("a valid patch").expect("a change");
        let error = change.last_admin_error(&before);
        assert_eq!(matches!(error, Error::Invalid(ValidationError::Fields(_))), names_role, "{patch:?}");
    }
}
