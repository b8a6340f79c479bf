//! Tests of the progress of a webhook.

use super::*;
use crate::webhook::schedule::MAX_ATTEMPTS;

const FAILED: Outcome = Outcome::Failed { retry_after: None };

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + seconds).expect("an instant")
}

/// Returns a progress that took these events, about these objects, from number 1.
fn taken(objects: &str) -> Progress {
    let mut progress = Progress::starting_after(0, at(0)).claimed(1, at(0));
    for (number, object) in (1..).zip(objects.chars()) {
        progress.take(number, Some(&object.to_string()), at(0));
    }
    progress
}

fn start_all(progress: &mut Progress, seconds: i64) -> Vec<u64> {
    std::iter::from_fn(|| progress.start_next(at(seconds))).collect()
}

#[test]
fn events_of_different_objects_are_sent_at_a_time_and_those_of_one_object_in_order() {
    let mut progress = taken("aabac");
    assert_eq!(start_all(&mut progress, 0), [1, 3, 5]);
    assert_eq!(progress.record(1, Outcome::Delivered, at(1)), DeliveryState::Delivered);
    assert_eq!(start_all(&mut progress, 1), [2]);
    assert_eq!(progress.record(2, FAILED, at(2)), DeliveryState::Waiting);
    assert_eq!(start_all(&mut progress, 2), [0; 0], "4 waits behind 2");
    assert_eq!(start_all(&mut progress, 7), [2]);
}

#[test]
fn no_more_than_the_width_is_in_flight_and_no_more_than_a_hundred_wait() {
    let mut progress = taken("abcdefghijklmnopqrstuvwxyz");
    assert_eq!(start_all(&mut progress, 0).len(), WIDTH);
    let mut progress = taken(&"a".repeat(MAX_PARKED));
    assert!(!progress.has_room());
    assert_eq!(start_all(&mut progress, 0), [1]);
    assert!(progress.has_room(), "what is sent does not wait");
}

#[test]
fn an_event_is_tried_ten_times_and_then_frees_the_one_behind_it() {
    let mut progress = taken("aa");
    let mut states = Vec::new();
    let mut seconds = 0;
    while progress.start_next(at(seconds)) == Some(1) {
        assert_eq!(progress.attempts(1) as usize, states.len());
        states.push(progress.record(1, FAILED, at(seconds)));
        progress = progress.released(None);
        let due_at = progress.due_at().expect("something waits");
        seconds = due_at.duration_since(at(0)).as_secs();
        progress = progress.claimed(1, due_at);
    }
    assert_eq!(states.len(), MAX_ATTEMPTS);
    assert_eq!(states.iter().position(|state| *state == DeliveryState::GivenUp), Some(states.len() - 1));
    assert_eq!(progress.in_flight(), 1, "2 is in flight");
}

#[test]
fn a_webhook_is_failing_from_the_first_failure_until_nothing_that_failed_waits() {
    let mut progress = taken("ab");
    assert_eq!(progress.state(), WebhookState::Enabled);
    start_all(&mut progress, 0);
    progress.record(1, FAILED, at(3));
    assert_eq!((progress.state(), progress.failing_since), (WebhookState::Failing, Some(at(3))));
    progress.record(2, Outcome::Delivered, at(4));
    assert_eq!(progress.state(), WebhookState::Failing, "1 waits");
    assert_eq!(start_all(&mut progress, 8), [1]);
    progress.record(1, Outcome::Delivered, at(9));
    assert_eq!((progress.state(), progress.failing_since), (WebhookState::Enabled, None));
}

