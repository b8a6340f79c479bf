//! Messages of the queue: rows of one organisation and lane.

use std::collections::BTreeMap;

use presence_domain::ids::OrgId;
use presence_domain::ingest::ObjectVersion;
use presence_domain::review::RowPlace;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::outside::QueueMessage;

/// Maximum number of bytes in the body of a message. The attributes take some kilobytes more, and SQS takes 256 KB.
pub(crate) const MAX_BODY_BYTES: usize = 200_000;
/// Attribute of a message that asks to go on with an object.
pub(crate) const CONTINUE: &str = "continue";

/// Segment of an object that rows are from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Source {
    /// Version of the object.
    pub(crate) version: ObjectVersion,
    /// Number of the segment.
    pub(crate) segment: u64,
    /// Number of the segment's first line.
    pub(crate) first_line: u64,
}

/// Rows of a message, with their numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// Object that the rows are from; `None` if the message was sent by something else than ingest.
    pub(crate) source: Option<Source>,
    /// Time of the object or of the message, in microseconds since 1970.
    pub(crate) object_at: i64,
    /// Number of the message in its group, which decides between messages of one millisecond; 0 if the rows are from an object.
    pub(crate) sequence: u128,
    /// Rows with the numbers of their lines, from 1.
    pub(crate) rows: Vec<(u64, String)>,
}

impl Part {
    /// Returns the place of a row of this part.
    pub(crate) fn place(&self, line: u64) -> RowPlace {
        match &self.source {
            Some(_) => RowPlace { object_at: self.object_at, line },
            None => RowPlace::in_message(self.object_at, self.sequence, line),
        }
    }

    /// Reads a message as an event has it. `None` if its attributes make no sense.
    pub(crate) fn from_record(record: &Value) -> Option<Self> {
        let body = record.get("body")?.as_str()?;
        let lines: Vec<&str> = body.lines().collect();
        let attribute = |name: &str| record.get("messageAttributes")?.get(name)?.get("stringValue")?.as_str();
        let Some(object) = attribute("object") else {
            let system = |name: &str| record.get("attributes")?.get(name)?.as_str();
            let sent: i64 = system("SentTimestamp")?.parse().ok()?;
            let sequence = system("SequenceNumber").and_then(|number| number.parse().ok()).unwrap_or_default();
            let rows = (1..).zip(lines).filter(|(_, row)| !row.trim().is_empty());
            let rows = rows.map(|(line, row)| (line, row.to_owned())).collect();
            return Some(Self { source: None, object_at: sent.checked_mul(1_000)?, sequence, rows });
        };
        let number = |name: &str| attribute(name)?.parse::<u64>().ok();
        let object_at = attribute("object_at")?.parse().ok()?;
        let version = ObjectVersion { object: object.to_owned(), etag: attribute("etag")?.to_owned(), object_at };
        let source = Source { version, segment: number("segment")?, first_line: number("first_line")? };
        let numbers = parse_lines(source.first_line, attribute("lines")?)?;
        let is_whole = numbers.len() == lines.len();
        let rows = numbers.into_iter().zip(lines).map(|(line, row)| (line, row.to_owned())).collect();
        is_whole.then_some(Self { source: Some(source), object_at, sequence: 0, rows })
    }
}

/// Returns the messages with these rows of an organisation's lane, as few as possible.
pub(crate) fn messages(source: &Source, org_id: OrgId, lane: usize, rows: &[(u64, String)]) -> Vec<QueueMessage> {
    let (mut messages, mut start, mut bytes) = (Vec::new(), 0, 0);
    for (position, (_, row)) in rows.iter().enumerate() {
        if position > start && bytes + row.len() + 1 > MAX_BODY_BYTES {
            messages.push(message(source, org_id, lane, &rows[start..position]));
            (start, bytes) = (position, 0);
        }
        bytes += row.len() + 1;
    }
    if start < rows.len() {
        messages.push(message(source, org_id, lane, &rows[start..]));
    }
    messages
}

