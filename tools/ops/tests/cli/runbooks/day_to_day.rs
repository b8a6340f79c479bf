//! "Day to day": what `doctor` finds is mended by the command that it names; keys change.

use aws_sdk_dynamodb::Client;
use presence_local::sdk_config;
use serde_json::Value;

use super::rehearsal::Rehearsal;

/// Returns the commands that `doctor` names.
fn mends(rehearsal: &Rehearsal) -> Vec<String> {
    rehearsal.follow("cargo ops doctor", &[]);
    let report: Value = rehearsal.run("cargo ops doctor --json").expect_exit(1).json();
    let findings = report["findings"].as_array().expect("a list");
    findings.iter().map(|finding| finding["mend"].as_str().expect("text").to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_doctor_finds_is_mended_by_the_commands_of_the_page() {
    let rehearsal = Rehearsal::of("Day to day").await;
    let client = Client::new(&sdk_config(rehearsal.stack.dynamodb_url()));
    client.delete_table().table_name("presence-audit").send().await.expect("a table");
    let mends_of_table = mends(&rehearsal);
    assert_eq!(mends_of_table, ["ops tables create"], "a table is missing");
    rehearsal.follow("cargo ops doctor --fix --yes", &[]).expect_exit(0);
    rehearsal.follow("cargo ops doctor", &[]).expect_exit(0);
    rehearsal.follow("cargo ops status", &[]).expect_exit(0);

    let find = "zoe.dubois@maison-verte.example";
    let found = rehearsal.run(&format!("ops users find {find}")).expect_exit(0).stdout;
    assert!(found.contains("1005"), "{found}");
    rehearsal.follow("cargo ops users audit", &[]).expect_exit(0);
    rehearsal.follow("cargo ops businesses move --finish", &[]).expect_exit(0);
    rehearsal.follow("cargo ops reviews audit", &[]).expect_exit(0);

    let keys: Value = rehearsal.run("ops key list --user 1005 --json").expect_exit(0).json();
    let id = keys[0]["id"].as_str().expect("an id");
    let new = rehearsal.follow("cargo ops key rotate ID", &[("ID", id)]).expect_exit(0).stdout;
    for key in [rehearsal.key("BUSINESS_MANAGER"), new.trim_end()] {
        assert_eq!(rehearsal.get("/user/me", key).await.status, 200, "both work during the overlap");
    }
    rehearsal.end().await;
}
