//! `ops import reviews`, and the ledger that counts reviews: `ops reviews`.

pub(crate) mod build;
mod rebuild;

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::cli_env::{CliEnv, Item};
use crate::rows::{ORGS, business_row, summary};

const TABLE: &str = "presence-reviews";
/// Days around the end of a leap February, and one in another year.
const DAYS: [&str; 5] = ["2024-02-28", "2024-02-29", "2024-03-01", "2024-03-02", "2023-07-14"];

/// Returns an environment with two organisations: businesses in two cities of one, and in one city of the other.
fn env_with_businesses() -> CliEnv {
    let env = CliEnv::new();
    env.run_with_stdin("import orgs -", ORGS.as_bytes()).expect_exit(0);
    let shops =
        business_row("b1", 42, "Saint-Étienne") + &business_row("b2", 42, "Lyon") + &business_row("b3", 43, "Lyon");
    env.run_with_stdin("import businesses -", shops.as_bytes()).expect_exit(0);
    env
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

/// Returns the content of the table without traces of its history.
///
/// That are the reviews, without the versions, which tell only how often a review was written, and the list of organisations.
/// The audit compares the trees with the reviews.
fn table_content(env: &CliEnv) -> BTreeMap<String, String> {
    let mut content = BTreeMap::new();
    for mut item in env.scan(TABLE) {
        let pk = remove_text(&mut item, "pk");
        let sk = remove_text(&mut item, "sk");
        item.remove("version");
        if pk == "BOOKS" || pk.starts_with("R#") {
            let item: BTreeMap<_, _> = item.into_iter().collect();
            content.insert(format!("{pk} {sk}"), format!("{item:?}"));
        }
    }
    content
}

fn remove_text(item: &mut Item, name: &str) -> String {
    item.remove(name).and_then(|value| value.as_s().ok().cloned()).expect("a text")
}

/// Returns the content of the table after these imports into a new environment.
fn content_after(imports: &[String]) -> BTreeMap<String, String> {
    let env = env_with_businesses();
    for rows in imports {
        env.run_with_stdin("import reviews -", rows.as_bytes()).expect_exit(0);
    }
    assert_no_findings(&env);
    table_content(&env)
}

fn assert_no_findings(env: &CliEnv) {
    let audit = env.run("reviews audit").expect_exit(0);
    assert_eq!(audit.stdout, "");
}

#[test]
fn updates_store_the_same_items_as_an_import_of_the_last_rows() {
    let first: Vec<_> = (0..90).map(row).collect();
    let changes = [
        json!({ "update_date": "2024-04-05T06:07:08.9+02:00" }),
        json!({ "rating": 1, "content": "Voilà" }),
        json!({ "state": "deleted", "delete_date": "2024-05-01" }),
        json!({ "date": "2024-03-31T23:59:59Z", "title": "x" }),
    ];
    let last: Vec<_> = first.iter().enumerate().map(|(n, row)| changed(row, &changes[n % 4])).collect();
    let env = env_with_businesses();
    for rows in [&first, &last, &first, &last] {
        env.run_with_stdin("import reviews -", lines(rows.clone()).as_bytes()).expect_exit(0);
        assert_no_findings(&env);
    }
    assert_eq!(table_content(&env), content_after(&[lines(last)]));
}

#[test]
fn deleted_review_may_be_restored() {
    let env = env_with_businesses();
    let stored = changed(&row(1), &json!({ "state": "treated" }));
    let deleted = changed(&stored, &json!({ "state": "deleted", "delete_date": "2024-05-01T23:30:00-01:00" }));
    for (row, expected) in
        [(&stored, summary(1, 0, 0, 0)), (&deleted, summary(0, 1, 0, 0)), (&stored, summary(0, 1, 0, 0))]
    {
        let run = env.run_with_stdin("import reviews - --json", lines([row.clone()]).as_bytes()).expect_exit(0);
        assert_eq!(run.json(), expected);
        assert_no_findings(&env);
    }
    assert_eq!(table_content(&env), content_after(&[lines([stored])]));
}

#[test]
fn last_row_of_a_review_wins_and_each_row_is_counted() {
    let rows = (0..6_000).map(|n| changed(&row(n % 50), &json!({ "rating": n % 4 + 1, "date": DAYS[n % 5] })));
    let rows: Vec<_> = rows.collect();
    let env = env_with_businesses();
    let run = env.run_with_stdin("import reviews - --json", lines(rows.clone()).as_bytes()).expect_exit(0);
    assert_eq!(run.json(), summary(50, 5_950, 0, 0));
    assert_no_findings(&env);
    assert_eq!(table_content(&env), content_after(&[lines(rows[5_950..].to_vec())]));
}

#[test]
fn business_that_moves_takes_its_reviews_with_it() {
    let rows = lines((0..90).map(row));
    for (city, org) in [("Besançon", 42), ("Lyon", 42), ("Lyon", 43)] {
        let env = env_with_businesses();
        env.run_with_stdin("import reviews -", rows.as_bytes()).expect_exit(0);
        let shop = business_row("b1", org, city);
        assert_eq!(
            env.run_with_stdin("import businesses - --json", shop.as_bytes()).expect_exit(0).json(),
            summary(0, 1, 0, 0)
        );
        assert_no_findings(&env);
        let moved = table_content(&env);
        let run = env.run_with_stdin("import reviews - --json", rows.as_bytes()).expect_exit(0);
        assert_eq!(run.json(), summary(0, 0, 90, 0), "the import finds them at the location of their business");
        assert_eq!(table_content(&env), moved);
    }
}