fn message(source: &Source, org_id: OrgId, lane: usize, rows: &[(u64, String)]) -> QueueMessage {
    let texts: Vec<&str> = rows.iter().map(|(_, row)| row.as_str()).collect();
    let body = texts.join("\n");
    let Source { version, segment, first_line } = source;
    let ObjectVersion { object, etag, object_at } = version;
    let lines = format_lines(*first_line, rows.iter().map(|(line, _)| *line));
    // With the lines: an object may have equal rows in several messages.
    let deduplication_id = digest(&[object, etag, &object_at.to_string(), &segment.to_string(), &lines, &body]);
    let attributes = BTreeMap::from([
        ("object".to_owned(), object.clone()),
        ("etag".to_owned(), etag.clone()),
        ("object_at".to_owned(), object_at.to_string()),
        ("segment".to_owned(), segment.to_string()),
        ("first_line".to_owned(), first_line.to_string()),
        ("lines".to_owned(), lines),
    ]);
    QueueMessage { group_id: format!("{org_id}-{lane}"), deduplication_id, body, attributes }
}

/// Returns a digest of texts, in 64 hexadecimal digits.
pub(crate) fn digest(texts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for text in texts {
        hash.update((text.len() as u64).to_be_bytes());
        hash.update(text);
    }
    hex::encode(hash.finalize())
}

/// Returns the numbers of lines as distances, each from the one before: `0,1,1,5`.
fn format_lines(first_line: u64, lines: impl Iterator<Item = u64>) -> String {
    let mut before = first_line;
    let distances = lines.map(|line| {
        let distance = line.saturating_sub(before);
        before = line;
        distance.to_string()
    });
    distances.collect::<Vec<_>>().join(",")
}

fn parse_lines(first_line: u64, distances: &str) -> Option<Vec<u64>> {
    let mut line = first_line;
    let lines = distances.split(',').map(|distance| {
        line = line.checked_add(distance.parse().ok()?)?;
        Some(line)
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn source() -> Source {
        let version = ObjectVersion { object: "a b/é.jsonl".to_owned(), etag: "\"x\"".to_owned(), object_at: 17 };
        Source { version, segment: 3, first_line: 40 }
    }

    fn record(message: &QueueMessage) -> Value {
        let attributes = message.attributes.iter().map(|(name, value)| (name.clone(), json!({ "stringValue": value })));
        json!({ "body": message.body, "messageAttributes": attributes.collect::<serde_json::Map<_, _>>() })
    }

    #[test]
    fn a_part_is_read_as_it_was_sent() {
        let org_id = OrgId::new(42).expect("an id");
        let rows: Vec<(u64, String)> = [40, 41, 47].map(|line| (line, format!("{{\"row\":{line}}}"))).into();
        let sent = messages(&source(), org_id, 5, &rows);
        assert_eq!((sent.len(), sent[0].group_id.as_str()), (1, "42-5"));
        assert_eq!(sent[0].attributes["lines"], "0,1,6");
        assert_eq!(
            Part::from_record(&record(&sent[0])),
            Some(Part { source: Some(source()), object_at: 17, sequence: 0, rows })
        );
    }

    #[test]
    fn messages_have_200_kb_at_most_and_every_row_once() {
        let org_id = OrgId::new(42).expect("an id");
        let rows: Vec<(u64, String)> = (40..1_040).map(|line| (line, "x".repeat(700))).collect();
        let sent = messages(&source(), org_id, 5, &rows);
        assert!(sent.iter().all(|message| message.body.len() <= MAX_BODY_BYTES && message.size() < 256 * 1_024));
        assert_eq!(sent.len(), 4);
        let read: Vec<_> = sent.iter().flat_map(|one| Part::from_record(&record(one)).expect("a part").rows).collect();
        assert_eq!(read, rows);
    }

    #[test]
    fn a_message_of_another_sender_has_the_time_of_its_sending() {
        let record = json!({ "body": "{}\n\n{}", "attributes": { "SentTimestamp": "1709285400123" } });
        let part = Part::from_record(&record).expect("a part");
        assert_eq!((part.object_at, part.rows), (1_709_285_400_123_000, vec![(1, "{}".into()), (3, "{}".into())]));
    }

    #[test]
    fn attributes_that_make_no_sense_are_refused() {
        let org_id = OrgId::new(42).expect("an id");
        let message = messages(&source(), org_id, 5, &[(40, "{}".to_owned())]).remove(0);
        for (name, wrong) in
            [("lines", "0,1"), ("lines", "x"), ("lines", ""), ("segment", "-1"), ("object_at", ""), ("first_line", "?")]
        {
            let mut broken = message.clone();
            broken.attributes.insert(name.to_owned(), wrong.to_owned());
            assert_eq!(Part::from_record(&record(&broken)), None, "{name} {wrong}");
        }
        let mut missing = message;
        missing.attributes.remove("etag");
        assert_eq!(Part::from_record(&record(&missing)), None);
    }
}
