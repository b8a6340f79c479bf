//! Audit trail: who changed which user or key, when, and which fields. It holds names of fields, never their values.

mod actor;
mod fields;

use jiff::{SignedDuration, Timestamp};

pub use actor::{Actor, OperatorName};
pub use fields::UserField;

use crate::api_key::ApiKeyId;
use crate::ids::{OrgId, UserId};
use crate::user::{User, UserChange};

/// Time for which a record is kept: a year, and a month for those who look at it once a year.
pub const LIFETIME: SignedDuration = SignedDuration::from_hours(400 * 24);

/// Action on a user or on one of its keys. An action on a key names the key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AuditAction {
    /// The user was created.
    Create,
    /// Fields of the user were changed.
    Update,
    /// The user was deleted, with its keys.
    Delete,
    /// The user was invited again.
    Invite,
    /// The user accepted an invitation and set its password.
    Activate,
    /// This key was issued.
    IssueKey(ApiKeyId),
    /// This key was replaced by a new one, and ends.
    RotateKey(ApiKeyId),
    /// This key was revoked.
    RevokeKey(ApiKeyId),
    /// This key was given a limit of its own.
    SetKeyLimit(ApiKeyId),
}

impl AuditAction {
    /// Returns the spelling in storage and in the operator's tool.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Update => "update",
            Self::Delete => "delete",
            Self::Invite => "invite",
            Self::Activate => "activate",
            Self::IssueKey(_) => "issue_key",
            Self::RotateKey(_) => "rotate_key",
            Self::RevokeKey(_) => "revoke_key",
            Self::SetKeyLimit(_) => "set_key_limit",
        }
    }

    /// Returns the action of this spelling, on this key if it is one on a key.
    #[must_use]
    pub fn parse(text: &str, key: Option<ApiKeyId>) -> Option<Self> {
        Some(match (text, key) {
            ("create", None) => Self::Create,
            ("update", None) => Self::Update,
            ("delete", None) => Self::Delete,
            ("invite", None) => Self::Invite,
            ("activate", None) => Self::Activate,
            ("issue_key", Some(key)) => Self::IssueKey(key),
            ("rotate_key", Some(key)) => Self::RotateKey(key),
            ("revoke_key", Some(key)) => Self::RevokeKey(key),
            ("set_key_limit", Some(key)) => Self::SetKeyLimit(key),
            _ => return None,
        })
    }

    /// Returns the key that the action is done to; `None` for an action on a user.
    #[must_use]
    pub fn key_id(self) -> Option<ApiKeyId> {
        match self {
            Self::IssueKey(key) | Self::RotateKey(key) | Self::RevokeKey(key) | Self::SetKeyLimit(key) => Some(key),
            Self::Create | Self::Update | Self::Delete | Self::Invite | Self::Activate => None,
        }
    }
}

/// Author of a change, if the change belongs in the audit trail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Authorship {
    /// An actor did this.
    By(Actor, AuditAction),
    /// The service delivers a mail, and keeps its own books of it. No record is written.
    Delivery,
}

/// Record of the audit trail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditRecord {
    /// Instant of the change. Storage keeps milliseconds.
    pub at: Timestamp,
    /// Author of the change.
    pub actor: Actor,
    /// Action.
    pub action: AuditAction,
    /// User that was changed, or that owns the key.
    pub target: UserId,
    /// Organisation of that user after the change; before it, for one that was deleted.
    pub org_id: Option<OrgId>,
    /// Fields that changed.
    pub fields: Vec<UserField>,
    /// Version of the user after the change, or the one that would follow a deletion; `None` for a change of a key alone, and in
    /// records that an earlier version of the service wrote.
    pub version: Option<u64>,
}

impl AuditRecord {
    /// Returns the record of a change of the user `before`, or of a new one. `None` for a delivery, and for an update that changed
    /// no field.
    #[must_use]
    pub fn of_change(before: Option<&User>, change: &UserChange) -> Option<Self> {
        let Authorship::By(actor, action) = &change.authorship else { return None };
        let user = change.after.as_ref().or(before)?;
        let fields = match (before, &change.after) {
            (Some(before), Some(after)) => UserField::changed(before, after),
            (None, Some(after)) => UserField::given(after),
            (_, None) => Vec::new(),
        };
        let is_empty = *action == AuditAction::Update && fields.is_empty();
        let version = Some(UserChange::version_after(before));
        let (at, actor, action) = (change.at, actor.clone(), *action);
        let record = Self { at, actor, action, target: user.id, org_id: user.org_id, fields, version };
        (!is_empty).then_some(record)
    }

    /// Returns the key that the record names: the one that the actor used, or else the one that the action was done to.
    ///
    /// No record has both: the API acts on no keys, and operators use none.
    #[must_use]
    pub fn key_id(&self) -> Option<ApiKeyId> {
        self.actor.key_id().or(self.action.key_id())
    }
}

#[cfg(test)]
mod tests;
