//! Differences of two JSON values, one a line.

use std::collections::BTreeSet;

use serde_json::Value;

/// Returns each member that differs, as `body.email: expected "a", got "b"`. Equal values have none.
pub fn differences(expected: &Value, got: &Value) -> Vec<String> {
    let mut lines = Vec::new();
    compare("", Some(expected), Some(got), &mut lines);
    lines
}

fn compare(path: &str, expected: Option<&Value>, got: Option<&Value>, lines: &mut Vec<String>) {
    match (expected, got) {
        (Some(Value::Object(left)), Some(Value::Object(right))) => {
            for name in left.keys().chain(right.keys()).collect::<BTreeSet<_>>() {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                compare(&path, left.get(name), right.get(name), lines);
            }
        }
        (Some(Value::Array(left)), Some(Value::Array(right))) => {
            for at in 0..left.len().max(right.len()) {
                compare(&format!("{path}[{at}]"), left.get(at), right.get(at), lines);
            }
        }
        (expected, got) if expected != got => {
            let text = |value: Option<&Value>| value.map_or_else(|| "nothing".to_owned(), Value::to_string);
            lines.push(format!("{path}: expected {}, got {}", text(expected), text(got)));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_member_that_differs_is_a_line_with_its_path() {
        let expected = json!({"status": 200, "body": {"ids": [1, 2], "name": "a", "gone": null}});
        assert_eq!(differences(&expected, &expected), Vec::<String>::new());
        let got = json!({"status": 404, "body": {"ids": [1, 3, 4], "name": "a", "new": {}}});
        let lines = [
            "body.gone: expected null, got nothing",
            "body.ids[1]: expected 2, got 3",
            "body.ids[2]: expected nothing, got 4",
            "body.new: expected nothing, got {}",
            "status: expected 200, got 404",
        ];
        assert_eq!(differences(&expected, &got), lines);
    }
}
