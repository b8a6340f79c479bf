//! Key conditions and projections of Query requests.

use std::cmp::Ordering;

use serde_json::{Value, json};

use super::item::{Item, compare};
use super::tables::KeyNames;

/// Bound of the sort key.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Bound {
    pub(super) value: Value,
    pub(super) is_included: bool,
}

/// Key condition of a Query.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct KeyCondition {
    pub(super) partition: Value,
    pub(super) lower: Option<Bound>,
    pub(super) upper: Option<Bound>,
    prefix: Option<String>,
}

/// Projection of a request: the attributes that it returns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Projection {
    All,
    /// Top-level attributes of these names.
    Attributes(Vec<String>),
    /// Nested attributes, which the lag does not model.
    Nested,
}

impl KeyCondition {
    /// Parses the key condition of a request. Returns `None` if it has none, or one of a form that is not known.
    pub(super) fn parse(request: &Value, key: &KeyNames) -> Option<Self> {
        let text = separate_operators(request["KeyConditionExpression"].as_str()?);
        let mut words = text.split_whitespace();
        let mut condition = Self { partition: Value::Null, lower: None, upper: None, prefix: None };
        loop {
            condition.parse_term(request, key, &mut words)?;
            match words.next() {
                None => break,
                Some(word) if word.eq_ignore_ascii_case("AND") => {}
                Some(_) => return None,
            }
        }
        (!condition.partition.is_null()).then_some(condition)
    }

    /// Parses the next term of the condition.
    fn parse_term<'a>(
        &mut self,
        request: &Value,
        key: &KeyNames,
        words: &mut impl Iterator<Item = &'a str>,
    ) -> Option<()> {
        let first = words.next()?;
        if first == "begins_with" {
            let name = resolve_name(request, words.next()?)?;
            self.prefix = Some(expression_value(request, words.next()?)?["S"].as_str()?.to_owned());
            return (key.sort.as_ref() == Some(&name)).then_some(());
        }
        let (name, operator, operand) = (resolve_name(request, first)?, words.next()?, words.next()?);
        if name == key.partition {
            self.partition = expression_value(request, operand)?;
            return (operator == "=").then_some(());
        }
        if key.sort.as_ref() != Some(&name) {
            return None;
        }
        let value = expression_value(request, operand)?;
        match operator {
            "=" => (self.lower, self.upper) = (Some(Bound::included(value.clone())), Some(Bound::included(value))),
            "<" => self.upper = Some(Bound::excluded(value)),
            "<=" => self.upper = Some(Bound::included(value)),
            ">" => self.lower = Some(Bound::excluded(value)),
            ">=" => self.lower = Some(Bound::included(value)),
            _ if operator.eq_ignore_ascii_case("BETWEEN") => {
                words.next().filter(|word| word.eq_ignore_ascii_case("AND"))?;
                self.lower = Some(Bound::included(value));
                self.upper = Some(Bound::included(expression_value(request, words.next()?)?));
            }
            _ => return None,
        }
        Some(())
    }

    /// True if an item with this sort key satisfies the condition.
    pub(super) fn matches(&self, sort: Option<&Value>) -> bool {
        let Some(sort) = sort else { return true };
        let has_prefix = match &self.prefix {
            Some(prefix) => sort["S"].as_str().is_some_and(|text| text.starts_with(prefix)),
            None => true,
        };
        let is_above = self.lower.as_ref().is_none_or(|bound| bound.allows(sort, Ordering::Greater));
        let is_below = self.upper.as_ref().is_none_or(|bound| bound.allows(sort, Ordering::Less));
        has_prefix && is_above && is_below
    }

    /// Returns a sort key between the first item of a page and all items before it, for the last key of an empty page.
    ///
    /// Returns `None` if no such key satisfies the condition, or none can be computed.
    pub(super) fn sort_key_before(&self, first: &Value, forward: bool) -> Option<Value> {
        let bound = if forward { &self.lower } else { &self.upper };
        let candidate = match bound {
            Some(bound) if bound.is_included => bound.value.clone(),
            Some(_) => return None,
            None => neighbour(first, forward, self.prefix.as_deref())?,
        };
        let expected = if forward { Ordering::Less } else { Ordering::Greater };
        (compare(&candidate, first) == expected && self.matches(Some(&candidate))).then_some(candidate)
    }
}

impl Bound {
    fn included(value: Value) -> Self {
        Self { value, is_included: true }
    }

    fn excluded(value: Value) -> Self {
        Self { value, is_included: false }
    }

    /// True if a sort key is on this side of the bound, or is the bound and included.
    fn allows(&self, sort: &Value, side: Ordering) -> bool {
        let order = compare(sort, &self.value);
        order == side || (self.is_included && order == Ordering::Equal)
    }
}

