//! "Loading millions of reviews": the table that `DynamoDB` would import is filled from the parts of the build.

use std::fs;
use std::path::Path;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::error::{ProvideErrorMetadata as _, SdkError};
use aws_sdk_dynamodb::operation::create_table::CreateTableError;
use jiff::SignedDuration;
use presence_local::{DynamoDb, Options, Stack};
use presence_store::schema::REVIEWS;
use serde_json::{Value, json};

use super::rehearsal::Rehearsal;
use crate::cli_env::{Item, in_process_config, put_all};
use crate::reviews::build::{read_item, read_parts};

/// Searches whose answers are compared.
const SEARCHES: [&str; 4] = [
    "/reviews?per_page=100",
    "/reviews?per_page=100&page=7",
    "/reviews?rating__in=1,2",
    "/reviews/stats?group_by=month",
];

/// Does what `DynamoDB`'s import does: makes a table with this name, and fills it from the parts.
async fn import_table(stack: &Stack, name: &str, folder: &Path) {
    let client = Client::new(&in_process_config(stack.dynamodb_url()));
    let created = REVIEWS.create(&client, name).send().await.err();
    // A repeated attempt finds the table of the first one.
    let is_there = |error: &SdkError<CreateTableError>| error.code() == Some("ResourceInUseException");
    assert!(created.as_ref().is_none_or(is_there), "{created:?}");
    let items: Vec<Item> = read_parts(folder).lines().map(read_item).collect();
    assert!(!items.is_empty());
    put_all(&client, name, &items).await;
}

/// Returns rows of the businesses of the sample. Those below 30 are of a later edition.
fn rows(numbers: std::ops::Range<usize>) -> String {
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../local/sample/businesses.jsonl");
    let businesses = fs::read_to_string(sample).expect("the sample");
    let ids: Vec<Value> =
        businesses.lines().map(|line| serde_json::from_str::<Value>(line).expect("a business")["id"].clone()).collect();
    numbers.fold(String::new(), |rows, n| {
        let row = json!({
            "business_id": ids[n % ids.len()], "partner": "partner_8", "partner_id": format!("load {n}"),
            "date": format!("2025-{:02}-{:02}", n % 12 + 1, n % 28 + 1), "rating": n % 5 + 1, "state": "treated",
            "title": if n < 30 { "later" } else { "first" },
        });
        rows + &row.to_string() + "\n"
    })
}

/// Returns the answers of other instances of the functions, over this table of reviews.
async fn answers(rehearsal: &Rehearsal, prefix: &str, reviews_table: Option<&str>, key: &str) -> Vec<Value> {
    let dynamodb = DynamoDb::Endpoint(rehearsal.stack.dynamodb_url().to_owned());
    let reviews_table = reviews_table.map(str::to_owned);
    let options = Options { dynamodb, table_prefix: prefix.to_owned(), reviews_table, ..Options::default() };
    let stack = Stack::start(options).await.expect("a second stack");
    let mut answers = Vec::new();
    for search in SEARCHES {
        let url = format!("{}{search}", stack.base_url());
        let client = reqwest::Client::builder().no_proxy().build().expect("a client");
        let answer = client.get(url).header("x-api-key", key).send().await.expect("an answer");
        assert_eq!(answer.status(), 200, "{search}");
        answers.push(answer.json().await.expect("JSON"));
    }
    stack.stop().await;
    answers
}