#[test]
fn a_webhook_that_is_gone_or_takes_nothing_for_five_days_is_disabled_and_goes_on_where_it_stopped() {
    let days = |days: i64| days * 86_400;
    let mut gone = taken("ab");
    start_all(&mut gone, 0);
    assert_eq!(gone.record(1, Outcome::Gone, at(1)), DeliveryState::Waiting);
    gone.record(2, Outcome::Delivered, at(1));
    let mut dead = taken("ab");
    start_all(&mut dead, 0);
    dead.record(1, FAILED, at(1));
    dead.record(2, FAILED, at(days(5)));
    assert_eq!(dead.state(), WebhookState::Failing, "not yet five days");
    start_all(&mut dead, days(6));
    dead.record(1, FAILED, at(days(6)));
    for (mut progress, numbers) in [(gone, vec![1]), (dead, vec![1, 2])] {
        assert_eq!((progress.state(), progress.due_at()), (WebhookState::Disabled, None));
        assert!(!progress.is_free(at(days(7))) && !progress.has_room());
        assert_eq!(progress.start_next(at(days(7))), None);
        progress.parked.iter_mut().for_each(|parked| parked.is_in_flight = false);
        let mut progress = progress.enabled(at(days(8)));
        assert_eq!((progress.state(), progress.due_at()), (WebhookState::Enabled, Some(at(days(8)))));
        assert_eq!(start_all(&mut progress, days(8)), numbers);
    }
    let mut alive = taken("ab");
    start_all(&mut alive, 0);
    alive.record(1, FAILED, at(1));
    alive.record(2, Outcome::Delivered, at(days(4)));
    start_all(&mut alive, days(6));
    alive.record(1, FAILED, at(days(6)));
    assert_eq!(alive.state(), WebhookState::Failing, "it took something on the fourth day");
}

#[test]
fn a_claim_holds_for_its_time_and_a_change_ends_it() {
    let new = Progress::starting_after(5, at(0));
    assert_eq!((new.due_at(), new.is_interrupted()), (Some(at(0)), true), "a deliverer looks at a new webhook");
    let claimed = new.claimed(1, at(0));
    assert!(!claimed.is_interrupted());
    assert_eq!([0, 59, 60].map(|seconds| claimed.is_free(at(seconds))), [false, false, true]);
    assert_eq!(claimed.due_at(), Some(at(60)), "the sweep finds what a dead deliverer left");
    assert!(claimed.clone().interrupted(at(1)).is_free(at(1)));
    assert!(claimed.replayed_from(2, at(1)).expect("a progress").is_free(at(1)));
    assert_eq!(claimed.clone().released(None).due_at(), None);
    assert_eq!(claimed.released(Some(at(7))).due_at(), Some(at(7)));
}

#[test]
fn unwanted_events_only_move_the_cursor_and_a_replay_forgets_what_waits() {
    let mut progress = taken("ab");
    progress.take(3, None, at(0));
    assert_eq!((progress.cursor, progress.parked.len()), (3, 2));
    let replayed = progress.replayed_from(1, at(9)).expect("a progress");
    let waiting: Vec<_> = replayed.parked.iter().map(|parked| parked.number).collect();
    assert_eq!((replayed.cursor, waiting), (1, vec![1]), "1 waits, 2 comes again");
    assert!(replayed.is_interrupted() && replayed.is_free(at(9)) && replayed.due_at() == Some(at(0)));
    assert_eq!(progress.replayed_from(3, at(9)).expect("a progress").cursor, 3);
    progress.replayed_from(4, at(9)).expect_err("nothing is skipped");
}

#[test]
fn a_replay_ends_a_failure_of_which_nothing_waits() {
    let mut progress = taken("ab");
    start_all(&mut progress, 0);
    progress.record(1, Outcome::Delivered, at(1));
    progress.record(2, FAILED, at(3));
    for (number, state, failing_since) in [(1, WebhookState::Enabled, None), (2, WebhookState::Failing, Some(at(3)))] {
        let replayed = progress.replayed_from(number, at(9)).expect("a progress");
        assert_eq!((replayed.state(), replayed.failing_since), (state, failing_since), "after {number}");
    }
}

#[test]
fn a_stored_progress_is_read_again_and_nothing_is_in_flight_then() {
    let mut progress = taken("ab");
    start_all(&mut progress, 0);
    progress.record(1, FAILED, at(3));
    let text = serde_json::to_string(&progress).expect("JSON");
    let mut read: Progress = serde_json::from_str(&text).expect("a progress");
    assert_eq!(read.in_flight(), 0);
    assert_eq!(start_all(&mut read, 3), [2], "a dead deliverer's event is sent again");
    assert_eq!(
        read.record(2, Outcome::Failed { retry_after: Some(SignedDuration::from_secs(90)) }, at(4)),
        DeliveryState::Waiting
    );
    assert_eq!(read.start_next(at(93)), Some(1));
    assert_eq!(read.start_next(at(94)), Some(2));
}
