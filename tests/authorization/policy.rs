//! Policy table of the code, compared with the decisions and with a golden file that shows every change in a review.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use presence_domain::access::{Action, Grant, Principal, Rule, Target, authorize};
use presence_domain::error::Error;
use presence_domain::ids::{OrgId, UserId};
use presence_domain::review::Partner;
use presence_domain::user::Role;
use presence_tests::reviews::test_review;

use super::expected_policy::{ACTING, Operation, Relation, Verdict, creation_verdict};

/// Environment variable that, with any value, rewrites the golden file.
const BLESS: &str = "PRESENCE_BLESS";

const RELATIONS: [Relation; 5] = [
    Relation::SelfUser,
    Relation::Colleague(Role::BusinessManager),
    Relation::Colleague(Role::OrgAdmin),
    Relation::Colleague(Role::Provider),
    Relation::Stranger,
];

fn target(caller: Role, relation: Relation) -> Target {
    let (user_id, org_id, role) = match relation {
        Relation::SelfUser => ("1", 1, caller),
        Relation::Colleague(role) => ("2", 1, role),
        Relation::Stranger | Relation::Nobody => ("3", 2, Role::BusinessManager),
    };
    Target { user_id: UserId::parse(user_id), ..Target::in_org(OrgId::new(org_id), role) }
}

fn verdict(action: Action, caller: Role, relation: Relation) -> Verdict {
    let operation = match action {
        Action::UpdateUser => Operation::Update,
        Action::ChangeMembership => Operation::ChangeMembership,
        Action::MoveUser => Operation::Move,
        Action::DeleteUser => Operation::Delete,
        Action::InviteUser => Operation::Invite,
        // The targets are users: none is a review of a business that the manager may write.
        // Feed and webhooks are no users: an administrator has all of those of its organisation.
        Action::SetReviewState | Action::ReplyToReview | Action::ReadEvents | Action::ManageWebhooks
            if caller == Role::BusinessManager =>
        {
            return Verdict::Forbidden;
        }
        // Reviews and businesses have the scope of users: the own organisation, for a PROVIDER all of them.
        Action::ReadUsers
        | Action::ReadReviews
        | Action::ReadBusinesses
        | Action::SetReviewState
        | Action::ReplyToReview
        | Action::ReadEvents
        | Action::ManageWebhooks => Operation::Get,
        Action::ReportReplyOutcome if caller == Role::Provider => return Verdict::Allowed,
        Action::ReportReplyOutcome => return Verdict::Forbidden,
        Action::ManageKeys => Operation::CreateKey,
        Action::CreateUser => {
            return match relation {
                Relation::SelfUser => creation_verdict(caller, caller, false),
                Relation::Colleague(role) => creation_verdict(caller, role, false),
                Relation::Stranger | Relation::Nobody => creation_verdict(caller, Role::BusinessManager, true),
            };
        }
    };
    operation.verdict(caller, relation)
}

#[test]
fn every_action_of_the_policy_agrees_with_the_decisions() {
    for action in Action::ALL {
        for caller in Role::ALL {
            let principal =
                Principal { user_id: UserId::parse("1").expect("an id"), org_id: OrgId::new(1), role: caller };
            for relation in RELATIONS {
                let target = target(caller, relation);
                let allowed = authorize(&principal, action, target).is_ok();
                let expected = verdict(action, caller, relation) == Verdict::Allowed;
                assert_eq!(allowed, expected, "{action:?} by {caller:?} on {relation:?}");
            }
        }
    }
}

#[test]
fn reviews_are_changed_by_those_whom_the_table_names() {
    let business = presence_domain::ids::BusinessId::parse("b1").expect("an id");
    for (role, expected) in ACTING {
        let principal = Principal { user_id: UserId::parse("1").expect("an id"), org_id: OrgId::new(1), role };
        for action in [Action::SetReviewState, Action::ReplyToReview] {
            let targets = [(1, "b1"), (1, "b2"), (2, "b1")].map(|(org, id)| {
                let review = test_review(Partner::Partner8, "x", (id, org, "lyon"));
                authorize(&principal, action, Target::of_review(&principal, &review, std::slice::from_ref(&business)))
            });
            assert_eq!(targets.map(|result| result.is_ok()), expected, "{action:?} by {role:?}");
        }
    }
}

/// Returns the refusals of an action to a role, one for each different text.
fn refusals(action: Action, caller: Role) -> BTreeSet<String> {
    let principal = Principal { user_id: UserId::parse("1").expect("an id"), org_id: OrgId::new(1), role: caller };
    let targets = RELATIONS.map(|relation| target(caller, relation)).into_iter();
    targets.filter_map(|target| authorize(&principal, action, target).err()).map(refusal_text).collect()
}

fn refusal_text(error: Error) -> String {
    match error {
        Error::Forbidden(refusal) => refusal,
        error => panic!("{error:?} is no refusal"),
    }
}

#[test]
fn every_refusal_names_the_role_of_the_caller_and_the_rule_and_nothing_of_the_target_but_its_role() {
    let is_text = |text: &str| text.chars().all(|c| c.is_ascii_alphabetic() || " ,_".contains(c));
    for action in Action::ALL {
        let words = Rule::for_action(action).words;
        for caller in Role::ALL {
            for text in refusals(action, caller) {
                assert!(text.contains(&format!(" {} may not ", caller.as_str())), "{text}");
                let gives_role = action == Action::CreateUser && text.contains(" may not give the role PROVIDER");
                assert!(gives_role || (text.contains(words.verb) && text.ends_with(words.rest)), "{text}");
                assert!(is_text(&text) && text.split(' ').count() < 25, "{text}");
            }
            // A refusal exists exactly where the grant of the role leaves somebody out.
            let is_limited = Rule::for_action(action).grant(caller) != Grant::Everyone;
            assert_eq!(!refusals(action, caller).is_empty(), is_limited, "{action:?} by {caller:?}");
        }
    }
}

/// Returns the policy as text: the grant of each role for each action, and the answers to the other callers.
fn rendered() -> String {
    let mut text = String::new();
    for action in Action::ALL {
        let rule = Rule::for_action(action);
        writeln!(text, "{action:?}").expect("a text");
        for role in Role::ALL {
            writeln!(text, "  {} {:?}", role.as_str(), rule.grant(role)).expect("a text");
            for refusal in refusals(action, role) {
                writeln!(text, "    else: {refusal}").expect("a text");
            }
        }
    }
    text
}

#[test]
fn the_policy_is_the_one_that_was_reviewed() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("authorization/policy.golden.txt");
    #[expect(clippy::disallowed_methods, reason = "the switch of this test only")]
    if std::env::var_os(BLESS).is_some() {
        std::fs::write(&path, rendered()).expect("the file can be written");
    }
    let reviewed = std::fs::read_to_string(&path).expect("the file is in the repository");
    assert_eq!(rendered(), reviewed, "if this is meant, run again with {BLESS}=1 and commit {}", path.display());
}
