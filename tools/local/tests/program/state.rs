//! File by which other programs of this machine find a running stack.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use super::program;

/// Starts a stack whose files are below a folder, and returns it with its line of JSON.
fn start(state: &Path) -> (Child, Value) {
    let mut command = program(&["--port", "0", "--empty", "--no-mailer", "--json"]);
    let mut child =
        command.env("XDG_STATE_HOME", state).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("starts");
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
    (child, serde_json::from_str(&line).expect("one line of JSON"))
}

#[test]
fn file_has_the_addresses_of_the_stack_until_it_stops_and_the_next_one_removes_that_of_a_killed_one() {
    let state = tempfile::tempdir().expect("a folder");
    let files = || -> Vec<Value> {
        let files = fs::read_dir(state.path().join("presence/stacks")).expect("a folder");
        let read = |path| fs::read_to_string(path).expect("a file");
        files.map(|file| serde_json::from_str(&read(file.expect("a file").path())).expect("JSON")).collect()
    };
    let (mut killed, ready) = start(state.path());
    assert_eq!(files().len(), 1);
    assert_eq!((&files()[0]["dynamodb_url"], &files()[0]["base_url"]), (&ready["dynamodb_url"], &ready["base_url"]));
    assert!(!files()[0].to_string().contains("pk_"), "no key");
    killed.kill().and_then(|()| killed.wait()).expect("it ends");
    assert_eq!(files().len(), 1, "nobody could remove it");
    let (mut stopped, ready) = start(state.path());
    assert_eq!(files().len(), 1, "the file of the killed one is gone");
    assert_eq!(files()[0]["dynamodb_url"], ready["dynamodb_url"]);
    let ended = Command::new("kill").arg(stopped.id().to_string()).status().expect("a signal");
    assert!(ended.success() && stopped.wait().expect("it ends").success());
    assert_eq!(files().len(), 0);
}
