//! `ops key`

use serde_json::Value;

use crate::stage::{Run, Stage};

const KEY_LENGTH: usize = 39;

fn owner(stage: &Stage) -> String {
    stage.user("zoe@example.org", "--role PROVIDER")
}

fn issue(stage: &Stage, user: &str, rest: &str) -> Value {
    stage.ops(&format!("key issue --user {user} --json {rest}")).exits(0).json()
}

/// State of each key, oldest first.
fn states(stage: &Stage, user: &str) -> Vec<String> {
    let keys = stage.ops(&format!("key list --user {user} --json")).exits(0).json();
    let keys = keys.as_array().expect("a list").iter();
    keys.map(|key| key["state"].as_str().expect("text").to_owned()).collect()
}

fn shows_key_on_stdout_only(run: &Run) {
    assert!(run.stdout.starts_with("pk_") && run.stdout.trim_end().len() == KEY_LENGTH, "nothing but the key is there");
    assert!(!run.stderr.contains("pk_"), "no key is among the messages");
}

#[test]
fn a_key_is_printed_once_and_nowhere_else() {
    let stage = Stage::new();
    let user = owner(&stage);
    let run = stage.ops(&format!("key issue --user {user} --label laptop --expires 90d")).exits(0);
    shows_key_on_stdout_only(&run);
    assert!(run.stderr.starts_with(&format!("issued key {user}-")), "{}", run.stderr);
    let list = stage.ops(&format!("key list --user {user}")).exits(0);
    assert!(!list.stdout.contains(&run.stdout.trim_end()[3..]));
    let row = list.stdout.lines().nth(1).expect("a row under the head");
    assert!(
        row.starts_with(&format!("{user}-")) && row.contains(" laptop ") && row.trim_end().ends_with("live"),
        "{row}"
    );
    stage.ops("users audit").exits(0);
}

#[test]
fn json_holds_key_and_id() {
    let stage = Stage::new();
    let user = owner(&stage);
    let issued = issue(&stage, &user, "--expires 2w");
    assert_eq!(issued["key"].as_str().map(str::len), Some(KEY_LENGTH));
    let keys = stage.ops(&format!("key list --user {user} --json")).exits(0).json();
    assert_eq!(
        (&keys[0]["id"], &keys[0]["label"], &keys[0]["revoked_at"]),
        (&issued["id"], &Value::Null, &Value::Null)
    );
    let names: Vec<_> = keys[0].as_object().expect("an object").keys().map(String::as_str).collect();
    let expected = ["created_at", "expires_at", "id", "label", "last_used_at", "revoked_at", "state"];
    assert_eq!(
        {
            let mut names = names;
            names.sort_unstable();
            names
        },
        expected
    );
}

#[test]
fn a_user_has_at_most_five_live_keys() {
    let stage = Stage::new();
    let user = owner(&stage);
    let first = issue(&stage, &user, "");
    for _ in 1..5 {
        issue(&stage, &user, "");
    }
    let run = stage.ops(&format!("key issue --user {user}")).exits(1);
    assert!(run.stdout.is_empty() && run.stderr.contains("5 live keys"), "{}", run.stderr);
    stage.ops(&format!("key revoke {}", first["id"].as_str().expect("text"))).exits(0);
    issue(&stage, &user, "");
    assert_eq!(states(&stage, &user).iter().filter(|state| *state == "live").count(), 5);
}

#[test]
fn a_rotated_key_lives_on_through_the_overlap_and_no_longer() {
    let stage = Stage::new();
    let user = owner(&stage);
    let first = issue(&stage, &user, "--label laptop");
    let id = first["id"].as_str().expect("text");
    let second = stage.ops(&format!("key rotate {id} --json")).exits(0).json();
    assert_ne!(second["key"], first["key"]);
    assert_eq!(states(&stage, &user), ["live", "live"]);
    let keys = stage.ops(&format!("key list --user {user} --json")).exits(0).json();
    assert_eq!(keys[1]["label"], "laptop", "the new key is called as the old one");
    assert!(keys[0]["expires_at"].is_string() && keys[1]["expires_at"].is_null());
    let id = second["id"].as_str().expect("text");
    let run = stage.ops(&format!("key rotate {id} --overlap 0h --label desk")).exits(0);
    shows_key_on_stdout_only(&run);
    assert_eq!(states(&stage, &user), ["live", "expired", "live"]);
    let run = stage.ops(&format!("key rotate {id}")).exits(1);
    assert!(run.stderr.contains("gives no access any more"), "{}", run.stderr);
    stage.ops("users audit").exits(0);
}

#[test]
fn an_overlap_never_prolongs_a_key_and_a_lost_expiry_is_told() {
    let stage = Stage::new();
    let user = owner(&stage);
    let id = issue(&stage, &user, "--expires 30m")["id"].as_str().expect("text").to_owned();
    let first_expiry = || stage.ops(&format!("key list --user {user} --json")).exits(0).json()[0]["expires_at"].clone();
    let before = first_expiry();
    let run = stage.ops(&format!("key rotate {id} --overlap 2w")).exits(0);
    assert!(run.stderr.contains("the new one has none"), "{}", run.stderr);
    assert_eq!(first_expiry(), before, "the overlap lets the old key live no longer");
}

#[test]
fn a_revoked_key_stays_revoked() {
    let stage = Stage::new();
    let user = owner(&stage);
    let id = issue(&stage, &user, "")["id"].as_str().expect("text").to_owned();
    stage.ops(&format!("key revoke {id}")).exits(0);
    let before = stage.items("presence-api-keys");
    assert_eq!(stage.ops(&format!("key revoke {id} --json")).exits(0).json()["id"], id);
    assert_eq!(stage.items("presence-api-keys"), before);
    assert_eq!(states(&stage, &user), ["revoked"]);
}

#[test]
fn unknown_users_and_keys_are_3() {
    let stage = Stage::new();
    let user = owner(&stage);
    let cases = [
        "key issue --user 7".to_owned(),
        "key issue --user nobody".to_owned(),
        "key list --user 7".to_owned(),
        "key list --user 007".to_owned(),
        format!("key revoke {user}-0123456789ab"),
        format!("key rotate {user}-0123456789ab"),
        "key revoke nonsense".to_owned(),
    ];
    for words in cases {
        let run = stage.ops(&words).exits(3);
        assert!(run.stdout.is_empty() && run.stderr.starts_with("error: there is no "), "{words}: {}", run.stderr);
    }
}

#[test]
fn only_active_users_get_keys() {
    let stage = Stage::new();
    let user = stage.user("zoe@example.org", "--role PROVIDER --status invited");
    let run = stage.ops(&format!("key issue --user {user}")).exits(1);
    assert!(run.stderr.contains("not active"), "{}", run.stderr);
    let list = stage.ops(&format!("key list --user {user}")).exits(0);
    assert_eq!((list.stdout.as_str(), list.stderr), ("", format!("user {user}, keys: 0\n")));
}

#[test]
fn durations_out_of_bounds_are_wrong_usage() {
    let stage = Stage::new();
    for words in ["issue --user 7 --expires 0h", "issue --user 7 --expires 11y", "issue --user 7 --expires 4000d"] {
        stage.ops(&format!("key {words}")).exits(2);
    }
    for words in ["rotate 7-0 --overlap 91d", "rotate 7-0 --overlap 24", "rotate 7-0 --overlap=-1h"] {
        stage.ops(&format!("key {words}")).exits(2);
    }
}
