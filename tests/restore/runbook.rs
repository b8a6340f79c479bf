//! Runbook of a restore: the commands of the operator's guide as they stand there, one after the other.

use std::path::Path;
use std::sync::Arc;

use presence_domain::invitation::WINDOW;
use presence_ops::Exit;
use presence_store::Stores;
use presence_tests::address;
use presence_tests::ops::run_ops;

use super::restore_env::{RestoreEnv, send_mails, status_of};

/// Returns the commands in the blocks of a section of the guide, in order, without comments.
fn commands(section: &str) -> Vec<String> {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/docs/restore.md");
    let guide = std::fs::read_to_string(guide).expect("the guide");
    let section = guide.split("\n## ").find(|one| one.starts_with(section)).expect("the section");
    let blocks = section.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next());
    let lines = blocks.flat_map(str::lines).filter_map(|line| line.split(" #").next());
    lines.map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_runbook_of_a_restore_ends_healthy() {
    let env = RestoreEnv::new().await;
    let (own, restored) = (env.stack.table_prefix().to_owned(), env.restored_prefix());
    let (mut is_restored, mut runs) = (false, 0);
    for command in commands("Restoring the tables") {
        let command = command
            .replace("2026-11-22T12:00:00Z", &env.at.to_string())
            .replace("presence-audit", &format!("{own}audit"))
            .replace("presence-events", &format!("{own}events"));
        let command = command.replace("presence-r202611221200-", &restored);
        if let Some(variables) = command.strip_prefix("export ") {
            assert_eq!(variables, format!("TABLE_PREFIX={restored} AUDIT_TABLE={own}audit EVENTS_TABLE={own}events"));
            is_restored = true;
            continue;
        }
        let words = command.strip_prefix("cargo ops ").unwrap_or_else(|| panic!("a command of the tool: {command}"));
        let output = if is_restored {
            let stores = Stores::new(env.stack.stores().database.with_prefix(&restored));
            run_ops(&stores, Arc::clone(&env.stack.clock) as _, words, |context| context).await
        } else {
            env.ops(words).await
        };
        output.expect(Exit::Done);
        runs += 1;
    }
    assert!(runs >= 5, "{runs} commands");
    let stack = env.restored_stack().await;
    stack.clock.advance(WINDOW);
    send_mails(&stack).await;
    let to_guest = stack.local.mailbox().mails().iter().filter(|mail| mail.to == address("guest")).count();
    assert_eq!((to_guest, stack.audit().await), (1, vec![]));
    assert_eq!(status_of(&stack, &env.then.revoked).await, 401);
    assert_eq!(status_of(&stack, &env.fixtures.manager_1.key).await, 200);
}
