//! Expected policy, row by row, as the project decided it (section 4).
//!
//! No row is taken from the code under test. A change of the policy must be made here too, by hand.

use Operation::{ChangeMembership, CreateKey, Delete, Get, Invite, ListKeys, Move, RevokeKey, RotateKey, Update};
use Verdict::{Allowed as Y, Forbidden as F, Hidden as H};
use presence_domain::user::Role;

const PROVIDER: Role = Role::Provider;
const ADMIN: Role = Role::OrgAdmin;
const MANAGER: Role = Role::BusinessManager;

/// Decision about a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Permission, as far as the fields and the state of the user allow.
    Allowed,
    /// Answer 403: the caller can see the user.
    Forbidden,
    /// Answer 404: for the caller no such user exists.
    Hidden,
}

/// Operation on one user. An update is one of three operations, depending on the changed field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    /// Read of the user.
    Get,
    /// Change of an unguarded field, or a guarded field with its present value.
    Update,
    /// Change of role, status or businesses.
    ChangeMembership,
    /// Change of the organisation.
    Move,
    /// Deletion.
    Delete,
    /// New invitation.
    Invite,
    /// List of the keys of the user.
    ListKeys,
    /// New key.
    CreateKey,
    /// New key in the place of another one.
    RotateKey,
    /// End of a key.
    RevokeKey,
}

/// Target of a call, in relation to the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relation {
    /// User of the caller.
    SelfUser,
    /// Other user of the caller's organisation, with this role.
    Colleague(Role),
    /// User of another organisation, or of none.
    Stranger,
    /// Id that no user has, or malformed id.
    Nobody,
}

/// Table of decisions: operation, role of the caller, and the decision for each target. The targets are the caller, a
/// `BUSINESS_MANAGER`, an `ORG_ADMIN` and a PROVIDER of its organisation, a user elsewhere, and no user.
#[rustfmt::skip]
pub(super) const ON_ONE_USER: [(Operation, Role, [Verdict; 6]); 30] = [
    //                           self manager admin provider elsewhere nobody
    (Get,              PROVIDER, [Y,    Y,     Y,     Y,       Y,       H]),
    (Get,              ADMIN,    [Y,    Y,     Y,     Y,       H,       H]),
    (Get,              MANAGER,  [Y,    Y,     Y,     Y,       H,       H]),
    (Update,           PROVIDER, [Y,    Y,     Y,     Y,       Y,       H]),
    (Update,           ADMIN,    [Y,    Y,     Y,     F,       H,       H]),
    (Update,           MANAGER,  [Y,    F,     F,     F,       H,       H]),
    (ChangeMembership, PROVIDER, [F,    Y,     Y,     Y,       Y,       H]),
    (ChangeMembership, ADMIN,    [F,    Y,     Y,     F,       H,       H]),
    (ChangeMembership, MANAGER,  [F,    F,     F,     F,       H,       H]),
    (Move,             PROVIDER, [F,    Y,     Y,     Y,       Y,       H]),
    (Move,             ADMIN,    [F,    F,     F,     F,       H,       H]),
    (Move,             MANAGER,  [F,    F,     F,     F,       H,       H]),
    (Delete,           PROVIDER, [F,    Y,     Y,     Y,       Y,       H]),
    (Delete,           ADMIN,    [F,    Y,     Y,     F,       H,       H]),
    (Delete,           MANAGER,  [F,    F,     F,     F,       H,       H]),
    // A caller is active, so an allowed invitation of oneself fails for the status afterwards.
    (Invite,           PROVIDER, [Y,    Y,     Y,     Y,       Y,       H]),
    (Invite,           ADMIN,    [Y,    Y,     Y,     F,       H,       H]),
    (Invite,           MANAGER,  [F,    F,     F,     F,       H,       H]),
    (ListKeys,         PROVIDER, [Y,    Y,     Y,     Y,       Y,       H]),
    (ListKeys,         ADMIN,    [Y,    Y,     Y,     F,       H,       H]),
    (ListKeys,         MANAGER,  [Y,    F,     F,     F,       H,       H]),
    (CreateKey,        PROVIDER, [Y,    Y,     Y,     Y,       Y,       H]),
    (CreateKey,        ADMIN,    [Y,    Y,     Y,     F,       H,       H]),
    (CreateKey,        MANAGER,  [Y,    F,     F,     F,       H,       H]),
    (RotateKey,        PROVIDER, [Y,    Y,     Y,     Y,       Y,       H]),
    (RotateKey,        ADMIN,    [Y,    Y,     Y,     F,       H,       H]),
    (RotateKey,        MANAGER,  [Y,    F,     F,     F,       H,       H]),
    (RevokeKey,        PROVIDER, [Y,    Y,     Y,     Y,       Y,       H]),
    (RevokeKey,        ADMIN,    [Y,    Y,     Y,     F,       H,       H]),
    (RevokeKey,        MANAGER,  [Y,    F,     F,     F,       H,       H]),
];

