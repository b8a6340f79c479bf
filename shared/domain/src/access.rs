//! Who may do what: the whole policy, as data, in this file.
//!
//! Handlers ask [`authorize`]; the acceptance tests enumerate [`POLICY`]. Categories are no one's: every caller reads all of
//! them, so that they have no row.

use crate::error::Error;
use crate::ids::{OrgId, UserId};
use crate::user::{Role, User};

/// The caller: the user that owns the key, as the key's record says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Principal {
    /// The caller's user id.
    pub user_id: UserId,
    /// The caller's organisation. Only a PROVIDER may have none.
    pub org_id: Option<OrgId>,
    /// The caller's role.
    pub role: Role,
}

impl Principal {
    /// What the caller can see.
    #[must_use]
    pub fn scope(&self) -> Scope {
        match (self.role, self.org_id) {
            (Role::Provider, _) => Scope(ScopeKind::Everything),
            (_, Some(org)) => Scope(ScopeKind::Org(org)),
            (_, None) => Scope(ScopeKind::Nothing),
        }
    }
}

/// The part of the data that storage may touch for a caller. It cannot be made up: it comes from a
/// [`Principal`], or, for the operator's own tools, from [`Scope::for_operator`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scope(ScopeKind);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ScopeKind {
    Everything,
    Org(OrgId),
    Nothing,
}

impl Scope {
    /// Everything: for the operator CLI, which holds the credentials of the tables themselves.
    #[must_use]
    pub fn for_operator() -> Self {
        Self(ScopeKind::Everything)
    }

    /// Whether a thing of this organisation (or of none) can be seen.
    #[must_use]
    pub fn covers(&self, org_id: Option<OrgId>) -> bool {
        match self.0 {
            ScopeKind::Everything => true,
            ScopeKind::Org(own) => org_id == Some(own),
            ScopeKind::Nothing => false,
        }
    }

    /// The one organisation that the scope is limited to; none when it is not.
    #[must_use]
    pub fn only_org(&self) -> Option<OrgId> {
        match self.0 {
            ScopeKind::Org(org) => Some(org),
            ScopeKind::Everything | ScopeKind::Nothing => None,
        }
    }
}

/// What can be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// Get, search and count users.
    ReadUsers,
    /// Create a user.
    CreateUser,
    /// Change names, phone, language, address or password.
    UpdateUser,
    /// Change role, status or businesses.
    ChangeStanding,
    /// Move a user to another organisation.
    MoveUser,
    /// Delete a user.
    DeleteUser,
    /// Send a new invitation.
    InviteUser,
    /// Search reviews.
    ReadReviews,
}

/// How far a role reaches with an action. Reviews are reached as the users of their organisation are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Nobody.
    Nobody,
    /// Only the caller's own user.
    Oneself,
    /// Users of the caller's organisation whose role is not above the caller's.
    OwnOrg,
    /// Like `OwnOrg`, but never the caller's own user.
    OwnOrgButSelf,
    /// Users of the caller's organisation, whatever their role.
    WholeOrg,
    /// Users of every organisation.
    Everyone,
    /// Like `Everyone`, but never the caller's own user.
    EveryoneButSelf,
}

/// One row of the policy.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// What is done.
    pub action: Action,
    /// The reach of a PROVIDER.
    pub provider: Reach,
    /// The reach of an `ORG_ADMIN`.
    pub org_admin: Reach,
    /// The reach of a `BUSINESS_MANAGER`.
    pub business_manager: Reach,
    /// What the client reads when it is refused.
    pub refusal: &'static str,
}

