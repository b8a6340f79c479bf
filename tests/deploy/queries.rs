//! Saved queries of the logs: their fields are documented, and a runbook names each.

use std::collections::BTreeSet;

use serde_json::Value;

use super::modules::sources;
use super::template::{TEMPLATE, root};

/// Words of the query language, and the fields that `CloudWatch` adds to every line.
const LANGUAGE: &str = "@log @timestamp and as asc avg by count desc display fields filter in ispresent like limit max min not or pct \
    sort stats sum";

/// Returns the saved queries: their short names and their texts.
fn queries() -> Vec<(String, &'static str)> {
    let queries = TEMPLATE.of_type("AWS::Logs::QueryDefinition");
    queries
        .map(|query| {
            let name = TEMPLATE.text(query.property("Name"));
            let name = name.strip_prefix("${AWS::StackName}/").expect("a folder of the stack").to_owned();
            (name, query.property("QueryString").as_str().expect("a text"))
        })
        .collect()
}

fn document(name: &str) -> String {
    std::fs::read_to_string(root().join("shared/docs").join(name)).expect("a document")
}

/// Returns the texts between backticks.
fn code(text: &str) -> BTreeSet<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

/// Returns the names of fields in a query: its words without texts in quotes, numbers, the language, and the query's own names.
fn fields(query: &str) -> BTreeSet<&str> {
    let unquoted = query.split('"').step_by(2);
    let is_part = |letter: char| letter.is_alphanumeric() || "_@.".contains(letter);
    let words: Vec<_> =
        unquoted.flat_map(|text| text.split(|letter| !is_part(letter))).filter(|word| !word.is_empty()).collect();
    let own: BTreeSet<_> = words.windows(2).filter(|pair| pair[0] == "as").map(|pair| pair[1]).collect();
    let is_field = |word: &&str| {
        !LANGUAGE.split(' ').any(|known| known == *word)
            && !own.contains(word)
            && !word.starts_with(|first: char| first.is_ascii_digit())
    };
    words.into_iter().filter(is_field).collect()
}

#[test]
fn each_saved_query_names_documented_fields_only() {
    let logging = document("logging.md");
    let documented = code(&logging);
    let queries = queries();
    assert_eq!(queries.len(), 10);
    for (name, query) in queries {
        let fields = fields(query);
        assert!(!fields.is_empty(), "{name}");
        let unknown: Vec<_> = fields.difference(&documented).collect();
        assert!(unknown.is_empty(), "{name}: {unknown:?} are not in logging.md");
    }
}

#[test]
fn each_saved_query_is_named_in_a_runbook_and_each_named_query_exists() {
    let guide = document("runbooks.md");
    let named: BTreeSet<_> = guide.split("saved query `").skip(1).filter_map(|rest| rest.split('`').next()).collect();
    let queries = queries();
    assert_eq!(named, queries.iter().map(|(name, _)| name.as_str()).collect());
}

#[test]
fn saved_queries_read_logs_of_the_stack() {
    for query in TEMPLATE.of_type("AWS::Logs::QueryDefinition") {
        let groups = query.property("LogGroupNames").as_array().expect("groups");
        assert!(!groups.is_empty(), "{}", query.name);
        for group in groups.iter().map(|group| group["Ref"].as_str().expect("a reference")) {
            assert_eq!(TEMPLATE.resource(group).kind(), "AWS::Logs::LogGroup", "{}", query.name);
        }
    }
}

#[test]
fn operations_and_messages_of_the_functions_are_documented() {
    let logging = document("logging.md");
    let documented = code(&logging);
    let sources = sources(&root().join("functions"));
    let lines: Vec<_> = sources.values().flat_map(|text| text.lines()).collect();
    let operations = lines.iter().filter_map(|line| line.split("log_background_error(\"").nth(1)?.split('"').next());
    let messages = lines.iter().filter(|line| line.contains("tracing::")).filter_map(|line| line.rsplit('"').nth(1));
    let logged: BTreeSet<_> = operations.chain(messages).collect();
    assert!(logged.len() > 30, "{logged:?}");
    assert_eq!(logged.difference(&documented).collect::<Vec<_>>(), Vec::<&&str>::new());
}

#[test]
fn access_log_is_documented() {
    let logging = document("logging.md");
    let format = TEMPLATE.resource("Api").property("AccessLogSettings")["Format"].as_str().expect("a format");
    let fields: Value = serde_json::from_str(format).expect("JSON");
    let documented = code(&logging);
    for name in fields.as_object().expect("an object").keys() {
        assert!(documented.contains(name.as_str()), "{name} is not in logging.md");
    }
}

#[test]
fn fields_of_a_query_are_its_words_without_language_texts_and_own_names() {
    let query =
        r#"filter status >= 400 and error = "a b" | stats pct(duration_ms, 50) as p50 by operation | sort p50 desc"#;
    assert_eq!(fields(query), ["duration_ms", "error", "operation", "status"].into());
}
