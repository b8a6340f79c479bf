//! Events that tell other systems about changes. They have ids, the organisation and names of fields, and no personal data.

mod data;

use jiff::Timestamp;

pub use data::EventData;

use crate::api_key::ApiKeyId;
use crate::audit::{AuditAction, AuditRecord, AuditTarget, UserField, WebhookAction};
use crate::ids::{BusinessId, OrgId, UserId};
pub use crate::review::ReviewField;
use crate::review::{ReplyAction, ReplyStatus, Review, ReviewId, ReviewState};
use crate::user::DeliveryReport;
use crate::webhook_id::WebhookId;

crate::listed_enum! {
    /// Kind of an event.
    pub enum EventKind {
        /// A user was created.
        UserCreated => "user.created",
        /// Fields of a user were changed.
        UserUpdated => "user.updated",
        /// A user was deleted.
        UserDeleted => "user.deleted",
        /// A user accepted an invitation, and is active.
        UserActivated => "user.activated",
        /// An invitation was sent to a user.
        InvitationSent => "invitation.sent",
        /// An invitation was given up: it will not be sent unless an operator retries it.
        InvitationGivenUp => "invitation.given_up",
        /// A review was stored for the first time.
        ReviewCreated => "review.created",
        /// Fields of a review were changed.
        ReviewUpdated => "review.updated",
        /// A review was taken down by its partner, or removed.
        ReviewDeleted => "review.deleted",
        /// A reply, or its removal, was accepted and is on its way.
        ReplyRequested => "reply.requested",
        /// A reply was published by the partner.
        ReplyPublished => "reply.published",
        /// A reply, or its removal, was refused by the partner.
        ReplyRejected => "reply.rejected",
        /// A reply is gone.
        ReplyRemoved => "reply.removed",
        /// A key was issued to a user.
        KeyIssued => "key.issued",
        /// A key was issued that replaces another one.
        KeyRotated => "key.rotated",
        /// A key was revoked.
        KeyRevoked => "key.revoked",
        /// A webhook was disabled.
        WebhookDisabled => "webhook.disabled",
    }
}

impl EventKind {
    /// Returns the kind of an action on a user or on a key; `None` for an action without an event.
    pub fn of_action(action: AuditAction) -> Option<Self> {
        match action {
            AuditAction::Create => Some(Self::UserCreated),
            AuditAction::Update | AuditAction::Restore(_) | AuditAction::Secure(_) => Some(Self::UserUpdated),
            AuditAction::Delete => Some(Self::UserDeleted),
            AuditAction::Activate => Some(Self::UserActivated),
            AuditAction::IssueKey(_) => Some(Self::KeyIssued),
            AuditAction::RotateKey(_, Some(_)) => Some(Self::KeyRotated),
            AuditAction::RevokeKey(_) => Some(Self::KeyRevoked),
            AuditAction::Webhook(WebhookAction::Disable) => Some(Self::WebhookDisabled),
            // The mailer reports the mail itself. A rotation without a new key is repeated by a restore. Limits are the operator's business.
            // The stream of reviews tells of changes of reviews.
            AuditAction::Invite
            | AuditAction::RotateKey(_, None)
            | AuditAction::SetKeyLimit(_)
            | AuditAction::SetReviewState
            | AuditAction::Reply
            | AuditAction::RemoveReply
            | AuditAction::ReplyOutcome
            | AuditAction::Webhook(_) => None,
        }
    }

    fn of_review(before: Option<&Review>, after: Option<&Review>) -> Option<Self> {
        let is_deleted = |review: &Review| review.state == ReviewState::Deleted;
        match (before, after) {
            (None, None) => None,
            (None, Some(_)) => Some(Self::ReviewCreated),
            (Some(_), None) => Some(Self::ReviewDeleted),
            (Some(before), Some(after)) if !is_deleted(before) && is_deleted(after) => Some(Self::ReviewDeleted),
            (Some(_), Some(_)) => Some(Self::ReviewUpdated),
        }
    }

    /// Returns the kind of a change of a reply; `None` if nothing became of it, or if the partner's own replaced it.
    fn of_reply(before: &Review, after: &Review) -> Option<Self> {
        let reply = after.reply.as_ref()?;
        let earlier = before.reply.as_ref().filter(|earlier| earlier.version == reply.version);
        if earlier.is_some_and(|earlier| earlier.status == reply.status) {
            return None;
        }
        match reply.status {
            ReplyStatus::OnItsWay { .. } => Some(Self::ReplyRequested),
            // A removal was refused: the partner still has its text.
            ReplyStatus::Published if reply.action == ReplyAction::Remove => Some(Self::ReplyRejected),
            ReplyStatus::Published => Some(Self::ReplyPublished),
            ReplyStatus::Rejected { .. } => Some(Self::ReplyRejected),
            ReplyStatus::Ended => after.reply_comment.is_none().then_some(Self::ReplyRemoved),
        }
    }
}

