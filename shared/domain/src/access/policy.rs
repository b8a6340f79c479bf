//! Policy: one rule for each action.

use crate::user::Role;

/// Action that needs a right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// Get, search and count users.
    ReadUsers,
    /// Create a user.
    CreateUser,
    /// Change names, phone, language, address or password.
    UpdateUser,
    /// Change role, status or businesses.
    ChangeMembership,
    /// Move a user to another organisation.
    MoveUser,
    /// Delete a user.
    DeleteUser,
    /// Send a new invitation.
    InviteUser,
    /// Get and search reviews. Their targets are all users of an organisation.
    ReadReviews,
    /// Search businesses. Their targets are all users of an organisation.
    ReadBusinesses,
}

impl Action {
    /// All actions.
    pub const ALL: [Self; 9] = [
        Self::ReadUsers,
        Self::CreateUser,
        Self::UpdateUser,
        Self::ChangeMembership,
        Self::MoveUser,
        Self::DeleteUser,
        Self::InviteUser,
        Self::ReadReviews,
        Self::ReadBusinesses,
    ];
}

/// Users that a role may do an action to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grant {
    /// Nobody.
    Nobody,
    /// Only the caller's own user.
    SelfOnly,
    /// Users of the caller's organisation whose role is not above the caller's.
    OwnOrg,
    /// Like `OwnOrg`, but never the caller's own user.
    OwnOrgButSelf,
    /// Users of the caller's organisation, with any role.
    WholeOrg,
    /// Users of every organisation.
    Everyone,
    /// Like `Everyone`, but never the caller's own user.
    EveryoneButSelf,
}

/// Rule of the policy for one action.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Grant of a PROVIDER.
    pub provider: Grant,
    /// Grant of an `ORG_ADMIN`.
    pub org_admin: Grant,
    /// Grant of a `BUSINESS_MANAGER`.
    pub business_manager: Grant,
    /// Text that the client reads if the action is refused.
    pub refusal: &'static str,
}

impl Rule {
    /// Returns the rule of an action.
    #[must_use]
    pub fn for_action(action: Action) -> Self {
        use Grant::{Everyone, EveryoneButSelf, Nobody, OwnOrg, OwnOrgButSelf, SelfOnly, WholeOrg};
        match action {
            Action::ReadUsers => Self {
                provider: Everyone,
                org_admin: WholeOrg,
                business_manager: WholeOrg,
                refusal: "this key may only read the users of its own organisation",
            },
            Action::CreateUser => Self {
                provider: Everyone,
                org_admin: OwnOrg,
                business_manager: Nobody,
                refusal: "this key may not create such a user",
            },
            Action::UpdateUser => Self {
                provider: Everyone,
                org_admin: OwnOrg,
                business_manager: SelfOnly,
                refusal: "this key may not update this user",
            },
            Action::ChangeMembership => Self {
                provider: EveryoneButSelf,
                org_admin: OwnOrgButSelf,
                business_manager: Nobody,
                refusal: "this key may not change the role, status or businesses of this user",
            },
            Action::MoveUser => Self {
                provider: EveryoneButSelf,
                org_admin: Nobody,
                business_manager: Nobody,
                refusal: "this key may not move this user to another organisation",
            },
            Action::DeleteUser => Self {
                provider: EveryoneButSelf,
                org_admin: OwnOrgButSelf,
                business_manager: Nobody,
                refusal: "this key may not delete this user",
            },
            Action::InviteUser => Self {
                provider: Everyone,
                org_admin: OwnOrg,
                business_manager: Nobody,
                refusal: "this key may not invite this user",
            },
            Action::ReadReviews => Self {
                provider: Everyone,
                org_admin: WholeOrg,
                business_manager: WholeOrg,
                refusal: "this key may only read the reviews of its own organisation",
            },
            Action::ReadBusinesses => Self {
                provider: Everyone,
                org_admin: WholeOrg,
                business_manager: WholeOrg,
                refusal: "this key may only read the businesses of its own organisation",
            },
        }
    }

    /// Returns the grant of a role.
    #[must_use]
    pub fn grant(&self, role: Role) -> Grant {
        match role {
            Role::Provider => self.provider,
            Role::OrgAdmin => self.org_admin,
            Role::BusinessManager => self.business_manager,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_action_is_listed_once() {
        let listed: HashSet<Action> = Action::ALL.into_iter().collect();
        // The last variant: its number is the number of the others.
        assert_eq!(
            (listed.len(), Action::ALL.len()),
            (Action::ReadBusinesses as usize + 1, Action::ReadBusinesses as usize + 1)
        );
    }

    #[test]
    fn every_refusal_has_its_own_text() {
        let refusals: HashSet<&str> = Action::ALL.map(|action| Rule::for_action(action).refusal).into_iter().collect();
        assert_eq!(refusals.len(), Action::ALL.len());
    }
}
