//! Request that the search tries: a caller, and values for some fields of the operation.

use std::collections::BTreeMap;

use fastrand::Rng;
use presence_local::gateway::MAX_HEAD_BYTES;
use serde_json::{Map, Value};

use super::operations::{Field, Operation, Place};
use super::texts;
use crate::sandbox::event;

/// Part of a known text in whose place each request has a new random one, so that a repeated change finds the same state.
pub(super) const FRESH: &str = "{fresh}";
/// Lengths of lists. An address has room for some 385 businesses, and a body for some 3,000.
const LENGTHS: [usize; 7] = [1, 2, 20, 100, 385, 1_000, 3_000];
/// Depths of lists in lists.
const DEPTHS: [usize; 4] = [10, 100, 126, 1_000];
/// Longest text in the head of a request without a bound of its own.
const HEAD_CHARS: usize = 9_000;
/// Longest text in a body without a bound of its own. In UTF-8 it is at most 120,000 bytes, and a body may have 131,072.
const BODY_CHARS: usize = 30_000;
/// Longest unknown name.
const NAME_CHARS: usize = 40;
/// Room in the head of a request for its path, its key and the headers of every request.
const OTHER_HEAD_BYTES: usize = 500;
/// Longest text that a description shows in full.
const SHOWN_CHARS: usize = 24;

/// Values of the data that fields name, by the name of the field.
pub(super) type KnownValues = BTreeMap<&'static str, Vec<Value>>;

/// Request of an operation.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    /// Position of the caller among all callers.
    pub(super) caller: usize,
    /// Values, by the position of the field in the operation.
    values: BTreeMap<usize, Value>,
}

/// Requests of an operation.
pub(super) struct RequestSpace<'a> {
    pub(super) operation: &'a Operation,
    pub(super) known: &'a KnownValues,
    pub(super) callers: usize,
}

