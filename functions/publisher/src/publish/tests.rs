//! Batches against a bus that fails as each test says.

use std::collections::VecDeque;
use std::sync::Mutex;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use presence_runtime::clock::Deadline;
use serde_json::json;

use super::*;
use crate::bus::PutError;
use crate::wire::BusEntry;

/// Outcome of a call.
#[derive(Clone, Debug)]
enum Outcome {
    /// These of the events are not taken, by their positions in the call.
    Refuses(&'static [usize]),
    /// No event is taken, and the call fails.
    Fails,
    /// Every event is taken, and the answer is lost.
    LosesAnswer,
}

/// Bus with an outcome for each call. Calls after the last one take everything.
#[derive(Default)]
struct FakeBus {
    outcomes: Mutex<VecDeque<Outcome>>,
    /// Ids in the events of each call.
    calls: Mutex<Vec<Vec<String>>>,
    /// Ids in the events that were taken, in order.
    taken: Mutex<Vec<String>>,
}

impl FakeBus {
    fn with(outcomes: impl IntoIterator<Item = Outcome>) -> Self {
        Self { outcomes: Mutex::new(outcomes.into_iter().collect()), ..Self::default() }
    }

    fn calls(&self) -> Vec<usize> {
        self.calls.lock().expect("no panic").iter().map(Vec::len).collect()
    }

    fn taken(&self) -> Vec<String> {
        self.taken.lock().expect("no panic").clone()
    }
}

fn id(entry: &BusEntry) -> String {
    let detail: Value = serde_json::from_str(&entry.detail).expect("JSON");
    detail["user_id"].as_str().expect("an id").to_owned()
}

impl Bus for FakeBus {
    type Entry = BusEntry;

