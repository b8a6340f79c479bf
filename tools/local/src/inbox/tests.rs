//! Files of reviews on a whole stack: what arrives is answered by the API, and reported.

use std::fs;
use std::io::Write as _;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{Options, Stack};

/// Longest wait for a report. Nothing depends on how long it takes.
const PATIENCE: Duration = Duration::from_mins(2);
/// Business of the sample's organisation 42.
const BUSINESS: &str = "5409c35a97bbc544d8e26737";

async fn start(folder: &Path) -> Stack {
    let options = Options { sample: true, inbox: Some(folder.to_owned()), ..Options::default() };
    Stack::start(options).await.expect("the stack starts")
}

fn row(number: usize, rating: usize) -> String {
    let row = json!({
        "business_id": BUSINESS, "partner": "partner_9", "partner_id": format!("inbox {number}"), "date": "2026-03-01",
        "rating": rating, "state": "not_treated", "content": "Très bon accueil",
    });
    format!("{row}\n")
}

/// Waits until the report of a file is there and wanted, and returns it.
async fn report(folder: &TempDir, object: &str, is_wanted: impl Fn(&Value) -> bool) -> Value {
    let path = folder.path().join(format!("done/{object}.json"));
    let wait = async {
        loop {
            let report = fs::read(&path).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
            match report {
                Some(report) if is_wanted(&report) => return report,
                _ => tokio::time::sleep(Duration::from_millis(50)).await,
            }
        }
    };
    tokio::time::timeout(PATIENCE, wait).await.unwrap_or_else(|_| panic!("no report of {object}"))
}

/// Returns the number of reviews of the partner in the business, by the API.
async fn count(stack: &Stack, rating: usize) -> u64 {
    let key = stack.keys().get("ORG_ADMIN").expect("a key").to_owned();
    let query = format!("business__in={BUSINESS}&partner__in=partner_9&update_date__gte=2026-03-01&rating={rating}");
    let request = reqwest::Client::new().get(format!("{}/reviews?{query}", stack.base_url()));
    let answer: Value = request.header("x-api-key", key).send().await.expect("an answer").json().await.expect("JSON");
    answer["count"].as_u64().expect("a count")
}

fn summary(created: u64, updated: u64, unchanged: u64, rejected: u64) -> Value {
    json!({ "created": created, "updated": updated, "unchanged": unchanged, "rejected": rejected })
}

#[tokio::test(flavor = "multi_thread")]
async fn files_of_the_inbox_are_imported_and_reported_and_again_when_they_are_replaced() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let stack = start(folder.path()).await;
    let write = |rows: String| {
        // As a careful sender does: the file appears whole.
        let unfinished = folder.path().join("inbox/.new");
        fs::write(&unfinished, rows).and_then(|()| fs::rename(&unfinished, folder.path().join("inbox/a b.jsonl")))
    };
    write((0..40).map(|number| row(number, 4)).collect::<String>() + "{}\n").expect("a file");
    let first = report(&folder, "a b.jsonl", |_| true).await;
    assert_eq!(first, summary(40, 0, 0, 1));
    let rejected = fs::read_to_string(folder.path().join("rejected/a b.jsonl.jsonl")).expect("a report");
    let rejected: Value = serde_json::from_str(rejected.trim_end()).expect("one line of JSON");
    assert_eq!((&rejected["line"], &rejected["row"]), (&json!(41), &json!("{}")));
    assert_eq!((count(&stack, 4).await, count(&stack, 5).await), (40, 0));

    write((0..41).map(|number| row(number, if number < 10 { 5 } else { 4 })).collect()).expect("a file");
    let second = report(&folder, "a b.jsonl", |report| *report != first).await;
    assert_eq!(second, summary(1, 10, 30, 0));
    assert!(!folder.path().join("rejected/a b.jsonl.jsonl").exists(), "the report is replaced");
    assert_eq!((count(&stack, 4).await, count(&stack, 5).await), (31, 10));
    stack.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn compressed_file_that_was_there_before_the_start_is_imported() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::create_dir_all(folder.path().join("inbox/p9")).expect("a folder");
    let mut file = GzEncoder::new(Vec::new(), Compression::fast());
    (0..300).for_each(|number| file.write_all(row(number, 3).as_bytes()).expect("memory"));
    fs::write(folder.path().join("inbox/p9/day.jsonl.gz"), file.finish().expect("memory")).expect("a file");
    let stack = start(folder.path()).await;
    assert_eq!(report(&folder, "p9/day.jsonl.gz", |_| true).await, summary(300, 0, 0, 0));
    assert_eq!(count(&stack, 3).await, 300);
    let audit = stack.stores().reviews.audit_reviews(None).await.expect("an audit");
    assert_eq!(audit.findings, []);
    stack.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn file_that_cannot_be_read_holds_no_other_one_up() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let inbox = folder.path().join("inbox");
    fs::create_dir_all(&inbox).expect("a folder");
    // Nobody can open a socket as a file, not even root.
    let unreadable = UnixListener::bind(inbox.join("a.jsonl")).expect("a socket");
    fs::write(inbox.join("b.jsonl"), row(0, 3)).expect("a file");
    let stack = start(folder.path()).await;
    assert_eq!(report(&folder, "b.jsonl", |_| true).await, summary(1, 0, 0, 0));
    drop(unreadable);
    fs::remove_file(inbox.join("a.jsonl")).and_then(|()| fs::write(inbox.join("a.jsonl"), row(1, 3))).expect("a file");
    assert_eq!(report(&folder, "a.jsonl", |_| true).await, summary(1, 0, 0, 0));
    stack.stop().await;
}
