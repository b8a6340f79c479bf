//! The commands that a local stack without keys prints: they make a first user and its key, as they stand.

use std::process::{Command, Stdio};

use presence_local::{Options, Stack, first_key};
use presence_runtime::config::Config;
use serde_json::Value;

/// Runs lines in a shell in which `cargo ops` is the binary of these tests, and returns what they print.
fn run(lines: &[String]) -> String {
    let script = format!("cargo() {{ [ \"$1\" = ops ] && shift && \"$0\" \"$@\"; }}\n{}", lines.join("\n"));
    let mut shell = Command::new("bash");
    shell.args(["-euo", "pipefail", "-c", &script, env!("CARGO_BIN_EXE_ops")]);
    shell.stdin(Stdio::null());
    // The lines set whatever `ops` needs.
    for name in [
        "AWS_ENDPOINT_URL_DYNAMODB",
        "AWS_ENDPOINT_URL",
        "AWS_PROFILE",
        "AWS_REGION",
        "TABLE_PREFIX",
        "AUDIT_TABLE",
        "EVENTS_TABLE",
        "REVIEWS_TABLE",
    ] {
        shell.env_remove(name);
    }
    let output = shell.output().expect("bash starts");
    assert!(output.status.success(), "{script}\n{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_of_an_empty_stack_make_a_key_that_gives_access() {
    for (prefix, audit_table) in [("presence-", None), ("other-", Some("trail"))] {
        let tables = Config { audit_table: audit_table.map(str::to_owned), ..Config::of_prefix(prefix) };
        let Config { table_prefix, audit_table, .. } = tables.clone();
        let options = Options { table_prefix, audit_table, ..Options::default() };
        let stack = Stack::start(options).await.expect("the stack starts");
        assert!(stack.keys().is_empty());
        let commands = first_key::commands(stack.dynamodb_url(), &tables);
        let printed = tokio::task::spawn_blocking(move || run(&commands)).await.expect("no panic");
        let key = printed.trim_end();
        assert!(key.starts_with("pk_") && !key.contains('\n'), "the key is all that is printed");
        let request = reqwest::Client::new().get(format!("{}/user/me", stack.base_url())).header("x-api-key", key);
        let answer = request.send().await.expect("an answer");
        assert_eq!(answer.status().as_u16(), 200, "{prefix}");
        let user: Value = answer.json().await.expect("JSON");
        assert_eq!((&user["role"], &user["email"]), (&"PROVIDER".into(), &"ada@example.org".into()), "{prefix}");
        stack.stop().await;
    }
}
