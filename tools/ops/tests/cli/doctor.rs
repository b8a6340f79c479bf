//! `ops doctor`: each fault that is planted is found, and the command that mends it exists.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fmt::Display;
use std::sync::Arc;

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use jiff::{SignedDuration, Timestamp};
use presence_domain::ids::BusinessId;
use presence_domain::ledger::{FacetKey, LANES, LogChange, Place, ReviewNumber, encode_changes};
use presence_ops::{Cli, Console, Context, Exit, parse};
use presence_runtime::clock::{Clock, SystemClock};
use presence_store::{Database, Stores};
use serde_json::Value;

use crate::cli_env::{CliEnv, CliOutput, Item};
use crate::fake_aws::FakeAws;

fn text(value: impl Into<String>) -> AttributeValue {
    AttributeValue::S(value.into())
}

fn number(value: impl Display) -> AttributeValue {
    AttributeValue::N(format!("{value}"))
}

/// Returns an environment in which nothing is wrong. Also returns the id of its user.
fn healthy_env() -> (CliEnv, String) {
    let env = CliEnv::new();
    let id = env.create_user("zoe@example.org", "--role PROVIDER");
    env.run(&format!("key issue --user {id}")).expect_exit(0);
    let run = env.run("doctor").expect_exit(0);
    assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("", "findings: 0\n"));
    (env, id)
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

#[track_caller]
fn assert_found(env: &CliEnv, expected: &[&str]) {
    let found = findings(env.run("doctor --json"));
    for expected in expected {
        assert!(found.iter().any(|found| found.starts_with(expected)), "{expected}: {found:?}");
    }
    assert_eq!(found.len(), expected.len(), "{found:?}");
}

#[test]
fn missing_tables_are_found() {
    let env = CliEnv::without_tables();
    let found = findings(env.run("doctor --json"));
    assert!(found[0].starts_with("prefix presence-: no table has this prefix"), "{found:?}");
    assert!(found[1].starts_with("table presence-users: does not exist -> ops tables create"), "{found:?}");
    let (env, _) = healthy_env();
    env.delete_table("presence-categories");
    assert_found(&env, &["table presence-categories: does not exist -> ops tables create"]);
    env.run("tables create").expect_exit(0);
    env.run("doctor").expect_exit(0);
}

#[test]
fn table_with_other_keys_streams_and_indexes_is_found() {
    let (env, _) = healthy_env();
    env.delete_table("presence-users");
    env.create_table("presence-users", &["pk", "sk"]);
    assert_found(
        &env,
        &[
            "table presence-users: streams no new images",
            "table presence-users: has no time to live",
            "index status-index of presence-users: does not exist",
            "index email-index of presence-users: does not exist",
            "index outbox-index of presence-users: does not exist",
        ],
    );
    env.delete_table("presence-categories");
    env.create_table("presence-categories", &["code"]);
    let found = findings(env.run("doctor --json"));
    assert!(found.iter().any(|found| found.starts_with("table presence-categories: has another key")), "{found:?}");
}

#[test]
fn tables_in_aws_must_be_protected() {
    let (env, _) = healthy_env();
    let run = |aws: &FakeAws| {
        let mut command = env.command("doctor --json");
        command.env("AWS_ACCESS_KEY_ID", "OFADA").env("AWS_SECRET_ACCESS_KEY", "s").env("AWS_REGION", "eu-west-3");
        CliOutput::from(command.env("AWS_ENDPOINT_URL_STS", &aws.url).output().expect("the binary runs"))
    };
    let found = findings(run(&FakeAws::start()));
    let expected = "table presence-users: may be deleted by anyone -> aws dynamodb update-table";
    assert!(found.iter().any(|found| found.starts_with(expected)), "{found:?}");
    let found = findings(run(&FakeAws::refusing("GetCallerIdentity")));
    assert_eq!(found.len(), 1, "nothing else is looked at: {found:?}");
    assert!(found[0].starts_with("credentials: STS does not tell whose credentials these are"), "{found:?}");
}

#[test]
fn provider_without_a_live_key_is_found() {
    let (env, id) = healthy_env();
    let keys = env.run(&format!("key list --user {id} --json")).expect_exit(0).json();
    env.run(&format!("key revoke {}", keys[0]["id"].as_str().expect("an id"))).expect_exit(0);
    assert_found(&env, &["keys: no active PROVIDER has a key that gives access -> ops key issue"]);
    let admin = env.create_user("ann@example.org", "--role ORG_ADMIN --org-id 42");
    env.run(&format!("key issue --user {admin}")).expect_exit(0);
    assert_found(&env, &["keys: no active PROVIDER has a key that gives access"]);
}

