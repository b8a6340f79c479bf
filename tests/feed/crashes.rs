//! Publisher killed at each of its calls, and batches that come again.

use presence_tests::CrashPoint;

use super::fixture::{FeedFixture, summaries};

#[tokio::test(flavor = "multi_thread")]
async fn publisher_killed_at_any_call_leaves_each_event_in_the_feed_once() {
    let mut expected = None;
    for call in 1..=2 {
        for moment in [CrashPoint::Before, CrashPoint::After] {
            let what = format!("killed {moment:?} call {call}");
            let mut fixture = FeedFixture::new().await;
            fixture.events.change_everything().await;
            for batch in fixture.events.batches().await {
                assert_eq!(fixture.invoke(&batch, Some((call, moment))).await, None, "{what}");
                for _ in 0..2 {
                    assert_eq!(fixture.invoke(&batch, None).await, Some(0), "{what}: the whole batch comes again");
                }
            }
            let events = fixture.follow(&fixture.events.fixtures.admin_1, "limit=10").await;
            let kinds: Vec<_> = events.iter().map(|event| event["type"].clone()).collect();
            assert_eq!(kinds.len(), 25, "{what}: {:?}", summaries(&events));
            assert_eq!(*expected.get_or_insert(kinds.clone()), kinds, "{what}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_without_a_shard_is_refused_since_nobody_could_tell_if_it_is_in() {
    let mut fixture = FeedFixture::new().await;
    fixture.events.invite("guest").await;
    let mut batch = fixture.events.batches().await.remove(0);
    batch.as_object_mut().expect("an object").remove("shardId");
    assert_eq!(fixture.invoke(&batch, None).await, Some(1));
    assert!(fixture.follow(&fixture.events.fixtures.admin_1, "").await.is_empty());
}
