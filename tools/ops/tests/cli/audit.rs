//! `ops audit`: the records of commands, and the options that choose among them.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use presence_runtime::clock::{Clock as _, SystemClock};
use serde_json::{Value, json};

use crate::cli_env::{CliEnv, CliOutput, Item};
use crate::fake_aws::FakeAws;

/// Returns the records that a run with these options prints.
fn records(env: &CliEnv, options: &str) -> Vec<Value> {
    env.run(&format!("audit --json {options}")).expect_exit(0).json_lines()
}

/// Returns the actions of the records, newest first.
fn actions(env: &CliEnv, options: &str) -> Vec<String> {
    records(env, options).iter().map(|record| record["action"].as_str().expect("text").to_owned()).collect()
}

fn issue(env: &CliEnv, user: &str) -> String {
    let issued = env.run(&format!("key issue --user {user} --json")).expect_exit(0).json();
    issued["id"].as_str().expect("text").to_owned()
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
fn commands_are_recorded_with_their_author_and_the_key() {
    let env = CliEnv::new();
    let user = env.create_user("zoe@example.org", "--role PROVIDER --phone 12");
    let first = issue(&env, &user);
    let rotated = env.run(&format!("key rotate {first} --json")).expect_exit(0).json();
    let second = rotated["id"].as_str().expect("text");
    env.run(&format!("key revoke {second}")).expect_exit(0);
    let run = env.run(&format!("audit --user {user} --json")).expect_exit(0);
    let author = run.json()["actor_id"].as_str().expect("text").to_owned();
    assert!(author.starts_with("local:"), "{author}");
    let expected = [
        ("revoke_key", json!(second), json!([])),
        ("rotate_key", json!(first), json!([])),
        ("issue_key", json!(first), json!([])),
        ("create", Value::Null, json!(["email", "first_name", "last_name", "phone", "role", "status"])),
    ];
    let records = records(&env, &format!("--user {user}"));
    assert_eq!(records.len(), expected.len());
    for (record, (action, key, fields)) in records.iter().zip(expected) {
        let mut record = record.clone();
        let at = record["at"].take();
        assert!(at.as_str().is_some_and(|at| at.ends_with('Z') && at.len() == 24), "{at}");
        let expected = json!({
            "at": null, "actor_id": author, "key_id": key, "action": action, "target_id": user, "org_id": null,
            "fields": fields,
        });
        assert_eq!(record, expected, "{action}");
    }
    // Scripts that cut lines rely on the order, too.
    let line = run.stdout.lines().next().expect("a line");
    let names: Vec<_> =
        line.split('"').skip(1).step_by(2).filter(|text| line.contains(&format!("\"{text}\":"))).collect();
    assert_eq!(names, ["at", "actor_id", "key_id", "action", "target_id", "org_id", "fields"]);
}

#[test]
fn a_changed_status_and_a_deletion_are_recorded() {
    let env = CliEnv::new();
    let user = env.create_user("zoe@example.org", "--role BUSINESS_MANAGER --org-id 42");
    for (command, record) in [
        (format!("users set-status {user} invited --yes"), Some(("update", json!(["status"])))),
        (format!("users set-status {user} invited --yes"), None),
        (format!("users set-status {user} active --yes"), Some(("update", json!(["password", "status"])))),
        (format!("users delete {user} --yes"), Some(("delete", json!([])))),
    ] {
        let before = records(&env, &format!("--user {user}")).len();
        env.run(&command).expect_exit(0);
        let after = records(&env, &format!("--user {user}"));
        assert_eq!(after.len() - before, usize::from(record.is_some()), "{command}");
        if let Some((action, fields)) = record {
            let newest = &after[0];
            assert_eq!((&newest["action"], &newest["fields"]), (&json!(action), &fields), "{command}");
            assert_eq!(newest["org_id"], 42, "{command}");
        }
    }
}

#[test]
fn a_command_without_effect_leaves_no_record() {
    let env = CliEnv::new();
    let user = env.create_user("zoe@example.org", "--role PROVIDER");
    let key = issue(&env, &user);
    env.run(&format!("key revoke {key}")).expect_exit(0);
    let before = env.scan("presence-audit");
    env.run(&format!("key revoke {key}")).expect_exit(0);
    env.run("user create --email zoe@example.org --first-name A --last-name B --role PROVIDER").expect_exit(1);
    env.run(&format!("key revoke {user}-0123456789ab")).expect_exit(3);
    assert_eq!(env.scan("presence-audit"), before);
    assert_eq!(before.len(), 3);
}

#[test]
fn an_operator_in_aws_is_named_by_its_identity_which_is_asked_for_once() {
    let (env, aws) = (CliEnv::new(), FakeAws::start());
    let mut command = env.command("user create --email zoe@example.org --first-name Z --last-name M --role PROVIDER");
    command.env("AWS_ACCESS_KEY_ID", "OFADA").env("AWS_SECRET_ACCESS_KEY", "s").env("AWS_REGION", "eu-west-1");
    CliOutput::from(command.env("AWS_ENDPOINT_URL_STS", &aws.url).output().expect("the binary runs")).expect_exit(0);
    let ada = "arn:aws:iam::123456789012:user/ada";
    assert_eq!(records(&env, &format!("--actor {ada}"))[0]["actor_id"], ada);
    assert_eq!(aws.calls(), [("GetCallerIdentity".to_owned(), "OFADA".to_owned())]);
}

#[test]
fn a_business_that_leaves_its_organisation_is_a_change_of_those_who_had_it() {
    let env = CliEnv::new();
    env.write_file("orgs.jsonl", "{\"id\": 1, \"name\": \"One\"}\n{\"id\": 2, \"name\": \"Two\"}\n");
    env.run("import orgs orgs.jsonl").expect_exit(0);
    let import = |org: u64| {
        let row = json!({"id": "b1", "org_id": org, "name": "Shop", "city": ""});
        env.write_file("shops.jsonl", format!("{row}\n"));
        env.run("import businesses shops.jsonl").expect_exit(0);
    };
    import(1);
    let holder = env.create_user("zoe@example.org", "--role BUSINESS_MANAGER --org-id 1 --business-id b1");
    env.create_user("ada@example.org", "--role BUSINESS_MANAGER --org-id 1");
    import(2);
    let newest = &records(&env, "--org 1")[0];
    let expected = (&json!("update"), &json!(holder), &json!(["business_ids"]));
    assert_eq!((&newest["action"], &newest["target_id"], &newest["fields"]), expected);
    assert_eq!(actions(&env, "--org 1"), ["update", "create", "create"]);
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
fn an_id_that_nothing_is_recorded_of_prints_nothing() {
    let env = CliEnv::new();
    env.create_user("zoe@example.org", "--role PROVIDER");
    for options in
        ["--user 7", "--user nobody", "--actor 7", "--actor nobody", "--org 7", "--key 7-0123456789ab", "--key x"]
    {
        let run = env.run(&format!("audit {options}")).expect_exit(0);
        assert_eq!(run.stdout, "", "{options}");
        assert!(run.stderr.starts_with("records: 0, "), "{options}: {}", run.stderr);
    }
    for options in ["--since 401d", "--since soon", "--org x"] {
        env.run(&format!("audit {options}")).expect_exit(2);
    }
}

#[test]
fn more_records_than_a_page_are_printed_newest_first() {
    let env = CliEnv::new();
    for age in 0..1_100 {
        env.put_item("presence-audit", stored_record(7, "local:ada", "-", age * 1_000));
    }
    for options in ["--user 7", "--actor local:ada", ""] {
        let records = records(&env, options);
        let instants: Vec<_> = records.iter().map(|record| record["at"].as_str().expect("text")).collect();
        assert_eq!(instants.len(), 1_100, "{options}");
        assert!(instants.is_sorted_by(|newer, older| newer > older), "{options}");
    }
}

#[test]
fn a_table_of_text_has_a_line_a_record_under_its_header() {
    let env = CliEnv::new();
    let user = env.create_user("zoe@example.org", "--role PROVIDER");
    let run = env.run(&format!("audit --user {user}")).expect_exit(0);
    let lines: Vec<_> = run.stdout.lines().collect();
    let columns = ["AT", "ACTION", "USER", "ORGANISATION", "KEY", "ACTOR", "FIELDS"];
    assert_eq!(lines[0].split_whitespace().collect::<Vec<_>>(), columns);
    let start = |column: &str| lines[0].find(&format!(" {column}")).expect("a column") + 1;
    let cells = [("ACTION", "create "), ("USER", &user), ("ACTOR", "local:"), ("FIELDS", "email,first_name,last_name")];
    for (column, cell) in cells {
        assert!(lines[1][start(column)..].starts_with(cell), "{column}: {}", lines[1]);
    }
    assert_eq!(lines.len(), 2);
}

#[test]
fn a_record_of_a_later_version_is_named_and_not_guessed() {
    let env = CliEnv::new();
    let mut later = stored_record(7, "local:ada", "-", 0);
    later.insert("format".to_owned(), AttributeValue::N("2".to_owned()));
    env.put_item("presence-audit", later);
    let run = env.run("audit --user 7").expect_exit(1);
    let text = "a stored audit record has format 2, and this version knows those up to 1";
    assert!(run.stderr.contains(text), "{}", run.stderr);
}