    fn put<'a>(&'a self, entries: &'a [BusEntry]) -> BoxFuture<'a, Result<Vec<Option<String>>, PutError>> {
        let outcome = self.outcomes.lock().expect("no panic").pop_front();
        let refused: &[usize] = if let Some(Outcome::Refuses(refused)) = &outcome { refused } else { &[] };
        let ids: Vec<_> = entries.iter().map(id).collect();
        self.calls.lock().expect("no panic").push(ids.clone());
        if !matches!(outcome, Some(Outcome::Fails)) {
            let kept = ids.into_iter().enumerate().filter(|(index, _)| !refused.contains(index)).map(|(_, id)| id);
            self.taken.lock().expect("no panic").extend(kept);
        }
        let answer = if matches!(outcome, Some(Outcome::Fails | Outcome::LosesAnswer)) {
            Err(PutError("InternalException".to_owned()))
        } else {
            let refusal = |index| refused.contains(&index).then(|| "ThrottlingException".to_owned());
            Ok((0..entries.len()).map(refusal).collect())
        };
        std::future::ready(answer).boxed()
    }
}

/// Returns the record of a delivery that ended, which is the smallest of all.
fn record(number: usize) -> Value {
    json!({ "eventName": "MODIFY", "dynamodb": {
        "ApproximateCreationDateTime": 1_772_366_400, "SequenceNumber": format!("s{number}"),
        "Keys": { "pk": { "S": format!("USER#{number}") }, "sk": { "S": "USER" } },
        "NewImage": { "id": { "S": number.to_string() }, "org": { "S": "-" }, "version": { "N": "2" },
            "delivery": { "S": "sent" } },
    } })
}

fn batch(numbers: impl IntoIterator<Item = usize>) -> Value {
    json!({ "Records": numbers.into_iter().map(record).collect::<Vec<_>>() })
}

/// Hands over a batch, and returns the record at which it must go on.
async fn publish(bus: &FakeBus, event: &Value) -> Option<String> {
    let answer = handle(bus, event, Deadline::after(Duration::from_mins(1))).await;
    assert!(answer.failures.len() <= 1);
    answer.failures.into_iter().next().map(|failure| failure.id)
}

fn ids(numbers: impl IntoIterator<Item = usize>) -> Vec<String> {
    numbers.into_iter().map(|number| number.to_string()).collect()
}

#[tokio::test(start_paused = true)]
async fn events_are_sent_in_order_ten_in_a_call() {
    let bus = FakeBus::default();
    assert_eq!(publish(&bus, &batch(1..=23)).await, None);
    assert_eq!((bus.calls(), bus.taken()), (vec![10, 10, 3], ids(1..=23)));
}

#[tokio::test(start_paused = true)]
async fn events_that_the_bus_did_not_take_are_sent_again_and_no_others() {
    let bus = FakeBus::with([Outcome::Refuses(&[1, 3]), Outcome::Refuses(&[0])]);
    assert_eq!(publish(&bus, &batch(1..=5)).await, None);
    assert_eq!((bus.calls(), bus.taken()), (vec![5, 2, 1], ids([1, 3, 5, 4, 2])));
}

#[tokio::test(start_paused = true)]
async fn the_first_event_that_is_never_taken_is_handed_over_again_with_all_behind_it() {
    let bus = FakeBus::with([
        Outcome::Refuses(&[1, 3]),
        Outcome::Refuses(&[0]),
        Outcome::Refuses(&[0]),
        Outcome::Refuses(&[0]),
    ]);
    assert_eq!(publish(&bus, &batch(1..=15)).await.as_deref(), Some("s2"));
    assert_eq!((bus.calls(), bus.taken()), (vec![10, 2, 1, 1], ids([1, 3, 5, 6, 7, 8, 9, 10, 4])));
    assert_eq!(publish(&bus, &batch(2..=15)).await, None);
    assert!(ids(1..=15).iter().all(|id| bus.taken().contains(id)), "none is lost");
}

#[tokio::test(start_paused = true)]
async fn a_call_that_fails_is_repeated_and_ends_the_batch_after_four_attempts() {
    let bus = FakeBus::with([Outcome::Fails, Outcome::LosesAnswer]);
    assert_eq!(publish(&bus, &batch(1..=2)).await, None);
    assert_eq!((bus.calls(), bus.taken()), (vec![2, 2, 2], ids([1, 2, 1, 2])), "a lost answer sends twice");
    let bus = FakeBus::with(vec![Outcome::Fails; 4]);
    assert_eq!(publish(&bus, &batch(1..=12)).await.as_deref(), Some("s1"));
    assert_eq!((bus.calls(), bus.taken()), (vec![10; 4], Vec::new()));
}

#[tokio::test(start_paused = true)]
async fn no_call_starts_shortly_before_the_deadline() {
    let bus = FakeBus::default();
    let answer = handle(&bus, &batch(1..=2), Deadline::after(Duration::from_secs(4))).await;
    assert_eq!((answer, bus.calls()), (BatchResponse::failed(["s1".to_owned()]), Vec::new()));
}

#[tokio::test(start_paused = true)]
async fn a_record_that_cannot_be_read_is_skipped_and_holds_up_none() {
    let mut event = batch(1..=3);
    event["Records"][1]["dynamodb"]["NewImage"]["delivery"] = json!({ "S": "lost" });
    let bus = FakeBus::default();
    assert_eq!(publish(&bus, &event).await, None);
    assert_eq!(bus.taken(), ids([1, 3]));
}

#[tokio::test(start_paused = true)]
async fn a_record_of_a_later_format_waits_for_a_later_version_of_the_function() {
    let mut event = batch(1..=3);
    event["Records"][1]["dynamodb"]["NewImage"]["format"] = json!({ "N": "99" });
    let bus = FakeBus::default();
    assert_eq!(publish(&bus, &event).await.as_deref(), Some("s2"));
    assert_eq!(bus.taken(), ids([1]), "those behind it wait, so that their order stays");
}

#[tokio::test(start_paused = true)]
async fn records_of_other_items_and_other_events_change_nothing() {
    let bus = FakeBus::default();
    let other =
        json!({ "eventName": "MODIFY", "dynamodb": { "Keys": { "pk": { "S": "DIR#1" }, "sk": { "S": "00" } } } });
    assert_eq!(publish(&bus, &json!({ "Records": [other] })).await, None);
    assert_eq!(publish(&bus, &json!({ "source": "aws.scheduler" })).await, None);
    assert_eq!(bus.calls(), Vec::<usize>::new());
}
