//! Chunk of a feed: up to 100 events with consecutive numbers, in one item.
//!
//! Kinds and lists of fields repeat. So a chunk has each pair of them once, which halves the bytes that are written.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::client::read::{Item, binary, number, pk_sk};
use crate::format::{FEED_CHUNK, check, mark};
use crate::keys::{chunk_sk, feed_pk};
use presence_domain::error::Error;
use presence_domain::event::{Event, EventData, EventKind};
use presence_domain::feed::{FeedEvent, KEPT_DAYS, format_at};
use presence_domain::ids::OrgId;

/// Largest number of events in a chunk.
pub(super) const MAX_EVENTS: usize = 100;
/// Time after which a chunk may be deleted: the days for which its events are shown, and one for clocks that differ.
const LIFETIME: SignedDuration = SignedDuration::from_hours((KEPT_DAYS + 2) * 24);

/// Attribute with the events.
const BODY: &str = "body";

#[derive(Serialize, Deserialize)]
struct Body {
    /// Number of the first event.
    first: u64,
    /// Random mark, which makes the ids of the events unique.
    mark: u64,
    /// Kinds with their fields.
    shapes: Vec<(String, Option<Vec<String>>)>,
    rows: Vec<Row>,
}

#[derive(Serialize, Deserialize)]
struct Row {
    shape: usize,
    /// Milliseconds since 1970.
    at: i64,
    id: Option<String>,
    replaces: Option<String>,
    user_id: Option<String>,
    business_id: Option<String>,
    #[expect(clippy::option_option, reason = "as in the data of an event")]
    version: Option<Option<u64>>,
}

/// Returns the item of a chunk. Its ids have the mark, which must be random.
pub(super) fn to_item(
    org_id: Option<OrgId>,
    first: u64,
    events: &[&Event],
    mark_of_ids: u64,
    now: Timestamp,
) -> Result<Item, Error> {
    let mut shapes: Vec<(String, Option<Vec<String>>)> = Vec::new();
    let rows = events.iter().map(|event| {
        let data = EventData::of(event, String::new());
        let shape = (event.kind.as_str().to_owned(), data.fields);
        let position = shapes.iter().position(|known| *known == shape).unwrap_or_else(|| {
            shapes.push(shape);
            shapes.len() - 1
        });
        let (id, user_id, business_id) = (data.id, data.user_id, data.business_id);
        let at = event.at.as_millisecond();
        Row { shape: position, at, id, replaces: data.replaces, user_id, business_id, version: data.version }
    });
    let rows = rows.collect();
    let body = Body { first, mark: mark_of_ids, shapes, rows };
    let last = first + events.len() as u64 - 1;
    let mut item = pk_sk(feed_pk(org_id), chunk_sk(last));
    item.insert(BODY.to_owned(), binary(postcard::to_allocvec(&body).map_err(Error::internal)?));
    item.insert("ttl".to_owned(), number(now.as_second() + LIFETIME.as_secs()));
    mark(FEED_CHUNK, &mut item);
    Ok(item)
}

/// Returns the events of a chunk, in their order.
pub(super) fn from_item(org_id: Option<OrgId>, item: &Item) -> Result<Vec<FeedEvent>, Error> {
    check(FEED_CHUNK, item)?;
    let bytes = item.get(BODY).and_then(|body| body.as_b().ok());
    let bytes = bytes.ok_or_else(|| Error::internal("a chunk of a feed has no events"))?;
    let Body { first, mark, shapes, rows } = postcard::from_bytes(bytes.as_ref()).map_err(Error::internal)?;
    let events = rows.into_iter().zip(0_u64..).map(|(row, position)| {
        let (kind, fields) = shapes.get(row.shape).ok_or_else(|| Error::internal("an event of a feed has no kind"))?;
        // During a deployment, a function of the later version may read it.
        let kind =
            EventKind::parse(kind).ok_or_else(|| Error::Unavailable("a kind of event is not known yet".into()))?;
        let at = Timestamp::from_millisecond(row.at).map_err(Error::internal)?;
        let data = EventData {
            id: row.id,
            replaces: row.replaces,
            user_id: row.user_id,
            org_id: org_id.map(OrgId::get),
            business_id: row.business_id,
            fields: fields.clone(),
            version: row.version,
            at: format_at(at),
        };
        Ok(FeedEvent { number: first + position, id: format!("evt_{mark:016x}{position:02}"), kind, at, data })
    });
    events.collect()
}

