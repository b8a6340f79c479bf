//! "Another region": the second region has tables in which transactions arrived in part. Both audits find them.

use std::collections::HashMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::AttributeValue;
use jiff::SignedDuration;
use presence_domain::invitation::WINDOW;
use presence_local::{Options, Stack, sdk_config};
use serde_json::{Value, json};

use super::counts::{damage, forget_recent};
use super::rehearsal::Rehearsal;

/// Lag of the functions behind the operator: more than the window of an invitation, and less than the mailer may take.
const LAG: SignedDuration = SignedDuration::from_mins(10);

/// Deletes the waiting mail of a user, as if it had not been replicated.
async fn lose_mail(stack: &Stack, user: &str) {
    let client = Client::new(&sdk_config(stack.dynamodb_url()));
    let query = client.query().table_name("presence-users").consistent_read(true);
    let query = query.key_condition_expression("pk = :pk AND begins_with(sk, :mail)");
    let query = query.expression_attribute_values(":pk", AttributeValue::S(format!("USER#{user}")));
    let query = query.expression_attribute_values(":mail", AttributeValue::S("MAIL#".to_owned()));
    let found = query.send().await.expect("an answer").items.expect("items");
    assert_eq!(found.len(), 1, "{found:?}");
    let key = ["pk", "sk"].map(|name| (name.to_owned(), found[0][name].clone()));
    let delete = client.delete_item().table_name("presence-users").set_key(Some(HashMap::from(key)));
    delete.send().await.expect("an answer");
}

/// Writes the template with global tables, by the first command of the block. The others need an account.
fn write_template(rehearsal: &Rehearsal) {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    symlink(repository.join("tools"), rehearsal.folder().join("tools")).expect("a link");
    let block = rehearsal.command("tools/ci/with-global-tables template");
    let (write, _) = block.split_once('\n').expect("several commands");
    rehearsal.run(write).expect_exit(0);
    let (_, name) = write.rsplit_once(' ').expect("a file");
    let template = fs::read_to_string(rehearsal.folder().join(name)).expect("a template");
    assert_eq!(template.matches("Type: AWS::DynamoDB::GlobalTable").count(), 7);
    assert!(!template.contains("Type: AWS::DynamoDB::Table\n") && template.contains("\n  SecondRegion:\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn transactions_that_arrived_in_part_are_found_and_mended_before_the_region_opens() {
    let options = Options { sample: true, ..Options::default() };
    let rehearsal = Rehearsal::with("Another region", options, LAG).await;
    write_template(&rehearsal);
    let admin = rehearsal.key("ORG_ADMIN");
    let all = "/reviews?per_page=1";
    let right = rehearsal.get_cold(all, admin).await.json()["count"].clone();
    let body = json!({ "email": "ada@example.org", "first_name": "Ada", "last_name": "Byron", "status": "invited" });
    let user = rehearsal.post("/user", admin, &body).await.json()["id"].as_str().expect("an id").to_owned();
    rehearsal.run("ops reviews rebuild --org 42").expect_exit(0);

    lose_mail(&rehearsal.stack, &user).await;
    damage(&rehearsal.stack, "o:42", forget_recent).await;

    // Step 3.
    let found = rehearsal.follow("cargo ops users audit", &[]).expect_exit(1).stdout;
    assert_eq!(found, format!("user {user}: names a mail that is not there\n"));
    let found = rehearsal.follow("cargo ops reviews audit", &[]).expect_exit(1).stdout;
    assert!(found.starts_with("tree o:42: "), "{found}");
    assert_ne!(rehearsal.get_cold(all, admin).await.json()["count"], right, "the fault shows");
    rehearsal.follow("ops reviews rebuild --org N", &[("N", "42")]).expect_exit(0);
    assert_eq!(rehearsal.get_cold(all, admin).await.json()["count"], right);
    rehearsal.clock.advance(WINDOW);
    let again = rehearsal.post(&format!("/user/{user}/invite"), admin, &Value::Null).await;
    assert_eq!(again.status, 200, "{}", again.text);
    rehearsal.run(rehearsal.command_exactly("ops users audit")).expect_exit(0);
    rehearsal.end().await;
}