impl RequestSpace<'_> {
    /// Returns a new request, or a change of one. The gateway lets it through.
    pub(super) fn next(&self, rng: &mut Rng, of: Option<&Candidate>) -> Candidate {
        loop {
            let mut candidate = of.cloned().unwrap_or_else(|| self.random(rng));
            for _ in 0..rng.usize(1..=3) {
                self.mutate(rng, &mut candidate);
            }
            let head_bytes: usize = self.headers(&candidate).map(|(name, value)| name.len() + value.len()).sum();
            if head_bytes + self.query(&candidate).len() + OTHER_HEAD_BYTES < MAX_HEAD_BYTES {
                return candidate;
            }
        }
    }

    fn random(&self, rng: &mut Rng) -> Candidate {
        let mut values = BTreeMap::new();
        let share = rng.u8(1..=4);
        for (position, field) in self.operation.fields.iter().enumerate() {
            if field.is_required || rng.u8(..5) >= share {
                values.insert(position, self.value(rng, field));
            }
        }
        Candidate { caller: rng.usize(..self.callers), values }
    }

    fn mutate(&self, rng: &mut Rng, candidate: &mut Candidate) {
        let position = rng.usize(..self.operation.fields.len());
        let field = &self.operation.fields[position];
        match (rng.u8(..8), candidate.values.get_mut(&position)) {
            (0, _) => candidate.caller = rng.usize(..self.callers),
            (1, Some(_)) if !field.is_required => drop(candidate.values.remove(&position)),
            (2..=5, Some(value)) => self.mutate_value(rng, field, value),
            _ => drop(candidate.values.insert(position, self.value(rng, field))),
        }
    }

    fn mutate_value(&self, rng: &mut Rng, field: &Field, value: &mut Value) {
        match value {
            Value::String(text) if field.schema["enum"].is_null() => {
                *text = texts::mutated(rng, text, most_chars(field));
            }
            Value::Array(items) if items.len() > 1 => match rng.u8(..3) {
                0 => items.truncate(rng.usize(1..=items.len())),
                1 => items.extend_from_within(..items.len().min(LENGTHS[4])),
                _ => {
                    let changed = rng.usize(..items.len());
                    items[changed] = self.item(rng, field, &field.schema["items"]);
                }
            },
            value => *value = self.value(rng, field),
        }
    }

    /// Returns a value of the schema, or one of the data.
    fn value(&self, rng: &mut Rng, field: &Field) -> Value {
        let length = |rng: &mut Rng| rng.choice(LENGTHS).unwrap_or(1);
        match type_of(&field.schema) {
            // An unknown item may end the request, so that all are known or none.
            "array" => match self.known(rng, field) {
                Some(known) => (0..length(rng)).map(|_| rng.choice(known).cloned()).collect(),
                None => (0..length(rng)).map(|_| self.item(rng, field, &field.schema["items"])).collect(),
            },
            "unknown" => (0..length(rng)).map(|_| (texts::random(rng, NAME_CHARS), 1)).collect(),
            "nested" => (0..rng.choice(DEPTHS).unwrap_or(1)).fold(Value::Null, |inner, _| vec![inner].into()),
            _ => self.item(rng, field, &field.schema),
        }
    }

    fn item(&self, rng: &mut Rng, field: &Field, schema: &Value) -> Value {
        if let Some(known) = self.known(rng, field) {
            return rng.choice(known).cloned().unwrap_or_default();
        }
        let integers = [schema["minimum"].as_i64().unwrap_or(1), 2, 30, 1_000, i64::MAX];
        let choices: Vec<Value> = match (schema["enum"].as_array(), type_of(schema)) {
            (Some(choices), _) => choices.clone(),
            (None, "boolean") => vec![true.into(), false.into()],
            (None, "integer") => integers.map(|it| it.min(schema["maximum"].as_i64().unwrap_or(it)).into()).to_vec(),
            _ => vec![texts::random(rng, most_chars(field)).into()],
        };
        rng.choice(choices).unwrap_or_default()
    }

    /// Returns values of the data for a field, or often none.
    fn known(&self, rng: &mut Rng, field: &Field) -> Option<&[Value]> {
        self.known.get(&*field.name).filter(|_| rng.u8(..10) < 7).map(Vec::as_slice)
    }

    /// Returns the event of a request of this path.
    pub(super) fn event(&self, candidate: &Candidate, path: &str, key: &str) -> anyhow::Result<String> {
        let (query, body) = (self.query(candidate), self.body(candidate));
        let mut event = event::request(&self.operation.route_key, path, &query, key, &body);
        for (name, value) in self.headers(candidate) {
            event = event::with_header(&event, &name.to_lowercase(), &value)?;
        }
        Ok(event.replace(FRESH, &format!("{:016x}", fastrand::u64(..))))
    }

    fn of<'a>(&'a self, candidate: &'a Candidate, place: Place) -> impl Iterator<Item = (&'a str, &'a Value)> {
        let fields = candidate.values.iter().map(|(position, value)| (&self.operation.fields[*position], value));
        fields.filter(move |(field, _)| field.place == place).map(|(field, value)| (&*field.name, value))
    }

    /// Returns the headers. They have ASCII only.
    fn headers<'a>(&'a self, candidate: &'a Candidate) -> impl Iterator<Item = (&'a str, String)> {
        let ascii = |char: char| if char.is_ascii_graphic() || char == ' ' { char } else { 'x' };
        self.of(candidate, Place::Header).map(move |(name, value)| (name, text(value).chars().map(ascii).collect()))
    }

    fn query(&self, candidate: &Candidate) -> String {
        let mut url = reqwest::Url::parse("http://query/").expect("a constant");
        for (name, value) in self.of(candidate, Place::Query) {
            match value {
                Value::Object(names) => drop(url.query_pairs_mut().extend_pairs(names.keys().map(|name| (name, "1")))),
                value => drop(url.query_pairs_mut().append_pair(name, &text(value))),
            }
        }
        url.query().unwrap_or_default().to_owned()
    }

    /// Returns the body, or null if the operation takes none.
    fn body(&self, candidate: &Candidate) -> Value {
        if self.operation.fields.iter().all(|field| field.place != Place::Body) {
            return Value::Null;
        }
        let mut body = Map::new();
        for (name, value) in self.of(candidate, Place::Body) {
            match value {
                Value::Object(names) => body.extend(names.clone()),
                value => drop(body.insert(name.to_owned(), value.clone())),
            }
        }
        body.into()
    }

    /// Returns the request without one field each.
    pub(super) fn smaller(&self, candidate: &Candidate) -> Vec<Candidate> {
        let optional = candidate.values.keys().filter(|position| !self.operation.fields[**position].is_required);
        let without = |position: &usize| {
            let mut smaller = candidate.clone();
            smaller.values.remove(position);
            smaller
        };
        optional.map(without).collect()
    }

    /// Describes a request in one line.
    pub(super) fn describe(&self, candidate: &Candidate) -> String {
        let part =
            |(position, value): (&usize, _)| format!("`{}`: {}", self.operation.fields[*position].name, shown(value));
        let parts: Vec<_> = candidate.values.iter().map(part).collect();
        if parts.is_empty() { "no field".to_owned() } else { parts.join(", ") }
    }
}

/// Returns the type of a schema. Of several, null is the last.
fn type_of(schema: &Value) -> &str {
    schema["type"].as_str().or_else(|| schema["type"][0].as_str()).unwrap_or_default()
}

/// Returns the largest length of a text.
fn most_chars(field: &Field) -> usize {
    let unbound = if field.place == Place::Body { BODY_CHARS } else { HEAD_CHARS };
    field.schema["maxLength"].as_u64().and_then(|most| usize::try_from(most).ok()).unwrap_or(unbound)
}

/// Returns the text of a value in a query. A list is separated by commas.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(text).collect::<Vec<_>>().join(","),
        other => other.to_string(),
    }
}

/// Returns a value as a description shows it: long ones by their size.
fn shown(value: &Value) -> String {
    let text = match value {
        Value::Object(names) => return format!("{} names", names.len()),
        Value::Array(items) if items.len() > 1 => return format!("{} values", items.len()),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let length = text.chars().count();
    // Marks and signs would change the letters beside them, or end a cell of the table.
    let is_plain = |char: char| char.is_alphanumeric() || (char.is_ascii() && !"|`\\\n".contains(char));
    let start = text.chars().take(SHOWN_CHARS).map(|char| if is_plain(char) { char } else { '·' });
    let start: String = start.collect();
    if length > SHOWN_CHARS { format!("`{start}…`, {length} characters") } else { format!("`{start}`") }
}
