//! Slips that have reached the 400 KB of an item: what does not fit is told, row by row, and everything else is written.

use std::collections::HashSet;

use aws_sdk_dynamodb::types::AttributeValue;
use presence_domain::ids::BusinessId;
use presence_domain::review::{Partner, Rating, ReviewId, ReviewState};
use presence_store::keys::postings_sk;
use serde_json::{Value, json};

use super::{TABLE, content, lines, stage, tally};

/// The most bytes of an item in DynamoDB.
const ITEM_BYTES: usize = 400 * 1024;
/// Bytes that are left in the planted item: those of three slips.
const ROOM: usize = 50;
const ROWS: usize = 200;
const COMPARED: [&str; 5] = ["business_id", "partner", "partner_id", "rating", "state"];

/// Reviews of one business, day and cell; some of another day among them.
fn row(number: usize) -> Value {
    let date = if number % 20 == 19 { "2024-03-01T10:00:00" } else { "2024-02-29T10:00:00" };
    json!({
        "business_id": "b1", "partner": "partner_8", "partner_id": format!("review {number}"), "date": date, "rating": 5,
        "content": "Très bon accueil", "state": "treated",
    })
}

/// Where the slip of a row of the full day is: day, cell, shard.
fn place(number: usize) -> String {
    let business = BusinessId::parse("b1").expect("an id");
    let id = ReviewId::derive(&business, Partner::Partner8, &format!("review {number}"), 0);
    let cell = presence_domain::ledger::FacetKey::new(ReviewState::Treated, Rating::ALL[4], Partner::Partner8, true);
    postings_sk("29", cell, &id)
}

#[test]
fn rows_that_slips_have_no_room_for_are_rejected_with_the_limit_and_the_others_are_written() {
    let stage = stage();
    let full = place(0);
    let key = [("pk", "L#o:42#2024-02"), ("sk", full.as_str())];
    let mut item: super::Item =
        key.iter().map(|(name, text)| ((*name).to_owned(), AttributeValue::S((*text).to_owned()))).collect();
    let key_bytes: usize = key.iter().map(|(name, text)| name.len() + text.len()).sum();
    let padding = "x".repeat(ITEM_BYTES - ROOM - key_bytes - "padding".len());
    item.insert("padding".to_owned(), AttributeValue::S(padding));
    stage.put(TABLE, item);
    let of_the_item: HashSet<usize> = (0..ROWS).filter(|number| number % 20 != 19 && place(*number) == full).collect();
    assert!(of_the_item.len() > 10, "{} rows", of_the_item.len());

    stage.write("rows.jsonl", lines((0..ROWS).map(row)));
    let created = |run: &Value| run["created"].as_u64().expect("a number");
    let first = stage.ops("import reviews rows.jsonl --json").exits(4).json();
    let rejected = stage.rejected("rows.jsonl.rejected.jsonl").expect("a file");
    let fits = of_the_item.len() - rejected.len();
    assert!((2..=4).contains(&fits), "{fits} of {} fit", of_the_item.len());
    assert_eq!(
        (created(&first), first["rejected"].as_u64()),
        ((ROWS - rejected.len()) as u64, Some(rejected.len() as u64))
    );
    for (line, reason, text) in &rejected {
        let number = usize::try_from(*line).expect("small") - 1;
        assert!(of_the_item.contains(&number), "line {line}");
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
    let before = content(&stage);
    assert_eq!(before.keys().filter(|key| key.starts_with("R#")).count(), ROWS - rejected.len());

    let again = stage.ops("import reviews rows.jsonl --json").exits(4).json();
    assert_eq!(again, tally(0, 0, (ROWS - rejected.len()) as u64, rejected.len() as u64));
    assert_eq!(content(&stage), before, "nothing changed");
    let mut lines_of = [rejected, stage.rejected("rows.jsonl.rejected.jsonl").expect("a file")];
    for rows in &mut lines_of {
        rows.sort();
    }
    assert_eq!(lines_of[0], lines_of[1]);

    // When there is room, the rejected rows are a file to import.
    let key = ["pk", "sk"].into_iter().zip(["L#o:42#2024-02", full.as_str()]);
    let mut item = stage
        .items(TABLE)
        .into_iter()
        .find(|item| key.clone().all(|(name, text)| item[name].as_s().is_ok_and(|own| own == text)));
    item.as_mut().expect("the item").remove("padding");
    stage.put(TABLE, item.expect("the item"));
    let rows = lines_of[0].iter().fold(String::new(), |rows, (.., row)| rows + row + "\n");
    stage.ops_reading("import reviews -", rows.as_bytes()).exits(0);
    super::clean(&stage);
}