/// Subject of an event, with the names of the fields that changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventSubject {
    /// User.
    User {
        /// Id of the user.
        id: UserId,
        /// Fields that a new user was given, or that changed; none of a user that was deleted.
        fields: Vec<UserField>,
    },
    /// Invitation of a user.
    Invitation {
        /// Id of the user.
        user_id: UserId,
    },
    /// Review.
    Review {
        /// Id of the review.
        id: ReviewId,
        /// Business that was reviewed.
        business_id: BusinessId,
        /// Fields that a new review has, or that changed; none of a review that was removed.
        fields: Vec<ReviewField>,
    },
    /// Reply to a review. The version of its event is that of the reply.
    Reply {
        /// Id of the review.
        id: ReviewId,
        /// Business that was reviewed.
        business_id: BusinessId,
    },
    /// Key of a user.
    Key {
        /// Id of the key; of the new one if it replaces another.
        id: ApiKeyId,
        /// Key that it replaces.
        replaces: Option<ApiKeyId>,
    },
    /// Webhook.
    Webhook {
        /// Id of the webhook.
        id: WebhookId,
    },
}

/// Event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Kind.
    pub kind: EventKind,
    /// Subject.
    pub subject: EventSubject,
    /// Organisation of the subject after the change; before it, for one that was deleted.
    pub org_id: Option<OrgId>,
    /// Version of the user or review after the change. Of two events about one subject, that of the higher version is later. `None` for a
    /// change of a key alone.
    pub version: Option<u64>,
    /// Instant of the change.
    pub at: Timestamp,
}

impl Event {
    /// Returns the event of a record of the audit trail; `None` for an action without an event, and for a restore that changed no field.
    pub fn of_record(record: &AuditRecord) -> Option<Self> {
        let kind = EventKind::of_action(record.action)?;
        if record.action.repeated().is_some() && record.fields.is_empty() {
            return None;
        }
        let subject = match (record.action.key_id(), record.action.new_key_id()) {
            (Some(old), Some(new)) => EventSubject::Key { id: new, replaces: Some(old) },
            (Some(id), None) => EventSubject::Key { id, replaces: None },
            (None, _) => match record.target {
                AuditTarget::User(id) => EventSubject::User { id, fields: record.fields.clone() },
                AuditTarget::Webhook { id, .. } => EventSubject::Webhook { id },
                AuditTarget::Review { .. } => return None,
            },
        };
        Some(Self { kind, subject, org_id: record.org_id, version: record.version, at: record.at })
    }

    /// Returns the event with which the organisation that a user or review left hears of it: there it is gone. `None` for an event of
    /// anything else.
    #[must_use]
    pub fn departure(&self, left_org: Option<OrgId>) -> Option<Self> {
        let (kind, subject) = match &self.subject {
            EventSubject::User { id, .. } => {
                (EventKind::UserDeleted, EventSubject::User { id: *id, fields: Vec::new() })
            }
            EventSubject::Review { id, business_id, .. } => {
                let (id, business_id) = (id.clone(), business_id.clone());
                (EventKind::ReviewDeleted, EventSubject::Review { id, business_id, fields: Vec::new() })
            }
            _ => return None,
        };
        Some(Self { kind, subject, org_id: left_org, ..self.clone() })
    }

    /// Returns the event of a delivery that ended, by the user as this version of it stores the end.
    pub fn of_delivery(
        user_id: UserId,
        org_id: Option<OrgId>,
        version: u64,
        report: DeliveryReport,
        at: Timestamp,
    ) -> Self {
        let subject = EventSubject::Invitation { user_id };
        let kind = match report {
            DeliveryReport::Sent => EventKind::InvitationSent,
            DeliveryReport::GivenUp => EventKind::InvitationGivenUp,
        };
        Self { kind, subject, org_id, version: Some(version), at }
    }

    /// Returns the event of a change of a review; `None` for a write that changes no field that the API shows.
    pub fn of_review(before: Option<&Review>, after: Option<&Review>, at: Timestamp) -> Option<Self> {
        let kind = EventKind::of_review(before, after)?;
        let review = after.or(before)?;
        let fields = match (before, after) {
            (Some(before), Some(after)) => ReviewField::changed(before, after),
            (None, Some(after)) => ReviewField::given(after),
            (_, None) => Vec::new(),
        };
        if kind == EventKind::ReviewUpdated && fields.is_empty() {
            return None;
        }
        let version = after.map_or(review.version + 1, |after| after.version);
        let (id, business_id) = (review.id.clone(), review.business_id.clone());
        let subject = EventSubject::Review { id, business_id, fields };
        Some(Self { kind, subject, org_id: Some(review.org_id), version: Some(version), at })
    }

    /// Returns the event of a change of a reply, which is beside that of its review; `None` if nothing became of the reply.
    pub fn of_reply(before: Option<&Review>, after: Option<&Review>, at: Timestamp) -> Option<Self> {
        let (before, after) = before.zip(after)?;
        let kind = EventKind::of_reply(before, after)?;
        let subject = EventSubject::Reply { id: after.id.clone(), business_id: after.business_id.clone() };
        let version = after.reply.as_ref().map(|reply| reply.version);
        Some(Self { kind, subject, org_id: Some(after.org_id), version, at })
    }
}

#[cfg(test)]
mod tests;