/// The policy. An action without a row does not compile: see [`Rule::for_action`].
pub const POLICY: [Rule; 8] = [
    Rule {
        action: Action::ReadUsers,
        provider: Reach::Everyone,
        org_admin: Reach::WholeOrg,
        business_manager: Reach::WholeOrg,
        refusal: "this key may only read the users of its own organisation",
    },
    Rule {
        action: Action::CreateUser,
        provider: Reach::Everyone,
        org_admin: Reach::OwnOrg,
        business_manager: Reach::Nobody,
        refusal: "this key may not create such a user",
    },
    Rule {
        action: Action::UpdateUser,
        provider: Reach::Everyone,
        org_admin: Reach::OwnOrg,
        business_manager: Reach::Oneself,
        refusal: "this key may not update this user",
    },
    Rule {
        action: Action::ChangeStanding,
        provider: Reach::EveryoneButSelf,
        org_admin: Reach::OwnOrgButSelf,
        business_manager: Reach::Nobody,
        refusal: "this key may not change the role, status or businesses of this user",
    },
    Rule {
        action: Action::MoveUser,
        provider: Reach::EveryoneButSelf,
        org_admin: Reach::Nobody,
        business_manager: Reach::Nobody,
        refusal: "this key may not move this user to another organisation",
    },
    Rule {
        action: Action::DeleteUser,
        provider: Reach::EveryoneButSelf,
        org_admin: Reach::OwnOrgButSelf,
        business_manager: Reach::Nobody,
        refusal: "this key may not delete this user",
    },
    Rule {
        action: Action::InviteUser,
        provider: Reach::Everyone,
        org_admin: Reach::OwnOrg,
        business_manager: Reach::Nobody,
        refusal: "this key may not invite this user",
    },
    Rule {
        action: Action::ReadReviews,
        provider: Reach::Everyone,
        org_admin: Reach::WholeOrg,
        business_manager: Reach::WholeOrg,
        refusal: "this key may only read the reviews of its own organisation",
    },
];

impl Rule {
    /// The row of an action.
    #[must_use]
    pub fn for_action(action: Action) -> Self {
        let row = match action {
            Action::ReadUsers => 0,
            Action::CreateUser => 1,
            Action::UpdateUser => 2,
            Action::ChangeStanding => 3,
            Action::MoveUser => 4,
            Action::DeleteUser => 5,
            Action::InviteUser => 6,
            Action::ReadReviews => 7,
        };
        POLICY[row]
    }

    /// The reach of a role.
    #[must_use]
    pub fn reach(&self, role: Role) -> Reach {
        match role {
            Role::Provider => self.provider,
            Role::OrgAdmin => self.org_admin,
            Role::BusinessManager => self.business_manager,
        }
    }
}

/// The user that something is done to, as far as the policy looks at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// None for a user that is yet to be created.
    pub user_id: Option<UserId>,
    /// Its organisation.
    pub org_id: Option<OrgId>,
    /// Its role; a role to be given counts like a role that is held.
    pub role: Role,
}

impl From<&User> for Target {
    fn from(user: &User) -> Self {
        Self { user_id: Some(user.id), org_id: user.org_id, role: user.role }
    }
}

/// Allows or refuses ([`Error::Forbidden`]) an action on a user that the caller can see.
pub fn authorize(principal: &Principal, action: Action, target: Target) -> Result<(), Error> {
    let rule = Rule::for_action(action);
    let oneself = target.user_id == Some(principal.user_id);
    let same_org = target.org_id.is_some() && target.org_id == principal.org_id;
    let not_above = target.role <= principal.role;
    let allowed = match rule.reach(principal.role) {
        Reach::Nobody => false,
        Reach::Oneself => oneself,
        Reach::OwnOrg => same_org && not_above,
        Reach::OwnOrgButSelf => same_org && not_above && !oneself,
        Reach::WholeOrg => same_org,
        Reach::Everyone => true,
        Reach::EveryoneButSelf => !oneself,
    };
    if allowed { Ok(()) } else { Err(Error::Forbidden(rule.refusal)) }
}

/// Refuses ([`Error::Forbidden`]) to give a role above the caller's own.
pub fn authorize_giving(principal: &Principal, role: Role) -> Result<(), Error> {
    if role <= principal.role { Ok(()) } else { Err(Error::Forbidden("this key may not give this role")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_action_has_its_own_row() {
        for rule in POLICY {
            assert_eq!(Rule::for_action(rule.action).action, rule.action);
        }
    }

    #[test]
    fn without_an_organisation_only_a_provider_sees_anything() {
        let user_id = UserId::parse("7").expect("a valid id");
        for role in Role::ALL {
            let scope = Principal { user_id, org_id: None, role }.scope();
            assert_eq!(scope.covers(None), role == Role::Provider);
            assert_eq!(scope.covers(OrgId::new(1)), role == Role::Provider);
        }
    }
}
