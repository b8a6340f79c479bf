//! `ops key`: issue, list, rotate, limit and revoke.

use std::net::TcpListener;
use std::process::Command;

use serde_json::Value;

use crate::cli_env::{CliEnv, CliOutput};
use crate::fake_aws::FakeAws;

const KEY_LENGTH: usize = 39;

fn create_owner(env: &CliEnv) -> String {
    env.create_user("zoe@example.org", "--role PROVIDER")
}

fn issue(env: &CliEnv, user: &str, options: &str) -> Value {
    env.run(&format!("key issue --user {user} --json {options}")).expect_exit(0).json()
}

/// Returns the state of each key, oldest first.
fn key_states(env: &CliEnv, user: &str) -> Vec<String> {
    let keys = env.run(&format!("key list --user {user} --json")).expect_exit(0).json();
    let keys = keys.as_array().expect("a list").iter();
    keys.map(|key| key["state"].as_str().expect("text").to_owned()).collect()
}

fn assert_key_is_on_stdout_only(run: &CliOutput) {
    assert!(run.stdout.starts_with("pk_") && run.stdout.trim_end().len() == KEY_LENGTH, "only the key is on stdout");
    assert!(!run.stderr.contains("pk_"), "no message contains a key");
}

#[test]
fn key_is_printed_once() {
    let env = CliEnv::new();
    let user = create_owner(&env);
    let run = env.run(&format!("key issue --user {user} --label laptop --expires 90d")).expect_exit(0);
    assert_key_is_on_stdout_only(&run);
    assert!(run.stderr.starts_with(&format!("issued key {user}-")), "{}", run.stderr);
    let list = env.run(&format!("key list --user {user}")).expect_exit(0);
    assert!(!list.stdout.contains(&run.stdout.trim_end()[3..]));
    let row = list.stdout.lines().nth(1).expect("a row below the header");
    assert!(row.starts_with(&format!("{user}-")) && row.contains(" laptop ") && row.contains(" live "), "{row}");
    env.run("users audit").expect_exit(0);
}

#[test]
fn json_output_contains_key_and_id() {
    let env = CliEnv::new();
    let user = create_owner(&env);
    let issued = issue(&env, &user, "--expires 2w");
    assert_eq!(issued["key"].as_str().map(str::len), Some(KEY_LENGTH));
    let keys = env.run(&format!("key list --user {user} --json")).expect_exit(0).json();
    assert_eq!(
        (&keys[0]["id"], &keys[0]["label"], &keys[0]["revoked_at"]),
        (&issued["id"], &Value::Null, &Value::Null)
    );
    let mut names: Vec<_> = keys[0].as_object().expect("an object").keys().map(String::as_str).collect();
    let expected = ["created_at", "expires_at", "id", "label", "last_used_at", "limit", "revoked_at", "state"];
    names.sort_unstable();
    assert_eq!(names, expected);
}

#[test]
fn user_has_at_most_five_live_keys() {
    let env = CliEnv::new();
    let user = create_owner(&env);
    let first = issue(&env, &user, "");
    for _ in 1..5 {
        issue(&env, &user, "");
    }
    let run = env.run(&format!("key issue --user {user}")).expect_exit(1);
    assert!(run.stdout.is_empty() && run.stderr.contains("5 live keys"), "{}", run.stderr);
    env.run(&format!("key revoke {}", first["id"].as_str().expect("text"))).expect_exit(0);
    issue(&env, &user, "");
    assert_eq!(key_states(&env, &user).iter().filter(|state| *state == "live").count(), 5);
}