#[tokio::test(flavor = "multi_thread")]
async fn reviews_of_a_running_service_move_into_a_new_table_and_back() {
    let rehearsal = Rehearsal::of("Into a service that runs").await;
    let (folder, provider) = (rehearsal.folder().to_owned(), rehearsal.key("PROVIDER").to_owned());
    // The service has some of the rows already, in an earlier edition.
    fs::write(folder.join("earlier.jsonl"), rows(20..60).replace("later", "first")).expect("a file");
    rehearsal.run("cargo ops import reviews earlier.jsonl").expect_exit(0);
    fs::write(folder.join("reviews.jsonl"), rows(0..200)).expect("a file");

    rehearsal.follow("aws lambda list-event-source-mappings", &[("UUID", "1")]).expect_exit(0);
    rehearsal.follow("cargo ops export reviews --out stored.jsonl", &[]).expect_exit(0);
    rehearsal.follow("aws s3 sync", &[("BUCKET", "parts")]).expect_exit(0);
    import_table(&rehearsal.stack, "presence-reviews-1", &folder.join("load/presence-reviews")).await;
    rehearsal.follow("aws cloudformation deploy", &[("BUCKET", "parts")]).expect_exit(0);
    rehearsal.follow("cargo ops reviews audit --reviews-table", &[]).expect_exit(0);
    // The first line needs CloudFormation.
    let cut_over = rehearsal.command("tools/ci/deploy prod ActiveReviewsTable=presence-reviews-1");
    let (_, on_this_machine) = cut_over.split_once('\n').expect("lines");
    rehearsal.run(on_this_machine).expect_exit(0);
    let resume = rehearsal.command("cargo ops reviews copy-progress").replace("UUID", "1");
    rehearsal.run(&format!("export REVIEWS_TABLE=presence-reviews-1\n{resume}")).expect_exit(0);
    // Without the variable, the table of before is the one in use.
    rehearsal.run(&resume).expect_exit(2);

    // Nothing is lost: the table answers as one into which all rows were imported.
    let loaded = answers(&rehearsal, "presence-", Some("presence-reviews-1"), &provider).await;
    let before = answers(&rehearsal, "presence-", None, &provider).await;
    assert_ne!(loaded, before);
    let name = "REVIEWS_TABLE=presence-reviews-1";
    let again = rehearsal.run(&format!("{name} cargo ops import reviews reviews.jsonl --json")).expect_exit(0);
    assert_eq!(again.json(), json!({ "created": 0, "updated": 0, "unchanged": 200, "rejected": 0 }));
    assert!(again.target.is_some_and(|target| target.ends_with("tables presence-*, reviews in presence-reviews-1")));

    // Back, with what was written since.
    fs::write(folder.join("new.jsonl"), rows(200..230)).expect("a file");
    rehearsal.run(&format!("{name} cargo ops import reviews new.jsonl")).expect_exit(0);
    let loaded = answers(&rehearsal, "presence-", Some("presence-reviews-1"), &provider).await;
    let export = rehearsal.command("cargo ops export reviews --out since.jsonl");
    rehearsal.run(&format!("export {name}\n{export}")).expect_exit(0);
    rehearsal.follow("cargo ops import reviews since.jsonl --reviews-table presence-reviews", &[]).expect_exit(0);
    assert_eq!(answers(&rehearsal, "presence-", None, &provider).await, loaded);
    rehearsal.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn first_deployment_begins_with_the_reviews_of_a_build() {
    let options = Options { sample: false, ..Options::default() };
    let rehearsal = Rehearsal::with("At the first deployment", options, SignedDuration::ZERO).await;
    let folder = rehearsal.folder().to_owned();
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../local/sample");
    for name in ["orgs.jsonl", "businesses.jsonl"] {
        fs::copy(sample.join(name), folder.join(name)).expect("a file of the sample");
    }
    fs::write(folder.join("reviews.jsonl"), rows(0..300)).expect("a file");
    let url = rehearsal.stack.dynamodb_url().to_owned();
    rehearsal.follow("export AWS_ENDPOINT_URL_DYNAMODB", &[("http://127.0.0.1:8000", &url)]).expect_exit(0);
    rehearsal.follow("aws s3 sync", &[("BUCKET", "parts")]).expect_exit(0);

    // The deployment: the table of reviews comes from the parts, and the others are empty.
    import_table(&rehearsal.stack, "presence-dev-reviews", &folder.join("load/presence-reviews")).await;
    let deployed = "export TABLE_PREFIX=presence-dev-\n";
    rehearsal.run(&format!("{deployed}ops tables create")).expect_exit(0);
    let imports = "cargo ops import orgs orgs.jsonl && cargo ops import businesses businesses.jsonl";
    rehearsal.run(&format!("{deployed}{imports}")).expect_exit(0);
    let check = rehearsal.command("aws dynamodb list-imports").replace("ARN", "arn").replace("BUCKET", "parts");
    rehearsal.run(&format!("{deployed}{check}")).expect_exit(0);

    // It answers as tables into which the rows were imported.
    rehearsal.run("cargo ops import reviews reviews.jsonl").expect_exit(0);
    let mut found = Vec::new();
    for prefix in ["presence-dev-", "presence-"] {
        let create = "ops user create --email zoe@example.org --first-name Zoe --last-name Roy --role PROVIDER";
        let issue = format!("export TABLE_PREFIX={prefix}\nops key issue --user $({create})");
        let key = rehearsal.run(&issue).expect_exit(0).stdout.trim_end().to_owned();
        found.push(answers(&rehearsal, prefix, None, &key).await);
    }
    assert_eq!(found[0], found[1]);
    assert_eq!(found[0][0]["count"], 300);
    rehearsal.end().await;
}
