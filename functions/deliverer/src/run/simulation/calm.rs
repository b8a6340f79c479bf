//! Lives in which no call fails: each shows one rule.

use super::*;

/// Returns a world in which no call fails, whose feed has this many events.
fn calm_world(events: u64) -> (World, Deliverer<World, World>) {
    let mut state = State::new(1, Planted::Nothing);
    state.events = (1..=events).map(|number| event(number, &mut state.rng)).collect();
    state.calm_pause = Some(Duration::from_millis(1));
    world(state)
}

#[tokio::test(start_paused = true)]
async fn of_two_deliverers_that_claim_at_the_same_instant_one_sends() {
    let (world, deliverer) = calm_world(3);
    let id = world.with(|state| state.webhook.id);
    let (one, other) = tokio::join!(deliverer.run(id, &|| true), deliverer.run(id, &|| true));
    one.and(other).expect("no failure");
    assert_eq!(world.with(|state| state.sent.clone()), [1, 2, 3]);
}

#[tokio::test(start_paused = true)]
async fn a_webhook_that_wants_little_gets_through_a_feed_that_takes_longer_than_an_invocation() {
    // At a second for each hundred events, ten invocations' worth.
    const LAST: u64 = 60_000;
    let mut state = State::new(1, Planted::Nothing);
    state.events = (1..=LAST).map(|number| event(number, &mut state.rng)).collect();
    state.events.last_mut().expect("an event").kind = EventKind::UserUpdated;
    state.webhook.types = EventFilter(vec![EventPattern::parse("user.*").expect("types")]);
    state.calm_pause = Some(Duration::from_secs(1));
    let (world, deliverer) = world(state);
    let id = world.with(|state| state.webhook.id);
    for _ in 0..30 {
        let started = Instant::now();
        let has_time = || started.elapsed() < Duration::from_secs(40);
        let _ = tokio::time::timeout(Duration::from_mins(1), deliverer.run(id, &has_time)).await;
    }
    let (sent, cursor) = world.with(|state| (state.sent.clone(), state.webhook.progress.cursor));
    assert_eq!(sent, [LAST], "the cursor is {cursor}");
}

#[tokio::test(start_paused = true)]
async fn a_webhook_that_slept_while_events_expired_goes_on_with_the_oldest() {
    let (world, deliverer) = calm_world(10);
    let now = deliverer.clock.now();
    let id = world.with(|state| {
        // The first event failed once, and waits.
        let progress = &mut state.webhook.progress;
        progress.take(1, Some("review/0"), now);
        assert_eq!(progress.start_next(now), Some(1));
        progress.record(1, Outcome::Failed { retry_after: None }, now);
        state.log.push(attempt_at(&state.events[0], now, &Answer::none("lost"), DeliveryState::Waiting));
        state.oldest = 6;
        state.webhook.id
    });
    tokio::time::sleep(Duration::from_secs(5)).await;
    deliverer.run(id, &|| true).await.expect("no failure");
    let (mut sent, progress) = world.with(|state| (state.sent.clone(), state.webhook.progress.clone()));
    sent.sort_unstable();
    assert_eq!(sent, [6, 7, 8, 9, 10]);
    assert_eq!((progress.cursor, progress.state(), progress.due_at()), (10, WebhookState::Enabled, None));
    let log = world.with(|state| state.log.clone());
    let of_first = log.iter().filter(|attempt| attempt.number == 1);
    let states: Vec<_> = of_first.map(|attempt| (attempt.state, attempt.error.as_deref())).collect();
    let given_up = (DeliveryState::GivenUp, Some("the event is no longer kept"));
    assert_eq!(states, [(DeliveryState::Waiting, Some("lost")), given_up]);
}

#[tokio::test(start_paused = true)]
async fn a_webhook_that_is_ahead_of_a_restored_feed_takes_what_comes_from_then_on() {
    let (world, deliverer) = calm_world(3);
    let id = world.with(|state| {
        state.webhook.progress.cursor = 7;
        state.webhook.id
    });
    deliverer.run(id, &|| true).await.expect("no failure");
    assert_eq!(world.with(|state| (state.sent.clone(), state.webhook.progress.cursor)), (Vec::new(), 3));
    world.with(|state| {
        let next = event(4, &mut state.rng);
        state.events.push(next);
    });
    deliverer.run(id, &|| true).await.expect("no failure");
    assert_eq!(world.with(|state| (state.sent.clone(), state.webhook.progress.cursor)), (vec![4], 4));
}
