//! Which part of an index a Query asks for, and what it wants of each item.

use std::cmp::Ordering;

use serde_json::Value;

use super::item::{Item, compare};
use super::tables::KeyNames;

/// A bound of the sort key.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Bound {
    pub(super) value: Value,
    pub(super) included: bool,
}

/// The key condition of a Query.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct KeyCondition {
    pub(super) partition: Value,
    pub(super) lower: Option<Bound>,
    pub(super) upper: Option<Bound>,
    prefix: Option<String>,
}

/// The access of a request to each item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Projection {
    All,
    /// Top-level attributes of these names.
    Attributes(Vec<String>),
    /// Nested attributes, which the lag does not model.
    Nested,
}

impl KeyCondition {
    /// Reads the condition of a request; nothing where it is none that this knows.
    pub(super) fn read(request: &Value, key: &KeyNames) -> Option<Self> {
        let text = request["KeyConditionExpression"].as_str()?.replace(['(', ')', ','], " ");
        let text = text.replace("<=", " <= ").replace(">=", " >= ");
        let spaced = spaced(&text);
        let mut words = spaced.split_whitespace();
        let mut condition = Self { partition: Value::Null, lower: None, upper: None, prefix: None };
        loop {
            condition.add(request, key, &mut words)?;
            match words.next() {
                None => break,
                Some(word) if word.eq_ignore_ascii_case("AND") => {}
                Some(_) => return None,
            }
        }
        (!condition.partition.is_null()).then_some(condition)
    }

    fn add<'a>(&mut self, request: &Value, key: &KeyNames, words: &mut impl Iterator<Item = &'a str>) -> Option<()> {
        let value = |word: &str| request["ExpressionAttributeValues"].get(word).cloned();
        let bound = |word: &str, included| Some(Some(Bound { value: value(word)?, included }));
        let first = words.next()?;
        if first == "begins_with" {
            let name = resolve(request, words.next()?)?;
            let prefix = value(words.next()?)?["S"].as_str()?.to_owned();
            self.prefix = Some(prefix);
            return (key.sort.as_ref() == Some(&name)).then_some(());
        }
        let (name, operator, operand) = (resolve(request, first)?, words.next()?, words.next()?);
        if name == key.partition {
            self.partition = value(operand)?;
            return (operator == "=").then_some(());
        }
        if key.sort.as_ref() != Some(&name) {
            return None;
        }
        match operator {
            "=" => (self.lower, self.upper) = (bound(operand, true)?, bound(operand, true)?),
            "<" => self.upper = bound(operand, false)?,
            "<=" => self.upper = bound(operand, true)?,
            ">" => self.lower = bound(operand, false)?,
            ">=" => self.lower = bound(operand, true)?,
            _ if operator.eq_ignore_ascii_case("BETWEEN") => {
                words.next().filter(|word| word.eq_ignore_ascii_case("AND"))?;
                (self.lower, self.upper) = (bound(operand, true)?, bound(words.next()?, true)?);
            }
            _ => return None,
        }
        Some(())
    }

    /// True if the condition takes an item with this sort key.
    pub(super) fn takes(&self, sort: Option<&Value>) -> bool {
        let Some(sort) = sort else { return true };
        let within = |bound: &Option<Bound>, wanted: Ordering| {
            bound.as_ref().is_none_or(|bound| {
                let order = compare(sort, &bound.value);
                order == wanted || (bound.included && order == Ordering::Equal)
            })
        };
        let begins =
            self.prefix.as_ref().is_none_or(|prefix| sort["S"].as_str().is_some_and(|text| text.starts_with(prefix)));
        within(&self.lower, Ordering::Greater) && within(&self.upper, Ordering::Less) && begins
    }

    /// Returns a sort key before that of the first item of a page and after every one before it: what the last key of an
    /// empty page can be. Nothing where there is none that is within the condition, or none is known.
    pub(super) fn just_before(&self, first: &Value, forward: bool) -> Option<Value> {
        let bound = if forward { &self.lower } else { &self.upper };
        let candidate = match bound {
            Some(bound) if bound.included => bound.value.clone(),
            Some(_) => return None,
            None => neighbour(first, forward, self.prefix.as_deref())?,
        };
        let wanted = if forward { Ordering::Less } else { Ordering::Greater };
        (compare(&candidate, first) == wanted && self.takes(Some(&candidate))).then_some(candidate)
    }
}

/// Returns a key before (or after) one that has no neighbour on that side.
fn neighbour(key: &Value, below: bool, prefix: Option<&str>) -> Option<Value> {
    if let Some(text) = key["S"].as_str() {
        if !below {
            return Some(serde_json::json!({ "S": format!("{text}\u{1}") }));
        }
        let mut shorter = text.to_owned();
        shorter.pop();
        let shorter = prefix.map_or(shorter, str::to_owned);
        return (!shorter.is_empty()).then(|| serde_json::json!({ "S": shorter }));
    }
    let number: i64 = key["N"].as_str()?.parse().ok()?;
    let next = if below { number.checked_sub(1)? } else { number.checked_add(1)? };
    Some(serde_json::json!({ "N": next.to_string() }))
}

/// Puts blanks around the operators of one character.
fn spaced(text: &str) -> String {
    let mut spaced = String::new();
    let mut before = ' ';
    for (at, letter) in text.char_indices() {
        let next = text[at + letter.len_utf8()..].chars().next().unwrap_or(' ');
        let is_single = match letter {
            '=' => before != '<' && before != '>',
            '<' | '>' => next != '=',
            _ => false,
        };
        if is_single {
            spaced.extend([' ', letter, ' ']);
        } else {
            spaced.push(letter);
        }
        before = letter;
    }
    spaced
}

