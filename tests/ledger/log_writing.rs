//! Writes of reviews and of the log: every change is in the log once, in the order in which it was written, whatever meets it.

use std::time::Duration;

use fastrand::Rng;
use futures::future::join_all;
use presence_domain::review::{Rating, Review};
use presence_ledger::ReviewNumber;
use presence_local::{AwsLimits, Options};
use presence_store::meter::measured;
use presence_store::{FoldLimits, RetryPolicy, ReviewStore, ReviewWrite, Stores, WriteReviewsError};
use presence_tests::reviews::org_id;
use presence_tests::{
    ConnectorLayer as _, FaultConnector, FaultKind, PauseConnector, Plan, TestStack, calls_apart, in_process_client,
    long_timeouts,
};

use super::model;
use super::stored_log::StoredLogs;
use crate::imports::throttling::{InstantTimer, importing};

/// Time for retries of conflicts, which end by themselves, with room for a busy machine.
const LONG_RETRY: Duration = Duration::from_mins(1);

/// Returns another process over the same tables, which never folds: the log keeps every change.
fn process(stack: &TestStack) -> ReviewStore {
    without_folds(&Stores::new(stack.stores().database.clone()))
}

fn without_folds(stores: &Stores) -> ReviewStore {
    stores.reviews.clone().with_fold_limits(FoldLimits { fold_from: u64::MAX, ..FoldLimits::default() })
}

/// Returns options with enough time for retries.
fn retrying() -> Options {
    Options { retry_policy: RetryPolicy::For(LONG_RETRY), ..long_timeouts() }
}

/// Returns new reviews of lane 3 of an organisation.
fn reviews_of_lane(org: u64, count: usize) -> Vec<Review> {
    let mut rng = Rng::with_seed(org);
    let org_id = org_id(org);
    let reviews = (0..).map(|number| {
        let review = model::review(&mut rng, usize::try_from(org).expect("small") * 1_000_000 + number);
        Review { org_id, content: None, ..review }
    });
    reviews.filter(|review| ReviewNumber::of(&review.id).lane() == 3).take(count).collect()
}

fn write_new(review: &Review) -> ReviewWrite {
    ReviewWrite { old: None, new: review.clone() }
}

/// Returns the write units of a write.
async fn write_units(store: &ReviewStore, writes: &[ReviewWrite]) -> f64 {
    let (written, cost) = measured(store.write_reviews(writes)).await;
    written.expect("nobody else writes");
    cost.write_units
}

#[tokio::test]
async fn a_random_history_of_writes_and_moves_is_in_the_log_change_by_change() {
    let stack = TestStack::start().await;
    let processes = [process(&stack), process(&stack)];
    let mut rng = presence_tests::rng("log writing");
    let mut stored: Vec<Review> = Vec::new();
    for round in (0..80).step_by(calls_apart(2)) {
        let mut writes = Vec::new();
        for number in 0..rng.usize(1..40) {
            writes.push(write_new(&model::review(&mut rng, round * 100 + number)));
        }
        rng.shuffle(&mut stored);
        for old in stored.drain(..rng.usize(0..=stored.len().min(40))) {
            // Half of the writes move the review to another organisation, or back.
            let org_id = if rng.bool() { org_id(rng.u64(1..4)) } else { old.org_id };
            let rating = Rating::ALL[rng.usize(..5)];
            writes.push(ReviewWrite { new: Review { org_id, rating, ..old.clone() }, old: Some(old) });
        }
        let mut rest = &writes[..];
        while !rest.is_empty() {
            let (now, later) = rest.split_at(ReviewWrite::count_fitting(rest));
            // Each process finds lanes that the other one has changed since it knew them.
            processes[rng.usize(..2)].write_reviews(now).await.expect("these reviews are current");
            rest = later;
        }
        let written = writes
            .into_iter()
            .map(|ReviewWrite { old, new }| Review { version: old.map_or(1, |old| old.version + 1), ..new });
        stored.extend(written);
    }
    let logs = StoredLogs::read(&stack).await;
    logs.assert_complete();
    assert_eq!(logs.reviews.len(), stored.len());
    assert!(logs.chunks > 50, "{} chunks", logs.chunks);
}

#[tokio::test]
async fn writers_of_one_process_take_turns_at_a_lane_and_lose_no_transaction() {
    let stack = TestStack::start().await;
    let (store, reviews) = (process(&stack), reviews_of_lane(1, 24));
    let writes: Vec<_> = reviews.iter().map(write_new).collect();
    let at_once = join_all(writes.iter().map(|write| store.write_reviews(std::slice::from_ref(write))));
    let (results, cost) = measured(at_once).await;
    assert!(results.iter().all(Result::is_ok), "{results:?}");
    assert_eq!(cost.calls, 1 + 24, "a read of the lane, and a transaction for each writer");
}

/// Number of races that a slow process loses: by the pauses between them, it makes no progress for longer than an import may.
const LOST_RACES: usize = 250;

