//! Data of an event, as the bus, the feed and webhooks show it.

use serde::Serialize;

use super::{Event, EventSubject};
use crate::ids::OrgId;

/// Data of an event. Which members it has follows from the kind of the event.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct EventData {
    /// Id of the user, review, key or webhook.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Id of the key that another one replaces.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaces: Option<String>,
    /// Id of the user who is invited, or who owns the key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_id: Option<String>,
    /// Organisation; null for none.
    pub org_id: Option<u64>,
    /// Id of the business.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub business_id: Option<String>,
    /// Names of the fields that changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fields: Option<Vec<String>>,
    /// Version after the change; null if the change has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<Option<u64>>,
    /// Instant of the change.
    pub at: String,
}

impl EventData {
    /// Returns the data of an event, with its instant as this text.
    pub fn of(event: &Event, at: String) -> Self {
        let base = Self { org_id: event.org_id.map(OrgId::get), version: Some(event.version), at, ..Self::default() };
        let names = |names: Vec<&str>| Some(names.into_iter().map(str::to_owned).collect());
        match &event.subject {
            EventSubject::User { id, fields } => {
                let fields = names(fields.iter().map(|field| field.as_str()).collect());
                Self { id: Some(id.to_string()), fields, ..base }
            }
            EventSubject::Invitation { user_id } => Self { user_id: Some(user_id.to_string()), ..base },
            EventSubject::Review { id, business_id, fields } => {
                let fields = names(fields.iter().map(|field| field.as_str()).collect());
                let (id, business_id) = (Some(id.as_str().to_owned()), Some(business_id.as_str().to_owned()));
                Self { id, business_id, fields, ..base }
            }
            EventSubject::Reply { id, business_id } => {
                let (id, business_id) = (Some(id.as_str().to_owned()), Some(business_id.as_str().to_owned()));
                Self { id, business_id, ..base }
            }
            EventSubject::Key { id, replaces } => {
                let (user_id, replaces) = (Some(id.owner().to_string()), replaces.map(|old| old.to_string()));
                Self { id: Some(id.to_string()), replaces, user_id, ..base }
            }
            EventSubject::Webhook { id } => Self { id: Some(id.to_string()), version: None, ..base },
        }
    }
}
