//! `ops users delete` and `set-status`.

use serde_json::{Value, json};

use crate::cli_env::CliEnv;

fn show(env: &CliEnv, id: &str) -> Value {
    env.run(&format!("users show {id} --json")).expect_exit(0).json()
}

#[test]
fn user_is_deleted_with_its_keys_after_a_question() {
    let env = CliEnv::new();
    let id = env.create_user("zoe@example.org", "--role ORG_ADMIN --org-id 42");
    env.run(&format!("key issue --user {id}")).expect_exit(0);
    let asked = env.run(&format!("users delete {id}")).expect_exit(2);
    let question = format!("Delete user {id} (ORG_ADMIN, active, organisation 42) for good, with its keys?");
    assert_eq!(asked.stderr, format!("error: {question} There is no terminal to ask on: add --yes.\n"));
    assert_eq!(show(&env, &id)["status"], "active");
    let (code, screen) = env.run_on_terminal(&format!("users delete {id}"), "n");
    assert_eq!((code, &show(&env, &id)["status"]), (1, &json!("active")), "{screen}");

    let run = env.run(&format!("users delete {id} --yes --json")).expect_exit(0);
    assert_eq!((run.json(), run.stderr), (json!({ "id": id }), format!("deleted user {id}\n")));
    env.run(&format!("users show {id}")).expect_exit(3);
    env.run(&format!("users delete {id} --yes")).expect_exit(3);
    assert!(env.scan("presence-api-keys").is_empty());
    env.run("users audit").expect_exit(0);
    env.create_user("zoe@example.org", "--role PROVIDER");
}

#[test]
fn invited_user_loses_password_and_keys_and_gets_a_mail() {
    let env = CliEnv::new();
    let id = env.create_user("zoe@example.org", "--role PROVIDER");
    env.run(&format!("key issue --user {id}")).expect_exit(0);
    env.run(&format!("users set-status {id} invited")).expect_exit(2);
    assert_eq!(show(&env, &id)["keys"][0]["state"], "live");
    let run = env.run(&format!("users set-status {id} invited --yes --json")).expect_exit(0).json();
    assert_eq!(run, json!({ "id": id, "status": "invited", "changed": true }));
    let shown = show(&env, &id);
    assert_eq!((&shown["status"], &shown["has_password"]), (&json!("invited"), &json!(false)));
    assert_eq!((&shown["keys"][0]["state"], &shown["mail"]["state"]), (&json!("revoked"), &json!("pending")));
    env.run("users audit").expect_exit(0);
}

#[test]
fn active_user_may_have_keys_and_its_invitation_ends() {
    let env = CliEnv::new();
    let id = env.create_user("zoe@example.org", "--role PROVIDER --status invited");
    env.run(&format!("key issue --user {id}")).expect_exit(1);
    let (code, screen) = env.run_on_terminal(&format!("users set-status {id} active"), "y");
    assert_eq!(code, 0, "{screen}");
    let shown = show(&env, &id);
    assert_eq!((&shown["status"], &shown["mail"]), (&json!("active"), &Value::Null));
    env.run(&format!("key issue --user {id}")).expect_exit(0);
    env.run("users audit").expect_exit(0);
}

#[test]
fn present_status_is_no_change_and_no_question() {
    let env = CliEnv::new();
    let id = env.create_user("zoe@example.org", "--role PROVIDER");
    let run = env.run(&format!("users set-status {id} active --json")).expect_exit(0);
    assert_eq!(run.json(), json!({ "id": id, "status": "active", "changed": false }));
    assert_eq!(run.stderr, format!("user {id} was already active\n"));
    env.run(&format!("users set-status {id} waiting --yes")).expect_exit(2);
    env.run("users set-status 7 active --yes").expect_exit(3);
}

#[test]
fn changes_are_in_the_audit_trail() {
    let env = CliEnv::new();
    let id = env.create_user("zoe@example.org", "--role PROVIDER");
    env.run(&format!("users set-status {id} invited --yes")).expect_exit(0);
    env.run(&format!("users delete {id} --yes")).expect_exit(0);
    let records = env.scan("presence-audit");
    let mut actions: Vec<_> = records.iter().map(|record| record["action"].as_s().expect("text").as_str()).collect();
    actions.sort_unstable();
    assert_eq!(actions, ["create", "delete", "update"]);
}
