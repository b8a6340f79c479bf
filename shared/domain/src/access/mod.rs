//! Access: who may do what. Handlers ask [`authorize`] and pass the caller's [`Scope`] to storage.
//!
//! The policy is a table: one [`Rule`] for each [`Action`]. The acceptance tests enumerate it. Categories belong to nobody: every
//! caller reads all of them, so that no rule is needed.

mod policy;
mod policy_error;
mod scope;

pub use policy::{Action, Grant, Rule};
pub use scope::Scope;

use self::policy_error::PolicyError;
use crate::error::Error;
use crate::ids::{BusinessId, OrgId, UserId};
use crate::review::Review;
use crate::user::{Role, User, UserPatch};

/// Caller: the owner of the key, as the record of the key describes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Principal {
    /// Id of the caller's user.
    pub user_id: UserId,
    /// Organisation of the caller. Only a PROVIDER may have none.
    pub org_id: Option<OrgId>,
    /// Role of the caller.
    pub role: Role,
}

impl Principal {
    /// Returns the part of the data that the caller can see.
    pub fn scope(&self) -> Scope {
        Scope::of_caller(self)
    }

    /// Returns the part of the data in which the caller can see a user. For the caller itself that is its own record, also while it moves
    /// to another organisation.
    pub fn scope_of_user(&self, id: UserId) -> Scope {
        if id == self.user_id { Scope::of_own_record(self) } else { self.scope() }
    }

    /// True if the caller's changes must leave an active `ORG_ADMIN` in each organisation. A PROVIDER can always create another.
    pub fn must_keep_an_admin(&self) -> bool {
        self.role != Role::Provider
    }
}

/// User, or review, that an action is done to, as far as the policy looks at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// Id; `None` for a user that is yet to be created.
    pub user_id: Option<UserId>,
    /// Organisation.
    pub org_id: Option<OrgId>,
    /// Role. A role to be given counts like a role that is held.
    pub role: Role,
    /// True for a review of a business that the caller has WRITE permission for.
    pub is_own_business: bool,
}

impl From<&User> for Target {
    fn from(user: &User) -> Self {
        Self { user_id: Some(user.id), ..Self::in_org(user.org_id, user.role) }
    }
}

impl Target {
    /// Returns a target without an id: a user that is yet to be created, or all users of an organisation with this role.
    pub fn in_org(org_id: Option<OrgId>, role: Role) -> Self {
        Self { user_id: None, org_id, role, is_own_business: false }
    }

    /// Returns a review as the target of a caller with WRITE permission for these businesses.
    pub fn of_review(caller: &Principal, review: &Review, business_ids: &[BusinessId]) -> Self {
        let is_own_business = business_ids.contains(&review.business_id);
        Self { is_own_business, ..Self::in_org(Some(review.org_id), caller.role) }
    }
}

/// Allows or refuses ([`Error::Forbidden`]) an action on a user that the caller can see.
pub fn authorize(principal: &Principal, action: Action, target: Target) -> Result<(), Error> {
    let grant = Rule::for_action(action).grant(principal.role);
    match policy_error::reason(grant, principal, target) {
        None => Ok(()),
        Some(reason) => Err(PolicyError::new(principal.role, action, reason).into()),
    }
}

/// Allows or refuses ([`Error::Forbidden`]) a patch of a user that the caller can see. A field with its present value is no change.
pub fn authorize_patch(principal: &Principal, patch: &UserPatch, before: &User) -> Result<(), Error> {
    let target = Target::from(before);
    authorize(principal, Action::UpdateUser, target)?;
    if patch.changes_membership(before) {
        authorize(principal, Action::ChangeMembership, target)?;
    }
    if patch.moves(before) {
        authorize(principal, Action::MoveUser, target)?;
    }
    match patch.role {
        Some(role) if role > principal.role => Err(PolicyError::of_role(principal.role, role).into()),
        _ => Ok(()),
    }
}
