//! Items in the form of `DynamoDB`'s protocol: sizes and order of values.

use std::cmp::Ordering;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Map, Value};

/// An item: names with typed values, such as `{"pk": {"S": "a"}}`.
pub(super) type Item = Map<String, Value>;

/// Returns the bytes of an item as DynamoDB counts them:
/// <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html>
pub(super) fn size(item: &Item) -> usize {
    item.iter().map(|(name, value)| name.len() + value_size(value)).sum()
}

/// Returns the bytes of a typed value.
pub(super) fn value_size(value: &Value) -> usize {
    let Some((kind, value)) = value.as_object().and_then(|typed| typed.iter().next()) else { return 0 };
    let text = |value: &Value| value.as_str().map_or(0, str::len);
    let list = |of: fn(&Value) -> usize| value.as_array().into_iter().flatten().map(of).sum::<usize>();
    match kind.as_str() {
        "S" => text(value),
        "N" => number_size(value),
        "B" => binary_size(value),
        "SS" => list(|value| value.as_str().map_or(0, str::len)),
        "NS" => list(number_size),
        "BS" => list(binary_size),
        "L" => 3 + list(|value| 1 + value_size(value)),
        "M" => {
            let entries = value.as_object().into_iter().flatten();
            3 + entries.map(|(name, value)| name.len() + 1 + value_size(value)).sum::<usize>()
        }
        _ => 1,
    }
}

/// A byte for two significant digits, and one more.
fn number_size(digits: &Value) -> usize {
    let digits = digits.as_str().unwrap_or_default();
    let mantissa = digits.split(['e', 'E']).next().unwrap_or_default();
    let significant: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    let significant = significant.trim_matches('0').len();
    significant.div_ceil(2) + 1 + usize::from(digits.starts_with('-'))
}

fn binary_size(base64: &Value) -> usize {
    bytes(base64).len()
}

fn bytes(base64: &Value) -> Vec<u8> {
    BASE64_STANDARD.decode(base64.as_str().unwrap_or_default()).unwrap_or_default()
}

/// Compares two values of a key: texts by their bytes, numbers by value.
pub(super) fn compare(one: &Value, other: &Value) -> Ordering {
    if let (Some(one), Some(other)) = (one["S"].as_str(), other["S"].as_str()) {
        return one.cmp(other);
    }
    if let (Some(one), Some(other)) = (one["N"].as_str(), other["N"].as_str()) {
        return match (one.parse::<i128>(), other.parse::<i128>()) {
            (Ok(one), Ok(other)) => one.cmp(&other),
            // Fractions and exponents: no key of ours has them.
            _ => one.parse::<f64>().unwrap_or(0.0).total_cmp(&other.parse().unwrap_or(0.0)),
        };
    }
    bytes(&one["B"]).cmp(&bytes(&other["B"]))
}

/// Returns the attributes of these names; nothing where one is missing.
pub(super) fn attributes<'a>(item: &Item, names: impl IntoIterator<Item = &'a String>) -> Option<Item> {
    names.into_iter().map(|name| Some((name.clone(), item.get(name)?.clone()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn sizes_are_those_of_dynamodb() {
        for (value, bytes) in [
            (json!({"S": "Zoë"}), 4),
            (json!({"S": ""}), 0),
            (json!({"N": "0"}), 1),
            (json!({"N": "7"}), 2),
            (json!({"N": "-7"}), 3),
            (json!({"N": "12345"}), 4),
            (json!({"N": "1200"}), 2),
            (json!({"B": "AAEC"}), 3),
            (json!({"BOOL": true}), 1),
            (json!({"NULL": true}), 1),
            (json!({"SS": ["ab", "c"]}), 3),
            (json!({"L": [{"S": "ab"}, {"N": "1"}]}), 3 + 3 + 3),
            (json!({"M": {"ab": {"S": "c"}}}), 3 + 4),
        ] {
            assert_eq!(value_size(&value), bytes, "{value}");
        }
        let item = json!({"pk": {"S": "abc"}, "n": {"N": "12"}});
        assert_eq!(size(item.as_object().expect("an item")), 2 + 3 + 1 + 2);
    }

    #[test]
    fn keys_are_ordered_as_dynamodb_orders_them() {
        for (less, more) in [
            (json!({"S": "a"}), json!({"S": "b"})),
            (json!({"S": "a"}), json!({"S": "aa"})),
            (json!({"S": "z"}), json!({"S": "é"})),
            (json!({"N": "9"}), json!({"N": "10"})),
            (json!({"N": "-10"}), json!({"N": "-9"})),
            (json!({"N": "1.5"}), json!({"N": "2"})),
            (json!({"B": "AA=="}), json!({"B": "AAA="})),
        ] {
            assert_eq!(compare(&less, &more), Ordering::Less, "{less} {more}");
            assert_eq!(compare(&more, &less), Ordering::Greater);
            assert_eq!(compare(&less, &less), Ordering::Equal);
        }
    }
}
