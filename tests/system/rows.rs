//! Rows that partners send, and the judge of what became of them.

use std::collections::BTreeMap;

use fastrand::Rng;
use jiff::Timestamp;
use presence_domain::ingest::MAX_SEGMENT_LINES;
use presence_domain::review::{Rating, Review, ReviewState, RowPlace};
use serde_json::{Value, json};

use super::reviews::{MAX, review};
use super::simulation::Simulation;

/// Reviews that half of the rows are about.
const HOT: usize = 2;
/// Largest number of rows of an object or a message.
const MOST_ROWS: usize = 4;
/// Days of reviews: few, and one of them in another month.
const DATES: [&str; 3] = ["2024-02-29", "2024-03-01", "2024-03-02"];
/// Microseconds of a second. S3 tells the time of an object in whole seconds.
const SECOND: i64 = 1_000_000;

/// Row that a partner sends.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    line: u64,
    text: String,
    /// Review that it is about; `None` if it breaks a rule.
    review: Option<String>,
    seen_at: Option<i64>,
    title: String,
    place: RowPlace,
}

/// Everything that partners sent.
#[derive(Default)]
pub(crate) struct Sent {
    rows: Vec<Row>,
    /// Rows of the newest version of each object.
    objects: BTreeMap<String, Vec<Row>>,
    /// Rows of each message of another sender, by its number.
    messages: BTreeMap<u64, Vec<Row>>,
    /// Number of messages that nobody can read.
    pub(crate) unreadable: usize,
}

impl Row {
    /// Returns random rows about known and new reviews. Some break a rule.
    pub(crate) fn some(rng: &mut Rng, now: Timestamp) -> Vec<Self> {
        let mut line = 0;
        let count = rng.usize(1..=MOST_ROWS);
        let one = |_| {
            // Blank lines put the next row into another segment.
            line += if line > 0 && rng.u8(..8) == 0 { MAX_SEGMENT_LINES } else { rng.u64(1..3) };
            Self::random(rng, line, now)
        };
        (0..count).map(one).collect()
    }

    fn random(rng: &mut Rng, line: u64, now: Timestamp) -> Self {
        let among = if rng.bool() { HOT } else { MAX };
        let review = review(rng.usize(..among));
        let seen_at = (rng.u8(..3) > 0).then_some(now.as_microsecond() - rng.i64(0..60 * SECOND));
        // Few titles, so that rows confirm each other, or so many that each row has its own.
        let titles = if rng.u8(..4) == 0 { 2 } else { 1_000_000 };
        let title = format!("title {}", rng.u32(..titles));
        let mut value = json!({
            "business_id": review.business_id.as_str(), "partner": review.partner.as_str(), "title": title,
            "partner_id": review.partner_id, "date": rng.choice(&DATES).expect("one"), "rating": rng.choice(&Rating::ALL).expect("one").get(),
            "state": rng.choice(&ReviewState::ALL).expect("one").as_str(),
        });
        if let Some(seen) = seen_at {
            value["seen_at"] = Timestamp::from_microsecond(seen).expect("an instant").to_string().into();
        }
        if rng.bool() {
            value["content"] = "Bien".into();
        }
        let is_wrong = rng.u8(..6) == 0;
        if is_wrong {
            // The splitter finds both.
            let (name, wrong) = *rng.choice(&[("rating", "six"), ("business_id", "nowhere")]).expect("one");
            value[name] = wrong.into();
        }
        let review = (!is_wrong).then(|| review.id.as_str().to_owned());
        Self { line, text: value.to_string(), review, seen_at, title, place: RowPlace { object_at: 0, line } }
    }

    /// Returns rows as an object or a message has them.
    pub(crate) fn text(rows: &[Self]) -> String {
        let mut text = String::new();
        let mut last = 0;
        for row in rows {
            text.extend((last + 1..row.line).map(|_| '\n'));
            text = text + &row.text + "\n";
            last = row.line;
        }
        text
    }

    fn at(&self) -> i64 {
        self.seen_at.unwrap_or(self.place.object_at)
    }

