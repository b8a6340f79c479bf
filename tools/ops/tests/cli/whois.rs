//! `ops key whois`: a key or its id on standard input.

use serde_json::{Value, json};

use crate::cli_env::{CliEnv, CliOutput};

fn whois(env: &CliEnv, input: &str) -> CliOutput {
    env.run_with_stdin("key whois --json", input.as_bytes())
}

fn issue(env: &CliEnv, options: &str) -> (String, String) {
    let issued = env.run(&format!("key issue --json {options}")).expect_exit(0).json();
    let text = |name: &str| issued[name].as_str().expect("text").to_owned();
    (text("key"), text("id"))
}

#[test]
fn a_key_and_its_id_name_the_owner() {
    let env = CliEnv::new();
    let user = env.create_user("zoe@example.org", "--role ORG_ADMIN --org-id 42");
    let (key, id) = issue(&env, &format!("--user {user} --label laptop --expires 90d"));
    for input in [format!("{key}\n"), key.clone(), format!("  {id}\r\n")] {
        let run = whois(&env, &input).expect_exit(0);
        let mut found = run.json();
        for name in ["created_at", "expires_at"] {
            assert!(found[name].take().as_str().is_some_and(|at| at.ends_with('Z')), "{name}");
        }
        let expected = json!({
            "id": id, "user_id": user, "org_id": 42, "role": "ORG_ADMIN", "label": "laptop", "state": "live",
            "created_at": null, "expires_at": null, "last_used_at": null, "revoked_at": null, "limit": null,
        });
        assert_eq!(found, expected);
        assert!(!run.stdout.contains("pk_") && !run.stderr.contains("pk_"), "the key is not repeated");
    }
}

#[test]
fn a_key_that_gives_no_access_any_more_is_known_by_its_state() {
    let env = CliEnv::new();
    let user = env.create_user("zoe@example.org", "--role PROVIDER");
    let (revoked, id) = issue(&env, &format!("--user {user}"));
    env.run(&format!("key revoke --yes {id}")).expect_exit(0);
    let found = whois(&env, &revoked).expect_exit(0).json();
    assert_eq!((&found["state"], &found["org_id"]), (&json!("revoked"), &Value::Null));
    assert!(found["revoked_at"].is_string());
    let (expired, id) = issue(&env, &format!("--user {user}"));
    env.run(&format!("key rotate {id} --overlap 0h")).expect_exit(0);
    assert_eq!(whois(&env, &expired).expect_exit(0).json()["state"], "expired");
}

#[test]
fn text_has_a_line_for_each_property() {
    let env = CliEnv::new();
    let user = env.create_user("zoe@example.org", "--role PROVIDER");
    let (key, id) = issue(&env, &format!("--user {user}"));
    let run = env.run_with_stdin("key whois", key.as_bytes()).expect_exit(0);
    let names: Vec<_> = run.stdout.lines().map(|line| line[..14].trim_end()).collect();
    let expected = [
        "id",
        "owner",
        "organisation",
        "role",
        "label",
        "state",
        "created",
        "expires",
        "last used",
        "revoked",
        "limit",
    ];
    assert_eq!(names, expected);
    assert!(run.stdout.starts_with(&format!("id            {id}\nowner         {user}\norganisation  -\n")));
}

#[test]
fn unknown_keys_exit_with_3_and_are_not_repeated() {
    let env = CliEnv::new();
    let user = env.create_user("zoe@example.org", "--role PROVIDER");
    let (key, _) = issue(&env, &format!("--user {user}"));
    let mistyped = key.replace("pk_", "pk-");
    let foreign = "pk_ExampleKeyOfTheProvider00000002Y4yOn";
    let unknown_id = format!("{user}-0123456789ab");
    for input in [foreign, &mistyped, &key[..38], &unknown_id, "7-0123456789ab", "nonsense"] {
        let run = whois(&env, input).expect_exit(3);
        assert_eq!(run.stdout, "");
        assert!(run.stderr.contains("there is no such key"), "{}", run.stderr);
        assert!(!run.stderr.contains(&input[3..]), "the text is not repeated");
    }
}

#[test]
fn an_empty_input_is_wrong_usage_and_an_argument_is_too() {
    let env = CliEnv::new();
    for input in ["", "\n", "  \n7-0123456789ab\n"] {
        whois(&env, input).expect_exit(2);
    }
    let run = env.run("key whois 7-0123456789ab").expect_exit(2);
    assert!(run.stdout.is_empty());
}
