//! The runbook "When a key leaks": its commands as they stand in the operator's guide, on a local stack.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use presence_local::{Options, Stack};
use serde_json::Value;

/// Id of the sample's manager, whom its administrator may change.
const MANAGER: &str = "1005";

/// Returns the first block of commands under a heading of the operator's guide.
fn commands(heading: &str) -> String {
    let guide = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/docs/deploy.md");
    let guide = fs::read_to_string(guide).expect("the guide");
    let section = guide.split("\n## ").find(|section| section.starts_with(heading)).expect("the section");
    let block = section.split("```sh\n").nth(1).and_then(|block| block.split("```").next()).expect("a block");
    block.to_owned()
}

/// Sends a request to the stack and returns the status of its answer.
fn request(stack: &Stack, method: &str, path: &str, key: &str, body: &str) -> u16 {
    let url = stack.base_url();
    let address = url.trim_start_matches("http://").split('/').next().expect("an address");
    let mut stream = TcpStream::connect(address).expect("the gateway listens");
    let head = format!(
        "{method} /api/v2{path} HTTP/1.1\r\nhost: {address}\r\nx-api-key: {key}\r\nconnection: close\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(head.as_bytes()).expect("a request");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status")
}

/// Runs commands of the guide in a folder, where `cargo ops` is the binary under test.
fn run(commands: &str, folder: &Path, stack: &Stack) -> String {
    let shim = folder.join("cargo");
    let text = format!("#!/bin/sh\n[ \"$1\" = ops ] || exit 99\nshift\nexec {} \"$@\"\n", env!("CARGO_BIN_EXE_ops"));
    fs::write(&shim, text).expect("a script");
    fs::set_permissions(&shim, fs::Permissions::from_mode(0o755)).expect("a script that runs");
    let mut shell = Command::new("sh");
    shell.args(["-euc", commands]).current_dir(folder).env_clear();
    shell.env("PATH", format!("{}:/usr/local/bin:/usr/bin:/bin", folder.display()));
    let run = shell.env("AWS_ENDPOINT_URL_DYNAMODB", stack.dynamodb_url()).output().expect("a shell");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    String::from_utf8(run.stdout).expect("text")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_leaked_key_is_found_and_revoked_and_its_doings_are_listed() {
    let stack = Stack::start(Options { sample: true, ..Options::default() }).await.expect("a stack");
    let (leaked, other) = (&stack.keys()["ORG_ADMIN"], &stack.keys()["PROVIDER"]);
    let manager = format!("/user/{MANAGER}");
    assert_eq!(request(&stack, "POST", &manager, leaked, r#"{"phone": "1", "password": "canary-pass-1"}"#), 200);
    assert_eq!(request(&stack, "POST", &manager, other, r#"{"last_name": "King"}"#), 200);
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("leaked-key.txt"), format!("{leaked}\n")).expect("a file");

    let block = commands("When a key leaks");
    assert_eq!(block.lines().count(), 3, "three commands: {block}");
    let output = run(&block, folder.path(), &stack);

    let whois: Value = serde_json::from_str(output.lines().next().expect("a line")).expect("JSON");
    assert_eq!((&whois["role"], &whois["state"]), (&"ORG_ADMIN".into(), &"live".into()));
    let doings: Vec<_> = output.lines().filter(|line| line.contains(" update ")).collect();
    let key = whois["id"].as_str().expect("text");
    assert!(doings.len() == 1 && doings[0].contains(key) && doings[0].ends_with(" phone,password"), "{output}");
    assert_eq!(request(&stack, "GET", "/user/me", leaked, ""), 401, "it is revoked");
    assert_eq!(request(&stack, "GET", "/user/me", other, ""), 200);
    assert!(!output.contains(leaked.as_str()), "the key is not repeated");
    stack.stop().await;
}
