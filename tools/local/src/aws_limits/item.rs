//! Items in the JSON of the `DynamoDB` protocol: their sizes, and the order of key values.

use std::cmp::Ordering;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Map, Value};

/// Item: names with typed values, such as `{"pk": {"S": "a"}}`.
pub(super) type Item = Map<String, Value>;

/// Bytes of a list or map, besides its elements.
const COLLECTION_OVERHEAD: usize = 3;

/// Returns the size of an item as `DynamoDB` counts it, in bytes:
/// <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html>
pub(super) fn size(item: &Item) -> usize {
    item.iter().map(|(name, value)| name.len() + value_size(value)).sum()
}

/// Returns the size of a typed value in bytes.
pub(super) fn value_size(value: &Value) -> usize {
    let Some((kind, value)) = value.as_object().and_then(|typed| typed.iter().next()) else { return 0 };
    match kind.as_str() {
        "S" => text_size(value),
        "N" => number_size(value),
        "B" => binary_size(value),
        "SS" => elements_size(value, text_size),
        "NS" => elements_size(value, number_size),
        "BS" => elements_size(value, binary_size),
        "L" => COLLECTION_OVERHEAD + elements_size(value, |element| 1 + value_size(element)),
        "M" => {
            let entries = value.as_object().into_iter().flatten();
            COLLECTION_OVERHEAD + entries.map(|(name, value)| name.len() + 1 + value_size(value)).sum::<usize>()
        }
        // A boolean or null.
        _ => 1,
    }
}

fn elements_size(list: &Value, element_size: fn(&Value) -> usize) -> usize {
    list.as_array().into_iter().flatten().map(element_size).sum()
}

fn text_size(text: &Value) -> usize {
    text.as_str().map_or(0, str::len)
}

/// Returns one byte for each two significant digits, one more, and one for a minus sign.
fn number_size(digits: &Value) -> usize {
    let digits = digits.as_str().unwrap_or_default();
    let mantissa = digits.split(['e', 'E']).next().unwrap_or_default();
    let mantissa_digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    let significant_digits = mantissa_digits.trim_matches('0').len();
    significant_digits.div_ceil(2) + 1 + usize::from(digits.starts_with('-'))
}

fn binary_size(base64: &Value) -> usize {
    decode_base64(base64).len()
}

fn decode_base64(base64: &Value) -> Vec<u8> {
    BASE64_STANDARD.decode(base64.as_str().unwrap_or_default()).unwrap_or_default()
}

/// Compares two key values: texts and binaries by their bytes, numbers by value.
pub(super) fn compare(one: &Value, other: &Value) -> Ordering {
    if let (Some(one), Some(other)) = (one["S"].as_str(), other["S"].as_str()) {
        return one.cmp(other);
    }
    if let (Some(one), Some(other)) = (one["N"].as_str(), other["N"].as_str()) {
        return match (one.parse::<i128>(), other.parse::<i128>()) {
            (Ok(one), Ok(other)) => one.cmp(&other),
            // Fractions and exponents, which no key of the service has.
            _ => one.parse::<f64>().unwrap_or(0.0).total_cmp(&other.parse().unwrap_or(0.0)),
        };
    }
    decode_base64(&one["B"]).cmp(&decode_base64(&other["B"]))
}

/// Returns the attributes of these names, or `None` if one is missing.
pub(super) fn attributes<'a>(item: &Item, names: impl IntoIterator<Item = &'a String>) -> Option<Item> {
    names.into_iter().map(|name| Some((name.clone(), item.get(name)?.clone()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn sizes_match_those_of_dynamodb() {
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
    fn keys_are_ordered_as_in_dynamodb() {
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
