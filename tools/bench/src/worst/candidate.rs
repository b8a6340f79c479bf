//! Request that the search tries: a caller, and values for some fields of the operation.

use std::collections::BTreeMap;

use fastrand::Rng;
use presence_local::gateway::MAX_HEAD_BYTES;
use serde_json::{Map, Value};

use super::operations::{Field, Operation, Place, Shape};
use super::texts;
use crate::sandbox::event;

/// Part of a known text in whose place each request has a new random one, so that a repeated change finds the same state.
pub(super) const FRESH: &str = "{fresh}";
/// Lengths of lists. An address has room for some 385 businesses, and a body for some 3,000.
const LENGTHS: [usize; 7] = [1, 2, 20, 100, 385, 1_000, 3_000];
/// Depths of lists in lists.
const DEPTHS: [usize; 4] = [10, 100, 126, 1_000];
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
                values.insert(position, self.value(rng, field, &field.shape));
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
            _ => drop(candidate.values.insert(position, self.value(rng, field, &field.shape))),
        }
    }

    fn mutate_value(&self, rng: &mut Rng, field: &Field, value: &mut Value) {
        match (&field.shape, value) {
            (Shape::Text(most), Value::String(text)) => *text = texts::mutated(rng, text, *most),
            (Shape::List(item), Value::Array(items)) if !items.is_empty() => match rng.u8(..3) {
                0 => items.truncate(rng.usize(1..=items.len())),
                1 => items.extend_from_within(..items.len().min(LENGTHS[4])),
                _ => {
                    let changed = rng.usize(..items.len());
                    items[changed] = self.value(rng, field, item);
                }
            },
            (shape, value) => *value = self.value(rng, field, shape),
        }
    }

    fn value(&self, rng: &mut Rng, field: &Field, shape: &Shape) -> Value {
        let known = self.known.get(&*field.name).filter(|_| rng.u8(..10) < 7);
        let length = |rng: &mut Rng| rng.choice(LENGTHS).unwrap_or(1);
        match (shape, known) {
            (Shape::List(item), _) => (0..length(rng)).map(|_| self.value(rng, field, item)).collect(),
            (Shape::Unknown, _) => (0..length(rng)).map(|_| (texts::random(rng, NAME_CHARS), 1)).collect(),
            (Shape::Nested, _) => (0..rng.choice(DEPTHS).unwrap_or(1)).fold(Value::Null, |inner, _| vec![inner].into()),
            (_, Some(known)) => rng.choice(known).cloned().unwrap_or_default(),
            (Shape::Choice(choices), None) => rng.choice(choices).cloned().unwrap_or_default(),
            (Shape::Text(most), None) => texts::random(rng, *most).into(),
        }
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

    /// Describes a request in one line.
    pub(super) fn describe(&self, candidate: &Candidate) -> String {
        let part =
            |(position, value): (&usize, _)| format!("`{}`: {}", self.operation.fields[*position].name, shown(value));
        let parts: Vec<_> = candidate.values.iter().map(part).collect();
        if parts.is_empty() { "no field".to_owned() } else { parts.join(", ") }
    }
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
    let start = text.chars().take(SHOWN_CHARS).map(|char| if "|`\\\n".contains(char) { '·' } else { char });
    let start: String = start.collect();
    if length > SHOWN_CHARS { format!("`{start}…`, {length} characters") } else { format!("`{start}`") }
}
