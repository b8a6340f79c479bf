//! Policy: one rule for each action.

use crate::user::Role;

crate::listed_enum! {
    /// Action that needs a right.
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
        /// List, create, rotate and revoke the keys of a user.
        ManageKeys,
        /// Get and search reviews. Their targets are all users of an organisation.
        ReadReviews,
        /// Search businesses. Their targets are all users of an organisation.
        ReadBusinesses,
        /// Set the state of a review.
        SetReviewState,
        /// Reply to a review, or take the reply back.
        ReplyToReview,
        /// Report the outcome of a reply.
        ReportReplyOutcome,
        /// Read the feed of events. Its target is the organisation.
        ReadEvents,
        /// List, create, change and delete webhooks. Their target is the organisation.
        ManageWebhooks,
    }
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
    /// Reviews of those businesses of the caller's organisation that the caller has WRITE permission for.
    OwnBusinesses,
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
    /// Returns the rule of an action: its row in the table of the policy.
    #[rustfmt::skip]
    pub fn for_action(action: Action) -> Self {
        use Grant::{Everyone, EveryoneButSelf, Nobody, OwnBusinesses, OwnOrg, OwnOrgButSelf, SelfOnly, WholeOrg};
        // Grants of PROVIDER, ORG_ADMIN and BUSINESS_MANAGER, then verb, object and the rest of the words.
        let (provider, org_admin, business_manager, [verb, object, rest]) = match action {
            Action::ReadUsers        => (Everyone,        WholeOrg,      WholeOrg, ["read", "users", ""]),
            Action::CreateUser       => (Everyone,        OwnOrg,        Nobody,   ["create", "users", ""]),
            Action::UpdateUser       => (Everyone,        OwnOrg,        SelfOnly, ["update", "users", ""]),
            Action::ChangeMembership => (EveryoneButSelf, OwnOrgButSelf, Nobody,   ["change the role, status or businesses of", "users", ""]),
            Action::MoveUser         => (EveryoneButSelf, Nobody,        Nobody,   ["move", "users", " to another organisation"]),
            Action::DeleteUser       => (EveryoneButSelf, OwnOrgButSelf, Nobody,   ["delete", "users", ""]),
            Action::InviteUser       => (Everyone,        OwnOrg,        Nobody,   ["invite", "users", ""]),
            Action::ManageKeys       => (Everyone,        OwnOrg,        SelfOnly, ["manage the keys of", "users", ""]),
            Action::ReadReviews      => (Everyone,        WholeOrg,      WholeOrg, ["read", "reviews", ""]),
            Action::ReadBusinesses   => (Everyone,        WholeOrg,      WholeOrg, ["read", "businesses", ""]),
            Action::SetReviewState   => (Everyone,        WholeOrg,      OwnBusinesses, ["set the state of", "reviews", ""]),
            Action::ReplyToReview    => (Everyone,        WholeOrg,      OwnBusinesses, ["reply to", "reviews", ""]),
            Action::ReportReplyOutcome => (Everyone,      Nobody,        Nobody,   ["report outcomes of", "replies", ""]),
            Action::ReadEvents       => (Everyone,        WholeOrg,      Nobody,   ["read", "events", ""]),
            Action::ManageWebhooks   => (Everyone,        WholeOrg,      Nobody,   ["manage", "webhooks", ""]),
        };
        Self { provider, org_admin, business_manager, words: ActionWords { verb, object, rest } }
    }

    /// Returns the grant of a role.
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
    fn every_action_has_its_own_words() {
        let words: HashSet<_> = Action::ALL.map(|action| Rule::for_action(action).words).into_iter().collect();
        assert_eq!(words.len(), Action::ALL.len());
    }
}
