//! `ops audit`: the options that choose among records.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use presence_runtime::clock::{Clock as _, SystemClock};
use serde_json::Value;

use crate::cli_env::{CliEnv, Item};
use crate::fake_aws::FakeAws;

/// Returns the records that a run with these options prints.
fn records(env: &CliEnv, options: &str) -> Vec<Value> {
    env.run(&format!("audit --json {options}")).expect_exit(0).json_lines()
}

/// Returns the item of a record, written that many milliseconds ago.
fn stored_record(target: u64, actor: &str, org: &str, age: i64) -> Item {
    let at = SystemClock.now().as_millisecond() - age;
    let text = |text: String| AttributeValue::S(text);
    HashMap::from([
        ("target".to_owned(), text(format!("USER#{target}"))),
        ("at".to_owned(), text(format!("{at:013}#{target:016x}"))),
        ("actor".to_owned(), text(actor.to_owned())),
        ("action".to_owned(), text("update".to_owned())),
        ("org".to_owned(), text(org.to_owned())),
        ("fields".to_owned(), AttributeValue::L(vec![text("phone".to_owned())])),
        ("ttl".to_owned(), AttributeValue::N((at / 1_000 + 400 * 24 * 3_600).to_string())),
    ])
}

#[test]
fn an_operator_in_aws_is_named_by_its_identity_which_is_asked_for_once() {
    let (env, aws) = (CliEnv::new(), FakeAws::start());
    let create = "user create --email zoe@example.org --first-name Z --last-name M --role PROVIDER";
    env.run_signed_in(create, &aws.url).expect_exit(0);
    let ada = "arn:aws:iam::123456789012:user/ada";
    assert_eq!(records(&env, &format!("--actor {ada}"))[0]["actor_id"], ada);
    assert_eq!(aws.calls(), [("GetCallerIdentity".to_owned(), "OFADA".to_owned())]);
}

#[test]
fn records_are_chosen_by_user_actor_organisation_and_time() {
    let env = CliEnv::new();
    let (hour, day) = (3_600_000, 24 * 3_600_000);
    for (target, actor, org, age) in [
        (7, "local:ada", "0000000000000001", 2 * day),
        (7, "local:ada", "0000000000000001", 2 * hour),
        (8, "local:zoe", "0000000000000001", hour),
        (9, "local:zoe", "-", 3 * day),
    ] {
        env.put_item("presence-audit", stored_record(target, actor, org, age));
    }
    let targets = |options: &str| -> Vec<String> {
        let records = records(&env, options);
        records.iter().map(|record| record["target_id"].as_str().expect("text").to_owned()).collect()
    };
    for (options, expected) in [
        ("--user 7", &["7", "7"][..]),
        ("--user 7 --since 1d", &["7"]),
        ("--actor local:zoe", &["8", "9"]),
        ("--actor local:zoe --since 2h", &["8"]),
        ("--org 1", &["8", "7", "7"]),
        ("--org 1 --since 1d --actor local:ada", &["7"]),
        ("--user 7 --actor local:zoe", &[]),
        ("", &["8", "7", "7", "9"]),
        ("--since 3h", &["8", "7"]),
    ] {
        assert_eq!(targets(options), expected, "{options}");
    }
}

#[test]
fn more_records_than_a_page_are_printed_newest_first() {
    let env = CliEnv::new();
    env.put_items("presence-audit", (0..1_100).map(|age| stored_record(7, "local:ada", "-", age * 1_000)).collect());
    for options in ["--user 7", "--actor local:ada", ""] {
        let records = records(&env, options);
        let instants: Vec<_> = records.iter().map(|record| record["at"].as_str().expect("text")).collect();
        assert_eq!(instants.len(), 1_100, "{options}");
        assert!(instants.is_sorted_by(|newer, older| newer > older), "{options}");
    }
}