fn resolve(request: &Value, word: &str) -> Option<String> {
    if word.starts_with('#') {
        return request["ExpressionAttributeNames"][word].as_str().map(str::to_owned);
    }
    Some(word.to_owned())
}

/// Returns what a request wants of each item.
pub(super) fn projection(request: &Value) -> Projection {
    let Some(text) = request["ProjectionExpression"].as_str() else { return Projection::All };
    if text.contains(['.', '[']) {
        return Projection::Nested;
    }
    let names: Option<Vec<String>> = text.split(',').map(|word| resolve(request, word.trim())).collect();
    names.map_or(Projection::Nested, Projection::Attributes)
}

impl Projection {
    /// Returns what is wanted of an item.
    pub(super) fn of(&self, mut item: Item) -> Item {
        if let Self::Attributes(names) = self {
            item.retain(|name, _| names.contains(name));
        }
        item
    }
}

/// Takes the projection out of a request, and the names that only it used: DynamoDB refuses names without a use.
pub(super) fn drop_projection(request: &mut Value) {
    let Some(fields) = request.as_object_mut() else { return };
    fields.remove("ProjectionExpression");
    fields.remove("Select");
    let used = ["KeyConditionExpression", "FilterExpression"]
        .iter()
        .filter_map(|name| fields.get(*name).and_then(Value::as_str))
        .flat_map(|text| text.split(|letter: char| !(letter.is_alphanumeric() || "#_".contains(letter))))
        .map(str::to_owned)
        .collect::<Vec<_>>();
    if let Some(names) = fields.get_mut("ExpressionAttributeNames").and_then(Value::as_object_mut) {
        names.retain(|name, _| used.contains(name));
        if names.is_empty() {
            fields.remove("ExpressionAttributeNames");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn key() -> KeyNames {
        KeyNames { partition: "pk".to_owned(), sort: Some("sk".to_owned()) }
    }

    fn condition(text: &str) -> Option<KeyCondition> {
        let request = json!({
            "KeyConditionExpression": text,
            "ExpressionAttributeNames": { "#p": "pk", "#s": "sk" },
            "ExpressionAttributeValues": { ":p": { "S": "p" }, ":a": { "S": "b" }, ":b": { "S": "d" } },
        });
        KeyCondition::read(&request, &key())
    }

    #[test]
    fn every_form_of_a_condition_on_a_sort_key_takes_what_dynamodb_takes() {
        for (text, taken) in [
            ("#p = :p", "a b bb c d e"),
            ("pk=:p AND sk=:a", "b"),
            ("#p = :p AND #s < :b", "a b bb c"),
            ("#p = :p and #s<=:b", "a b bb c d"),
            ("(#p = :p) AND (#s > :a)", "bb c d e"),
            ("#s >= :a AND #p = :p", "b bb c d e"),
            ("#p = :p AND #s BETWEEN :a AND :b", "b bb c d"),
            ("#p = :p AND begins_with(#s, :a)", "b bb"),
        ] {
            let condition = condition(text).expect(text);
            assert_eq!(condition.partition, json!({ "S": "p" }), "{text}");
            let found: Vec<_> =
                "a b bb c d e".split(' ').filter(|sort| condition.takes(Some(&json!({ "S": sort })))).collect();
            assert_eq!(found.join(" "), taken, "{text}");
        }
    }

    #[test]
    fn what_is_no_condition_of_the_key_is_not_read() {
        for text in ["#s = :a", "#p = :p AND other = :a", "#p > :p", "#p = :none", "#p = :p OR #s = :a", "#p = :p AND"]
        {
            assert_eq!(condition(text), None, "{text}");
        }
    }

    #[test]
    fn a_key_just_before_a_page_is_within_the_condition_and_outside_the_items() {
        for (text, first, forward, before) in [
            ("#p = :p AND #s BETWEEN :a AND :b", "c", true, Some("b")),
            ("#p = :p AND #s BETWEEN :a AND :b", "b", true, None),
            ("#p = :p AND #s BETWEEN :a AND :b", "c", false, Some("d")),
            ("#p = :p AND #s > :a", "c", true, None),
            ("#p = :p", "cc", true, Some("c")),
            ("#p = :p", "c", true, None),
            ("#p = :p", "c", false, Some("c\u{1}")),
            ("#p = :p AND begins_with(#s, :a)", "bcd", true, Some("b")),
            ("#p = :p AND begins_with(#s, :a)", "b", true, None),
        ] {
            let found = condition(text).expect(text).just_before(&json!({ "S": first }), forward);
            assert_eq!(found, before.map(|before| json!({ "S": before })), "{text} {first}");
        }
        let number = condition("#p = :p").expect("good").just_before(&json!({ "N": "7" }), true);
        assert_eq!(number, Some(json!({ "N": "6" })));
    }

    #[test]
    fn a_projection_is_taken_out_with_its_names() {
        let mut request = json!({
            "KeyConditionExpression": "#p = :p", "ProjectionExpression": "#a, #p,c", "Select": "SPECIFIC_ATTRIBUTES",
            "ExpressionAttributeNames": { "#p": "pk", "#a": "a" },
        });
        let only = ["a", "pk", "c"].map(str::to_owned).to_vec();
        assert_eq!(projection(&request), Projection::Attributes(only));
        drop_projection(&mut request);
        let left = json!({ "KeyConditionExpression": "#p = :p", "ExpressionAttributeNames": { "#p": "pk" } });
        assert_eq!(request, left);
        assert_eq!(projection(&json!({ "ProjectionExpression": "a.b" })), Projection::Nested);
    }
}
