//! Changes in the records of the tables' streams. Events tell of records of the audit trail, ends of deliveries, and reviews. The other
//! changes are requests to publish or remove a reply.
//!
//! Shape of a record: <https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html>.

use std::collections::HashMap;

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use aws_smithy_types::base64;
use jiff::Timestamp;
use presence_domain::error::Error;
use presence_domain::event::Event;
use presence_domain::ids::{OrgId, UserId};
use presence_domain::review::{ReplyRequest, Review};
use presence_domain::user::DeliveryReport;
use serde::Deserialize;
use serde_json::Value;

use crate::audit_trail;
use crate::client::read::Item;
use crate::format::{USER, parse_as};
use crate::keys::{REVIEW_SK, USER_SK, parse_org_key};
use crate::reviews::body_item::review_from_item;
use crate::reviews::replies::RESENT_AT;

/// Attributes of a user's item that tell of the end of a delivery.
#[derive(Deserialize)]
struct DeliveredItem {
    id: String,
    org: String,
    version: u64,
    delivery: Option<String>,
}

/// Returns the events of a record of a stream: none for a record of anything else, and two for a review whose reply changed with it.
///
/// Returns [`Error::Unavailable`] for an item of a format that only a later version knows, and [`Error::Internal`] for a record that
/// cannot be read.
pub fn events_of(record: &Value) -> Result<Vec<Event>, Error> {
    let change = &record["dynamodb"];
    let key = |name: &str| change["Keys"][name]["S"].as_str();
    if key("target").is_some() {
        return Ok(event_of_audit_record(record)?.into_iter().collect());
    }
    match key("sk") {
        Some(USER_SK) => Ok(event_of_user(record)?.into_iter().collect()),
        Some(REVIEW_SK) => events_of_review(record),
        _ => Ok(Vec::new()),
    }
}

/// Returns the events of a record as they enter the feeds. Beside those of [`events_of`], the organisation that a user or a review left
/// hears of it, before the new one does.
pub fn feed_events_of(record: &Value) -> Result<Vec<Event>, Error> {
    let events = events_of(record)?;
    let Some(left) = left_org(record)? else { return Ok(events) };
    let departure = events.iter().find_map(|event| event.departure(left).filter(|_| event.org_id != left));
    Ok(departure.into_iter().chain(events).collect())
}

/// Returns the organisation that the user or the review of a record left, or may have left.
#[expect(clippy::option_option, reason = "the organisation that was left may be none")]
fn left_org(record: &Value) -> Result<Option<Option<OrgId>>, Error> {
    match image(record, "NewImage")? {
        Some(item) if item.contains_key("left_org") => Ok(audit_trail::read(item)?.left_org),
        Some(_) if record["dynamodb"]["Keys"]["sk"]["S"] == REVIEW_SK => {
            let old = image(record, "OldImage")?.as_ref().map(review_from_item).transpose()?;
            Ok(old.map(|old| Some(old.org_id)))
        }
        _ => Ok(None),
    }
}

/// Request that a record of a stream hands on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandedOn {
    /// Request to publish or remove a reply.
    pub request: ReplyRequest,
    /// Mark of the order to send it again; `None` for a request that was just accepted.
    pub resent_at: Option<String>,
}

/// Returns the request that a record of a stream hands on: one that was just accepted, or that is to be sent again. `None` for every other
/// record, as of a review that changes while its reply is on its way.
///
/// The stream has the records of a review in their order, and so those of its versions.
pub fn request_of(record: &Value) -> Result<Option<HandedOn>, Error> {
    if record["dynamodb"]["Keys"]["sk"]["S"] != REVIEW_SK {
        return Ok(None);
    }
    let (old, new) = (image(record, "OldImage")?, image(record, "NewImage")?);
    let request_in = |item: &Item| Ok::<_, Error>(review_from_item(item)?.reply_request());
    let Some(request) = new.as_ref().map(request_in).transpose()?.flatten() else { return Ok(None) };
    let old_version = old.as_ref().map(request_in).transpose()?.flatten().map(|request| request.version);
    let mark = |item: Option<&Item>| Some(item?.get(RESENT_AT)?.as_s().ok()?.clone());
    let resent_at = mark(new.as_ref()).filter(|new| mark(old.as_ref()).as_ref() != Some(new));
    let is_new = old_version != Some(request.version);
    Ok((is_new || resent_at.is_some()).then_some(HandedOn { request, resent_at }))
}

/// Returns the event of a new record of the audit trail. Records never change, and they expire.
fn event_of_audit_record(record: &Value) -> Result<Option<Event>, Error> {
    match image(record, "NewImage")? {
        Some(item) if record["eventName"] == "INSERT" => Ok(Event::of_record(&audit_trail::read(item)?)),
        _ => Ok(None),
    }
}

/// Returns the event of a user whose write records the end of a delivery.
fn event_of_user(record: &Value) -> Result<Option<Event>, Error> {
    let Some(item) = image(record, "NewImage")?.filter(|item| item.contains_key("delivery")) else { return Ok(None) };
    let stored: DeliveredItem = parse_as(USER, item)?;
    let at = instant(record)?;
    let event = || {
        let report = DeliveryReport::parse(stored.delivery.as_deref()?)?;
        let (id, org_id) = (UserId::parse(&stored.id)?, parse_org_key(&stored.org)?);
        Some(Event::of_delivery(id, org_id, stored.version, report, at))
    };
    event().map(Some).ok_or_else(|| Error::internal("a user in a stream breaks the rules of its fields"))
}

