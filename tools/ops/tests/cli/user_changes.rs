//! Questions on a terminal, and users by their address.

use serde_json::{Value, json};

use crate::cli_env::CliEnv;

fn show(env: &CliEnv, id: &str) -> Value {
    env.run(&format!("users show {id} --json")).expect_exit(0).json()
}

#[test]
fn answer_on_the_terminal_decides() {
    let env = CliEnv::new();
    let id = env.create_user("zoe@example.org", "--role PROVIDER");
    for no in ["n", ""] {
        let (code, screen) = env.run_on_terminal(&format!("users delete {id}"), no);
        assert_eq!((code, &show(&env, &id)["status"]), (1, &json!("active")), "{no:?}: {screen}");
        assert!(screen.contains("error: cancelled: nothing was done"), "{no:?}: {screen}");
        assert!(!screen.contains("deleted"), "{no:?}: {screen}");
        assert_eq!(screen.matches("for good, with its keys?").count(), 1, "the question is drawn once: {screen}");
    }
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
fn user_named_by_its_address_is_printed_with_its_id() {
    let env = CliEnv::new();
    let id = env.create_user("zoe@example.org", "--role PROVIDER");
    for change in ["users set-status zoe@example.org invited", "users delete zoe@example.org"] {
        assert_eq!(env.run(&format!("{change} --yes --json")).expect_exit(0).json()["id"], json!(id), "{change}");
    }
}
