//! `ops import reviews`, and what counts them: `ops reviews`

mod full;
mod mending;

use std::collections::{BTreeMap, HashMap};
use std::process::Stdio;

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::{Value, json};

use crate::stage::Stage;

const TABLE: &str = "presence-reviews";
/// Some days over the end of a leap February, and one in another year.
const DAYS: [&str; 5] = ["2024-02-28", "2024-02-29", "2024-03-01", "2024-03-02", "2023-07-14"];

type Item = HashMap<String, AttributeValue>;

fn tally(created: u64, updated: u64, unchanged: u64, rejected: u64) -> Value {
    json!({ "created": created, "updated": updated, "unchanged": unchanged, "rejected": rejected })
}

fn business(id: &str, org_id: u64, city: &str) -> String {
    format!("{}\n", json!({ "id": id, "org_id": org_id, "name": "Corner shop", "city": city }))
}

/// A stage with two organisations, and businesses in two cities of one and one of the other.
fn stage() -> Stage {
    let stage = Stage::new();
    stage.ops_reading("import orgs -", b"{\"id\":42,\"name\":\"A\"}\n{\"id\":43,\"name\":\"B\"}").exits(0);
    let shops = business("b1", 42, "Saint-Étienne") + &business("b2", 42, "Lyon") + &business("b3", 43, "Lyon");
    stage.ops_reading("import businesses -", shops.as_bytes()).exits(0);
    stage
}

fn row(number: usize) -> Value {
    json!({
        "business_id": (["b1", "b2", "b3"][number % 3]),
        "partner": (["partner_8", "partner_1", "partner_9"][number / 3 % 3]),
        "partner_id": format!("review {number}"),
        "date": DAYS[number / 9 % 5],
        "rating": number % 5 + 1,
        "content": (["Très bon accueil", "", " "][number % 7 % 3]),
        "state": (["treated", "not_treated", "deleted"][number % 11 % 3]),
    })
}

fn changed(row: &Value, changes: &Value) -> Value {
    let mut row = row.clone();
    for (name, value) in changes.as_object().expect("an object") {
        row[name] = value.clone();
    }
    row
}

fn lines(rows: impl IntoIterator<Item = Value>) -> String {
    rows.into_iter().fold(String::new(), |lines, row| lines + &row.to_string() + "\n")
}

/// What a table says, whatever was written on the way there: zeros in tallies and groups of slips that are empty say
/// nothing, and a version tells only how often a review was written.
fn content(stage: &Stage) -> BTreeMap<String, String> {
    let mut content = BTreeMap::new();
    for mut item in stage.items(TABLE) {
        let text = |item: &mut Item, name: &str| item.remove(name).and_then(|value| value.as_s().ok().cloned());
        let (pk, sk) = (text(&mut item, "pk").expect("a key"), text(&mut item, "sk").expect("a key"));
        item.remove("version");
        let is_tally = pk.starts_with("T#");
        item.retain(|_, value| !(is_tally && value.as_n().is_ok_and(|count| count == "0")));
        if pk == "BOOKS" || !item.is_empty() {
            let item: BTreeMap<_, _> = item.into_iter().collect();
            content.insert(format!("{pk} {sk}"), format!("{item:?}"));
        }
    }
    content
}

/// What a stage says after these rows, each import in one go.
fn content_after(imports: &[String]) -> BTreeMap<String, String> {
    let stage = stage();
    for rows in imports {
        stage.ops_reading("import reviews -", rows.as_bytes()).exits(0);
    }
    clean(&stage);
    content(&stage)
}

fn clean(stage: &Stage) {
    let audit = stage.ops("reviews audit").exits(0);
    assert_eq!(audit.stdout, "");
}

#[test]
fn running_an_import_of_reviews_again_changes_nothing() {
    let stage = stage();
    stage.write("reviews.jsonl", lines((0..300).map(row)));
    assert_eq!(stage.ops("import reviews reviews.jsonl --json").exits(0).json(), tally(300, 0, 0, 0));
    clean(&stage);
    let before = stage.items(TABLE);
    let again = stage.ops("import reviews reviews.jsonl").exits(0);
    assert_eq!(again.stderr, "reviews: 0 created, 0 updated, 300 unchanged, 0 rejected\n");
    assert_eq!(stage.items(TABLE), before);
    let audit = stage.ops("reviews audit --org 42 --json").exits(0).json();
    assert_eq!(audit, json!({ "orgs": 1, "reviews": 200, "findings": [] }));
}

#[test]
fn a_dry_run_of_reviews_counts_and_writes_nothing() {
    let stage = stage();
    let rows = lines((0..20).map(row)) + "{}\n";
    let run = stage.ops_reading("import reviews - --dry-run --json", rows.as_bytes()).exits(4);
    assert_eq!(run.json(), tally(20, 0, 0, 1));
    assert!(stage.items(TABLE).is_empty());
}