#[test]
fn rotated_key_expires_at_the_end_of_the_overlap() {
    let env = CliEnv::new();
    let user = create_owner(&env);
    let first = issue(&env, &user, "--label laptop");
    let id = first["id"].as_str().expect("text");
    let second = env.run(&format!("key rotate {id} --json")).expect_exit(0).json();
    assert_ne!(second["key"], first["key"]);
    assert_eq!(key_states(&env, &user), ["live", "live"]);
    let keys = env.run(&format!("key list --user {user} --json")).expect_exit(0).json();
    assert_eq!(keys[1]["label"], "laptop", "the new key has the name of the old one");
    assert!(keys[0]["expires_at"].is_string() && keys[1]["expires_at"].is_null());
    let id = second["id"].as_str().expect("text");
    let run = env.run(&format!("key rotate {id} --overlap 0h --label desk")).expect_exit(0);
    assert_key_is_on_stdout_only(&run);
    assert_eq!(key_states(&env, &user), ["live", "expired", "live"]);
    let run = env.run(&format!("key rotate {id}")).expect_exit(1);
    assert!(run.stderr.contains("gives no access any more"), "{}", run.stderr);
    env.run("users audit").expect_exit(0);
}

#[test]
fn overlap_never_prolongs_a_key_and_a_lost_expiry_is_reported() {
    let env = CliEnv::new();
    let user = create_owner(&env);
    let id = issue(&env, &user, "--expires 30m")["id"].as_str().expect("text").to_owned();
    let first_expiry =
        || env.run(&format!("key list --user {user} --json")).expect_exit(0).json()[0]["expires_at"].clone();
    let before = first_expiry();
    let run = env.run(&format!("key rotate {id} --overlap 2w")).expect_exit(0);
    assert!(run.stderr.contains("the new one has none"), "{}", run.stderr);
    assert_eq!(first_expiry(), before, "the overlap does not prolong the old key");
}

/// Returns the limit of each key, oldest first.
fn key_limits(env: &CliEnv, user: &str) -> Vec<Option<u64>> {
    let keys = env.run(&format!("key list --user {user} --json")).expect_exit(0).json();
    keys.as_array().expect("a list").iter().map(|key| key["limit"].as_u64()).collect()
}

#[test]
fn a_limit_is_set_and_shown_and_goes_on_to_the_next_key() {
    let env = CliEnv::new();
    let user = create_owner(&env);
    let id = issue(&env, &user, "")["id"].as_str().expect("text").to_owned();
    assert_eq!(key_limits(&env, &user), [None]);
    let run = env.run(&format!("key set-limit {id} 600")).expect_exit(0);
    assert!(run.stderr.ends_with(&format!("key {id} has a limit of 600 requests a minute\n")), "{}", run.stderr);
    let list = env.run(&format!("key list --user {user}")).expect_exit(0);
    assert!(list.stdout.lines().nth(1).is_some_and(|row| row.trim_end().ends_with(" 600")), "{}", list.stdout);
    env.run(&format!("key rotate {id} --overlap 0h")).expect_exit(0);
    assert_eq!(key_limits(&env, &user), [Some(600), Some(600)]);
    for (arguments, limit) in [("0", Some(0)), ("1000000", Some(1_000_000)), ("--default", None)] {
        let set = env.run(&format!("key set-limit {id} {arguments} --json")).expect_exit(0).json();
        assert_eq!((set["id"].as_str(), set["limit"].as_u64()), (Some(id.as_str()), limit));
        assert_eq!(key_limits(&env, &user), [limit, Some(600)]);
    }
    let trail = env.run(&format!("audit --user {user} --json")).expect_exit(0);
    assert_eq!(trail.stdout.matches("set_key_limit").count(), 4, "{}", trail.stdout);
    env.run("users audit").expect_exit(0);
}

#[test]
fn a_limit_out_of_range_is_a_usage_error() {
    let env = CliEnv::new();
    for arguments in ["7-0123456789ab", "7-0123456789ab -1", "7-0123456789ab 1000001", "7-0123456789ab 5 --default"] {
        env.run(&format!("key set-limit {arguments}")).expect_exit(2);
    }
}

#[test]
fn revoked_key_stays_revoked() {
    let env = CliEnv::new();
    let user = create_owner(&env);
    let id = issue(&env, &user, "")["id"].as_str().expect("text").to_owned();
    env.run(&format!("key revoke {id}")).expect_exit(0);
    let before = env.scan("presence-api-keys");
    assert_eq!(env.run(&format!("key revoke {id} --json")).expect_exit(0).json()["id"], id);
    assert_eq!(env.scan("presence-api-keys"), before);
    assert_eq!(key_states(&env, &user), ["revoked"]);
}

