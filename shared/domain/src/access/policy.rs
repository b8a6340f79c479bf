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

/// Words of an action, as a refusal has them: "move", "users", " to another organisation".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ActionWords {
    /// Verb, with all that stands before the object.
    pub verb: &'static str,
    /// Object, in the plural.
    pub object: &'static str,
    /// Text after the object; empty if there is none.
    pub rest: &'static str,
}

impl ActionWords {
    const fn new(verb: &'static str, object: &'static str) -> Self {
        Self { verb, object, rest: "" }
    }
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
    /// Words with which a refusal names the action.
    pub words: ActionWords,
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
                words: ActionWords::new("read", "users"),
            },
            Action::CreateUser => Self {
                provider: Everyone,
                org_admin: OwnOrg,
                business_manager: Nobody,
                words: ActionWords::new("create", "users"),
            },
            Action::UpdateUser => Self {
                provider: Everyone,
                org_admin: OwnOrg,
                business_manager: SelfOnly,
                words: ActionWords::new("update", "users"),
            },
            Action::ChangeMembership => Self {
                provider: EveryoneButSelf,
                org_admin: OwnOrgButSelf,
                business_manager: Nobody,
                words: ActionWords::new("change the role, status or businesses of", "users"),
            },
            Action::MoveUser => Self {
                provider: EveryoneButSelf,
                org_admin: Nobody,
                business_manager: Nobody,
                words: ActionWords { rest: " to another organisation", ..ActionWords::new("move", "users") },
            },
            Action::DeleteUser => Self {
                provider: EveryoneButSelf,
                org_admin: OwnOrgButSelf,
                business_manager: Nobody,
                words: ActionWords::new("delete", "users"),
            },
            Action::InviteUser => Self {
                provider: Everyone,
                org_admin: OwnOrg,
                business_manager: Nobody,
                words: ActionWords::new("invite", "users"),
            },
            Action::ReadReviews => Self {
                provider: Everyone,
                org_admin: WholeOrg,
                business_manager: WholeOrg,
                words: ActionWords::new("read", "reviews"),
            },
            Action::ReadBusinesses => Self {
                provider: Everyone,
                org_admin: WholeOrg,
                business_manager: WholeOrg,
                words: ActionWords::new("read", "businesses"),
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
    fn every_action_has_its_own_words() {
        let words: HashSet<_> = Action::ALL.map(|action| Rule::for_action(action).words).into_iter().collect();
        assert_eq!(words.len(), Action::ALL.len());
    }
}