#[test]
fn items_of_other_formats_are_found() {
    let (env, id) = healthy_env();
    let mut users = env.scan("presence-users").into_iter();
    let mut user = users.find(|item| item["pk"] == text(format!("USER#{id}"))).expect("the user");
    user.remove("format");
    user.remove("email_domain");
    env.put_item("presence-users", user.clone());
    assert_found(&env, &["items user: 1 have an older format -> ops migrate"]);
    env.run("migrate").expect_exit(0);
    env.run("doctor").expect_exit(0);
    user.insert("format".to_owned(), number(99));
    env.put_item("presence-users", user);
    let found = findings(env.run("doctor --json"));
    assert!(found[0].contains("a stored user has format 99, and this version knows those up to 2"), "{found:?}");
}

#[test]
fn organisations_without_trees_are_found() {
    let (env, _) = healthy_env();
    let entry = HashMap::from([("pk".to_owned(), text("BOOKS")), ("sk".to_owned(), text("0000000000000042"))]);
    env.put_item("presence-reviews", entry);
    assert_found(
        &env,
        &["organisations: 1 have reviews that are in no tree: their searches answer 503 -> ops migrate"],
    );
    env.run("migrate").expect_exit(0);
    env.run("doctor").expect_exit(0);
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
    let (env, _) = healthy_env();
    let mut entry = HashMap::from([("pk".to_owned(), text("BOOKS")), ("sk".to_owned(), text("0000000000000042"))]);
    entry.insert("ledger".to_owned(), number(2));
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
fn stale_and_alarmed_scheduled_audits_are_found() {
    let (env, _) = healthy_env();
    let position = |began_at: Timestamp, open: Vec<AttributeValue>| -> Item {
        HashMap::from([
            ("pk".to_owned(), text("AUDIT")),
            ("sk".to_owned(), text("POSITION")),
            ("began_at".to_owned(), number(began_at.as_second())),
            ("open".to_owned(), AttributeValue::L(open)),
        ])
    };
    let now = SystemClock.now();
    env.put_item("presence-reviews", position(now, Vec::new()));
    env.run("doctor").expect_exit(0);
    env.put_item("presence-reviews", position(now - SignedDuration::from_hours(100), Vec::new()));
    assert_found(&env, &["scheduled audit: has begun no round for 100 hours"]);
    let slice = [("org", number(42)), ("from", text("")), ("to", text(""))];
    let slice = slice.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    env.put_item("presence-reviews", position(now, vec![AttributeValue::M(slice)]));
    assert_found(&env, &["scheduled audit: found 1 slices of reviews that are counted wrongly -> ops reviews audit"]);
}

#[test]
fn mails_that_wait_too_long_failed_or_cannot_be_read_are_found() {
    let (env, _) = healthy_env();
    let id = env.create_user("ann@example.org", "--role PROVIDER --status invited");
    env.run("doctor").expect_exit(0);
    let mail = |env: &CliEnv| {
        let mut items = env.scan("presence-users").into_iter();
        items.find(|item| item["sk"].as_s().is_ok_and(|sk| sk.starts_with("MAIL#"))).expect("the mail")
    };
    let new = mail(&env);
    let earlier = |name: &str| {
        let milliseconds: i64 = new[name].as_n().expect("a number").parse().expect("a number");
        number(milliseconds - 16 * 60_000)
    };
    let mut old = new.clone();
    for name in ["created_at", "due_at", "give_up_at"] {
        old.insert(name.to_owned(), earlier(name));
    }
    env.put_item("presence-users", old);
    assert_found(&env, &["mails: one has been due for 16 minutes: the mailer does not send it -> ops outbox list"]);
    env.put_item("presence-users", new.clone());
    env.set_mail_state(&id, new["sk"].as_s().expect("text"), "failed");
    assert_found(&env, &["mails: 1 were given up -> ops outbox retry --all"]);
    let mut unreadable = new.clone();
    unreadable.remove("created_at");
    env.put_item("presence-users", unreadable);
    assert_found(&env, &["mails: 1 cannot be read: invite these users again -> ops outbox list"]);
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
    let (env, _) = healthy_env();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let output = tempfile::NamedTempFile::new().expect("a temporary file");
    let exit = runtime.block_on(async {
        let stores = Stores::new(Database::new(&env.sdk_config(), "presence-"));
        let data = output.reopen().expect("a second handle");
        let console = Console::new(Box::new(data), Box::new(std::io::sink()));
        let cli: Cli = parse(["ops", "doctor"].map(OsString::from)).expect("the words are right");
        Box::pin(presence_ops::run(cli, &mut Context::new(stores, Arc::new(FastClock), console))).await
    });
    let report = std::fs::read_to_string(output.path()).expect("text");
    assert_eq!(exit, Exit::Failed, "{report}");
    assert!(report.starts_with("clock: of this machine is ") && report.contains(" s off the endpoint's"), "{report}");
}
