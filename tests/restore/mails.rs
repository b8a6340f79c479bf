//! Mails that waited at the instant of a restore: nobody sends them before an operator decides.

use jiff::SignedDuration;
use presence_domain::invitation::WINDOW;
use presence_ops::Exit;
use presence_tests::{SEEDED_WEBHOOK, TestStack, address};
use serde_json::json;

use super::restore_env::{RestoreEnv, send_mails};

/// Returns the number of mails to the guest.
fn mails_to_guest(stack: &TestStack) -> usize {
    mails_to(stack, &address("guest"))
}

fn mails_to(stack: &TestStack, address: &str) -> usize {
    stack.local.mailbox().mails().iter().filter(|mail| mail.to == address).count()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mail_of_then_is_held_until_it_is_released_and_is_then_sent_once() {
    let env = RestoreEnv::new().await;
    assert_eq!(mails_to_guest(&env.stack), 1, "it was sent since");
    let report = env.restore("").await;
    let held = report["held_mails"].as_array().expect("a list").clone();
    assert_eq!(held.len(), 1);
    let stack = env.restored_stack().await;
    send_mails(&stack).await;
    assert_eq!(mails_to_guest(&stack), 0);
    let ops = async |words: &str| stack.ops(words).await;
    let listed = ops("outbox list --json").await.expect(Exit::Done).stdout;
    assert!(listed.contains(r#""state":"held""#) && listed.contains(&env.then.guest), "{listed}");
    let released = ops("outbox retry --all --json").await.expect(Exit::Done).json();
    assert_eq!(released["ids"], json!(held));
    stack.clock.advance(WINDOW);
    for _ in 0..2 {
        send_mails(&stack).await;
    }
    assert_eq!(mails_to_guest(&stack), 1);
    assert_eq!(stack.audit().await, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_that_got_a_mail_shortly_before_gets_no_other_within_five_minutes() {
    let env = RestoreEnv::new().await;
    let invited = &env.fixtures.invited_2;
    assert!(mails_to(&env.stack, &invited.email) > 0, "it got one just now");
    env.restore("").await;
    let stack = env.restored_stack().await;
    assert_eq!(stack.invite(&invited.id, &env.fixtures.provider.key).await.status, 200);
    for (advance, expected) in [(0, 0), (299, 0), (2, 1)] {
        stack.clock.advance(SignedDuration::from_secs(advance));
        send_mails(&stack).await;
        assert_eq!(mails_to(&stack, &invited.email), expected, "after {advance} seconds more");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_report_tells_if_a_held_mail_was_sent_since() {
    let sent = RestoreEnv::new().await;
    let waiting = RestoreEnv::at_copy().await;
    for (env, expected) in [(&sent, "was sent or called off since"), (&waiting, "still waited before the restore")] {
        let report = env.restore("").await;
        let mail = format!("mail {}", report["held_mails"][0].as_str().expect("a mail"));
        let decisions = report["decisions"].as_array().expect("a list");
        let of_mail = decisions.iter().find(|one| one["subject"] == mail).expect("a decision");
        assert!(of_mail["problem"].as_str().is_some_and(|text| text.contains(expected)), "{of_mail}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_released_mail_is_not_held_again_by_another_run() {
    let env = RestoreEnv::new().await;
    env.restore("").await;
    let stack = env.restored_stack().await;
    let released = stack.ops("outbox retry --all").await;
    released.expect(Exit::Done);
    assert_eq!(env.restore("").await["held_mails"], json!([]));
    stack.clock.advance(WINDOW);
    send_mails(&stack).await;
    assert_eq!(mails_to_guest(&stack), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_notice_of_then_puts_no_mail_again_and_is_left_to_the_operator() {
    let mut env = RestoreEnv::at_copy().await;
    env.stack.disable_webhook(SEEDED_WEBHOOK).await;
    env.copy_again().await;
    let report = env.restore("").await;
    let decisions = report["decisions"].as_array().expect("a list");
    assert!(decisions.iter().any(|one| one["subject"] == format!("webhook {SEEDED_WEBHOOK}")), "{report}");
    for (stack, expected) in [(&env.stack, 1), (&env.restored_stack().await, 0)] {
        // The first sweep puts the mails of a notice, the second one sends them.
        for _ in 0..2 {
            send_mails(stack).await;
        }
        assert_eq!(mails_to(stack, &env.fixtures.admin_1.email), expected);
        assert_eq!(stack.audit().await, []);
    }
}
