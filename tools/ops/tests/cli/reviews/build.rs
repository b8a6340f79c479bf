//! `ops reviews build`: a table that is filled from its parts is as good as one that was filled by an import.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::Path;

use aws_sdk_dynamodb::types::AttributeValue;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use flate2::read::GzDecoder;
use presence_local::{DynamoDb, Options, Stack};
use serde_json::{Value, json};

use super::{TABLE, assert_no_findings, changed, content_after, env_with_businesses, lines, row, table_content};
use crate::cli_env::{CliEnv, Item};
use crate::rows::summary;

/// Searches over both organisations, of which the trees answer some, the facet trees some, and reviews themselves the rest.
const SEARCHES: [&str; 13] = [
    "",
    "page=2&per_page=100",
    "page=50&per_page=100&order_by=update_date",
    "rating__in=1,2&per_page=100",
    "rating=5&state=deleted&per_page=100",
    "partner__in=partner_9&content__isnull=true&per_page=100",
    "business_city=saint%20etienne&page=3&per_page=100",
    "business_city=lyon&state=treated",
    "business__in=b1&page=9&per_page=100",
    "business__in=b2,b3&rating__in=3,4,5",
    "update_date__gte=2024-02-29&update_date__lte=2024-03-01&per_page=100",
    "update_date__gte=2024-03-01T12:00:00Z",
    "business__in=b3&order_by=update_date&per_page=100",
];

/// Returns rows of which organisation 42 and its city Saint-Étienne have more than 5,000, so that they have facet trees.
fn many_rows() -> Vec<Value> {
    let business = |n: usize| match n % 60 {
        0 => "b3",
        1 => "b2",
        _ => "b1",
    };
    let date = |n: usize| format!("20{:02}-{:02}-{:02}T{:02}:00:00Z", n * n % 25, n % 12 + 1, n % 28 + 1, n % 24);
    (0..5_400).map(|n| changed(&row(n), &json!({ "business_id": business(n), "date": date(n) }))).collect()
}

/// Returns the text of the parts in a folder, in the order of their names.
pub(crate) fn read_parts(folder: impl AsRef<Path>) -> String {
    let mut names: Vec<_> =
        fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("a part").path()).collect();
    names.sort();
    let mut text = String::new();
    for name in names {
        GzDecoder::new(File::open(name).expect("a part")).read_to_string(&mut text).expect("gzip");
    }
    text
}

pub(crate) fn read_item(line: &str) -> Item {
    let line: Value = serde_json::from_str(line).expect("JSON");
    let value = |value: &Value| -> AttributeValue {
        let (kind, value) = value.as_object().and_then(|typed| typed.iter().next()).expect("a typed value");
        let text = value.as_str().expect("text").to_owned();
        match kind.as_str() {
            "S" => AttributeValue::S(text),
            "N" => AttributeValue::N(text),
            "B" => AttributeValue::B(BASE64_STANDARD.decode(text).expect("base64").into()),
            other => panic!("{other} is a type that no item has"),
        }
    };
    let item = line["Item"].as_object().expect("an item");
    item.iter().map(|(name, typed)| (name.clone(), value(typed))).collect()
}

/// Fills the table from parts.
fn fill_table(env: &CliEnv, parts: &str) {
    // The import of the embedded database does not check sizes. JSON is longer than what it says.
    assert!(parts.lines().all(|line| line.len() <= 400 << 10), "each is an item that DynamoDB takes");
    let items: Vec<Item> = parts.lines().map(read_item).collect();
    let key = |item: &Item| ["pk", "sk"].map(|name| item[name].as_s().expect("a text").clone());
    let keys: HashSet<_> = items.iter().map(key).collect();
    assert_eq!(keys.len(), items.len(), "no key comes twice");
    env.put_items(TABLE, items);
}

/// Builds the rows in an environment of its own, and fills its table.
fn env_filled_by_build(rows: &str) -> CliEnv {
    let env = env_with_businesses();
    env.write_file("reviews.jsonl", rows);
    env.run("reviews build reviews.jsonl --out built").expect_exit(0);
    fill_table(&env, &read_parts(env.path(&format!("built/{TABLE}"))));
    env
}

/// Returns the answers to all searches, over all organisations and in organisation 42, by a stack over the tables.
fn search(env: &CliEnv) -> Vec<Value> {
    let roles = [("zoe@example.org", "--role PROVIDER"), ("ada@example.org", "--role ORG_ADMIN --org-id 42")];
    let keys = roles.map(|(email, role)| {
        let id = env.create_user(email, role);
        env.run(&format!("key issue --user {id}")).expect_exit(0).stdout.trim_end().to_owned()
    });
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let stack = Stack::start(Options { dynamodb: DynamoDb::Endpoint(env.url()), ..Options::default() }).await;
        let stack = stack.expect("the stack starts");
        let mut answers = Vec::new();
        for (key, search) in keys.iter().flat_map(|key| SEARCHES.map(|search| (key, search))) {
            let url = format!("{}/reviews?{search}", stack.base_url());
            let answer = reqwest::Client::new().get(url).header("x-api-key", key).send().await;
            let answer = answer.expect("an answer");
            assert_eq!(answer.status(), 200, "{search}");
            answers.push(answer.json().await.expect("JSON"));
        }
        stack.stop().await;
        answers
    })
}

