//! "When a key leaks".

use std::fs;

use reqwest::Method;
use serde_json::{Value, json};

use super::log;
use super::page::simple_commands;
use super::rehearsal::{PASSWORD, Rehearsal};

/// Id of the sample's manager, whom its administrator may change.
const MANAGER: &str = "1005";

#[tokio::test(flavor = "multi_thread")]
async fn a_leaked_key_is_found_and_revoked_and_its_doings_are_listed() {
    let rehearsal = Rehearsal::of("When a key leaks").await;
    let (leaked, other) = (rehearsal.key("ORG_ADMIN"), rehearsal.key("PROVIDER"));
    let manager = format!("/user/{MANAGER}");
    let change = json!({ "phone": "1", "password": PASSWORD });
    assert_eq!(rehearsal.post(&manager, leaked, &change).await.status, 200);
    assert_eq!(rehearsal.post(&manager, other, &json!({ "last_name": "King" })).await.status, 200);
    fs::write(rehearsal.folder().join("leaked-key.txt"), format!("{leaked}\n")).expect("a file");

    let block = rehearsal.command("cargo ops key whois");
    assert_eq!(simple_commands(block).len(), 3, "three commands: {block}");
    let output = rehearsal.run(block).expect_exit(0).stdout;

    let whois: Value = serde_json::from_str(output.lines().next().expect("a line")).expect("JSON");
    assert_eq!((&whois["role"], &whois["state"]), (&json!("ORG_ADMIN"), &json!("live")));
    let doings: Vec<_> = output.lines().filter(|line| line.contains("\tupdate\t")).collect();
    let id = whois["id"].as_str().expect("text");
    assert!(doings.len() == 1 && doings[0].contains(id) && doings[0].ends_with("\tphone,password"), "{output}");
    let refused = rehearsal.get("/user/me", leaked).await;
    assert_eq!(refused.status, 401, "it is revoked");
    let lines = log::query("key", id);
    assert!(lines.iter().any(|line| line["request_id"] == *refused.request_id), "reads are in the log: {lines:?}");
    assert_eq!(rehearsal.get("/user/me", other).await.status, 200);

    let owner = whois["user_id"].as_str().expect("an id").to_owned();
    let list = rehearsal.follow("cargo ops key list --user ID", &[("ID", &owner)]).expect_exit(0).stdout;
    assert!(list.contains(id) && list.contains("revoked"), "{list}");
    let new = rehearsal.follow("cargo ops key issue --user ID", &[("ID", &owner)]).expect_exit(0).stdout;
    assert_eq!(rehearsal.send(Method::GET, "/user/me", new.trim_end(), &Value::Null).await.status, 200);
    rehearsal.end().await;
}