#[cfg(test)]
mod tests {
    use presence_domain::api_key::ApiKeyId;
    use presence_domain::event::{EventSubject, ReviewField};
    use presence_domain::ids::{BusinessId, UserId};
    use presence_domain::review::ReviewId;

    use super::*;

    fn events(count: usize) -> Vec<Event> {
        let key = ApiKeyId::parse("7-0a0a0a0a0a0a").expect("an id");
        let business_id = BusinessId::parse("5409c35a97bbc544d8e26737").expect("an id");
        let review = |number: usize| ReviewId::parse(&format!("7gk2m0d9{number:04}")).expect("an id");
        let of = |kind, subject, version| Event {
            kind,
            subject,
            org_id: OrgId::new(42),
            version,
            at: Timestamp::from_millisecond(1_772_366_400_123).expect("an instant"),
        };
        let mut events = vec![
            of(EventKind::KeyRotated, EventSubject::Key { id: key, replaces: Some(key) }, Some(3)),
            of(EventKind::KeyRevoked, EventSubject::Key { id: key, replaces: None }, None),
            of(
                EventKind::InvitationSent,
                EventSubject::Invitation { user_id: UserId::parse("7").expect("an id") },
                Some(1),
            ),
        ];
        let fields = || ReviewField::ALL.to_vec();
        events.extend((events.len()..count).map(|number| {
            let business_id = business_id.clone();
            let subject = EventSubject::Review { id: review(number), business_id, fields: fields() };
            of(EventKind::ReviewCreated, subject, Some(1))
        }));
        events
    }

    #[test]
    fn events_go_through_their_chunk_and_keep_their_numbers_and_ids() {
        let events = events(5);
        let item = to_item(OrgId::new(42), 7, &events.iter().collect::<Vec<_>>(), 0xab, Timestamp::UNIX_EPOCH);
        let item = item.expect("an item");
        assert_eq!(item["sk"].as_s().expect("a text"), "0000000000000011");
        let read = from_item(OrgId::new(42), &item).expect("events");
        assert_eq!(read.iter().map(|event| event.number).collect::<Vec<_>>(), [7, 8, 9, 10, 11]);
        assert_eq!((read[0].id.as_str(), read[4].id.as_str()), ("evt_00000000000000ab00", "evt_00000000000000ab04"));
        for (event, read) in events.iter().zip(&read) {
            assert_eq!((event.kind, event.at), (read.kind, read.at));
            assert_eq!(EventData::of(event, format_at(event.at)), read.data);
        }
        let json = serde_json::to_string(&read[1].data).expect("JSON");
        assert_eq!(
            json,
            r#"{"id":"7-0a0a0a0a0a0a","user_id":"7","org_id":42,"version":null,"at":"2026-03-01T12:00:00.123Z"}"#
        );
    }

    #[test]
    fn a_full_chunk_of_reviews_costs_little() {
        let events = events(MAX_EVENTS);
        let events: Vec<_> = events.iter().collect();
        let item = to_item(OrgId::new(42), 1, &events, u64::MAX, Timestamp::UNIX_EPOCH).expect("an item");
        let bytes = item[BODY].as_b().expect("bytes").as_ref().len();
        assert!(bytes < 6_000, "{bytes} bytes");
    }

    #[test]
    fn a_chunk_that_cannot_be_read_is_an_error() {
        let events = events(3);
        let events: Vec<_> = events.iter().collect();
        let item = to_item(None, 1, &events, 1, Timestamp::UNIX_EPOCH).expect("an item");
        let (mut later, mut damaged) = (item.clone(), item);
        later.insert("format".to_owned(), number(2));
        damaged.insert(BODY.to_owned(), binary(vec![1, 2]));
        assert!(matches!(from_item(None, &later), Err(Error::Unavailable(_))));
        assert!(matches!(from_item(None, &damaged), Err(Error::Internal(_))));
    }
}
