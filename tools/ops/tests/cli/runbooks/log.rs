//! Log of the functions, and the saved queries of the template that find lines in it.

use std::io;
use std::sync::{Mutex, Once, PoisonError};

use serde_json::Value;

use super::page::read;

static LINES: Mutex<Vec<Value>> = Mutex::new(Vec::new());
static STARTED: Once = Once::new();

/// Writer of one line at a time.
struct Lines;

impl io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let line = serde_json::from_slice(bytes).unwrap_or_default();
        LINES.lock().unwrap_or_else(PoisonError::into_inner).push(line);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Captures the log of this process from now on.
pub(super) fn capture() {
    STARTED.call_once(|| {
        let subscriber = presence_runtime::telemetry::subscriber("info", || Lines);
        tracing::subscriber::set_global_default(subscriber).expect("nothing else takes the log");
    });
}

/// Returns the lines that pass the filter of a saved query, in which `ID` stands for the id.
pub(super) fn query(name: &str, id: &str) -> Vec<Value> {
    let filter = filter_of(name).replace("\"ID\"", &format!("\"{id}\""));
    let lines = LINES.lock().unwrap_or_else(PoisonError::into_inner);
    lines.iter().filter(|line| passes(line, &filter)).cloned().collect()
}

/// Returns the filter of a saved query of the template.
fn filter_of(name: &str) -> String {
    let template = read("shared/stacks/monitoring.yaml");
    let query = template.split(&format!("}}/{name}\"\n")).nth(1).unwrap_or_else(|| panic!("there is no query {name}"));
    let filter = query.split_once("filter ").and_then(|(_, rest)| rest.lines().next());
    filter.unwrap_or_else(|| panic!("{name} has no filter")).to_owned()
}

/// True if the line passes a filter: comparisons that `and` joins, in groups that `or` joins.
fn passes(line: &Value, filter: &str) -> bool {
    filter.split(" or ").any(|group| group.split(" and ").all(|comparison| holds(line, comparison.trim())))
}

fn holds(line: &Value, comparison: &str) -> bool {
    if let Some(field) = comparison.strip_prefix("ispresent(") {
        return !line[field.trim_end_matches(')')].is_null();
    }
    let mut parts = comparison.splitn(3, ' ');
    let [field, operator, expected] = std::array::from_fn(|_| parts.next().expect("a comparison"));
    let expected: Value = serde_json::from_str(expected).expect("a value in JSON");
    let value = &line[field];
    match operator {
        "=" => *value == expected,
        "in" => expected.as_array().is_some_and(|all| all.contains(value)),
        ">=" => value.as_f64() >= expected.as_f64() && value.is_number(),
        "<" => value.as_f64() < expected.as_f64() && value.is_number(),
        _ => panic!("{comparison}: an operator that this test does not know"),
    }
}

#[test]
fn filters_select_lines() {
    let line = serde_json::json!({ "status": 401, "caller": "7", "causes": "x" });
    for filter in
        [r#"a = "1" or caller = "7""#, "status >= 400 and status < 500", "ispresent(causes)", "status in [401]"]
    {
        assert!(passes(&line, filter), "{filter}");
    }
    for filter in [r#"caller = "7" and status = 400"#, "ispresent(error)", "duration_ms < 1", r#"caller in ["8"]"#] {
        assert!(!passes(&line, filter), "{filter}");
    }
}
