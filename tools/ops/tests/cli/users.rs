//! `ops user`, `ops users` and `ops outbox`

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;

use crate::cli_env::CliEnv;

const PROVIDER: &str = "--role PROVIDER";

#[test]
fn created_user_id_is_the_only_output() {
    let env = CliEnv::new();
    let arguments = "user create --email zoe@example.org --first-name Zoe --last-name Martin --role PROVIDER";
    let run = env.run(arguments).expect_exit(0);
    assert!(run.stdout.trim_end().parse::<u64>().is_ok_and(|id| id > 0), "{}", run.stdout);
    let json = env.run(&format!("{} --json", arguments.replace("zoe@", "ann@"))).expect_exit(0).json();
    assert!(json["id"].as_str().is_some_and(|id| id.parse::<u64>().is_ok()), "{json}");
    env.run("users audit").expect_exit(0);
}

#[test]
fn second_user_with_the_same_address_is_rejected() {
    let env = CliEnv::new();
    let id = env.create_user("zoe@example.org", PROVIDER);
    let arguments = "user create --email ZOE@example.org --first-name A --last-name B --role PROVIDER";
    let run = env.run(arguments).expect_exit(1);
    assert!(run.stdout.is_empty());
    assert_eq!(run.stderr, format!("error: the e-mail address already exists: user {id} has it\n"));
}

#[test]
fn every_role_but_provider_needs_an_organisation() {
    let env = CliEnv::new();
    let arguments = "user create --email zoe@example.org --first-name Zoe --last-name Martin --role";
    for role in ["ORG_ADMIN", "BUSINESS_MANAGER"] {
        let run = env.run(&format!("{arguments} {role}")).expect_exit(2);
        assert!(run.stderr.contains("--org-id"), "{}", run.stderr);
    }
    let run = env.run(&format!("{arguments} ORG_ADMIN --org-id 42")).expect_exit(0);
    assert_eq!(run.stderr, "note: organisation 42 has not been imported\n");
}

#[test]
fn invalid_values_are_wrong_usage() {
    let env = CliEnv::new();
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
    for (case, arguments) in cases {
        assert_eq!(env.run(&arguments).code, 2, "{case}");
    }
    assert!(env.scan("presence-users").is_empty());
}

#[test]
fn businesses_of_a_user_must_be_of_its_organisation() {
    let env = CliEnv::new();
    env.run_with_stdin("import orgs -", b"{\"id\":42,\"name\":\"A\"}\n{\"id\":43,\"name\":\"B\"}").expect_exit(0);
    let shops = b"{\"id\":\"b1\",\"org_id\":42,\"name\":\"A\",\"city\":\"\"}\n{\"id\":\"b2\",\"org_id\":43,\"name\":\"B\",\"city\":\"\"}";
    env.run_with_stdin("import businesses -", shops).expect_exit(0);
    let arguments =
        "user create --email zoe@example.org --first-name Zoe --last-name M --role BUSINESS_MANAGER --org-id 42";
    let run = env.run(&format!("{arguments} --business-id b1 --business-id b2 --business-id b3")).expect_exit(1);
    assert_eq!(run.stderr, "error: no businesses of this organisation: b2, b3\n");
    env.run(&format!("{arguments} --business-id b1 --business-id b1 --lang fr --phone +33-4")).expect_exit(0);
    env.run("users audit").expect_exit(0);
}

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
fn all_mails_that_were_given_up_are_retried_at_once() {
    let env = CliEnv::new();
    let none = serde_json::json!({ "retried": 0, "ids": [] });
    assert_eq!(env.run("outbox retry --all --json").expect_exit(0).json(), none);
    let mut failed = Vec::new();
    for local in ["zoe", "ann", "eve"] {
        env.create_user(&format!("{local}@example.org"), "--role PROVIDER --status invited");
    }
    for mail in env.run("outbox list --json").expect_exit(0).json().as_array().expect("a list") {
        let text = |name: &str| mail[name].as_str().expect("a text").to_owned();
        // One of the three still waits.
        if failed.len() < 2 {
            env.mark_mail_failed(&text("user_id"), &text("id"));
            failed.push(text("id"));
        }
    }
    let retried = env.run("outbox retry --all --json").expect_exit(0).json();
    assert_eq!(retried, serde_json::json!({ "retried": 2, "ids": failed }));
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
    let text = |text: &str| AttributeValue::S(text.to_owned());
    let due_at = ("due_at".to_owned(), AttributeValue::N("1".to_owned()));
    let row = [("pk", text("USER#7")), ("sk", text("MAIL#1")), ("outbox", text("pending"))];
    let row = row.map(|(name, value)| (name.to_owned(), value)).into_iter().chain([due_at]).collect();
    env.put_item("presence-users", row);
    let mails = env.run("outbox list --json").expect_exit(0).json();
    assert_eq!((&mails[0]["id"], &mails[0]["user_id"]), (&"MAIL#1".into(), &"7".into()));
    assert_eq!((&mails[0]["state"], &mails[0]["due_at"]), (&"unreadable".into(), &serde_json::Value::Null));
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
    env.mark_mail_failed(&id, &mail);
    let mails = env.run("outbox list --json").expect_exit(0).json();
    assert_eq!((&mails[0]["state"], &mails[0]["attempts"]), (&"failed".into(), &8.into()));
    assert_eq!(env.run(&format!("outbox retry {mail} --json")).expect_exit(0).json()["id"], mail.as_str());
    let mails = env.run("outbox list --json").expect_exit(0).json();
    assert_eq!((&mails[0]["state"], &mails[0]["attempts"]), (&"pending".into(), &0.into()));
    let run = env.run(&format!("outbox retry {mail}")).expect_exit(3);
    assert_eq!(run.stderr, format!("error: there is no mail {mail} that was given up\n"));
    env.run("users audit").expect_exit(0);
}

