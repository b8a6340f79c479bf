//! Posting items that have reached the limit of 400 KB: rows that do not fit are rejected, and all others are written.

use std::collections::HashSet;

use aws_sdk_dynamodb::types::AttributeValue;
use presence_domain::ids::BusinessId;
use presence_domain::review::{Partner, Rating, ReviewId, ReviewState};
use presence_store::keys::postings_sk;
use serde_json::{Value, json};

use super::{TABLE, assert_no_findings, env_with_businesses, lines, summary, table_content};

/// Largest size of an item in DynamoDB, in bytes.
const ITEM_BYTES: usize = 400 * 1024;
/// Bytes that are left in the full item: room for three postings.
const ROOM: usize = 50;
const ROWS: usize = 200;
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
    let cell = presence_domain::ledger::FacetKey::new(ReviewState::Treated, Rating::ALL[4], Partner::Partner8, true);
    postings_sk("29", cell, &id)
}

#[test]
fn rows_that_exceed_the_item_limit_are_rejected_and_the_others_are_written() {
    let env = env_with_businesses();
    let full = posting_sort_key(0);
    let key = [("pk", "L#o:42#2024-02"), ("sk", full.as_str())];
    let mut item: super::Item =
        key.iter().map(|(name, text)| ((*name).to_owned(), AttributeValue::S((*text).to_owned()))).collect();
    let key_bytes: usize = key.iter().map(|(name, text)| name.len() + text.len()).sum();
    let padding = "x".repeat(ITEM_BYTES - ROOM - key_bytes - "padding".len());
    item.insert("padding".to_owned(), AttributeValue::S(padding));
    env.put_item(TABLE, item);
    let rows_of_the_item: HashSet<usize> =
        (0..ROWS).filter(|number| number % 20 != 19 && posting_sort_key(*number) == full).collect();
    assert!(rows_of_the_item.len() > 10, "{} rows", rows_of_the_item.len());

    env.write_file("rows.jsonl", lines((0..ROWS).map(row)));
    let created = |run: &Value| run["created"].as_u64().expect("a number");
    let first = env.run("import reviews rows.jsonl --json").expect_exit(4).json();
    let rejected = env.rejected_rows("rows.jsonl.rejected.jsonl").expect("a file");
    let fits = rows_of_the_item.len() - rejected.len();
    assert!((2..=4).contains(&fits), "{fits} of {} fit", rows_of_the_item.len());
    assert_eq!(
        (created(&first), first["rejected"].as_u64()),
        ((ROWS - rejected.len()) as u64, Some(rejected.len() as u64))
    );
    for (line, reason, text) in &rejected {
        let number = usize::try_from(*line).expect("small") - 1;
        assert!(rows_of_the_item.contains(&number), "line {line}");
        let expected = format!(
            "cannot be stored: there are too many reviews of one kind on 2024-02-29: their index has reached the 400 KB that \
             DynamoDB takes in one item (book o:42, cell {}, shard {} of 8)",
            &full[2..4],
            &full[4..5]
        );
        assert_eq!(*reason, expected);
        let again: Value = serde_json::from_str(text).expect("a row");
        assert!(COMPARED.iter().all(|name| again[name] == row(number)[name]), "{text}");
    }
    let before = table_content(&env);
    assert_eq!(before.keys().filter(|key| key.starts_with("R#")).count(), ROWS - rejected.len());

    let again = env.run("import reviews rows.jsonl --json").expect_exit(4).json();
    assert_eq!(again, summary(0, 0, (ROWS - rejected.len()) as u64, rejected.len() as u64));
    assert_eq!(table_content(&env), before, "nothing changed");
    let mut lines_of = [rejected, env.rejected_rows("rows.jsonl.rejected.jsonl").expect("a file")];
    for rows in &mut lines_of {
        rows.sort();
    }
    assert_eq!(lines_of[0], lines_of[1]);

    // When there is room, the rejected rows can be imported.
    let key = ["pk", "sk"].into_iter().zip(["L#o:42#2024-02", full.as_str()]);
    let mut item = env
        .scan(TABLE)
        .into_iter()
        .find(|item| key.clone().all(|(name, text)| item[name].as_s().is_ok_and(|own| own == text)));
    item.as_mut().expect("the item").remove("padding");
    env.put_item(TABLE, item.expect("the item"));
    let rows = lines_of[0].iter().fold(String::new(), |rows, (.., row)| rows + row + "\n");
    env.run_with_stdin("import reviews -", rows.as_bytes()).expect_exit(0);
    assert_no_findings(&env);
}
