//! `ops user`, `ops users` and `ops outbox`

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;

use crate::stage::Stage;

const PROVIDER: &str = "--role PROVIDER";

#[test]
fn a_user_is_created_and_its_id_printed_alone() {
    let stage = Stage::new();
    let words = "user create --email zoe@example.org --first-name Zoe --last-name Martin --role PROVIDER";
    let run = stage.ops(words).exits(0);
    assert!(run.stdout.trim_end().parse::<u64>().is_ok_and(|id| id > 0), "{}", run.stdout);
    let json = stage.ops(&format!("{} --json", words.replace("zoe@", "ann@"))).exits(0).json();
    assert!(json["id"].as_str().is_some_and(|id| id.parse::<u64>().is_ok()), "{json}");
    stage.ops("users audit").exits(0);
}

#[test]
fn a_second_user_with_the_address_is_refused() {
    let stage = Stage::new();
    let id = stage.user("zoe@example.org", PROVIDER);
    let again = "user create --email ZOE@example.org --first-name A --last-name B --role PROVIDER";
    let run = stage.ops(again).exits(1);
    assert!(run.stdout.is_empty());
    assert_eq!(run.stderr, format!("error: the e-mail address already exists: user {id} has it\n"));
}

#[test]
fn every_role_but_provider_needs_an_organisation() {
    let stage = Stage::new();
    let words = "user create --email zoe@example.org --first-name Zoe --last-name Martin --role";
    for role in ["ORG_ADMIN", "BUSINESS_MANAGER"] {
        let run = stage.ops(&format!("{words} {role}")).exits(2);
        assert!(run.stderr.contains("--org-id"), "{}", run.stderr);
    }
    let run = stage.ops(&format!("{words} ORG_ADMIN --org-id 42")).exits(0);
    assert_eq!(run.stderr, "note: organisation 42 has not been imported\n");
}

#[test]
fn values_that_break_the_rules_are_wrong_usage() {
    let stage = Stage::new();
    let good = "user create --email zoe@example.org --first-name Zoe --last-name Martin --role PROVIDER";
    let cases = [
        ("address", good.replace("zoe@example.org", "zoe")),
        ("address that no mail can be sent to", good.replace("zoe@", "zoë@")),
        ("role", good.replace("PROVIDER", "provider")),
        ("status", format!("{good} --status waiting")),
        ("language", format!("{good} --lang nl")),
        ("phone", format!("{good} --phone call-me")),
        ("organisation", format!("{good} --org-id 0")),
        ("business without organisation", format!("{good} --business-id b1")),
        ("no last name", good.replace("--last-name Martin", "")),
    ];
    for (what, words) in cases {
        assert_eq!(stage.ops(&words).code, 2, "{what}");
    }
    assert!(stage.items("presence-users").is_empty());
}

#[test]
fn businesses_of_a_user_must_be_of_its_organisation() {
    let stage = Stage::new();
    stage.ops_reading("import orgs -", b"{\"id\":42,\"name\":\"A\"}\n{\"id\":43,\"name\":\"B\"}").exits(0);
    let shops = b"{\"id\":\"b1\",\"org_id\":42,\"name\":\"A\",\"city\":\"\"}\n{\"id\":\"b2\",\"org_id\":43,\"name\":\"B\",\"city\":\"\"}";
    stage.ops_reading("import businesses -", shops).exits(0);
    let words =
        "user create --email zoe@example.org --first-name Zoe --last-name M --role BUSINESS_MANAGER --org-id 42";
    let run = stage.ops(&format!("{words} --business-id b1 --business-id b2 --business-id b3")).exits(1);
    assert_eq!(run.stderr, "error: no businesses of this organisation: b2, b3\n");
    stage.ops(&format!("{words} --business-id b1 --business-id b1 --lang fr --phone +33-4")).exits(0);
    stage.ops("users audit").exits(0);
}

#[test]
fn an_invited_user_has_a_mail_in_the_outbox_unless_it_is_not_wanted() {
    let stage = Stage::new();
    assert_eq!(stage.ops("outbox list --json").exits(0).stdout, "[]\n");
    let id = stage.user("zoe@example.org", "--role PROVIDER --status invited");
    stage.user("ann@example.org", "--role PROVIDER --status invited --no-mail");
    let mails = stage.ops("outbox list --json").exits(0).json();
    assert_eq!(mails.as_array().map(Vec::len), Some(1));
    assert_eq!(
        (&mails[0]["user_id"], &mails[0]["state"], &mails[0]["attempts"]),
        (&id.into(), &"pending".into(), &0.into())
    );
    let table = stage.ops("outbox list").exits(0).stdout;
    assert!(table.starts_with("ID ") && table.lines().count() == 2, "{table}");
    stage.ops("users audit").exits(0);
}