fn events_of_review(record: &Value) -> Result<Vec<Event>, Error> {
    let review = |name| image(record, name)?.as_ref().map(review_from_item).transpose();
    let (before, after): (Option<Review>, Option<Review>) = (review("OldImage")?, review("NewImage")?);
    if before.is_none() && after.is_none() {
        return Err(Error::internal("a review in a stream has no image"));
    }
    if before.is_none() && record["eventName"] != "INSERT" {
        return Err(Error::internal("a changed review in a stream has no old image"));
    }
    let (before, after, at) = (before.as_ref(), after.as_ref(), instant(record)?);
    Ok([Event::of_review(before, after, at), Event::of_reply(before, after, at)].into_iter().flatten().collect())
}

/// Returns the instant of a record, in whole seconds as the stream has them.
fn instant(record: &Value) -> Result<Timestamp, Error> {
    let seconds = record["dynamodb"]["ApproximateCreationDateTime"].as_f64();
    let unreadable = || Error::internal("a record of a stream has no instant");
    #[expect(clippy::cast_possible_truncation, reason = "whole seconds are meant, and other numbers are refused")]
    let seconds = seconds.ok_or_else(unreadable)? as i64;
    Timestamp::from_second(seconds).map_err(|_| unreadable())
}

/// Returns the image of a record; `None` if it has none.
fn image(record: &Value, name: &str) -> Result<Option<Item>, Error> {
    match record["dynamodb"].get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(image) => item(image).map(Some).ok_or_else(|| Error::internal("an image in a stream cannot be read")),
    }
}

fn item(image: &Value) -> Option<Item> {
    let fields = image.as_object()?.iter();
    fields.map(|(name, value)| Some((name.clone(), attribute(value)?))).collect::<Option<HashMap<_, _>>>()
}

/// Returns an attribute; `None` for a set, which no item of an event has.
fn attribute(value: &Value) -> Option<AttributeValue> {
    let (kind, value) = value.as_object()?.iter().next()?;
    let text = || value.as_str().map(str::to_owned);
    Some(match kind.as_str() {
        "S" => AttributeValue::S(text()?),
        "N" => AttributeValue::N(text()?),
        "B" => AttributeValue::B(Blob::new(base64::decode(value.as_str()?).ok()?)),
        "BOOL" => AttributeValue::Bool(value.as_bool()?),
        "NULL" => AttributeValue::Null(true),
        "L" => AttributeValue::L(value.as_array()?.iter().map(attribute).collect::<Option<_>>()?),
        "M" => AttributeValue::M(item(value)?),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn user_record(image: &Value) -> Value {
        json!({ "eventName": "MODIFY", "dynamodb": {
            "ApproximateCreationDateTime": 1_772_366_400.9, "NewImage": image,
            "Keys": { "pk": { "S": "USER#7" }, "sk": { "S": "USER" } },
        } })
    }

    fn user_image(delivery: &str) -> Value {
        json!({ "id": { "S": "7" }, "org": { "S": "0000000000000042" }, "version": { "N": "5" },
            "delivery": { "S": delivery }, "links": { "L": [{ "M": { "hash": { "S": "" } } }] } })
    }

    #[test]
    fn the_end_of_a_delivery_is_read_with_its_instant_in_whole_seconds() {
        let event = events_of(&user_record(&user_image("sent"))).expect("a record").remove(0);
        assert_eq!((event.kind.as_str(), event.version), ("invitation.sent", Some(5)));
        assert_eq!(event.at.to_string(), "2026-03-01T12:00:00Z");
    }

    #[test]
    fn records_of_other_items_have_no_event() {
        for record in [
            json!(null),
            json!({ "dynamodb": { "Keys": { "pk": { "S": "TREE#o:1" }, "sk": { "S": "ROOT" } } } }),
            json!({ "dynamodb": { "Keys": { "pk": { "S": "USER#7" }, "sk": { "S": "MAIL#1" } } } }),
            json!({ "eventName": "REMOVE", "dynamodb": { "Keys": { "target": { "S": "USER#7" }, "at": { "S": "1" } } } }),
            json!({ "eventName": "REMOVE", "dynamodb": { "Keys": { "pk": { "S": "USER#7" }, "sk": { "S": "USER" } } } }),
            user_record(&json!({ "id": { "S": "7" }, "version": { "N": "5" } })),
        ] {
            assert!(events_of(&record).is_ok_and(|events| events.is_empty()), "{record}");
        }
    }

    #[test]
    fn a_record_that_cannot_be_read_is_an_error_and_one_of_a_later_format_another() {
        let review = |change: &Value| json!({ "eventName": "MODIFY", "dynamodb": change });
        let keys = json!({ "pk": { "S": "R#1" }, "sk": { "S": "R" } });
        for record in [
            user_record(&user_image("lost")),
            user_record(&json!({ "delivery": { "S": "sent" } })),
            user_record(&json!({ "delivery": { "B": "AA==" } })),
            user_record(&json!("text")),
            review(&json!({ "Keys": keys })),
            review(&json!({ "Keys": keys, "NewImage": { "id": { "S": "1" } } })),
        ] {
            assert!(matches!(events_of(&record), Err(Error::Internal(_))), "{record}");
        }
        let mut later = user_image("sent");
        later["format"] = json!({ "N": "99" });
        assert!(matches!(events_of(&user_record(&later)), Err(Error::Unavailable(_))));
    }
}