#[test]
fn updates_end_in_the_tables_of_an_import_of_the_last_rows_alone() {
    let first: Vec<_> = (0..90).map(row).collect();
    let changes = [
        json!({ "update_date": "2024-04-05T06:07:08.9+02:00" }),
        json!({ "rating": 1, "content": "Voilà" }),
        json!({ "state": "deleted", "delete_date": "2024-05-01" }),
        json!({ "date": "2024-03-31T23:59:59Z", "title": "x" }),
    ];
    let last: Vec<_> = first.iter().enumerate().map(|(n, row)| changed(row, &changes[n % 4])).collect();
    let stage = stage();
    for rows in [&first, &last, &first, &last] {
        stage.ops_reading("import reviews -", lines(rows.clone()).as_bytes()).exits(0);
        clean(&stage);
    }
    assert_eq!(content(&stage), content_after(&[lines(last)]));
}

#[test]
fn a_deleted_review_may_come_back() {
    let stage = stage();
    let there = changed(&row(1), &json!({ "state": "treated" }));
    let gone = changed(&there, &json!({ "state": "deleted", "delete_date": "2024-05-01T23:30:00-01:00" }));
    for (row, expected) in [(&there, tally(1, 0, 0, 0)), (&gone, tally(0, 1, 0, 0)), (&there, tally(0, 1, 0, 0))] {
        let run = stage.ops_reading("import reviews - --json", lines([row.clone()]).as_bytes()).exits(0);
        assert_eq!(run.json(), expected);
        clean(&stage);
    }
    assert_eq!(content(&stage), content_after(&[lines([there])]));
}

#[test]
fn the_last_row_of_a_review_wins_and_each_is_counted() {
    let rows = (0..6_000).map(|n| changed(&row(n % 50), &json!({ "rating": n % 4 + 1, "date": DAYS[n % 5] })));
    let rows: Vec<_> = rows.collect();
    let stage = stage();
    let run = stage.ops_reading("import reviews - --json", lines(rows.clone()).as_bytes()).exits(0);
    assert_eq!(run.json(), tally(50, 5_950, 0, 0));
    clean(&stage);
    assert_eq!(content(&stage), content_after(&[lines(rows[5_950..].to_vec())]));
}

#[test]
fn rejected_reviews_are_listed_with_their_reasons_and_the_rest_goes_on() {
    let stage = stage();
    let wrong = [
        (json!({ "business_id": "b9" }), "business_id: there is no business b9: import it first"),
        (json!({ "rating": 6 }), "rating: must be an integer from 1 to 5"),
        (json!({ "date": "2023-02-29" }), "date: must be a date such as 2024-03-01 or 2024-03-01T09:30:00+00:00"),
        (json!({ "partner": "partner_2" }), "partner: must be one of partner_8, partner_1, partner_9"),
        (json!({ "state": null }), "state: invalid type: null, expected a string"),
    ];
    let good = (0..5).map(row);
    let rows = wrong.iter().zip(good).flat_map(|((changes, _), good)| [changed(&good, changes), good]);
    stage.write("reviews.jsonl", lines(rows));
    assert_eq!(stage.ops("import reviews reviews.jsonl --json").exits(4).json(), tally(5, 0, 0, 5));
    let rejected = stage.rejected("reviews.jsonl.rejected.jsonl").expect("there is a file");
    for (place, ((line, reason, _), (_, expected))) in rejected.iter().zip(&wrong).enumerate() {
        assert_eq!((*line, reason.as_str()), (2 * place as u64 + 1, *expected));
    }
    clean(&stage);
}

#[test]
fn a_business_that_moves_takes_its_reviews_with_it() {
    let rows = lines((0..90).map(row));
    for (city, org) in [("Besançon", 42), ("Lyon", 42), ("Lyon", 43)] {
        let stage = stage();
        stage.ops_reading("import reviews -", rows.as_bytes()).exits(0);
        let shop = business("b1", org, city);
        assert_eq!(stage.ops_reading("import businesses - --json", shop.as_bytes()).exits(0).json(), tally(0, 1, 0, 0));
        clean(&stage);
        let moved = content(&stage);
        let run = stage.ops_reading("import reviews - --json", rows.as_bytes()).exits(0);
        assert_eq!(run.json(), tally(0, 0, 90, 0), "they are where the rows put them");
        assert_eq!(content(&stage), moved);
    }
}

#[test]
fn an_import_killed_at_any_point_and_run_again_equals_one_in_one_go() {
    let rows = lines((0..1_500).map(row));
    let expected = content_after(std::slice::from_ref(&rows));
    for pause in [30, 120, 250, 400, 600] {
        let stage = stage();
        stage.write("reviews.jsonl", &rows);
        let mut child = stage.command("import reviews reviews.jsonl").stderr(Stdio::null()).spawn().expect("it runs");
        std::thread::sleep(std::time::Duration::from_millis(pause));
        child.kill().and_then(|()| child.wait()).expect("it is ours to kill");
        stage.ops("import reviews reviews.jsonl").exits(0);
        clean(&stage);
        assert_eq!(content(&stage), expected);
    }
}

#[test]
fn two_imports_of_one_file_at_once_end_in_exact_tallies() {
    let rows = lines((0..1_500).map(row));
    let stage = stage();
    stage.write("reviews.jsonl", &rows);
    let import = || stage.command("import reviews reviews.jsonl").stderr(Stdio::null()).spawn().expect("it runs");
    for mut child in [import(), import()] {
        assert!(child.wait().expect("it ends").success());
    }
    clean(&stage);
    assert_eq!(content(&stage), content_after(&[rows]));
}