/// Table of operations without a target user, with the decision for PROVIDER, `ORG_ADMIN` and `BUSINESS_MANAGER`.
#[rustfmt::skip]
pub(super) const ON_NO_USER: [(&str, [Verdict; 3]); 26] = [
    ("get_me",            [Y, Y, Y]),
    ("search_users",      [Y, Y, Y]),
    ("get_user_stats",    [Y, Y, Y]),
    // With the default role, in the caller's organisation. `CREATING` has the other cases.
    ("create_user",       [Y, Y, F]),
    ("search_categories", [Y, Y, Y]),
    ("get_category",      [Y, Y, Y]),
    // `REVIEWS` has the organisations.
    ("search_reviews",    [Y, Y, Y]),
    // A review of organisation 1.
    ("get_review",        [Y, Y, Y]),
    // A business of the manager's organisation that it may not write. `acting` in `tests/api/reviews` has its own.
    ("set_review_state",  [Y, Y, F]),
    ("put_reply",         [Y, Y, F]),
    ("get_reply",         [Y, Y, Y]),
    ("report_reply_outcome", [Y, F, F]),
    ("delete_reply",      [Y, Y, F]),
    ("get_review_stats",  [Y, Y, Y]),
    ("search_businesses", [Y, Y, Y]),
    // Of organisation 1.
    ("list_events",       [Y, Y, F]),
    // Of organisation 1.
    ("list_webhooks", [Y, Y, F]),
    ("create_webhook", [Y, Y, F]),
    ("get_webhook", [Y, Y, F]),
    ("update_webhook", [Y, Y, F]),
    ("delete_webhook", [Y, Y, F]),
    ("rotate_webhook", [Y, Y, F]),
    ("test_webhook", [Y, Y, F]),
    ("enable_webhook", [Y, Y, F]),
    ("replay_webhook", [Y, Y, F]),
    ("list_deliveries", [Y, Y, F]),
];

/// Table of changes of reviews, by role of the caller. True if it may set the state and reply: to reviews of its businesses, of other
/// businesses of its organisation, and of other organisations.
#[rustfmt::skip]
pub(super) const ACTING: [(Role, [bool; 3]); 3] = [
    //         own   other  elsewhere
    (PROVIDER, [true, true, true]),
    (ADMIN,    [true, true, false]),
    (MANAGER,  [true, false, false]),
];

/// Table of creations: role of the caller, and the decision for each new role in its organisation and for any role elsewhere.
#[rustfmt::skip]
pub(super) const CREATING: [(Role, [Verdict; 4]); 3] = [
    //         manager admin provider elsewhere
    (PROVIDER, [Y,      Y,     Y,       Y]),
    (ADMIN,    [Y,      Y,     F,       F]),
    (MANAGER,  [F,      F,     F,       F]),
];

/// Table of readable reviews: role of the caller, and whether it reads those of its own and of other organisations.
#[rustfmt::skip]
pub(super) const REVIEWS: [(Role, [bool; 2]); 3] = [
    //         own   elsewhere
    (PROVIDER, [true, true]),
    (ADMIN,    [true, false]),
    (MANAGER,  [true, false]),
];

impl Operation {
    /// All operations.
    pub(super) const ALL: [Self; 10] =
        [Get, Update, ChangeMembership, Move, Delete, Invite, ListKeys, CreateKey, RotateKey, RevokeKey];

    /// Returns the name of the route.
    pub(super) fn route(self) -> &'static str {
        match self {
            Get => "get_user",
            Update | ChangeMembership | Move => "update_user",
            Delete => "delete_user",
            Invite => "invite_user",
            ListKeys => "list_keys",
            CreateKey => "create_key",
            RotateKey => "rotate_key",
            RevokeKey => "revoke_key",
        }
    }

    /// Returns the decision.
    pub(super) fn verdict(self, caller: Role, target: Relation) -> Verdict {
        let mut rows = ON_ONE_USER.iter().filter(|(operation, role, _)| (*operation, *role) == (self, caller));
        let (Some((_, _, verdicts)), None) = (rows.next(), rows.next()) else {
            panic!("{self:?} by {caller:?} needs one row")
        };
        verdicts[match target {
            Relation::SelfUser => 0,
            Relation::Colleague(role) => 1 + column(role),
            Relation::Stranger => 4,
            Relation::Nobody => 5,
        }]
    }
}

/// Returns the decision about creating a user of this role, in the caller's organisation or elsewhere.
pub(super) fn creation_verdict(caller: Role, role: Role, elsewhere: bool) -> Verdict {
    let (_, verdicts) = CREATING.iter().find(|(row, _)| *row == caller).expect("a row for each role");
    verdicts[if elsewhere { 3 } else { column(role) }]
}

fn column(role: Role) -> usize {
    match role {
        Role::BusinessManager => 0,
        Role::OrgAdmin => 1,
        Role::Provider => 2,
    }
}

/// Returns the number of roles that have a row for the operation.
fn roles_of(operation: Operation) -> usize {
    let has_row = |role: &&Role| ON_ONE_USER.iter().any(|row| (row.0, row.1) == (operation, **role));
    Role::ALL.iter().filter(has_row).count()
}

#[test]
fn every_route_has_its_rows_in_the_matrix() {
    for route in presence_tests::routes() {
        let rows = if route.path.contains("{user_id}") {
            let operations = Operation::ALL.into_iter().filter(|operation| operation.route() == route.name);
            operations.map(roles_of).min().unwrap_or(0)
        } else {
            ON_NO_USER.iter().filter(|(operation, _)| *operation == route.name).map(|(_, row)| row.len()).sum()
        };
        assert_eq!(rows, Role::ALL.len(), "{} has a row for each role", route.name);
    }
}
