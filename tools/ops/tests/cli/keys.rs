//! `ops key revoke` while STS does not answer.

use std::net::TcpListener;

use crate::cli_env::CliEnv;
use crate::fake_aws::FakeAws;

/// Returns the state of each key, oldest first.
fn key_states(env: &CliEnv, user: &str) -> Vec<String> {
    let keys = env.run(&format!("key list --user {user} --json")).expect_exit(0).json();
    let keys = keys.as_array().expect("a list").iter();
    keys.map(|key| key["state"].as_str().expect("text").to_owned()).collect()
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
        let id = env.run(&format!("key issue --user {user} --json")).expect_exit(0).json()["id"]
            .as_str()
            .expect("text")
            .to_owned();
        let run = env.run_signed_in(&format!("key revoke {id}"), sts).expect_exit(0);
        assert!(run.stderr.starts_with(&format!("warning: {reason}")), "{}", run.stderr);
        assert!(run.stderr.contains("\naccount unknown, region eu-west-3, "), "{}", run.stderr);
        assert_eq!(key_states(&env, &user), ["revoked"]);
        let trail = env.run(&format!("audit --user {user} --json")).expect_exit(0).json_lines();
        let actor = trail.iter().find(|record| record["action"] == "revoke_key").expect("a record")["actor_id"].clone();
        let actor = actor.as_str().expect("text");
        assert!(actor.starts_with("local:") && actor.ends_with(" (STS did not answer)"), "{actor}");
    }
    // Nothing else is as urgent.
    let user = env.create_user("eve@example.org", "--role PROVIDER");
    env.run_signed_in(&format!("key issue --user {user}"), &refusing.url).expect_exit(1);
    assert_eq!(key_states(&env, &user), Vec::<String>::new());
}