#[test]
fn unknown_users_and_keys_exit_with_3() {
    let env = CliEnv::new();
    let user = create_owner(&env);
    let cases = [
        "key issue --user 7".to_owned(),
        "key issue --user nobody".to_owned(),
        "key list --user 7".to_owned(),
        "key list --user 007".to_owned(),
        format!("key revoke {user}-0123456789ab"),
        format!("key rotate {user}-0123456789ab"),
        format!("key set-limit {user}-0123456789ab 5"),
        "key set-limit nonsense --default".to_owned(),
        "key revoke nonsense".to_owned(),
    ];
    for arguments in cases {
        let run = env.run(&arguments).expect_exit(3);
        assert!(run.stdout.is_empty() && run.stderr.starts_with("error: there is no "), "{arguments}: {}", run.stderr);
    }
}

#[test]
fn only_active_users_get_keys() {
    let env = CliEnv::new();
    let user = env.create_user("zoe@example.org", "--role PROVIDER --status invited");
    let run = env.run(&format!("key issue --user {user}")).expect_exit(1);
    assert!(run.stderr.contains("not active"), "{}", run.stderr);
    let list = env.run(&format!("key list --user {user}")).expect_exit(0);
    assert_eq!((list.stdout.as_str(), list.stderr), ("", format!("user {user}, keys: 0\n")));
}

#[test]
fn durations_out_of_bounds_are_wrong_usage() {
    let env = CliEnv::new();
    for arguments in ["issue --user 7 --expires 0h", "issue --user 7 --expires 11y", "issue --user 7 --expires 4000d"] {
        env.run(&format!("key {arguments}")).expect_exit(2);
    }
    for arguments in ["rotate 7-0 --overlap 91d", "rotate 7-0 --overlap 24", "rotate 7-0 --overlap=-1h"] {
        env.run(&format!("key {arguments}")).expect_exit(2);
    }
}

/// Adds credentials and an endpoint of STS to a command, whose tables are in AWS then.
fn sign_in<'a>(command: &'a mut Command, sts: &str) -> &'a mut Command {
    command.env("AWS_ACCESS_KEY_ID", "OFADA").env("AWS_SECRET_ACCESS_KEY", "s").env("AWS_REGION", "eu-west-1");
    command.env("AWS_ENDPOINT_URL_STS", sts)
}

#[test]
fn key_is_revoked_though_sts_refuses_or_is_silent_and_the_trail_says_so() {
    let (env, refusing) = (CliEnv::new(), FakeAws::refusing("GetCallerIdentity"));
    let silent = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let silent = format!("http://{}", silent.local_addr().expect("an address"));
    for (sts, reason) in
        [(&refusing.url, "STS does not tell whose credentials these are"), (&silent, "STS did not answer within 5 s")]
    {
        let user = env.create_user(&format!("ada@s{}.example", reason.len()), "--role PROVIDER");
        let id = issue(&env, &user, "")["id"].as_str().expect("text").to_owned();
        let mut command = env.command(&format!("key revoke {id}"));
        let run = CliOutput::from(sign_in(&mut command, sts).output().expect("the binary runs")).expect_exit(0);
        assert!(run.stderr.starts_with(&format!("warning: {reason}")), "{}", run.stderr);
        assert!(run.stderr.contains("\naccount unknown, region eu-west-1, "), "{}", run.stderr);
        assert_eq!(key_states(&env, &user), ["revoked"]);
        let trail = env.run(&format!("audit --user {user} --json")).expect_exit(0).json_lines();
        let actor = trail.iter().find(|record| record["action"] == "revoke_key").expect("a record")["actor_id"].clone();
        let actor = actor.as_str().expect("text");
        assert!(actor.starts_with("local:") && actor.ends_with(" (STS did not answer)"), "{actor}");
    }
    // Nothing else is as urgent.
    let user = env.create_user("eve@example.org", "--role PROVIDER");
    let mut command = env.command(&format!("key issue --user {user}"));
    CliOutput::from(sign_in(&mut command, &refusing.url).output().expect("the binary runs")).expect_exit(1);
    assert_eq!(key_states(&env, &user), Vec::<String>::new());
}
