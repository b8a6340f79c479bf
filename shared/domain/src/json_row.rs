//! Rows of JSON Lines.

use serde::de::{DeserializeOwned, IgnoredAny};

/// Largest number of characters in a reason. The JSON parser may quote a whole value, or the name of a field.
const REASON_MAX_CHARS: usize = 300;

/// Parses a line as a JSON object. The error is the reason to reject it, with the path of the wrong field.
pub fn parse_json<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    parse_object(text).map_err(|reason| reason.chars().take(REASON_MAX_CHARS).collect())
}

fn parse_object<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    // A list of values in the order of the fields would be read as well.
    if !text.trim_start().starts_with('{') {
        serde_json::from_str::<IgnoredAny>(text).map_err(|error| json_reason(&error))?;
        return Err("must be a JSON object".to_owned());
    }
    let mut json = serde_json::Deserializer::from_str(text);
    let raw = serde_path_to_error::deserialize(&mut json).map_err(|error| {
        let path = error.path().to_string();
        let reason = json_reason(error.inner());
        if path == "." || !error.inner().is_data() { reason } else { format!("{path}: {reason}") }
    })?;
    json.end().map_err(|error| json_reason(&error))?;
    Ok(raw)
}

/// Returns the text of a parser error without its line number, which is always 1: the parser sees a single line.
fn json_reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let suffix = format!(" at line {} column {}", error.line(), error.column());
    let reason = text.strip_suffix(&suffix).unwrap_or(&text);
    if error.is_data() { reason.to_owned() } else { format!("is not valid JSON: {reason} (column {})", error.column()) }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Row {
        id: u64,
        name: String,
    }

    #[test]
    fn a_row_is_an_object_and_never_a_list_of_its_values() {
        let row: Row = parse_json(r#" {"name":"x","id":1}"#).expect("an object");
        assert_eq!((row.id, row.name.as_str()), (1, "x"));
        for other in [r#"[1,"x"]"#, "[]", "42", "null", r#""x""#, " true "] {
            assert_eq!(parse_json::<Row>(other).expect_err(other), "must be a JSON object", "{other}");
        }
        for wrong in ["", "hello", "[1", "1 2", "{"] {
            let reason = parse_json::<Row>(wrong).expect_err(wrong);
            assert!(reason.starts_with("is not valid JSON: "), "{wrong}: {reason}");
        }
    }

    #[test]
    fn a_reason_is_short_whatever_the_line_quotes() {
        let long = "é".repeat(10_000);
        for line in [format!(r#"{{"{long}":1}}"#), format!(r#"{{"id":"{long}"}}"#), format!("{{{long}")] {
            let reason = parse_json::<Row>(&line).expect_err("wrong");
            assert!(reason.chars().count() <= REASON_MAX_CHARS, "{reason}");
        }
    }
}