#[test]
fn table_from_a_build_answers_as_an_imported_one_and_has_no_findings() {
    let rows = lines(many_rows());
    let imported = env_with_businesses();
    imported.run_with_stdin("import reviews -", rows.as_bytes()).expect_exit(0);
    let built = env_filled_by_build(&rows);
    assert_no_findings(&built);
    assert_eq!(table_content(&built), table_content(&imported));
    let roots = built.scan(TABLE).into_iter().filter(|item| item["sk"].as_s().is_ok_and(|sk| sk.starts_with("ROOT#")));
    assert_eq!(roots.count(), 2 * 90, "the organisation and its city have facet trees");

    let answers = search(&built);
    for ((search, built), imported) in SEARCHES.iter().cycle().zip(&answers).zip(search(&imported)) {
        assert_eq!(*built, imported, "{search}");
    }
    assert!(answers.iter().filter(|answer| answer["count"] != 0).count() > SEARCHES.len(), "most find something");
    // The table goes on as an imported one does.
    let update = lines(many_rows().into_iter().take(200).map(|row| changed(&row, &json!({ "rating": 1 }))));
    built.run_with_stdin("import reviews -", update.as_bytes()).expect_exit(0);
    imported.run_with_stdin("import reviews -", update.as_bytes()).expect_exit(0);
    assert_no_findings(&built);
    assert_eq!(table_content(&built), table_content(&imported));
}

#[test]
fn rows_about_one_review_are_merged_in_the_order_of_the_file() {
    let rows =
        (0..900).map(|n| changed(&row(n % 50), &json!({ "rating": n / 7 % 4 + 1, "title": (n % 3).to_string() })));
    let rows = lines(rows);
    let imported = env_with_businesses();
    let by_import = imported.run_with_stdin("import reviews - --json", rows.as_bytes()).expect_exit(0).json();
    let built = env_filled_by_build(&rows);
    let by_build = built.run("reviews build reviews.jsonl --out again --json").expect_exit(0).json();
    for count in ["created", "updated", "unchanged", "rejected"] {
        assert_eq!(by_build[count], by_import[count], "{count}");
    }
    assert_eq!(table_content(&built), content_after(&[rows]));
    assert_no_findings(&built);
}

#[test]
fn rejected_rows_are_reported_as_by_an_import_and_the_others_are_built() {
    let env = env_with_businesses();
    let wrong = [
        json!({ "business_id": "b9" }),
        json!({ "rating": 6 }),
        json!({ "stars": 5 }),
        json!({ "seen_at": "9999-12-31" }),
    ];
    let rows = (0..4).flat_map(|n| [changed(&row(n), &wrong[n]), row(n)]);
    let rows = lines(rows) + "no row\n";
    env.write_file("reviews.jsonl", &rows);
    let run = env.run("reviews build reviews.jsonl --out built --json").expect_exit(4);
    assert_eq!(run.json()["rejected"], 5);
    let rejected = env.rejected_rows("reviews.jsonl.rejected.jsonl").expect("there is a file");
    assert_eq!(rejected[3].1, "seen_at: must not be more than 24 hours in the future");
    assert!(env.scan(TABLE).is_empty(), "nothing is written at the endpoint");
    fill_table(&env, &read_parts(env.path(&format!("built/{TABLE}"))));
    let twin = env_with_businesses();
    twin.write_file("reviews.jsonl", &rows);
    assert_eq!(twin.run("import reviews reviews.jsonl --json").expect_exit(4).json(), summary(4, 0, 0, 5));
    assert_eq!(twin.rejected_rows("reviews.jsonl.rejected.jsonl"), Some(rejected));
    assert_eq!(table_content(&env), table_content(&twin));
}

#[test]
fn same_rows_give_the_same_bytes_also_in_the_place_of_an_earlier_build() {
    let env = env_with_businesses();
    env.write_file("other.jsonl", lines((0..40).map(row)));
    env.write_file("reviews.jsonl", lines(many_rows().into_iter().take(600)));
    env.run("reviews build other.jsonl --out second").expect_exit(0);
    for out in ["first", "second"] {
        env.run(&format!("reviews build reviews.jsonl --out {out}")).expect_exit(0);
    }
    let files = |out: &str| -> Vec<(String, Vec<u8>)> {
        let folder = env.path(&format!("{out}/{TABLE}"));
        let entries = fs::read_dir(&folder).expect("a folder").map(|entry| entry.expect("a part"));
        entries
            .map(|entry| (entry.file_name().into_string().expect("text"), fs::read(entry.path()).expect("bytes")))
            .collect()
    };
    assert_eq!(files("first"), files("second"));
    assert_eq!(files("first")[0].0, "part-00000.json.gz");
    assert_eq!(fs::read_dir(env.path("second")).expect("a folder").count(), 1, "nothing else is left");
}

#[test]
fn build_that_fails_leaves_no_parts_behind() {
    let env = env_with_businesses();
    env.write_file("reviews.jsonl", "{}\n".repeat(150));
    env.run("reviews build reviews.jsonl --out built").expect_exit(1);
    assert!(!Path::new(&env.path(&format!("built/{TABLE}"))).exists());
}

#[test]
fn empty_file_gives_no_items() {
    let env = env_with_businesses();
    let run = env.run_with_stdin("reviews build - --out built --json", b"").expect_exit(0).json();
    assert_eq!((&run["items"], &run["parts"]), (&json!(0), &json!(0)));
}