#[tokio::test]
async fn a_process_that_is_too_slow_for_its_lane_writes_as_soon_as_the_fast_ones_pause() {
    let stack = TestStack::start().await;
    let (slow_calls, fast) = (PauseConnector::new(), process(&stack));
    let options = Options { retry_policy: importing(InstantTimer::default()), ..long_timeouts() };
    let slow =
        without_folds(&stack.stores_through(slow_calls.over(in_process_client()), options, stack.table_prefix()));
    let reviews = reviews_of_lane(1, LOST_RACES + 1);
    let (last, others) = reviews.split_last().expect("some");
    let write = [write_new(last)];
    slow_calls.arm();
    let beat = async {
        // Another change comes first, whenever the slow one sends its own.
        for review in others {
            slow_calls.paused().await;
            fast.write_reviews(&[write_new(review)]).await.expect("nobody is faster");
            slow_calls.arm();
            slow_calls.resume();
        }
        slow_calls.disarm();
        slow_calls.resume();
        std::future::pending::<()>().await;
    };
    tokio::select! {
        () = beat => {}
        written = slow.write_reviews(&write) => written.expect("others made progress"),
    }
    let logs = StoredLogs::read(&stack).await;
    logs.assert_complete();
    assert_eq!(logs.lanes[&(org_id(1), 3)].0, LOST_RACES as u64 + 1);
}

#[tokio::test]
async fn a_review_that_changed_is_stale_and_its_lane_stays_as_it_was() {
    let stack = TestStack::start().await;
    let (first, second) = (process(&stack), process(&stack));
    let reviews = reviews_of_lane(1, 3);
    first.write_reviews(&reviews.iter().map(write_new).collect::<Vec<_>>()).await.expect("new reviews");
    // The second process knows neither the lane nor the review.
    for store in [&second, &first] {
        let writes = [write_new(&reviews[0]), write_new(&Review { org_id: org_id(2), ..reviews[1].clone() })];
        match store.write_reviews(&writes).await {
            Err(WriteReviewsError::Stale(positions)) => assert_eq!(positions, [0, 1]),
            other => panic!("{other:?}"),
        }
    }
    let logs = StoredLogs::read(&stack).await;
    logs.assert_complete();
    assert_eq!(logs.lanes.values().map(|(last, _)| *last).collect::<Vec<_>>(), [3]);
}

#[tokio::test(flavor = "multi_thread")]
async fn processes_that_write_one_lane_at_once_lose_no_change() {
    let conflicts = AwsLimits { conflicts: Some(Duration::from_millis(2)), ..AwsLimits::off() };
    for aws_limits in [None, Some(conflicts)] {
        let stack = TestStack::with(Options { aws_limits: aws_limits.clone(), ..long_timeouts() }).await;
        let reviews = reviews_of_lane(1, 60);
        let writers = reviews.chunks(15).map(async |reviews| {
            let stores = stack.stores_through(in_process_client(), retrying(), stack.table_prefix());
            for review in reviews {
                without_folds(&stores).write_reviews(&[write_new(review)]).await.expect("no other review is stale");
            }
        });
        join_all(writers).await;
        let logs = StoredLogs::read(&stack).await;
        logs.assert_complete();
        assert_eq!(logs.lanes[&(org_id(1), 3)].0, 60, "{aws_limits:?}");
    }
}

/// More reviews than fit into a transaction of one lane, or into one batch of reads.
const UPSERTED: usize = 110;

/// Upserts the same reviews again and again, with one fault or several in a row from each of the calls on.
async fn upsert_through_faults(kind: FaultKind, calls: impl Iterator<Item = u64>) {
    let (stack, faults) = (TestStack::start().await, FaultConnector::new());
    let reviews = reviews_of_lane(1, UPSERTED);
    for (round, (call, times)) in (1..).zip(calls.flat_map(|call| [(call, 1), (call, 6)])) {
        let rating = Rating::ALL[round % 5];
        let wanted: Vec<Review> = reviews.iter().map(|review| Review { rating, ..review.clone() }).collect();
        faults.restart(Plan::At { call, kind, times });
        let stores = stack.stores_through(faults.over(in_process_client()), retrying(), stack.table_prefix());
        let outcome = without_folds(&stores).try_upsert_reviews(&wanted).await;
        if !outcome.unwritten.is_empty() {
            process(&stack).upsert_reviews(&wanted).await.expect("no fault is left");
        }
        // Each of the reviews is written once in every round.
        let logs = StoredLogs::read(&stack).await;
        logs.assert_complete();
        let written = usize::try_from(logs.lanes[&(org_id(1), 3)].0).expect("small");
        assert_eq!((logs.reviews.len(), written), (UPSERTED, UPSERTED * round), "{kind:?} at {call}, {times} times");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_upsert_whose_calls_fail_or_lose_their_replies_is_in_the_log_once() {
    // In a sample, kinds that are neighbours here break different calls.
    let kinds = [FaultKind::LoseReply, FaultKind::CutBody, FaultKind::ServerError, FaultKind::TransactionConflict];
    let apart = calls_apart(2);
    let calls_of = |number: usize| (1..=7).skip(number % apart).step_by(apart);
    join_all((0..).zip(kinds).map(|(number, kind)| upsert_through_faults(kind, calls_of(number)))).await;
}

#[tokio::test]
async fn a_review_alone_costs_two_units_for_the_log_and_one_of_many_a_tenth() {
    let stack = TestStack::start().await;
    let store = process(&stack);
    // The other index has only reviews with a reply on its way.
    let indexes = 1.0;
    let reviews = reviews_of_lane(1, 16 + 98 * 3);
    let (alone, batches) = reviews.split_at(16);
    for review in alone {
        let units = write_units(&store, &[write_new(review)]).await;
        assert!((units - (2.0 + indexes + 2.0)).abs() < 0.01, "{units} units");
    }
    for batch in batches.chunks(98) {
        let writes: Vec<ReviewWrite> = batch.iter().map(write_new).collect();
        assert_eq!(ReviewWrite::count_fitting(&writes), 98);
        let units = write_units(&store, &writes).await / 98.0;
        assert!(units <= 2.0 + indexes + 0.3, "{units} units a review");
    }
}
