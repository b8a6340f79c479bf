//! Error of the policy: the rule that forbids an action, as one sentence for the client.

use std::fmt;

use super::policy::{Action, Grant, Rule};
use super::{Principal, Target};
use crate::error::Error;
use crate::user::Role;

/// Error of the policy. Occurs when its rule for an action does not allow it. Its text names the role of the caller and the rule: "an `ORG_ADMIN` may not give the role PROVIDER".
///
/// The text holds words of the policy and roles only: no id, name or organisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PolicyError {
    caller: Role,
    action: Action,
    reason: Reason,
}

/// Reason why a grant does not cover a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reason {
    /// The role may do the action to nobody.
    Nobody,
    /// The role may do the action to the caller's own user only.
    OtherUser,
    /// The role may not do the action to the caller's own user.
    OwnUser,
    /// The target belongs to another organisation.
    OtherOrg,
    /// The caller has no WRITE permission for the business.
    OtherBusiness,
    /// The target has a role above the caller's.
    RoleAbove(Role),
    /// The action would give a role above the caller's.
    GivesRole(Role),
}

/// Returns the reason why a grant does not cover the target; `None` if it does.
pub(super) fn reason(grant: Grant, principal: &Principal, target: Target) -> Option<Reason> {
    let is_self = target.user_id == Some(principal.user_id);
    let is_own_org = target.org_id.is_some() && target.org_id == principal.org_id;
    let other_org = (!is_own_org).then_some(Reason::OtherOrg);
    let role_above = (target.role > principal.role).then_some(Reason::RoleAbove(target.role));
    let own_user = is_self.then_some(Reason::OwnUser);
    match grant {
        Grant::Nobody => Some(Reason::Nobody),
        Grant::SelfOnly => (!is_self).then_some(Reason::OtherUser),
        Grant::OwnOrg => other_org.or(role_above),
        Grant::OwnOrgButSelf => other_org.or(role_above).or(own_user),
        Grant::WholeOrg => other_org,
        Grant::OwnBusinesses => other_org.or((!target.is_own_business).then_some(Reason::OtherBusiness)),
        Grant::Everyone => None,
        Grant::EveryoneButSelf => own_user,
    }
}

impl PolicyError {
    /// Returns the error of an action by a caller with this role.
    pub(super) fn new(caller: Role, action: Action, reason: Reason) -> Self {
        let reason = match (action, reason) {
            // A user that is yet to be created has no role: the caller gives it.
            (Action::CreateUser, Reason::RoleAbove(role)) => Reason::GivesRole(role),
            (_, reason) => reason,
        };
        Self { caller, action, reason }
    }

    /// Returns the error of a caller who gives this role.
    pub(super) fn of_role(caller: Role, given: Role) -> Self {
        Self { caller, action: Action::ChangeMembership, reason: Reason::GivesRole(given) }
    }
}

impl From<PolicyError> for Error {
    fn from(error: PolicyError) -> Self {
        Self::Forbidden(error.to_string())
    }
}

impl fmt::Display for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let article = if self.caller == Role::OrgAdmin { "an" } else { "a" };
        write!(f, "{article} {} may not ", self.caller.as_str())?;
        let words = Rule::for_action(self.action).words;
        let (verb, object, rest) = (words.verb, words.object, words.rest);
        match self.reason {
            Reason::Nobody => write!(f, "{verb} {object}{rest}"),
            Reason::OtherUser => write!(f, "{verb} {object} other than itself{rest}"),
            Reason::OwnUser => write!(f, "{verb} its own user{rest}"),
            Reason::OtherBusiness => write!(f, "{verb} {object} of businesses that it may not write{rest}"),
            Reason::OtherOrg => write!(f, "{verb} {object} of another organisation{rest}"),
            Reason::RoleAbove(role) => write!(f, "{verb} {object} with the role {}{rest}", role.as_str()),
            Reason::GivesRole(role) => write!(f, "give the role {}", role.as_str()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_is_one_sentence_about_role_and_rule() {
        let rows = [
            (
                Role::OrgAdmin,
                Action::CreateUser,
                Reason::RoleAbove(Role::Provider),
                "an ORG_ADMIN may not give the role PROVIDER",
            ),
            (
                Role::OrgAdmin,
                Action::ReadReviews,
                Reason::OtherOrg,
                "an ORG_ADMIN may not read reviews of another organisation",
            ),
            (Role::BusinessManager, Action::CreateUser, Reason::Nobody, "a BUSINESS_MANAGER may not create users"),
            (
                Role::BusinessManager,
                Action::UpdateUser,
                Reason::OtherUser,
                "a BUSINESS_MANAGER may not update users other than itself",
            ),
            (
                Role::Provider,
                Action::MoveUser,
                Reason::OwnUser,
                "a PROVIDER may not move its own user to another organisation",
            ),
            (
                Role::OrgAdmin,
                Action::DeleteUser,
                Reason::RoleAbove(Role::Provider),
                "an ORG_ADMIN may not delete users with the role PROVIDER",
            ),
        ];
        for (caller, action, reason, text) in rows {
            assert_eq!(PolicyError::new(caller, action, reason).to_string(), text);
        }
        assert_eq!(PolicyError::of_role(Role::OrgAdmin, Role::Provider).to_string(), rows[0].3);
    }
}