#[test]
fn users_are_found_by_address_local_part_and_domain() {
    let env = CliEnv::new();
    let ada = env.create_user("Ada@example.org", "--role ORG_ADMIN --org-id 42");
    let zoe = env.create_user("zoe@example.org", "--role PROVIDER --status invited --no-mail");
    let other = env.create_user("ada@example.com", PROVIDER);
    let find_ids = |pattern: &str| {
        let run = env.run(&format!("users find {pattern} --json")).expect_exit(0);
        let mut ids: Vec<String> = run.stdout.lines().map(user_id).collect();
        ids.sort_unstable();
        ids
    };
    let sorted = |mut expected: Vec<String>| {
        expected.sort_unstable();
        expected
    };
    assert_eq!(find_ids("ADA@example.org"), std::slice::from_ref(&ada));
    assert_eq!(find_ids("ada@*"), sorted(vec![ada.clone(), other]));
    assert_eq!(find_ids("*@EXAMPLE.org"), sorted(vec![ada.clone(), zoe.clone()]));
    assert_eq!(find_ids("nobody@*"), [""; 0]);

    let found = env.run("users find ada@example.org --json").expect_exit(0).json();
    let expected = serde_json::json!({"id": ada, "email": "Ada@example.org", "org_id": 42, "status": "active",
        "role": "ORG_ADMIN", "first_name": "Zoe", "last_name": "Martin"});
    assert_eq!(found, expected);
    let text = env.run("users find zoe@*").expect_exit(0);
    assert_eq!(text.stdout, format!("{zoe}\t-\tinvited\tPROVIDER\tzoe@example.org\tZoe Martin\n"));
    let nobody = env.run("users find *@nowhere.example").expect_exit(0);
    assert_eq!((nobody.stdout.as_str(), nobody.stderr.starts_with("users: 0, read units: ")), ("", true));
    for wrong in ["ada", "*", "*@*", "@example.org"] {
        env.run(&format!("users find {wrong}")).expect_exit(2);
    }
}

fn user_id(line: &str) -> String {
    let user: serde_json::Value = serde_json::from_str(line).expect("a line of JSON");
    user["id"].as_str().expect("an id").to_owned()
}

#[test]
fn audit_finds_an_orphaned_email_reservation() {
    let env = CliEnv::new();
    env.create_user("zoe@example.org", PROVIDER);
    let clean = env.run("users audit --json").expect_exit(0).json();
    assert_eq!((&clean["users"], &clean["findings"]), (&1.into(), &serde_json::json!([])));
    let text = |value: &str| AttributeValue::S(value.to_owned());
    let reservation = [("pk", "EMAIL#ghost@example.org"), ("sk", "EMAIL"), ("user_id", "7")];
    let reservation: HashMap<_, _> =
        reservation.into_iter().map(|(name, value)| (name.to_owned(), text(value))).collect();
    env.put_item("presence-users", reservation);
    let run = env.run("users audit").expect_exit(1);
    assert_eq!(run.stdout, "user 7: left a lock behind\n");
    assert_eq!(run.stderr, "users: 1, keys: 0, mails: 0, findings: 1\n");
    let json = env.run("users audit --json").expect_exit(1).json();
    assert_eq!(json["findings"][0]["subject"], "user 7");
}

#[test]
fn migrate_rewrites_users_of_the_first_format_and_names_its_tables() {
    let env = CliEnv::new();
    let id = env.create_user("zoe@example.org", PROVIDER);
    let mut users = env.scan("presence-users").into_iter();
    let mut user = users.find(|item| item["pk"] == AttributeValue::S(format!("USER#{id}"))).expect("the user");
    for attribute in ["format", "email_domain"] {
        assert!(user.remove(attribute).is_some(), "{attribute} is of format 2");
    }
    env.put_item("presence-users", user);
    let audit = env.run("users audit").expect_exit(0);
    assert!(
        audit.stderr.starts_with("users of an earlier format: 1; `ops migrate` rewrites them\n"),
        "{}",
        audit.stderr
    );
    assert_eq!(env.run("users find *@example.org --json").expect_exit(0).stdout, "", "it is not in the index");

    let user = |counts: [u64; 2]| serde_json::json!({"current": counts[0], "rewritten": counts[1], "overtaken": 0, "unreadable": 0});
    let dry = env.run("migrate --dry-run --json").expect_exit(0);
    assert!(dry.stderr.starts_with("reads presence-users, "), "{}", dry.stderr);
    assert_eq!(dry.json()["user"], user([0, 1]));
    let run = env.run("migrate --json").expect_exit(0);
    assert!(run.stderr.starts_with("writes to presence-users, "), "{}", run.stderr);
    assert_eq!(run.json()["user"], user([0, 1]));
    assert_eq!(env.run("migrate --json").expect_exit(0).json()["user"], user([1, 0]));
    assert_eq!(env.run("users find *@example.org --json").expect_exit(0).json()["id"], id.as_str());
    env.run("users audit").expect_exit(0);
}
