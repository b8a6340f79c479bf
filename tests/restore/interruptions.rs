//! Operator's program that dies during a restore: the same plan, run again, comes to the same end.

use presence_ops::Exit;
use presence_store::restore::restored_tables;
use presence_tests::{CrashPoint, calls_apart};

use super::restore_env::RestoreEnv;

/// True for a call that changes tables or items. A death at any other call is one after the change before it.
fn is_write(operation: &str) -> bool {
    let reads = ["Describe", "List", "Get", "BatchGet", "Query", "Scan"];
    !reads.iter().any(|start| operation.starts_with(start))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restore_that_dies_after_any_change_is_finished_by_the_next_run() {
    let env = RestoreEnv::new().await;
    env.recovery.hurry();
    let run = async |prefix: &str| {
        let words = env.restore_words(&format!("--execute --yes --prefix {prefix}"));
        env.ops(&words).await.exit
    };
    env.calls.reset();
    assert_eq!(run("whole-").await, Exit::Done);
    let expected = env.content("whole-").await;
    let writes = env.calls.observed().into_iter().filter(|call| is_write(&call.operation)).map(|call| call.number);
    let writes: Vec<_> = writes.collect();
    assert!(writes.len() > 30, "{writes:?}");
    for call in writes.into_iter().step_by(calls_apart(5)) {
        let prefix = format!("died-{call}-");
        let died = env.crashes.run(Some((call, CrashPoint::After)), run(&prefix)).await;
        assert_eq!(died, None, "call {call}");
        assert_eq!(env.crashes.run(None, run(&prefix)).await, Some(Exit::Done), "call {call}");
        assert_eq!(env.content(&prefix).await, expected, "call {call}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn each_restored_table_is_protected_and_can_be_restored_itself() {
    let env = RestoreEnv::new().await;
    env.restore("").await;
    let client = env.stack.dynamodb_client();
    for table in restored_tables() {
        let name = format!("{}{}", env.restored_prefix(), table.name);
        assert!(env.recovery.is_on(&name), "{name}");
        let described =
            client.describe_table().table_name(&name).send().await.expect("a table").table.expect("a table");
        assert_eq!(described.deletion_protection_enabled, Some(true), "{name}");
        assert_eq!(described.latest_stream_arn.is_some(), table.stream.is_some(), "{name}");
        let expiry = client.describe_time_to_live().table_name(&name).send().await.expect("an answer");
        let attribute = expiry.time_to_live_description.and_then(|expiry| expiry.attribute_name);
        assert_eq!(attribute.as_deref(), table.ttl, "{name}");
        let arn = described.table_arn.expect("an ARN");
        let tags =
            client.list_tags_of_resource().resource_arn(arn).send().await.expect("tags").tags.unwrap_or_default();
        assert!(tags.iter().any(|tag| (tag.key(), tag.value()) == ("Service", "presence")), "{name}");
    }
}