#[test]
fn all_mails_that_were_given_up_are_retried_at_once() {
    let stage = Stage::new();
    let none = serde_json::json!({ "retried": 0, "ids": [] });
    assert_eq!(stage.ops("outbox retry --all --json").exits(0).json(), none);
    let mut failed = Vec::new();
    for local in ["zoe", "ann", "eve"] {
        stage.user(&format!("{local}@example.org"), "--role PROVIDER --status invited");
    }
    for mail in stage.ops("outbox list --json").exits(0).json().as_array().expect("a list") {
        let text = |name: &str| mail[name].as_str().expect("a text").to_owned();
        // One of the three still waits.
        if failed.len() < 2 {
            stage.give_up(&text("user_id"), &text("id"));
            failed.push(text("id"));
        }
    }
    let retried = stage.ops("outbox retry --all --json").exits(0).json();
    assert_eq!(retried, serde_json::json!({ "retried": 2, "ids": failed }));
    let mails = stage.ops("outbox list --json").exits(0).json();
    assert!(mails.as_array().expect("a list").iter().all(|mail| mail["state"] == "pending"), "{mails}");
    assert_eq!(stage.ops("outbox retry --all").exits(0).stderr.lines().last(), Some("mails due now: 0"));
    stage.ops("outbox retry").exits(2);
    stage.ops("outbox retry x --all").exits(2);
    stage.ops("users audit").exits(0);
}

#[test]
fn a_row_of_the_outbox_that_cannot_be_read_is_listed_and_found_by_the_audit() {
    let stage = Stage::new();
    let text = |text: &str| AttributeValue::S(text.to_owned());
    let due_at = ("due_at".to_owned(), AttributeValue::N("1".to_owned()));
    let row = [("pk", text("USER#7")), ("sk", text("MAIL#1")), ("outbox", text("pending"))];
    let row = row.map(|(name, value)| (name.to_owned(), value)).into_iter().chain([due_at]).collect();
    stage.put("presence-users", row);
    let mails = stage.ops("outbox list --json").exits(0).json();
    assert_eq!((&mails[0]["id"], &mails[0]["user_id"]), (&"MAIL#1".into(), &"7".into()));
    assert_eq!((&mails[0]["state"], &mails[0]["due_at"]), (&"unreadable".into(), &serde_json::Value::Null));
    let table = stage.ops("outbox list").exits(0).stdout;
    assert!(table.contains("unreadable"), "{table}");
    let audit = stage.ops("users audit --json").exits(1).stdout;
    assert!(audit.contains("has a mail that cannot be read"), "{audit}");
}

#[test]
fn a_mail_that_was_given_up_is_listed_as_failed_and_can_be_retried() {
    let stage = Stage::new();
    let id = stage.user("zoe@example.org", "--role PROVIDER --status invited");
    let mail = stage.ops("outbox list --json").exits(0).json()[0]["id"].as_str().expect("an id").to_owned();
    stage.ops(&format!("outbox retry {mail}")).exits(3);
    stage.give_up(&id, &mail);
    let mails = stage.ops("outbox list --json").exits(0).json();
    assert_eq!((&mails[0]["state"], &mails[0]["attempts"]), (&"failed".into(), &8.into()));
    assert_eq!(stage.ops(&format!("outbox retry {mail} --json")).exits(0).json()["id"], mail.as_str());
    let mails = stage.ops("outbox list --json").exits(0).json();
    assert_eq!((&mails[0]["state"], &mails[0]["attempts"]), (&"pending".into(), &0.into()));
    let run = stage.ops(&format!("outbox retry {mail}")).exits(3);
    assert_eq!(run.stderr, format!("error: there is no mail {mail} that was given up\n"));
    stage.ops("users audit").exits(0);
}

