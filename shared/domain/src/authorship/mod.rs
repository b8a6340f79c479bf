//! Authors of changes, and what they did: the part of the audit trail that the rules on users know.

mod actor;

pub use actor::{Actor, OperatorName};

use crate::api_key::ApiKeyId;

/// Action on a user, on one of its keys, on a review, or on a webhook. An action on a key names the key.
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
    /// This key ends, and was replaced by the other one. Records of a restore name no other.
    RotateKey(ApiKeyId, Option<ApiKeyId>),
    /// This key was revoked.
    RevokeKey(ApiKeyId),
    /// This key was given a limit of its own.
    SetKeyLimit(ApiKeyId),
    /// A restore took from the user what it had lost since, as this number of records tells.
    Restore(u32),
    /// A restore could not tell or repeat what the user had lost since, and left it without any way in. It looked at this number of
    /// records.
    Secure(u32),
    /// The state of the review was set.
    SetReviewState,
    /// The review was replied to.
    Reply,
    /// The reply to the review was taken back.
    RemoveReply,
    /// The outcome of a reply was reported.
    ReplyOutcome,
    /// This was done to the webhook.
    Webhook(WebhookAction),
}

crate::listed_enum! {
    /// Action on a webhook.
    pub enum WebhookAction {
        /// The webhook was created.
        Create => "create_webhook",
        /// Its address, types or label were changed.
        Update => "update_webhook",
        /// It was given a new secret.
        Rotate => "rotate_webhook",
        /// It was enabled again.
        Enable => "enable_webhook",
        /// It was disabled, by an operator or because it took nothing.
        Disable => "disable_webhook",
        /// Its cursor was set to an earlier event.
        Replay => "replay_webhook",
        /// It was deleted.
        Delete => "delete_webhook",
    }
}

crate::listed_enum! {
    /// Field of a webhook that people set, as the API names it.
    pub enum WebhookField {
        /// Address.
        Url => "url",
        /// Types of events.
        Types => "types",
        /// Label.
        Label => "label",
    }
}

impl AuditAction {
    /// Returns the spelling in storage and in the operator's tool.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Update => "update",
            Self::Delete => "delete",
            Self::Invite => "invite",
            Self::Activate => "activate",
            Self::IssueKey(_) => "issue_key",
            Self::RotateKey(..) => "rotate_key",
            Self::RevokeKey(_) => "revoke_key",
            Self::SetKeyLimit(_) => "set_key_limit",
            Self::Restore(_) => "restore",
            Self::Secure(_) => "secure",
            Self::SetReviewState => "set_review_state",
            Self::Reply => "reply",
            Self::RemoveReply => "remove_reply",
            Self::ReplyOutcome => "reply_outcome",
            Self::Webhook(action) => action.as_str(),
        }
    }

    /// Returns the action of this spelling. One on a key is on this key, and one of a restore has this number of records.
    pub fn parse(text: &str, key: Option<ApiKeyId>, repeated: Option<u32>) -> Option<Self> {
        if let Some(records) = repeated {
            return [Self::Restore(records), Self::Secure(records)].into_iter().find(|action| action.as_str() == text);
        }
        Some(match (text, key) {
            ("create", None) => Self::Create,
            ("update", None) => Self::Update,
            ("delete", None) => Self::Delete,
            ("invite", None) => Self::Invite,
            ("activate", None) => Self::Activate,
            ("issue_key", Some(key)) => Self::IssueKey(key),
            ("rotate_key", Some(key)) => Self::RotateKey(key, None),
            ("revoke_key", Some(key)) => Self::RevokeKey(key),
            ("set_key_limit", Some(key)) => Self::SetKeyLimit(key),
            ("set_review_state", None) => Self::SetReviewState,
            ("reply", None) => Self::Reply,
            ("remove_reply", None) => Self::RemoveReply,
            ("reply_outcome", None) => Self::ReplyOutcome,
            (text, None) => Self::Webhook(WebhookAction::parse(text)?),
            _ => return None,
        })
    }

    /// Returns the key that the action is done to; `None` for any other action.
    pub fn key_id(self) -> Option<ApiKeyId> {
        match self {
            Self::IssueKey(key) | Self::RotateKey(key, _) | Self::RevokeKey(key) | Self::SetKeyLimit(key) => Some(key),
            Self::Create
            | Self::Update
            | Self::Delete
            | Self::Invite
            | Self::Activate
            | Self::Restore(_)
            | Self::Secure(_)
            | Self::SetReviewState
            | Self::Reply
            | Self::RemoveReply
            | Self::ReplyOutcome
            | Self::Webhook(_) => None,
        }
    }

    /// Returns the number of records that a restore looked at; `None` for any other action.
    pub fn repeated(self) -> Option<u32> {
        match self {
            Self::Restore(records) | Self::Secure(records) => Some(records),
            _ => None,
        }
    }

    /// Returns the key that replaces the one of a rotation; `None` for any other action.
    pub fn new_key_id(self) -> Option<ApiKeyId> {
        match self {
            Self::RotateKey(_, new) => new,
            _ => None,
        }
    }

    /// Returns the action with the key that replaces the one of a rotation. Any other action stays as it is.
    #[must_use]
    pub fn with_new_key(self, new: Option<ApiKeyId>) -> Self {
        match self {
            Self::RotateKey(old, _) => Self::RotateKey(old, new),
            other => other,
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
