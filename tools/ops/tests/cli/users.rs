//! `ops user`, `ops users` and `ops migrate`.

use std::collections::{BTreeSet, HashMap};

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::{Value, json};

use crate::cli_env::CliEnv;
use crate::rows::{ORGS, business_row};

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
    env.run_with_stdin("import orgs -", ORGS.as_bytes()).expect_exit(0);
    let shops = business_row("b1", 42, "") + &business_row("b2", 43, "");
    env.run_with_stdin("import businesses -", shops.as_bytes()).expect_exit(0);
    let arguments =
        "user create --email zoe@example.org --first-name Zoe --last-name M --role BUSINESS_MANAGER --org-id 42";
    let run = env.run(&format!("{arguments} --business-id b1 --business-id b2 --business-id b3")).expect_exit(1);
    assert_eq!(run.stderr, "error: no businesses of this organisation: b2, b3\n");
    env.run(&format!("{arguments} --business-id b1 --business-id b1 --lang fr --phone +33-4")).expect_exit(0);
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
        let ids: Vec<String> = run.stdout.lines().map(user_id).collect();
        let distinct: BTreeSet<String> = ids.iter().cloned().collect();
        assert_eq!(distinct.len(), ids.len(), "no user is listed twice");
        distinct
    };
    assert_eq!(find_ids("ADA@example.org"), BTreeSet::from([ada.clone()]));
    assert_eq!(find_ids("ada@*"), BTreeSet::from([ada.clone(), other]));
    assert_eq!(find_ids("*@EXAMPLE.org"), BTreeSet::from([ada.clone(), zoe.clone()]));
    assert_eq!(find_ids("nobody@*"), BTreeSet::new());

    let found = env.run("users find ada@example.org --json").expect_exit(0).json();
    let expected = json!({"id": ada, "email": "Ada@example.org", "org_id": 42, "status": "active",
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
    let user: Value = serde_json::from_str(line).expect("a line of JSON");
    user["id"].as_str().expect("an id").to_owned()
}

#[test]
fn audit_finds_an_orphaned_email_reservation() {
    let env = CliEnv::new();
    env.create_user("zoe@example.org", PROVIDER);
    let clean = env.run("users audit --json").expect_exit(0).json();
    assert_eq!((&clean["users"], &clean["findings"]), (&1.into(), &json!([])));
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
fn migrate_rewrites_users_of_the_first_format() {
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

    let one_current = json!({"current": 1, "rewritten": 0, "overtaken": 0, "unreadable": 0});
    let one_rewritten = json!({"current": 0, "rewritten": 1, "overtaken": 0, "unreadable": 0});
    let dry = env.run("migrate --dry-run --json").expect_exit(0);
    assert_eq!(dry.target, None);
    assert_eq!(dry.json()["user"], one_rewritten);
    let run = env.run("migrate --json").expect_exit(0);
    assert_eq!(run.target, Some(format!("endpoint {}, tables presence-*", env.url())));
    assert_eq!(run.json()["user"], one_rewritten);
    assert_eq!(env.run("migrate --json").expect_exit(0).json()["user"], one_current);
    assert_eq!(env.run("users find *@example.org --json").expect_exit(0).json()["id"], id.as_str());
    env.run("users audit").expect_exit(0);
}
