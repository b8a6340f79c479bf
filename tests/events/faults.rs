//! Publisher killed at each of its calls, and a bus that refuses, throttles and loses its answers.

use std::collections::BTreeSet;

use presence_local::BusMode;
use presence_tests::CrashPoint;
use serde_json::{Value, json};

use super::fixture::{EventFixture, remaining};

/// Returns what tells events apart: kind, id and version.
fn identities(events: &[Value]) -> BTreeSet<String> {
    let identity = |event: &Value| {
        let detail = &event["detail"];
        let id = detail["id"].as_str().or(detail["user_id"].as_str()).expect("an id");
        format!("{} {id} {}", event["detail-type"], detail["version"])
    };
    events.iter().map(identity).collect()
}

/// Changes a user so often that its events take three calls, and returns their batch.
async fn three_calls(fixture: &mut EventFixture) -> Value {
    let id = fixture.invite("guest").await;
    for number in 0..22 {
        let change = json!({ "phone": number.to_string() });
        let reply = fixture.stack.post(&format!("/user/{id}"), &fixture.fixtures.admin_1.key, &change).await;
        assert_eq!(reply.status, 200);
        fixture.stack.clock.advance(jiff::SignedDuration::from_millis(1));
    }
    let mut batches = fixture.batches().await;
    batches.retain(|batch| batch["Records"][0]["dynamodb"]["Keys"].get("target").is_some());
    assert_eq!(batches.len(), 1);
    batches.remove(0)
}

#[tokio::test(flavor = "multi_thread")]
async fn publisher_killed_at_any_call_loses_no_event() {
    for call in 1..=3 {
        for moment in [CrashPoint::Before, CrashPoint::After] {
            let what = format!("killed {moment:?} call {call}");
            let mut fixture = EventFixture::new().await;
            let batch = three_calls(&mut fixture).await;
            assert_eq!(fixture.invoke(&batch, Some((call, moment))).await, None, "{what}");
            let taken = fixture.stack.local.events().events();
            let calls = usize::try_from(call).expect("a small number") - usize::from(moment == CrashPoint::Before);
            assert_eq!(taken.len(), (10 * calls).min(23), "{what}");
            // Lambda hands the whole batch over again.
            let answer = fixture.invoke(&batch, None).await.expect("an answer");
            assert_eq!((answer.failures.len(), fixture.crashes.calls()), (0, 3), "{what}");
            let events = fixture.stack.local.events().events();
            assert_eq!((identities(&events).len(), events.len()), (23, taken.len() + 23), "{what}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn events_that_the_bus_refuses_one_by_one_are_sent_again_in_the_same_invocation() {
    let mut fixture = EventFixture::new().await;
    let batch = three_calls(&mut fixture).await;
    fixture.stack.local.events().set_mode(BusMode::RefuseHalf);
    let answer = fixture.invoke(&batch, None).await.expect("an answer");
    let events = fixture.stack.local.events().events();
    assert_eq!((answer.failures.len(), identities(&events).len(), events.len()), (0, 23, 23));
    // Of ten events the bus takes five, three, one and one; of three it takes two and one.
    assert_eq!(fixture.crashes.calls(), 10);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bus_that_throttles_takes_nothing_and_later_everything_once() {
    let mut fixture = EventFixture::new().await;
    let batch = three_calls(&mut fixture).await;
    fixture.stack.local.events().set_mode(BusMode::Throttle);
    let answer = fixture.invoke(&batch, None).await.expect("an answer");
    assert_eq!(remaining(&batch, &answer).as_ref(), Some(&batch), "from the first record on");
    assert_eq!(fixture.stack.local.events().events(), Vec::<Value>::new());
    fixture.stack.local.events().set_mode(BusMode::Accept);
    let answer = fixture.invoke(&batch, None).await.expect("an answer");
    let events = fixture.stack.local.events().events();
    assert_eq!((answer.failures.len(), identities(&events).len(), events.len()), (0, 23, 23));
}

#[tokio::test(flavor = "multi_thread")]
async fn events_whose_answer_is_lost_are_sent_again() {
    let mut fixture = EventFixture::new().await;
    let batch = three_calls(&mut fixture).await;
    fixture.stack.local.events().set_mode(BusMode::LoseReply);
    let answer = fixture.invoke(&batch, None).await.expect("an answer");
    assert_eq!(remaining(&batch, &answer).as_ref(), Some(&batch), "nobody knows what was taken");
    let before = fixture.stack.local.events().events();
    assert!(before.len() > 10 && identities(&before).len() == 10, "{} events", before.len());
    fixture.stack.local.events().set_mode(BusMode::Accept);
    let answer = fixture.invoke(&batch, None).await.expect("an answer");
    let events = fixture.stack.local.events().events();
    assert_eq!((answer.failures.len(), identities(&events).len()), (0, 23));
}
