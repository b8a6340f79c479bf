//! `ops outbox`: list, retry and cancel.

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::{Value, json};

use crate::cli_env::CliEnv;
use crate::rows::ORGS;

#[test]
fn invited_user_has_a_mail_in_the_outbox_unless_no_mail_is_given() {
    let env = CliEnv::new();
    assert_eq!(env.run("outbox list --json").expect_exit(0).stdout, "[]\n");
    let id = env.create_user("zoe@example.org", "--role PROVIDER --status invited");
    env.create_user("ann@example.org", "--role PROVIDER --status invited --no-mail");
    let mails = env.run("outbox list --json").expect_exit(0).json();
    assert_eq!(mails.as_array().map(Vec::len), Some(1));
    assert_eq!(
        (&mails[0]["user_id"], &mails[0]["state"], &mails[0]["attempts"]),
        (&id.into(), &"pending".into(), &0.into())
    );
    let table = env.run("outbox list").expect_exit(0).stdout;
    assert!(table.starts_with("ID ") && table.lines().count() == 2, "{table}");
    env.run("users audit").expect_exit(0);
}

#[test]
fn list_shows_whom_a_mail_is_for_and_what_ses_said_last() {
    let env = CliEnv::new();
    env.run_with_stdin("import orgs -", ORGS.as_bytes()).expect_exit(0);
    let id = env.create_user("Zoe@Example.org", "--role ORG_ADMIN --org-id 42 --status invited");
    let mail = env.run("outbox list --json").expect_exit(0).json()[0].take();
    assert_eq!((&mail["email"], &mail["org_id"]), (&json!("Zoe@Example.org"), &json!(42)));
    assert_eq!(mail["last_refusal"], Value::Null);
    env.set_last_refusal(&id, mail["id"].as_str().expect("an id"), "TooManyRequestsException");
    let mail = env.run("outbox list --json").expect_exit(0).json()[0].take();
    assert_eq!(mail["last_refusal"], "TooManyRequestsException");
    let table = env.run("outbox list").expect_exit(0).stdout;
    let row: Vec<_> = table.lines().nth(1).expect("a row").split_whitespace().collect();
    assert_eq!(&row[1..5], [id.as_str(), "Zoe@Example.org", "42", "pending"], "{table}");
    assert_eq!(row.last(), Some(&"TooManyRequestsException"), "{table}");
    env.run("users audit").expect_exit(0);
}

#[test]
fn marked_address_is_invited_again_only_after_its_mark_is_cleared() {
    let env = CliEnv::new();
    env.run("outbox unmark zoe@example.org").expect_exit(3);
    let attributes = [
        ("pk", AttributeValue::S("MARK#zoe@example.org".to_owned())),
        ("sk", AttributeValue::S("MARK".to_owned())),
        ("reason", AttributeValue::S("bounced".to_owned())),
        ("at", AttributeValue::N("1772366400000".to_owned())),
        ("ttl", AttributeValue::N("1803902400".to_owned())),
    ];
    env.put_item("presence-users", attributes.map(|(name, value)| (name.to_owned(), value)).into());
    let create = "user create --email Zoe@example.org --first-name A --last-name B --role PROVIDER --status invited";
    let refused = env.run(create).expect_exit(1);
    let reason = "mail to this address bounced on 2026-03-01: correct the address";
    assert!(refused.stderr.contains(reason), "{}", refused.stderr);
    assert_eq!(env.run("outbox unmark ZOE@example.org --json").expect_exit(0).json(), json!({ "cleared": true }));
    env.run("outbox unmark zoe@example.org").expect_exit(3);
    env.run(create).expect_exit(0);
    env.run("users audit").expect_exit(0);
}

#[test]
fn retry_all_retries_every_failed_mail() {
    let env = CliEnv::new();
    let none = json!({ "retried": 0, "ids": [] });
    assert_eq!(env.run("outbox retry --all --json").expect_exit(0).json(), none);
    let mut failed = Vec::new();
    for local in ["zoe", "ann", "eve"] {
        env.create_user(&format!("{local}@example.org"), "--role PROVIDER --status invited");
    }
    for mail in env.run("outbox list --json").expect_exit(0).json().as_array().expect("a list") {
        let text = |name: &str| mail[name].as_str().expect("a text").to_owned();
        // The third mail still waits.
        if failed.len() < 2 {
            env.set_mail_state(&text("user_id"), &text("id"), "failed");
            failed.push(text("id"));
        }
    }
    let retried = env.run("outbox retry --all --json").expect_exit(0).json();
    assert_eq!(retried, json!({ "retried": 2, "ids": failed }));
    let mails = env.run("outbox list --json").expect_exit(0).json();
    assert!(mails.as_array().expect("a list").iter().all(|mail| mail["state"] == "pending"), "{mails}");
    assert_eq!(env.run("outbox retry --all").expect_exit(0).stderr.lines().last(), Some("mails due now: 0"));
    env.run("outbox retry").expect_exit(2);
    env.run("outbox retry x --all").expect_exit(2);
    env.run("users audit").expect_exit(0);
}

