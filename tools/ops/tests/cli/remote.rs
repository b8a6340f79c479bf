//! `ops import reviews --remote`: what it uploads, and what it makes of the reports.

use std::fmt::Write as _;

use serde_json::json;

use crate::cli_env::{CliEnv, CliOutput};
use crate::fake_bucket::FakeBucket;

const ROW: &str = r#"{"business_id": "b1", "partner": "partner_8", "partner_id": "Ab12", "date": "2024-03-01", "rating": 5, "state": "not_treated"}"#;
const REMOTE: &str = "--remote s3://reviews-bucket/inbox/";

/// Runs an import against the bucket. The tables are never there.
fn import(environment: &CliEnv, bucket: &FakeBucket, arguments: &str) -> CliOutput {
    let mut command = environment.command(&format!("import reviews {arguments}"));
    let command = command.env("AWS_ENDPOINT_URL_S3", &bucket.url);
    command.output().expect("the binary runs").into()
}

#[test]
fn a_file_is_uploaded_and_its_report_printed_as_that_of_a_local_import() {
    let environment = CliEnv::without_tables();
    environment.write_file("may.jsonl", ROW);
    let rejected =
        json!({ "line": 3, "reason": "rating must be an integer from 1 to 5", "row": "{}" }).to_string() + "\n";
    let bucket = FakeBucket::start(&[
        ("done/may.jsonl.json", r#"{"created":1,"updated":2,"unchanged":3,"rejected":1}"#),
        ("rejected/may.jsonl.jsonl", &rejected),
    ]);
    bucket.put_earlier("done/may.jsonl.json", r#"{"created":9,"updated":9,"unchanged":9,"rejected":0}"#);
    let output = import(&environment, &bucket, &format!("may.jsonl {REMOTE} --json")).expect_exit(4);
    assert_eq!(output.json(), json!({ "created": 1, "updated": 2, "unchanged": 3, "rejected": 1 }));
    assert_eq!(bucket.content("inbox/may.jsonl").as_deref(), Some(ROW.as_bytes()));
    assert_eq!(environment.read_file("may.jsonl.rejected.jsonl"), rejected);
    assert!(output.stderr.contains("object s3://reviews-bucket/inbox/may.jsonl\n"), "{}", output.stderr);
    assert!(output.stderr.contains("reviews: 1 created, 2 updated, 3 unchanged, 1 rejected\n"), "{}", output.stderr);
}

#[test]
fn a_report_on_the_object_that_was_replaced_is_not_taken_for_the_new_one() {
    let environment = CliEnv::without_tables();
    environment.write_file("may.jsonl", ROW);
    let bucket =
        FakeBucket::start(&[("done/may.jsonl.json", r#"{"created":1,"updated":0,"unchanged":0,"rejected":0}"#)]);
    bucket.overtake("done/may.jsonl.json", r#"{"created":9,"updated":9,"unchanged":9,"rejected":0}"#);
    let output = import(&environment, &bucket, &format!("may.jsonl {REMOTE} --json")).expect_exit(0);
    assert_eq!(output.json(), json!({ "created": 1, "updated": 0, "unchanged": 0, "rejected": 0 }));
}

#[test]
fn rejected_rows_of_an_earlier_run_are_not_taken_for_those_of_this_one() {
    let environment = CliEnv::without_tables();
    environment.write_file("may.jsonl", ROW);
    environment.write_file("may.jsonl.rejected.jsonl", "of yesterday");
    let bucket =
        FakeBucket::start(&[("done/may.jsonl.json", r#"{"created":1,"updated":0,"unchanged":0,"rejected":0}"#)]);
    import(&environment, &bucket, &format!("may.jsonl {REMOTE}")).expect_exit(0);
    assert!(!environment.has_file("may.jsonl.rejected.jsonl"));
}

#[test]
fn a_large_file_is_uploaded_in_parts() {
    let environment = CliEnv::without_tables();
    let mut rows = String::new();
    for number in 0..4_000 {
        writeln!(
            rows,
            "{}",
            ROW.replace("\"rating\"", &format!("\"content\": \"{number} {}\", \"rating\"", "x".repeat(4_500)))
        )
        .expect("a text");
    }
    assert!(rows.len() > 17 << 20, "more than one part");
    environment.write_file("large.jsonl", &rows);
    let bucket = FakeBucket::start(&[(
        "done/2026/large.jsonl.json",
        r#"{"created":4000,"updated":0,"unchanged":0,"rejected":0}"#,
    )]);
    let output =
        import(&environment, &bucket, "large.jsonl --remote s3://reviews-bucket/inbox/2026/ --json").expect_exit(0);
    assert_eq!(output.json()["created"], 4_000);
    assert!(
        bucket.content("inbox/2026/large.jsonl").as_deref() == Some(rows.as_bytes()),
        "every byte arrives in order"
    );
    assert!(!environment.has_file("large.jsonl.rejected.jsonl"));
}

#[test]
fn an_object_that_was_not_read_to_its_end_fails_with_the_counts() {
    let environment = CliEnv::without_tables();
    environment.write_file("may.jsonl.gz", [0x1f, 0x8b, 8, 0]);
    let report =
        r#"{"created":5,"updated":0,"unchanged":0,"rejected":0,"error":"unexpected end of the compressed data"}"#;
    let bucket = FakeBucket::start(&[("done/may.jsonl.gz.json", report)]);
    let output = import(&environment, &bucket, &format!("may.jsonl.gz {REMOTE} --json")).expect_exit(1);
    assert_eq!((&output.json()["created"], &output.json()["stopped"]), (&json!(5), &json!(true)));
    let error = output.json_error();
    assert_eq!(error["code"], "cut_short");
    assert!(error["message"].to_string().contains("unexpected end of the compressed data"), "{error}");
}

#[test]
fn a_report_that_does_not_come_ends_the_wait() {
    let environment = CliEnv::without_tables();
    environment.write_file("may.jsonl", ROW);
    let bucket = FakeBucket::start(&[]);
    bucket.put_earlier("done/may.jsonl.json", r#"{"created":9,"updated":9,"unchanged":9,"rejected":0}"#);
    let output = import(&environment, &bucket, &format!("may.jsonl {REMOTE} --wait 2s")).expect_exit(1);
    assert!(output.stderr.contains("has no report after 2 s"), "{}", output.stderr);
    assert_eq!(output.stdout, "");
}

#[test]
fn nothing_is_uploaded_that_ingest_would_not_read() {
    let environment = CliEnv::without_tables();
    environment.write_file("may.jsonl", ROW);
    environment.write_file("may.txt", ROW);
    environment.write_file("orgs.jsonl", r#"{"id": 42, "name": "Fast Retailer"}"#);
    let bucket = FakeBucket::start(&[]);
    for (arguments, code) in [
        (format!("may.txt {REMOTE}"), 2),
        (format!("- {REMOTE}"), 2),
        ("may.jsonl --remote s3://reviews-bucket/outbox/".to_owned(), 2),
        (format!("may.jsonl {REMOTE} --dry-run"), 2),
        (format!("orgs.jsonl {REMOTE}"), 1),
        (format!("missing.jsonl {REMOTE}"), 1),
    ] {
        import(&environment, &bucket, &arguments).expect_exit(code);
    }
    for key in ["inbox/may.txt", "inbox/-", "inbox/orgs.jsonl", "inbox/may.jsonl"] {
        assert_eq!(bucket.content(key), None, "{key}");
    }
}