#[test]
fn users_are_found_by_address_local_part_and_domain() {
    let stage = Stage::new();
    let ada = stage.user("Ada@example.org", "--role ORG_ADMIN --org-id 42");
    let zoe = stage.user("zoe@example.org", "--role PROVIDER --status invited --no-mail");
    let other = stage.user("ada@example.com", PROVIDER);
    let ids = |pattern: &str| {
        let run = stage.ops(&format!("users find {pattern} --json")).exits(0);
        let mut ids: Vec<String> = run.stdout.lines().map(id_of).collect();
        ids.sort_unstable();
        ids
    };
    let sorted = |mut expected: Vec<String>| {
        expected.sort_unstable();
        expected
    };
    assert_eq!(ids("ADA@example.org"), std::slice::from_ref(&ada));
    assert_eq!(ids("ada@*"), sorted(vec![ada.clone(), other]));
    assert_eq!(ids("*@EXAMPLE.org"), sorted(vec![ada.clone(), zoe.clone()]));
    assert_eq!(ids("nobody@*"), [""; 0]);

    let found = stage.ops("users find ada@example.org --json").exits(0).json();
    let expected = serde_json::json!({"id": ada, "email": "Ada@example.org", "org_id": 42, "status": "active",
        "role": "ORG_ADMIN", "first_name": "Zoe", "last_name": "Martin"});
    assert_eq!(found, expected);
    let text = stage.ops("users find zoe@*").exits(0);
    assert_eq!(text.stdout, format!("{zoe}\t-\tinvited\tPROVIDER\tzoe@example.org\tZoe Martin\n"));
    let nobody = stage.ops("users find *@nowhere.example").exits(0);
    assert_eq!((nobody.stdout.as_str(), nobody.stderr.starts_with("users: 0, read units: ")), ("", true));
    for wrong in ["ada", "*", "*@*", "@example.org"] {
        stage.ops(&format!("users find {wrong}")).exits(2);
    }
}

fn id_of(line: &str) -> String {
    let user: serde_json::Value = serde_json::from_str(line).expect("a line of JSON");
    user["id"].as_str().expect("an id").to_owned()
}

#[test]
fn the_audit_finds_what_was_planted() {
    let stage = Stage::new();
    stage.user("zoe@example.org", PROVIDER);
    let clean = stage.ops("users audit --json").exits(0).json();
    assert_eq!((&clean["users"], &clean["findings"]), (&1.into(), &serde_json::json!([])));
    let text = |value: &str| AttributeValue::S(value.to_owned());
    let lock = [("pk", "EMAIL#ghost@example.org"), ("sk", "EMAIL"), ("user_id", "7")];
    let lock: HashMap<_, _> = lock.into_iter().map(|(name, value)| (name.to_owned(), text(value))).collect();
    stage.put("presence-users", lock);
    let run = stage.ops("users audit").exits(1);
    assert_eq!(run.stdout, "user 7: left a lock behind\n");
    assert_eq!(run.stderr, "users: 1, keys: 0, mails: 0, findings: 1\n");
    let json = stage.ops("users audit --json").exits(1).json();
    assert_eq!(json["findings"][0]["subject"], "user 7");
}

#[test]
fn migrate_rewrites_users_of_the_first_format_and_says_where_it_writes() {
    let stage = Stage::new();
    let id = stage.user("zoe@example.org", PROVIDER);
    let mut users = stage.items("presence-users").into_iter();
    let mut user = users.find(|item| item["pk"] == AttributeValue::S(format!("USER#{id}"))).expect("the user");
    for attribute in ["format", "email_domain"] {
        assert!(user.remove(attribute).is_some(), "{attribute} is of format 2");
    }
    stage.put("presence-users", user);
    let audit = stage.ops("users audit").exits(0);
    assert!(
        audit.stderr.starts_with("users of an earlier format: 1; `ops migrate` rewrites them\n"),
        "{}",
        audit.stderr
    );
    assert_eq!(stage.ops("users find *@example.org --json").exits(0).stdout, "", "it is not in the index");

    let user = |counts: [u64; 2]| serde_json::json!({"current": counts[0], "rewritten": counts[1], "overtaken": 0, "unreadable": 0});
    let dry = stage.ops("migrate --dry-run --json").exits(0);
    assert!(dry.stderr.starts_with("reads presence-users, "), "{}", dry.stderr);
    assert_eq!(dry.json()["user"], user([0, 1]));
    let run = stage.ops("migrate --json").exits(0);
    assert!(run.stderr.starts_with("writes to presence-users, "), "{}", run.stderr);
    assert_eq!(run.json()["user"], user([0, 1]));
    assert_eq!(stage.ops("migrate --json").exits(0).json()["user"], user([1, 0]));
    assert_eq!(stage.ops("users find *@example.org --json").exits(0).json()["id"], id.as_str());
    stage.ops("users audit").exits(0);
}