#[test]
fn unreadable_outbox_row_is_listed_and_found_by_the_audit() {
    let env = CliEnv::new();
    let attributes = [
        ("pk", AttributeValue::S("USER#7".to_owned())),
        ("sk", AttributeValue::S("MAIL#1".to_owned())),
        ("outbox", AttributeValue::S("pending".to_owned())),
        ("due_at", AttributeValue::N("1".to_owned())),
    ];
    env.put_item("presence-users", attributes.map(|(name, value)| (name.to_owned(), value)).into());
    let mails = env.run("outbox list --json").expect_exit(0).json();
    assert_eq!((&mails[0]["id"], &mails[0]["user_id"]), (&"MAIL#1".into(), &"7".into()));
    assert_eq!((&mails[0]["state"], &mails[0]["due_at"]), (&"unreadable".into(), &Value::Null));
    let table = env.run("outbox list").expect_exit(0).stdout;
    assert!(table.contains("unreadable"), "{table}");
    let audit = env.run("users audit --json").expect_exit(1).stdout;
    assert!(audit.contains("has a mail that cannot be read"), "{audit}");
}

#[test]
fn failed_mail_is_listed_and_can_be_retried() {
    let env = CliEnv::new();
    let id = env.create_user("zoe@example.org", "--role PROVIDER --status invited");
    let mail = env.run("outbox list --json").expect_exit(0).json()[0]["id"].as_str().expect("an id").to_owned();
    env.run(&format!("outbox retry {mail}")).expect_exit(3);
    env.set_mail_state(&id, &mail, "failed");
    let mails = env.run("outbox list --json").expect_exit(0).json();
    assert_eq!((&mails[0]["state"], &mails[0]["attempts"]), (&"failed".into(), &8.into()));
    assert_eq!(env.run(&format!("outbox retry {mail} --json")).expect_exit(0).json()["id"], mail.as_str());
    let mails = env.run("outbox list --json").expect_exit(0).json();
    assert_eq!((&mails[0]["state"], &mails[0]["attempts"]), (&"pending".into(), &0.into()));
    let run = env.run(&format!("outbox retry {mail}")).expect_exit(3);
    assert_eq!(run.stderr, format!("error: there is no mail {mail} that failed or is held\n"));
    env.run("users audit").expect_exit(0);
}

#[test]
fn held_mail_is_listed_and_released_by_retry() {
    let env = CliEnv::new();
    let id = env.create_user("zoe@example.org", "--role PROVIDER --status invited");
    let mail = env.run("outbox list --json").expect_exit(0).json()[0]["id"].as_str().expect("an id").to_owned();
    env.set_mail_state(&id, &mail, "held");
    assert_eq!(env.run("outbox list --json").expect_exit(0).json()[0]["state"], "held");
    env.run("users audit").expect_exit(0);
    assert_eq!(env.run("outbox retry --all --json").expect_exit(0).json(), json!({ "retried": 1, "ids": [mail] }));
    assert_eq!(env.run("outbox list --json").expect_exit(0).json()[0]["state"], "pending");
}

#[test]
fn cancelled_mail_is_gone_whatever_its_state() {
    let env = CliEnv::new();
    for state in ["pending", "failed", "held"] {
        let id = env.create_user(&format!("{state}@example.org"), "--role PROVIDER --status invited");
        let mail = env.run("outbox list --json").expect_exit(0).json()[0]["id"].as_str().expect("an id").to_owned();
        env.set_mail_state(&id, &mail, state);
        assert_eq!(env.run(&format!("outbox cancel {mail} --json")).expect_exit(0).json(), json!({ "id": mail }));
        assert_eq!(env.run("outbox list --json").expect_exit(0).stdout, "[]\n", "{state}");
        let again = env.run(&format!("outbox cancel {mail}")).expect_exit(3);
        assert_eq!(again.stderr, format!("error: there is no mail {mail}\n"));
        env.run("users audit").expect_exit(0);
    }
}
