//! Form of events on the bus.

use jiff::Timestamp;
use presence_domain::error::Error;
use presence_domain::event::{Event, EventData};
use presence_runtime::telemetry::Metric;
use presence_store::streamed_change::events_of;
use serde_json::Value;

use crate::bus::Entry;

/// Source of every event.
pub const SOURCE: &str = "presence";

/// Event as the bus takes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BusEntry {
    /// Name of the kind.
    pub detail_type: &'static str,
    /// Detail, as the text of a JSON object.
    pub detail: String,
    /// Instant of the change. The bus keeps whole seconds.
    pub time: Timestamp,
}

impl Entry for BusEntry {
    const SENT: Metric = Metric::EventsSent;

    fn of_record(record: &Value) -> Result<Vec<Self>, Error> {
        Ok(events_of(record)?.iter().map(Self::from).collect())
    }

    fn group(&self) -> Option<&str> {
        None
    }
}

impl From<&Event> for BusEntry {
    fn from(event: &Event) -> Self {
        let detail = EventData::of(event, event.at.to_string());
        let detail = serde_json::to_string(&detail).expect("texts and numbers are JSON");
        Self { detail_type: event.kind.as_str(), detail, time: event.at }
    }
}

#[cfg(test)]
mod tests {
    use presence_domain::audit::UserField;
    use presence_domain::event::{EventKind, EventSubject};
    use presence_domain::ids::{OrgId, UserId};

    use super::*;

    #[test]
    fn an_event_has_ids_names_of_fields_the_version_and_the_instant() {
        let at = Timestamp::from_millisecond(1_772_366_400_123).expect("an instant");
        let id = UserId::parse("1005").expect("an id");
        let subject = EventSubject::User { id, fields: vec![UserField::Email, UserField::Role] };
        let event = Event { kind: EventKind::UserUpdated, subject, org_id: OrgId::new(42), version: Some(3), at };
        let expected =
            r#"{"id":"1005","org_id":42,"fields":["email","role"],"version":3,"at":"2026-03-01T12:00:00.123Z"}"#;
        let entry = BusEntry::from(&event);
        assert_eq!((entry.detail_type, entry.detail.as_str(), entry.time), ("user.updated", expected, at));
        let subject = EventSubject::Invitation { user_id: id };
        let event = Event { kind: EventKind::InvitationSent, subject, org_id: None, version: None, ..event };
        let expected = r#"{"user_id":"1005","org_id":null,"version":null,"at":"2026-03-01T12:00:00.123Z"}"#;
        assert_eq!(BusEntry::from(&event).detail, expected);
    }
}
