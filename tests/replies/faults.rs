//! Publisher of replies killed at each of its calls, and a queue that refuses, throttles and loses its answers.

use presence_domain::review::ReviewId;
use presence_local::BusMode;
use presence_tests::CrashPoint;
use serde_json::Value;

use super::fixture::ReplyFixture;
use crate::events::fixture::remaining;

/// Reviews that get replies.
const NAMES: [&str; 5] = ["a", "b", "d", "e", "g"];
/// Replies to each of them.
const VERSIONS: u64 = 3;

/// Replies to some reviews several times, and returns the batch and the ids.
async fn three_calls(fixture: &mut ReplyFixture) -> (Value, Vec<ReviewId>) {
    let mut ids = Vec::new();
    for version in 1..=VERSIONS {
        for name in NAMES {
            let (id, _) = fixture.reply(name, &format!("reply {version} to {name}")).await;
            ids.extend((version == 1).then_some(id));
        }
    }
    let mut batches = fixture.batches().await;
    assert_eq!(batches.len(), 1);
    (batches.remove(0), ids)
}

fn all_versions(ids: &[ReviewId]) -> Vec<(&ReviewId, Vec<u64>)> {
    ids.iter().map(|id| (id, (1..=VERSIONS).collect())).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn publisher_killed_at_any_call_loses_no_reply_and_keeps_their_order() {
    for call in 1..=VERSIONS {
        for moment in [CrashPoint::Before, CrashPoint::After] {
            let what = format!("killed {moment:?} call {call}");
            let mut fixture = ReplyFixture::new().await;
            let (batch, ids) = three_calls(&mut fixture).await;
            assert_eq!(fixture.invoke(&batch, Some((call, moment))).await, None, "{what}");
            // Lambda hands the whole batch over again.
            let answer = fixture.invoke(&batch, None).await.expect("an answer");
            assert_eq!((answer.failures.len(), fixture.crashes.calls()), (0, VERSIONS), "{what}");
            fixture.assert_versions(&all_versions(&ids), &what);
            fixture.deliver(batch).await;
            fixture.assert_versions(&all_versions(&ids), "a batch that comes once more sends nothing twice");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_queue_that_refuses_messages_one_by_one_gets_those_of_a_review_in_order() {
    let mut fixture = ReplyFixture::new().await;
    let (batch, ids) = three_calls(&mut fixture).await;
    fixture.stack.local.replies().set_mode(BusMode::RefuseHalf);
    fixture.deliver(batch).await;
    fixture.assert_versions(&all_versions(&ids), "refused by halves");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_queue_that_throttles_takes_nothing_and_later_everything_once() {
    let mut fixture = ReplyFixture::new().await;
    let (batch, ids) = three_calls(&mut fixture).await;
    fixture.stack.local.replies().set_mode(BusMode::Throttle);
    let answer = fixture.invoke(&batch, None).await.expect("an answer");
    assert!(remaining(&batch, &answer).is_some(), "the first request is handed over again, with all behind it");
    assert_eq!(fixture.messages(), Vec::<Value>::new());
    fixture.stack.local.replies().set_mode(BusMode::Accept);
    fixture.deliver(batch).await;
    fixture.assert_versions(&all_versions(&ids), "after the throttling");
}

#[tokio::test(flavor = "multi_thread")]
async fn replies_whose_answer_is_lost_are_sent_again_and_the_queue_drops_the_second_ones() {
    let mut fixture = ReplyFixture::new().await;
    let (batch, ids) = three_calls(&mut fixture).await;
    fixture.stack.local.replies().set_mode(BusMode::LoseReply);
    let answer = fixture.invoke(&batch, None).await.expect("an answer");
    assert!(remaining(&batch, &answer).is_some(), "nobody knows what was taken");
    assert_eq!(fixture.messages().len(), NAMES.len(), "no later version before the earlier one is known to be there");
    fixture.stack.local.replies().set_mode(BusMode::Accept);
    fixture.deliver(batch).await;
    fixture.assert_versions(&all_versions(&ids), "after the lost answers");
}
