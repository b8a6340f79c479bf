//! Plan of a restore as it is printed, and what stops it before anything is written.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::{AttributeValue, ReturnValue};
use presence_domain::review::Partner;
use presence_ops::Exit;
use presence_store::keys::{LOCK_SK, lock_pk};
use presence_store::schema::{REVIEWS, USERS};
use presence_store::{Business, Stores};
use presence_tests::operator_scope;
use presence_tests::reviews::{business_id, org_id, test_review};
use serde_json::{Value, json};

use super::restore_env::RestoreEnv;

/// Returns the names of all tables.
async fn table_names(env: &RestoreEnv) -> Vec<String> {
    let client = env.stack.dynamodb_client();
    client.list_tables().send().await.expect("an answer").table_names.unwrap_or_default()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plan_lists_its_steps_with_their_commands_and_writes_nothing() {
    let env = RestoreEnv::new().await;
    let (tables, items) = (table_names(&env).await, env.stack.snapshot().await);
    let plan = env.ops(&env.restore_words("--json")).await.expect(Exit::Done);
    let steps = plan.json().as_array().expect("a list").clone();
    let names: Vec<_> = steps.iter().map(|step| step["name"].as_str().expect("a name")).collect();
    assert_eq!(names, ["check", "tables", "settings", "again", "mails", "audits", "local"]);
    assert!(steps.iter().zip(1..).all(|(step, number)| step["step"] == number && step["commands"][0].is_string()));
    let again = steps[3]["commands"].to_string();
    let restored = format!(
        "TABLE_PREFIX={} AUDIT_TABLE={own}audit EVENTS_TABLE={own}events ops",
        env.restored_prefix(),
        own = env.stack.table_prefix()
    );
    assert!(again.contains(&format!("{restored} users delete {}", env.fixtures.manager_2.id)), "{again}");
    assert!(again.contains(&format!("{restored} key revoke {}-", env.fixtures.manager_1.id)), "{again}");
    let text = env.ops(&env.restore_words("")).await.expect(Exit::Done).stdout;
    for step in &steps {
        let first = format!("{}. {}: ", step["step"], step["name"].as_str().expect("a name"));
        assert!(text.contains(&first), "{first}");
        for command in step["commands"].as_array().expect("commands") {
            assert!(text.contains(&format!("   {}\n", command.as_str().expect("text"))), "{command}");
        }
    }
    assert_eq!((table_names(&env).await, env.stack.snapshot().await), (tables, items));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plan_by_hand_holds_the_mails_by_a_command_that_can_be_run() {
    let env = RestoreEnv::at_copy().await;
    let plan = env.ops(&env.restore_words("--json --prefix by-hand- --undo 4711")).await.expect(Exit::Done).json();
    let hold = plan[4]["commands"][0].as_str().expect("a command");
    let words = format!("{} --execute --until mails", env.restore_words("--prefix by-hand- --undo 4711"));
    assert_eq!(hold, format!("ops {words}"));
    let report = env.ops(&format!("{words} --yes --json")).await.expect(Exit::Done).json();
    assert_eq!(report["held_mails"].as_array().map(Vec::len), Some(1), "{report}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restore_that_cannot_begin_writes_nothing_and_says_why() {
    let env = RestoreEnv::new().await;
    let tables = table_names(&env).await;
    let refused = async |words: &str, expected: &str| {
        let output = env.ops(words).await.expect(Exit::Failed);
        assert!(output.stderr.contains(expected), "{words}: {}", output.stderr);
    };
    refused("restore plan --at 2020-01-01T00:00:00Z --execute --yes", "can be restored to an instant from").await;
    // A table of another origin has the name.
    let taken = format!("{}users", env.restored_prefix());
    let client = env.stack.dynamodb_client();
    USERS.create(&client, &taken).send().await.expect("a table");
    refused(&env.restore_words("--execute --yes"), &format!("the table {taken} is another one")).await;
    let reviews = env.stack.stores().database.name(&REVIEWS);
    env.recovery.switch_off(&reviews);
    let problem = format!("point-in-time recovery of {reviews} is off");
    refused(&env.restore_words("--execute --yes --prefix other-"), &problem).await;
    refused(&env.restore_words(""), &problem).await;
    let mut expected = [tables, vec![taken]].concat();
    expected.sort();
    assert_eq!(table_names(&env).await, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restore_asks_and_never_writes_into_the_tables_that_it_restores() {
    let env = RestoreEnv::new().await;
    let tables = table_names(&env).await;
    let asked = env.ops(&env.restore_words("--execute --json")).await.expect(Exit::Usage);
    let error: Value = serde_json::from_str(asked.stderr.lines().last().expect("a line")).expect("JSON");
    assert_eq!(error["error"]["code"], json!("usage"));
    let same = format!("--execute --yes --prefix {}", env.stack.table_prefix());
    env.ops(&env.restore_words(&same)).await.expect(Exit::Usage);
    assert_eq!(table_names(&env).await, tables);
}

#[tokio::test(flavor = "multi_thread")]
async fn findings_of_an_audit_stop_the_restore_until_they_are_mended() {
    let env = RestoreEnv::at_copy().await;
    env.restore("").await;
    // The address of a user is no longer reserved.
    let lock = AttributeValue::S(lock_pk(&env.fixtures.manager_1.email));
    let key = HashMap::from([("pk".to_owned(), lock), ("sk".to_owned(), AttributeValue::S(LOCK_SK.to_owned()))]);
    let client = env.stack.dynamodb_client();
    let delete = client.delete_item().table_name(format!("{}users", env.restored_prefix())).set_key(Some(key));
    let old = delete.return_values(ReturnValue::AllOld).send().await.expect("an answer").attributes;
    let words = env.restore_words("--execute --yes --json");
    let stopped = env.ops(&words).await.expect(Exit::Failed);
    assert!(stopped.stderr.contains("findings: 1"), "{}", stopped.stderr);
    let finding =
        json!({ "subject": format!("user {}", env.fixtures.manager_1.id), "problem": "has no lock on its address" });
    assert!(stopped.json()["decisions"].as_array().expect("a list").contains(&finding));
    let put = client.put_item().table_name(format!("{}users", env.restored_prefix())).set_item(old);
    put.send().await.expect("an answer");
    env.ops(&words).await.expect(Exit::Done);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restore_finishes_the_moves_of_its_instant() {
    let mut env = RestoreEnv::at_copy().await;
    let (stores, review) = (env.stack.stores(), test_review(Partner::Partner8, "moving", ("b-moving", 1, "lyon")));
    let business = |org| Business {
        id: business_id("b-moving"),
        org_id: org_id(org),
        name: "Shop".to_owned(),
        city: "Lyon".to_owned(),
    };
    stores.reviews.put_business(&business(1)).await.expect("the store answers");
    stores.reviews.upsert_reviews(std::slice::from_ref(&review)).await.expect("a new review");
    // The first call of a move only: the copy is taken before the reviews move.
    stores.businesses.put(&business(2)).await.expect("the store answers");
    env.copy_again().await;
    env.restore("").await;
    let restored = Stores::new(env.stack.stores().database.with_prefix(&env.restored_prefix()));
    let moved = restored.reviews.get_review(operator_scope(), &review.id).await.expect("the store answers");
    assert_eq!(moved.map(|review| review.org_id), Some(org_id(2)));
    assert!(restored.reviews.unfinished_moves().await.expect("the store answers").moves.is_empty());
}
