//! Posting items that have reached the limit of 400 KB: rows that do not fit are rejected, and all others are written.

use std::collections::HashSet;

use aws_sdk_dynamodb::types::AttributeValue;
use presence_domain::ids::BusinessId;
use presence_domain::ledger::FacetKey;
use presence_domain::review::{Partner, Rating, ReviewId, ReviewState};
use presence_store::keys::postings_sk;
use serde_json::{Value, json};

use super::{TABLE, assert_no_findings, env_with_businesses, lines, table_content};
use crate::cli_env::{CliEnv, Item};
use crate::rows::summary;

/// Largest size of an item in DynamoDB, in bytes.
const ITEM_BYTES: usize = 400 * 1024;
/// Bytes that are left in the full item: room for three postings.
const ROOM: usize = 50;
const ROWS: usize = 200;
/// Partition key of the postings of the full day.
const PARTITION_KEY: &str = "L#o:42#2024-02";
/// Fields of a rejected row that are compared with the original.
const COMPARED: [&str; 5] = ["business_id", "partner", "partner_id", "rating", "state"];

/// Returns a review of one business and facet key. One in twenty is of another day.
fn row(number: usize) -> Value {
    let date = if number % 20 == 19 { "2024-03-01T10:00:00" } else { "2024-02-29T10:00:00" };
    json!({
        "business_id": "b1", "partner": "partner_8", "partner_id": format!("review {number}"), "date": date, "rating": 5,
        "content": "Très bon accueil", "state": "treated",
    })
}

/// Returns the sort key of the posting of a row of the full day: day, facet key, shard.
fn posting_sort_key(number: usize) -> String {
    let business = BusinessId::parse("b1").expect("an id");
    let id = ReviewId::derive(&business, Partner::Partner8, &format!("review {number}"), 0);
    let facet_key = FacetKey::new(ReviewState::Treated, Rating::ALL[4], Partner::Partner8, true);
    postings_sk("29", facet_key, &id)
}

/// Writes an item with this sort key that has room for three postings.
fn put_full_item(env: &CliEnv, sort_key: &str) {
    let key_bytes = "pk".len() + PARTITION_KEY.len() + "sk".len() + sort_key.len();
    let padding = "x".repeat(ITEM_BYTES - ROOM - key_bytes - "padding".len());
    let attributes = [("pk", PARTITION_KEY.to_owned()), ("sk", sort_key.to_owned()), ("padding", padding)];
    let item = attributes.into_iter().map(|(name, text)| (name.to_owned(), AttributeValue::S(text))).collect();
    env.put_item(TABLE, item);
}

/// Makes room in the full item.
fn remove_padding(env: &CliEnv, sort_key: &str) {
    let is_full_item = |item: &Item| {
        item["pk"].as_s().is_ok_and(|pk| pk == PARTITION_KEY) && item["sk"].as_s().is_ok_and(|sk| sk == sort_key)
    };
    let mut item = env.scan(TABLE).into_iter().find(is_full_item).expect("the full item");
    item.remove("padding");
    env.put_item(TABLE, item);
}

/// Checks that the reason names the limit and that the text is the row.
fn assert_rejected_row(number: usize, sort_key: &str, reason: &str, text: &str) {
    let expected = format!(
        "cannot be stored: there are too many reviews of one kind on 2024-02-29: their index has reached the 400 KB that \
         DynamoDB takes in one item (book o:42, cell {}, shard {} of 8)",
        &sort_key[2..4],
        &sort_key[4..5]
    );
    assert_eq!(reason, expected);
    let rejected: Value = serde_json::from_str(text).expect("a row");
    assert!(COMPARED.iter().all(|name| rejected[name] == row(number)[name]), "{text}");
}

#[test]
fn rows_that_exceed_the_item_limit_are_rejected_and_the_others_are_written() {
    let env = env_with_businesses();
    let sort_key = posting_sort_key(0);
    put_full_item(&env, &sort_key);
    let rows_of_the_item: HashSet<usize> =
        (0..ROWS).filter(|number| number % 20 != 19 && posting_sort_key(*number) == sort_key).collect();
    assert!(rows_of_the_item.len() > 10, "{} rows", rows_of_the_item.len());

    env.write_file("rows.jsonl", lines((0..ROWS).map(row)));
    let first = env.run("import reviews rows.jsonl --json").expect_exit(4).json();
    let mut rejected = env.rejected_rows("rows.jsonl.rejected.jsonl").expect("a file");
    let stored = ROWS - rejected.len();
    let fits = rows_of_the_item.len() - rejected.len();
    assert!((2..=4).contains(&fits), "{fits} of {} fit", rows_of_the_item.len());
    assert_eq!((&first["created"], &first["rejected"]), (&stored.into(), &rejected.len().into()));
    for (line, reason, text) in &rejected {
        let number = usize::try_from(*line).expect("small") - 1;
        assert!(rows_of_the_item.contains(&number), "line {line}");
        assert_rejected_row(number, &sort_key, reason, text);
    }
    let before = table_content(&env);
    assert_eq!(before.keys().filter(|key| key.starts_with("R#")).count(), stored);

    let again = env.run("import reviews rows.jsonl --json").expect_exit(4).json();
    assert_eq!(again, summary(0, 0, stored as u64, rejected.len() as u64));
    assert_eq!(table_content(&env), before, "nothing changed");
    let mut rejected_again = env.rejected_rows("rows.jsonl.rejected.jsonl").expect("a file");
    rejected.sort();
    rejected_again.sort();
    assert_eq!(rejected, rejected_again);

    // When there is room, the rejected rows can be imported.
    remove_padding(&env, &sort_key);
    let rows = rejected.iter().fold(String::new(), |rows, (.., row)| rows + row + "\n");
    env.run_with_stdin("import reviews -", rows.as_bytes()).expect_exit(0);
    assert_no_findings(&env);
}
