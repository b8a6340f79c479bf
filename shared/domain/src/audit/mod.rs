//! Audit trail: who changed which user or key, when, and which fields. It holds names of fields, never their values.

mod fields;

use jiff::{SignedDuration, Timestamp};

pub use fields::UserField;

use crate::api_key::ApiKeyId;
pub use crate::authorship::{Actor, AuditAction, Authorship, OperatorName};
use crate::ids::{OrgId, UserId};
use crate::user::{User, UserChange};

/// Time for which a record is kept: a year, and a month for those who look at it once a year.
pub const LIFETIME: SignedDuration = SignedDuration::from_hours(400 * 24);

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

    /// Returns the key that the record names: the one that the action was done to, or else the one that the actor used.
    #[must_use]
    pub fn key_id(&self) -> Option<ApiKeyId> {
        self.action.key_id().or(self.actor.key_id())
    }
}

#[cfg(test)]
mod tests;
