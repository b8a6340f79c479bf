//! `ops doctor`: faults that a script cannot plant are found, and the commands that mend faults exist.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fmt::Display;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use jiff::{SignedDuration, Timestamp};
use presence_domain::ids::{BusinessId, OrgId};
use presence_domain::review::FacetKey;
use presence_ledger::{LANES, LogChange, Place, ReviewNumber, encode_changes};
use presence_ops::{Cli, Console, Context, Exit, parse};
use presence_runtime::clock::{Clock, SystemClock};
use presence_store::{Business, Database, Stores};
use serde_json::Value;

use crate::cli_env::{CliEnv, CliOutput, Item, block_on};
use crate::fake_aws::FakeAws;
use crate::rows::{ORGS, business_row, review_row};

fn text(value: impl Into<String>) -> AttributeValue {
    AttributeValue::S(value.into())
}

fn number(value: impl Display) -> AttributeValue {
    AttributeValue::N(format!("{value}"))
}

/// Returns an environment in which nothing is wrong.
fn healthy_env() -> CliEnv {
    let env = CliEnv::new();
    let id = env.create_user("zoe@example.org", "--role PROVIDER");
    env.run(&format!("key issue --user {id}")).expect_exit(0);
    let run = env.run("doctor").expect_exit(0);
    assert!(run.stdout.lines().all(|line| line.starts_with("✓ ")) && run.stdout.contains("✓ keys\n"), "{}", run.stdout);
    assert_eq!(run.stderr, "findings: 0\n");
    env
}

/// Returns the findings of the doctor. Each command of `ops` that they name exists.
#[track_caller]
fn findings(run: CliOutput) -> Vec<String> {
    let report = run.expect_exit(1).json();
    let findings = report["findings"].as_array().expect("a list");
    assert!(!findings.is_empty());
    let line = |finding: &Value| {
        let [subject, problem, mend] =
            ["subject", "problem", "mend"].map(|name| finding[name].as_str().expect("text").to_owned());
        assert_exists(&mend);
        format!("{subject}: {problem} -> {mend}")
    };
    findings.iter().map(line).collect()
}

/// Checks that a command line of `ops` is one. Commands of others are known by their first words.
#[track_caller]
fn assert_exists(mend: &str) {
    if !mend.starts_with("ops ") {
        let others = ["sam deploy", "aws dynamodb ", "aws sts ", "timedatectl set-ntp true"];
        assert!(others.iter().any(|other| mend.starts_with(other)), "{mend}");
        return;
    }
    let words = mend.split_whitespace().map(|word| match word {
        "ID" => OsString::from("7"),
        word => OsString::from(word),
    });
    assert!(matches!(parse(words), Ok(_) | Err(Exit::Done)), "{mend}");
}

#[test]
fn commands_that_the_transcript_names_exist() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/transcripts/doctor.snap");
    let transcript = fs::read_to_string(path).expect("a transcript");
    let mends: Vec<_> = transcript.split("\"mend\":\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert!(mends.len() > 10, "{mends:?}");
    mends.into_iter().for_each(assert_exists);
}

#[track_caller]
fn assert_found(env: &CliEnv, expected: &[&str]) {
    let found = findings(env.run("doctor --json"));
    for expected in expected {
        assert!(found.iter().any(|found| found.starts_with(expected)), "{expected}: {found:?}");
    }
    assert_eq!(found.len(), expected.len(), "{found:?}");
}

#[test]
fn tables_in_aws_must_be_protected() {
    let env = healthy_env();
    let run = |aws: &FakeAws| env.run_signed_in("doctor --json", &aws.url);
    let found = findings(run(&FakeAws::start()));
    let expected = "table presence-users: may be deleted by anyone -> aws dynamodb update-table";
    assert!(found.iter().any(|found| found.starts_with(expected)), "{found:?}");
    let found = findings(run(&FakeAws::refusing("GetCallerIdentity")));
    assert_eq!(found.len(), 1, "nothing else is looked at: {found:?}");
    assert!(found[0].starts_with("credentials: STS does not tell whose credentials these are"), "{found:?}");
}

/// Returns the item of a lane with changes that nobody has folded.
fn long_lane(changes: u64) -> Item {
    let place = Place {
        effective_at: 1_700_000_000,
        facet_key: FacetKey::from_number(7).expect("a facet key"),
        city_key: "evora".to_owned(),
        business_id: BusinessId::parse("b1").expect("an id"),
    };
    let change = |sequence: u64| LogChange {
        id: ReviewNumber::new(sequence * LANES as u64),
        version: 1,
        old_version: 0,
        old: None,
        new: Some(place.clone()),
    };
    let changes_bytes = encode_changes(&(1..=changes).map(change).collect::<Vec<_>>());
    HashMap::from([
        ("pk".to_owned(), text("LOG#42")),
        ("sk".to_owned(), text("0")),
        ("last".to_owned(), number(changes)),
        ("c1".to_owned(), AttributeValue::B(Blob::new(changes_bytes))),
    ])
}

