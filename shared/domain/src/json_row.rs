//! Rows of JSON Lines.

use serde::de::DeserializeOwned;

/// Largest number of characters in a reason. The JSON parser may quote a whole value.
const REASON_MAX_CHARS: usize = 300;

/// Parses a line as JSON. The error is the reason to reject it, with the path of the wrong field.
pub fn parse_json<T: DeserializeOwned>(text: &str) -> Result<T, String> {
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
    let full = text.strip_suffix(&suffix).unwrap_or(&text);
    let reason: String = full.chars().take(REASON_MAX_CHARS).collect();
    if error.is_data() { reason } else { format!("is not valid JSON: {reason} (column {})", error.column()) }
}
