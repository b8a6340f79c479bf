//! What the project's decisions say about who may do what (section 4), row by row. Nothing here is taken from the code
//! under test: a change of the policy has to be made here too, by hand.

use Operation::{Delete, Get, Invite, Move, Standing, Update};
use Verdict::{Forbidden as F, Hidden as H, May as Y};
use presence_domain::user::Role;

const PROVIDER: Role = Role::Provider;
const ADMIN: Role = Role::OrgAdmin;
const MANAGER: Role = Role::BusinessManager;

/// What the decisions say about a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It is done, as far as the fields and the state of the user allow.
    May,
    /// 403: the caller can see the user.
    Forbidden,
    /// 404: for the caller there is no such user.
    Hidden,
}

/// What is done to one user. An update is three operations, by what it changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    /// Get it.
    Get,
    /// Change a field that is not guarded, or send a guarded one with its present value.
    Update,
    /// Change role, status or businesses.
    Standing,
    /// Change the organisation.
    Move,
    /// Delete it.
    Delete,
    /// Send a new invitation.
    Invite,
}

/// Whom it is done to, as the caller sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relation {
    /// The caller's own user.
    SelfUser,
    /// Another user of the caller's organisation.
    Colleague(Role),
    /// A user of another organisation, or of none.
    Stranger,
    /// An id that nobody has, or that is no id.
    Nobody,
}

/// Operation × role of the caller × target: the caller itself; a `BUSINESS_MANAGER`, an `ORG_ADMIN`, a PROVIDER of its
/// organisation; a user elsewhere; nobody.
#[rustfmt::skip]
pub(super) const ON_ONE_USER: [(Operation, Role, [Verdict; 6]); 18] = [
    //                   self manager admin provider elsewhere nobody
    (Get,      PROVIDER, [Y,    Y,     Y,     Y,       Y,       H]),
    (Get,      ADMIN,    [Y,    Y,     Y,     Y,       H,       H]),
    (Get,      MANAGER,  [Y,    Y,     Y,     Y,       H,       H]),
    (Update,   PROVIDER, [Y,    Y,     Y,     Y,       Y,       H]),
    (Update,   ADMIN,    [Y,    Y,     Y,     F,       H,       H]),
    (Update,   MANAGER,  [Y,    F,     F,     F,       H,       H]),
    (Standing, PROVIDER, [F,    Y,     Y,     Y,       Y,       H]),
    (Standing, ADMIN,    [F,    Y,     Y,     F,       H,       H]),
    (Standing, MANAGER,  [F,    F,     F,     F,       H,       H]),
    (Move,     PROVIDER, [F,    Y,     Y,     Y,       Y,       H]),
    (Move,     ADMIN,    [F,    F,     F,     F,       H,       H]),
    (Move,     MANAGER,  [F,    F,     F,     F,       H,       H]),
    (Delete,   PROVIDER, [F,    Y,     Y,     Y,       Y,       H]),
    (Delete,   ADMIN,    [F,    Y,     Y,     F,       H,       H]),
    (Delete,   MANAGER,  [F,    F,     F,     F,       H,       H]),
    // Nobody is both a caller and invited: to invite oneself is allowed to some, and then fails for the status.
    (Invite,   PROVIDER, [Y,    Y,     Y,     Y,       Y,       H]),
    (Invite,   ADMIN,    [Y,    Y,     Y,     F,       H,       H]),
    (Invite,   MANAGER,  [F,    F,     F,     F,       H,       H]),
];

/// Operations on no user in particular, by role of the caller: PROVIDER, `ORG_ADMIN`, `BUSINESS_MANAGER`.
#[rustfmt::skip]
pub(super) const ON_NO_USER: [(&str, [Verdict; 3]); 7] = [
    ("get_me",            [Y, Y, Y]),
    ("search_users",      [Y, Y, Y]),
    ("get_user_stats",    [Y, Y, Y]),
    // In their own organisation, of the role that is the default. The rest is in `CREATING`.
    ("create_user",       [Y, Y, F]),
    ("search_categories", [Y, Y, Y]),
    ("get_category",      [Y, Y, Y]),
    // Of whom is in `REVIEWS`.
    ("search_reviews",    [Y, Y, Y]),
];

/// Creating: role of the caller × a `BUSINESS_MANAGER`, an `ORG_ADMIN`, a PROVIDER in the caller's organisation; anybody
/// elsewhere.
#[rustfmt::skip]
pub(super) const CREATING: [(Role, [Verdict; 4]); 3] = [
    //         manager admin provider elsewhere
    (PROVIDER, [Y,      Y,     Y,       Y]),
    (ADMIN,    [Y,      Y,     F,       F]),
    (MANAGER,  [F,      F,     F,       F]),
];

/// Whose reviews a role sees: its own organisation's, and another's.
#[rustfmt::skip]
pub(super) const REVIEWS: [(Role, [bool; 2]); 3] = [
    //         own   elsewhere
    (PROVIDER, [true, true]),
    (ADMIN,    [true, false]),
    (MANAGER,  [true, false]),
];

impl Operation {
    /// Every operation.
    pub(super) const ALL: [Self; 6] = [Get, Update, Standing, Move, Delete, Invite];

    /// The operation that does it.
    pub(super) fn route(self) -> &'static str {
        match self {
            Get => "get_user",
            Update | Standing | Move => "update_user",
            Delete => "delete_user",
            Invite => "invite_user",
        }
    }

    /// What the decisions say.
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

/// What the decisions say about creating a user of this role, in the caller's organisation or elsewhere.
pub(super) fn creating(caller: Role, role: Role, elsewhere: bool) -> Verdict {
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

#[test]
fn every_route_has_its_rows_in_the_matrix() {
    for route in presence_tests::routes() {
        let rows = if route.path.contains("{user_id}") {
            let operations = Operation::ALL.into_iter().filter(|operation| operation.route() == route.name);
            let rows =
                |operation| move |role: &Role| ON_ONE_USER.iter().any(|row| (row.0, row.1) == (operation, *role));
            operations.map(|operation| Role::ALL.iter().filter(|role| rows(operation)(role)).count()).min().unwrap_or(0)
        } else {
            ON_NO_USER.iter().filter(|(operation, _)| *operation == route.name).map(|(_, row)| row.len()).sum()
        };
        assert_eq!(rows, Role::ALL.len(), "{} has a row for each role", route.name);
    }
}