#[test]
fn long_and_damaged_logs_of_reviews_are_found() {
    let env = healthy_env();
    let entry = HashMap::from([("pk".to_owned(), text("BOOKS")), ("sk".to_owned(), text("0000000000000042"))]);
    env.put_item("presence-reviews", entry);
    env.put_item("presence-reviews", long_lane(2_000));
    env.run("doctor").expect_exit(0);
    env.put_item("presence-reviews", long_lane(2_001));
    let long =
        "organisation 42: its log of reviews has 2001 changes that are not folded -> ops reviews rebuild --org 42";
    assert_found(&env, &[long]);
    let mut damaged = long_lane(1);
    damaged.insert("c1".to_owned(), AttributeValue::B(Blob::new([9, 9])));
    env.put_item("presence-reviews", damaged);
    assert_found(&env, &["organisation 42: its log of reviews cannot be read: "]);
}

#[test]
fn long_logs_and_left_moves_are_repaired_after_a_question() {
    let env = healthy_env();
    env.run_with_stdin("import orgs -", ORGS.as_bytes()).expect_exit(0);
    // The id begins as an option does.
    env.run_with_stdin("import businesses -", business_row("-b1", 42, "Lyon").as_bytes()).expect_exit(0);
    env.run_with_stdin("import reviews -", review_row("-b1", 1).as_bytes()).expect_exit(0);
    env.put_item("presence-reviews", long_lane(2_001));
    // The first call of a move only: as if the import was killed after it.
    let moved = Business {
        id: BusinessId::parse("-b1").expect("an id"),
        org_id: OrgId::new(43).expect("an id"),
        name: "Corner shop".to_owned(),
        city: "Lyon".to_owned(),
    };
    block_on(Stores::new(Database::new(&env.sdk_config(), "presence-")).businesses.put(&moved)).expect("an answer");
    let repairs = "ops businesses move --finish=-b1 && ops reviews rebuild --org 42";
    for (answer, code) in [("n", 1), ("y", 0)] {
        let (exit, screen) = env.run_on_terminal("doctor --fix", answer);
        assert_eq!(exit, code, "{screen}");
        assert!(screen.contains(&format!("Run {repairs}?")), "{screen}");
        let found = env.run("doctor --json").expect_exit(code).json();
        assert_eq!(found["findings"].as_array().expect("a list").len(), if code == 0 { 0 } else { 2 }, "{found}");
    }
    env.run("reviews audit").expect_exit(0);
}

#[test]
fn mails_that_were_given_up_are_left_to_the_operator_while_others_are_held() {
    let env = healthy_env();
    for name in ["ann", "bob"] {
        env.create_user(&format!("{name}@example.org"), "--role PROVIDER --status invited");
    }
    let mails = env.scan("presence-users").into_iter().filter(|item| item.contains_key("outbox"));
    for (mut mail, state) in mails.zip(["failed", "held"]) {
        mail.extend(["state", "outbox"].map(|name| (name.to_owned(), text(state))));
        env.put_item("presence-users", mail);
    }
    assert_found(&env, &["mails: 1 were given up, and 1 are held: retry or cancel each -> ops outbox list"]);
    env.run("doctor --fix --yes").expect_exit(1);
    let mails = env.run("outbox list --json").expect_exit(0).json();
    let states: Vec<_> = mails.as_array().expect("a list").iter().map(|mail| &mail["state"]).collect();
    assert_eq!(states, ["failed", "held"]);
}

/// Clock that is ten minutes ahead.
#[derive(Debug)]
struct FastClock;

impl Clock for FastClock {
    fn now(&self) -> Timestamp {
        SystemClock.now() + SignedDuration::from_mins(10)
    }
}

#[test]
fn clock_that_is_off_is_found() {
    let env = healthy_env();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let output = tempfile::NamedTempFile::new().expect("a temporary file");
    let exit = runtime.block_on(async {
        let stores = Stores::new(Database::new(&env.sdk_config(), "presence-"));
        let data = output.reopen().expect("a second handle");
        let console = Console::new(Box::new(data), Box::new(std::io::sink()));
        let cli: Cli = parse(["ops", "doctor"].map(OsString::from)).expect("the words are right");
        Box::pin(presence_ops::run(cli, &mut Context::new(stores, Arc::new(FastClock), console))).await
    });
    let report = fs::read_to_string(output.path()).expect("text");
    assert_eq!(exit, Exit::Failed, "{report}");
    assert!(
        report.contains("\n✗ clock\nclock: of this machine is ") && report.contains(" s off the endpoint's"),
        "{report}"
    );
}