    /// True if a review is stored as this row has it. The splitter adds microseconds to the time of objects of one second.
    fn is_stored_as(&self, stored: &Review) -> bool {
        let Some((at, place)) = stamp(stored) else { return false };
        let is_in_place = self.place == RowPlace { object_at: place.object_at.div_euclid(SECOND) * SECOND, ..place }
            || self.place == place;
        is_in_place && at == self.seen_at.unwrap_or(place.object_at) && stored.title.as_ref() == Some(&self.title)
    }
}

/// Returns the stamp of a review that a row wrote.
fn stamp(review: &Review) -> Option<(i64, RowPlace)> {
    let seen = review.seen_at?;
    Some((seen.at, seen.place?))
}

impl Sent {
    /// Notes the rows of an object that takes the place of an earlier one, with the second of its upload.
    pub(crate) fn uploaded(&mut self, object: &str, second: i64, mut rows: Vec<Row>) {
        for row in &mut rows {
            row.place = RowPlace { object_at: second * SECOND, line: row.line };
        }
        self.rows.extend(rows.iter().cloned());
        self.objects.insert(object.to_owned(), rows);
    }

    /// Notes the rows of a message with this number that was sent at a time in milliseconds.
    pub(crate) fn sent(&mut self, (number, sent_at): (u64, i64), mut rows: Vec<Row>) {
        for row in &mut rows {
            row.place = RowPlace::in_message(sent_at * 1_000, number.into(), row.line);
        }
        self.rows.extend(rows.iter().cloned());
        self.messages.insert(number, rows);
    }

    /// Judges that each good row is stored, or a newer one, and that each bad one is in the report of its object or message, once.
    pub(crate) fn judge(&self, simulation: &Simulation) -> Vec<String> {
        let mut findings = Vec::new();
        for row in self.objects.values().chain(self.messages.values()).flatten() {
            let Some(review) = &row.review else { continue };
            let stored = simulation.history().state().reviews.get(review).cloned();
            let Some(stored) = stored.filter(|stored| stamp(stored) >= Some((row.at(), row.place))) else {
                findings.push(format!("a row is not stored: {row:?}"));
                continue;
            };
            if !self.rows.iter().any(|row| row.review.as_ref() == Some(review) && row.is_stored_as(&stored)) {
                findings.push(format!("no row has what is stored: {stored:?}"));
            }
        }
        for (object, rows) in &self.objects {
            let good = rows.iter().filter(|row| row.review.is_some()).count() as u64;
            let summary = simulation.bucket.text(&format!("done/{object}.json")).unwrap_or_default();
            let summary: Value = serde_json::from_str(&summary).unwrap_or_default();
            let count = |name: &str| summary[name].as_u64();
            let stored: Option<u64> = ["created", "updated", "unchanged"].into_iter().map(count).sum();
            let is_right = (stored, count("rejected")) == (Some(good), Some(rows.len() as u64 - good));
            if !is_right || !simulation.bucket.has_summary(object) || summary["error"].is_string() {
                findings.push(format!("the report of {object} with {good} of {} rows is {summary}", rows.len()));
            }
            findings.extend(judge_rejected(simulation, object, rows));
        }
        for (number, rows) in &self.messages {
            findings.extend(judge_rejected(simulation, &format!("messages/{number}"), rows));
        }
        findings
    }
}

fn judge_rejected(simulation: &Simulation, name: &str, rows: &[Row]) -> Option<String> {
    let report = simulation.bucket.text(&format!("rejected/{name}.jsonl")).unwrap_or_default();
    let parse = |line: &str| {
        let row: Value = serde_json::from_str(line).expect("JSON");
        (row["line"].clone(), row["row"].clone())
    };
    let found: Vec<(Value, Value)> = report.lines().map(parse).collect();
    let expected = rows.iter().filter(|row| row.review.is_none());
    let expected: Vec<(Value, Value)> = expected.map(|row| (row.line.into(), row.text.clone().into())).collect();
    (found != expected).then(|| format!("the rejected rows of {name} are {found:?} instead of {expected:?}"))
}
