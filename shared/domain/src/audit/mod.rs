//! Audit trail: who changed which user, key, review or webhook, when, and which fields. It holds names of fields, never their values.

mod fields;

use std::fmt;

use jiff::{SignedDuration, Timestamp};

pub use fields::UserField;

use crate::api_key::ApiKeyId;
pub use crate::authorship::{Actor, AuditAction, Authorship, OperatorName, WebhookAction, WebhookField};
use crate::ids::{OrgId, UserId};
use crate::review::{Review, ReviewField, ReviewId};
use crate::user::{User, UserChange};
use crate::webhook_id::WebhookId;

/// Time for which a record is kept: a year, and a month for those who look at it once a year.
pub const LIFETIME: SignedDuration = SignedDuration::from_hours(400 * 24);

/// User, review or webhook that was changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AuditTarget {
    /// User that was changed, or that owns the key.
    User(UserId),
    /// Review.
    Review {
        /// Id of the review.
        id: ReviewId,
        /// Fields that changed.
        fields: Vec<ReviewField>,
    },
    /// Webhook.
    Webhook {
        /// Id of the webhook.
        id: WebhookId,
        /// Fields that changed.
        fields: Vec<WebhookField>,
    },
}

impl From<UserId> for AuditTarget {
    fn from(id: UserId) -> Self {
        Self::User(id)
    }
}

impl fmt::Display for AuditTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::User(id) => id.fmt(f),
            Self::Review { id, .. } => f.write_str(id.as_str()),
            Self::Webhook { id, .. } => id.fmt(f),
        }
    }
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
    /// User, review or webhook that was changed.
    pub target: AuditTarget,
    /// Organisation of the target after the change; before it, for one that was deleted.
    pub org_id: Option<OrgId>,
    /// Fields of a user that changed.
    pub fields: Vec<UserField>,
    /// Version of the target after the change, or the one that would follow a deletion. `None` for a change of a key alone.
    pub version: Option<u64>,
    /// Organisation that the user left with the change; `None` if it stayed in its own. Only PROVIDERs may have left none.
    pub left_org: Option<Option<OrgId>>,
    /// Prefix of the tables in which the change was made. `None` before storage writes the record.
    pub tables: Option<String>,
}

impl AuditRecord {
    /// Returns the record of a change of the user `before`, or of a new one. `None` for a delivery, and for an update that changed
    /// no field.
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
        let (target, org_id) = (user.id.into(), user.org_id);
        let left_org = before.map(|before| before.org_id).filter(|left| *left != org_id);
        let record = Self { at, actor, action, target, org_id, fields, version, left_org, tables: None };
        (!is_empty).then_some(record)
    }

    /// Returns the record of a change of a review.
    pub fn of_review(before: &Review, after: &Review, actor: Actor, action: AuditAction, at: Timestamp) -> Self {
        let target = AuditTarget::Review { id: before.id.clone(), fields: ReviewField::changed(before, after) };
        let (org_id, version) = (Some(before.org_id), Some(before.version + 1));
        Self { at, actor, action, target, org_id, fields: Vec::new(), version, left_org: None, tables: None }
    }

    /// Returns the record of a change of a webhook, which has this version after it.
    pub fn of_webhook(
        id: WebhookId,
        version: u64,
        fields: Vec<WebhookField>,
        actor: Actor,
        action: WebhookAction,
        at: Timestamp,
    ) -> Self {
        let (action, target) = (AuditAction::Webhook(action), AuditTarget::Webhook { id, fields });
        let (org_id, version) = (Some(id.org_id()), Some(version));
        Self { at, actor, action, target, org_id, fields: Vec::new(), version, tables: None, left_org: None }
    }

    /// Returns the names of the fields that changed.
    pub fn field_names(&self) -> Vec<&'static str> {
        match &self.target {
            AuditTarget::User(_) => self.fields.iter().map(|field| field.as_str()).collect(),
            AuditTarget::Review { fields, .. } => fields.iter().map(|field| field.as_str()).collect(),
            AuditTarget::Webhook { fields, .. } => fields.iter().map(|field| field.as_str()).collect(),
        }
    }

    /// Returns the key that the record names: the one that the action was done to, or else the one that the actor used.
    pub fn key_id(&self) -> Option<ApiKeyId> {
        self.action.key_id().or(self.actor.key_id())
    }
}

#[cfg(test)]
mod tests;
