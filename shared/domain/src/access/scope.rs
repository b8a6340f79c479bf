//! Scopes: the part of the data that storage may touch for a caller.

use super::Principal;
use crate::ids::{OrgId, UserId};
use crate::invitation::{ActivationToken, ActivationTokenHash};
use crate::user::{Role, User};

/// Part of the data that storage may touch for a caller.
///
/// A handler cannot make one up. A scope comes from one of three proofs:
///
/// - [`Principal::scope`]: an authenticated caller, for every operation with a key; [`Principal::scope_of_user`] for one user.
/// - [`Scope::of_link_holder`]: the token in plain text, for the page of an invitation. Only the reader of the mail has it. The
///   scope covers one user, and only if that user was sent the token.
/// - [`Scope::for_operator`]: nothing but the credentials of the tables, for the operator's tools. Clippy refuses a call of it
///   (`.clippy.toml`), so that each of these tools has to say why it may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scope(ScopeKind);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ScopeKind {
    Everything,
    Org(OrgId),
    /// One user, wherever it is.
    User(UserId),
    LinkHolder {
        user_id: UserId,
        token_hash: ActivationTokenHash,
    },
    Nothing,
}

impl Scope {
    /// Returns the scope of an authenticated caller.
    pub(super) fn of_caller(principal: &Principal) -> Self {
        match (principal.role, principal.org_id) {
            (Role::Provider, _) => Self(ScopeKind::Everything),
            (_, Some(org_id)) => Self(ScopeKind::Org(org_id)),
            (_, None) => Self(ScopeKind::Nothing),
        }
    }

    /// Returns the scope of an authenticated caller's own record. It stays the caller's while it moves to another organisation.
    pub(super) fn of_own_record(principal: &Principal) -> Self {
        Self(ScopeKind::User(principal.user_id))
    }

    /// Returns the scope of an anonymous reader of a mail: the user that the link names, if it was sent this token.
    pub fn of_link_holder(user_id: UserId, token: &ActivationToken) -> Self {
        Self(ScopeKind::LinkHolder { user_id, token_hash: token.hash() })
    }

    /// Returns the scope of the operator's tools, which hold the credentials of the tables: everything.
    pub fn for_operator() -> Self {
        Self(ScopeKind::Everything)
    }

    /// True if records of this organisation (or of none) are in the scope.
    pub fn covers(&self, org_id: Option<OrgId>) -> bool {
        match self.0 {
            ScopeKind::Everything => true,
            ScopeKind::Org(own) => org_id == Some(own),
            ScopeKind::User(_) | ScopeKind::LinkHolder { .. } | ScopeKind::Nothing => false,
        }
    }

    /// True if the user is in the scope.
    pub fn covers_user(&self, user: &User) -> bool {
        match self.0 {
            ScopeKind::User(user_id) => user.id == user_id,
            ScopeKind::LinkHolder { user_id, token_hash } => user.id == user_id && user.links.contains(token_hash),
            _ => self.covers(user.org_id),
        }
    }

    /// Returns the one organisation that the scope is limited to; `None` if it is not.
    pub fn only_org(&self) -> Option<OrgId> {
        match self.0 {
            ScopeKind::Org(org_id) => Some(org_id),
            ScopeKind::Everything | ScopeKind::User(_) | ScopeKind::LinkHolder { .. } | ScopeKind::Nothing => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::{SignedDuration, Timestamp};

    use super::*;
    use crate::user::Status;
    use crate::user::fixture::user;

    #[test]
    fn without_an_organisation_only_a_provider_sees_anything() {
        let user_id = UserId::parse("7").expect("a valid id");
        for role in Role::ALL {
            let scope = Principal { user_id, org_id: None, role }.scope();
            assert_eq!(scope.covers(None), role == Role::Provider);
            assert_eq!(scope.covers(OrgId::new(1)), role == Role::Provider);
            let scope = Principal { user_id, org_id: OrgId::new(1), role }.scope();
            assert_eq!(scope.only_org(), OrgId::new(1).filter(|_| role != Role::Provider), "{role:?}");
        }
    }

    #[test]
    fn the_holder_of_a_link_sees_its_recipient_only() {
        let token = ActivationToken::generate();
        let mut recipient = user(Status::Invited);
        recipient.links.add(token.hash(), Timestamp::UNIX_EPOCH, SignedDuration::from_hours(72));
        let scope = Scope::of_link_holder(recipient.id, &token);
        assert!(scope.covers_user(&recipient));
        assert!(!scope.covers(recipient.org_id) && scope.only_org().is_none(), "none of its colleagues");
        let other_id = UserId::parse("8").expect("a valid id");
        assert!(!scope.covers_user(&User { id: other_id, ..recipient.clone() }), "another user");
        assert!(!scope.covers_user(&user(Status::Invited)), "a user that was sent no such link");
        assert!(!Scope::of_link_holder(recipient.id, &ActivationToken::generate()).covers_user(&recipient));
    }
}