/// Returns a key close below another one, or close above it.
fn neighbour(key: &Value, is_below: bool, prefix: Option<&str>) -> Option<Value> {
    if let Some(text) = key["S"].as_str() {
        if !is_below {
            return Some(json!({ "S": format!("{text}\u{1}") }));
        }
        // A text without its last character sorts below it. With a prefix, only the prefix itself surely has the prefix.
        let without_last = || text.char_indices().next_back().map_or("", |(end, _)| &text[..end]);
        let shorter = prefix.unwrap_or_else(without_last);
        return (!shorter.is_empty()).then(|| json!({ "S": shorter }));
    }
    let number: i64 = key["N"].as_str()?.parse().ok()?;
    let next = if is_below { number.checked_sub(1)? } else { number.checked_add(1)? };
    Some(json!({ "N": next.to_string() }))
}

/// Replaces brackets and commas by blanks, and puts blanks around operators, so that all parts are words.
fn separate_operators(expression: &str) -> String {
    let text = expression.replace(['(', ')', ','], " ").replace("<=", " <= ").replace(">=", " >= ");
    let mut separated = String::new();
    let mut previous = ' ';
    for (position, letter) in text.char_indices() {
        let next = text[position + letter.len_utf8()..].chars().next().unwrap_or(' ');
        let is_operator = match letter {
            '=' => previous != '<' && previous != '>',
            '<' | '>' => next != '=',
            _ => false,
        };
        if is_operator {
            separated.extend([' ', letter, ' ']);
        } else {
            separated.push(letter);
        }
        previous = letter;
    }
    separated
}

fn resolve_name(request: &Value, word: &str) -> Option<String> {
    if word.starts_with('#') {
        return request["ExpressionAttributeNames"][word].as_str().map(str::to_owned);
    }
    Some(word.to_owned())
}

fn expression_value(request: &Value, word: &str) -> Option<Value> {
    request["ExpressionAttributeValues"].get(word).cloned()
}

impl Projection {
    /// Parses the projection of a request.
    pub(super) fn parse(request: &Value) -> Self {
        let Some(text) = request["ProjectionExpression"].as_str() else { return Self::All };
        if text.contains(['.', '[']) {
            return Self::Nested;
        }
        let names: Option<Vec<String>> = text.split(',').map(|word| resolve_name(request, word.trim())).collect();
        names.map_or(Self::Nested, Self::Attributes)
    }

    /// Removes the attributes of an item that are not projected.
    pub(super) fn apply(&self, mut item: Item) -> Item {
        if let Self::Attributes(names) = self {
            item.retain(|name, _| names.contains(name));
        }
        item
    }
}

/// Removes the projection of a request, and the attribute names that only it used: `DynamoDB` refuses unused names.
pub(super) fn remove_projection(request: &mut Value) {
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

    fn key() -> KeyNames {
        KeyNames { partition: "pk".to_owned(), sort: Some("sk".to_owned()) }
    }

    fn condition(text: &str) -> Option<KeyCondition> {
        let request = json!({
            "KeyConditionExpression": text,
            "ExpressionAttributeNames": { "#p": "pk", "#s": "sk" },
            "ExpressionAttributeValues": { ":p": { "S": "p" }, ":a": { "S": "b" }, ":b": { "S": "d" } },
        });
        KeyCondition::parse(&request, &key())
    }

    #[test]
    fn conditions_on_the_sort_key_match_as_in_dynamodb() {
        for (text, matching) in [
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
                "a b bb c d e".split(' ').filter(|sort| condition.matches(Some(&json!({ "S": sort })))).collect();
            assert_eq!(found.join(" "), matching, "{text}");
        }
    }

    #[test]
    fn conditions_of_other_forms_are_not_parsed() {
        for text in ["#s = :a", "#p = :p AND other = :a", "#p > :p", "#p = :none", "#p = :p OR #s = :a", "#p = :p AND"]
        {
            assert_eq!(condition(text), None, "{text}");
        }
    }

    #[test]
    fn key_before_a_page_satisfies_the_condition_and_is_no_key_of_an_item() {
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
            let found = condition(text).expect(text).sort_key_before(&json!({ "S": first }), forward);
            assert_eq!(found, before.map(|before| json!({ "S": before })), "{text} {first}");
        }
        let number = condition("#p = :p").expect("good").sort_key_before(&json!({ "N": "7" }), true);
        assert_eq!(number, Some(json!({ "N": "6" })));
    }

    #[test]
    fn projection_is_removed_with_its_attribute_names() {
        let mut request = json!({
            "KeyConditionExpression": "#p = :p", "ProjectionExpression": "#a, #p,c", "Select": "SPECIFIC_ATTRIBUTES",
            "ExpressionAttributeNames": { "#p": "pk", "#a": "a" },
        });
        let only = ["a", "pk", "c"].map(str::to_owned).to_vec();
        assert_eq!(Projection::parse(&request), Projection::Attributes(only));
        remove_projection(&mut request);
        let left = json!({ "KeyConditionExpression": "#p = :p", "ExpressionAttributeNames": { "#p": "pk" } });
        assert_eq!(request, left);
        assert_eq!(Projection::parse(&json!({ "ProjectionExpression": "a.b" })), Projection::Nested);
    }
}
