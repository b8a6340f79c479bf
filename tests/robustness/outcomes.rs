//! Record of the answers to hostile requests, as the snapshots have them: for each place of a value, the answers with their values.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use presence_tests::Reply;
use serde_json::Value;

/// Characters of a value or of an answer that the record shows.
const SHOWN: usize = 120;

/// Answers of each place, each with the values that get it.
type Answers = BTreeMap<String, Vec<String>>;

/// Places of values, such as a parameter of an operation, with their answers.
#[derive(Default)]
pub(super) struct Outcomes(BTreeMap<String, Answers>);

impl Outcomes {
    /// Notes the answer to a value in a place. `name` is the parameter or field: an error about it alone is shown without it.
    /// The same value with the same answer counts once, if one directly follows the other.
    pub(super) fn note(&mut self, place: &str, name: &str, value: &[u8], reply: &Reply) {
        let answers = self.0.entry(place.to_owned()).or_default();
        let values = answers.entry(shortened(&answer(name, reply))).or_default();
        let value = shortened(&String::from_utf8_lossy(value));
        if values.last() != Some(&value) {
            values.push(value);
        }
    }

    /// Compares the record with the snapshot of this name. Places with the same answers share a section, and the most frequent answer
    /// does not list its values: it is that of all others.
    pub(super) fn assert_expected(self, name: &str) {
        let mut sections: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (place, answers) in self.0 {
            sections.entry(section(answers)).or_default().push(place);
        }
        let mut sections: Vec<_> = sections.into_iter().map(|(text, places)| (places.join(", "), text)).collect();
        sections.sort();
        let text = sections.iter().fold(String::new(), |text, (places, section)| text + places + "\n" + section + "\n");
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path(Path::new(env!("CARGO_MANIFEST_DIR")).join("robustness/expected"));
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.bind(|| insta::assert_snapshot!(name, text));
    }
}

fn section(answers: Answers) -> String {
    let most = answers.values().map(Vec::len).max().unwrap_or_default();
    answers.into_iter().fold(String::new(), |mut text, (answer, values)| {
        let values = if values.len() == most { format!("all others ({most})") } else { values.join(" ¦ ") };
        writeln!(text, "    {answer} ← {values}").expect("a text");
        text
    })
}

/// Returns the status of an answer with its error. The server in front of the gateway answers without one.
fn answer(name: &str, reply: &Reply) -> String {
    let body = reply.json();
    let error = match &body["errors"]["json"] {
        Value::Object(fields) if fields.len() == 1 && fields.contains_key(name) => &fields[name],
        other => other,
    };
    let error = [error, &body["errors"]["authorization"], &body["errors"]["authentication"], &body["message"]]
        .into_iter()
        .find(|error| !error.is_null());
    match error.map(|error| (error.as_str(), error)) {
        None => reply.status.to_string(),
        Some((Some(text), _)) => format!("{} {text}", reply.status),
        Some((None, error)) => format!("{} {error}", reply.status),
    }
}

/// Returns a text on one line, and of a long one the beginning and the length.
fn shortened(text: &str) -> String {
    let shown: String = text.chars().take(SHOWN).collect();
    let length = text.chars().count();
    let more = if length > SHOWN { format!("… ({length})") } else { String::new() };
    format!("{}{more}", shown.escape_debug())
}
