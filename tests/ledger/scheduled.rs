//! Scheduled audit: errors are found within a round, reported and corrected; writes in progress are no errors.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use presence_domain::ids::OrgId;
use presence_domain::review::{Rating, Review, ReviewState};
use presence_ledger::TreeKey;
use presence_store::keys::{AUDIT_PK, NODE_SK_PREFIX};
use presence_store::{AuditRun, AuditSettings, ReviewWrite, Stores};
use presence_tests::ConnectorLayer as _;
use presence_tests::logs::with_metrics;
use presence_tests::{
    FaultConnector, FaultKind, LagConnector, Plan, TestStack, calls_apart, in_process_client, long_timeouts, rounds,
    short_retries,
};

use presence_tests::reviews::org_id as org;

use super::damage::{Damage, StoredTrees, business_tree, city_tree, org_tree};
use crate::imports::large_dataset::{review, reviews, second};

/// Businesses of the large dataset: id, organisation, city.
const BUSINESSES: [(&str, u64, &str); 3] = [("m1", 1, "Lyon"), ("m2", 1, "Paris"), ("m3", 2, "Lyon")];
/// Maximum number of runs of a round.
const MAX_RUNS: usize = 400;
/// Units that are enough for a whole round in one run.
const PLENTY: f64 = 1e6;
const DAY: SignedDuration = SignedDuration::from_hours(24);
/// Pause between two writes of a review that is written all the time.
const WRITE_PAUSE: Duration = Duration::from_millis(1);

fn settings(units: f64, mends: bool) -> AuditSettings {
    AuditSettings { index_time: Duration::ZERO, ..AuditSettings::new(units, mends) }
}

/// Starts a stack with two organisations and some reviews; with a month of two thousand reviews if `big`.
async fn filled(big: bool) -> (TestStack, BTreeMap<String, Review>) {
    let stack = TestStack::start().await;
    for (id, org, city) in BUSINESSES {
        stack.create_business(org, id, city).await;
    }
    let reviews: Vec<Review> =
        reviews().into_iter().filter(|review| big || !review.partner_id.starts_with("big")).collect();
    stack.fill_reviews(&reviews).await;
    (stack, reviews.into_iter().map(|review| (review.partner_id.clone(), review)).collect())
}

/// Start of the current round. Each round starts a day after the last one.
struct Calendar(Timestamp);

impl Calendar {
    fn new() -> Self {
        Self("2026-03-01T12:00:00Z".parse().expect("an instant"))
    }

    /// Runs the audit until every organisation was looked at. Returns the reports of the runs and the metrics.
    async fn round(&mut self, store: &Stores, settings: AuditSettings) -> (Vec<AuditRun>, Vec<(String, f64)>) {
        self.0 += DAY;
        let (mut runs, mut metrics) = (Vec::new(), Vec::new());
        while runs.len() < MAX_RUNS && !runs.last().is_some_and(|run: &AuditRun| run.round_is_done) {
            let (run, measured) = with_metrics(store.reviews.audit_on_schedule(settings, self.0, || true)).await;
            runs.push(run.expect("the store answers"));
            metrics.extend(measured);
        }
        assert!(runs.len() < MAX_RUNS, "the round never ends");
        (runs, metrics)
    }
}

/// Changes every review, and freezes the index as it was before.
async fn change_behind(stack: &TestStack, lag: &LagConnector, reviews: &mut BTreeMap<String, Review>) {
    let turned = |old: &Review| Review { rating: Rating::ALL[4 - usize::from(old.rating.get() - 1)], ..old.clone() };
    let changed = reviews.values().map(|old| ReviewWrite { old: Some(old.clone()), new: turned(old) });
    crate::api::reviews::fixtures::write_reviews(stack, changed.collect()).await;
    for review in reviews.values_mut() {
        *review = Review { version: review.version + 1, ..turned(review) };
    }
    lag.set_reads(u64::MAX);
}

async fn damage(stack: &TestStack, tree: &TreeKey, damage: Damage) {
    StoredTrees::of(stack).damage(tree, damage).await;
}

async fn findings(stack: &TestStack) -> usize {
    stack.stores().reviews.audit_reviews(None).await.expect("the store answers").findings.len()
}

fn sum(runs: &[AuditRun], number: impl Fn(&AuditRun) -> usize) -> usize {
    runs.iter().map(number).sum()
}

fn drift(times: usize, value: f64) -> Vec<(String, f64)> {
    vec![("ledger_drift".to_owned(), value); times]
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_tree_is_found_within_a_round_and_reported_until_it_is_corrected() {
    let (stack, reviews) = filled(true).await;
    let mut calendar = Calendar::new();
    let store = stack.stores();
    let (runs, metrics) = calendar.round(store, settings(PLENTY, false)).await;
    assert_eq!((sum(&runs, |run| run.reviews), sum(&runs, |run| run.wrong), metrics), (reviews.len(), 0, Vec::new()));

    damage(&stack, &org_tree(1), Damage::WrongCount).await;
    damage(&stack, &city_tree(2, "lyon"), Damage::LostPosting).await;
    let (runs, metrics) = calendar.round(store, settings(PLENTY, false)).await;
    assert_eq!((sum(&runs, |run| run.wrong), sum(&runs, |run| run.mended)), (2, 0));
    assert_eq!(metrics, drift(2, 1.0), "one tree of each organisation");
    assert_eq!(findings(&stack).await, 2, "nothing was written");
    let five_minutes_later = calendar.0 + SignedDuration::from_mins(5);
    let (run, metrics) =
        with_metrics(store.reviews.audit_on_schedule(settings(PLENTY, false), five_minutes_later, || true)).await;
    let run = run.expect("the store answers");
    assert_eq!((run.steps, metrics), (0, drift(1, 2.0)), "two slices stay wrong, and the alarm stays on");

    // A run corrects one of them. The other one stays wrong until the next run.
    for expected in [(1, drift(2, 1.0)), (1, drift(1, 1.0))] {
        let (run, metrics) =
            with_metrics(store.reviews.audit_on_schedule(settings(PLENTY, true), five_minutes_later, || true)).await;
        assert_eq!((run.expect("the store answers").mended, metrics), expected);
    }
    assert_eq!(findings(&stack).await, 0);
    let (runs, metrics) = calendar.round(store, settings(PLENTY, true)).await;
    assert_eq!((sum(&runs, |run| run.wrong), metrics), (0, Vec::new()));

    damage(&stack, &city_tree(2, "lyon"), Damage::StrayPosting).await;
    let (runs, metrics) = calendar.round(store, settings(PLENTY, true)).await;
    assert_eq!((sum(&runs, |run| run.mended), metrics), (1, drift(1, 1.0)), "a review that does not exist");
    assert_eq!(findings(&stack).await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn lost_trees_are_found_and_restored() {
    let (stack, _) = filled(false).await;
    let lost = |pk: &str| pk.starts_with("TREE#o:1") || pk.starts_with("TREE#c:2:") || pk.starts_with("TREE#b:1:m2");
    StoredTrees::of(&stack).delete_all(lost).await;
    assert!(findings(&stack).await > 0);
    let (runs, _) = Calendar::new().round(stack.stores(), settings(PLENTY, true)).await;
    assert!(sum(&runs, |run| run.wrong) > 0);
    assert_eq!(sum(&runs, |run| run.mended), sum(&runs, |run| run.wrong));
    assert_eq!(findings(&stack).await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn run_spends_its_units_and_what_it_spends_beyond_is_taken_from_the_next_runs() {
    let (stack, reviews) = filled(true).await;
    let mut calendar = Calendar::new();
    let whole = calendar.round(stack.stores(), settings(PLENTY, true)).await.0;
    let [whole] = whole[..] else { panic!("one run") };
    for units in [5.0, 20.0, 100.0] {
        let cut = AuditSettings { step_reviews: 300, ..settings(units, true) };
        let (runs, _) = calendar.round(stack.stores(), cut).await;
        let most = runs.iter().map(|run| run.units).fold(0.0, f64::max);
        let mut total = 0.0;
        for (number, run) in (1_u32..).zip(&runs) {
            total += run.units;
            assert!(total <= f64::from(number) * units + most, "{units}: {total} in {number} runs");
        }
        assert_eq!(sum(&runs, |run| run.reviews), reviews.len(), "{units}: each review once");
        assert!(sum(&runs, |run| run.steps as usize) > 2, "more than a step for each organisation");
        assert!(units >= whole.units || runs.len() > 1, "{units}: more than a run");
    }
    // The estimate behind the default units: 550 bytes in the index, 16 in each of three trees, and some units a root.
    #[expect(clippy::cast_precision_loss, reason = "some thousands")]
    let by_size = whole.reviews as f64 * (3.0 * 25.0 / 4_096.0 + 550.0 / 8_192.0);
    let roots = 8.0 * 3.0 + 40.0;
    assert!(whole.units < by_size + roots, "{whole:?}: {by_size} by size");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slice_that_stays_wrong_holds_up_the_audit_of_no_other_organisation() {
    let (stack, _) = filled(true).await;
    let mut calendar = Calendar::new();
    calendar.round(stack.stores(), settings(PLENTY, true)).await;
    let too_large = |units| AuditSettings { rebuild_reviews: 100, ..settings(units, true) };
    damage(&stack, &org_tree(1), Damage::WrongCount).await;
    let (runs, _) = calendar.round(stack.stores(), too_large(PLENTY)).await;
    assert_eq!((sum(&runs, |run| run.wrong), sum(&runs, |run| run.mended)), (1, 0));
    damage(&stack, &org_tree(2), Damage::LostPosting).await;
    // Less than a look at the slice costs.
    let (runs, metrics) = calendar.round(stack.stores(), too_large(30.0)).await;
    assert_eq!(sum(&runs, |run| run.mended), 1, "the error of the other organisation");
    assert!(runs.len() < 40, "{} runs", runs.len());
    assert!(metrics.len() > runs.len(), "each run measures the slice that is wrong");
    let looks = runs.iter().filter(|run| run.wrong > 0).count();
    assert!(looks < runs.len(), "not every run looks at it: {looks} of {}", runs.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_organisation_that_is_too_large_is_refused_before_its_postings_are_read() {
    let (stack, _) = filled(true).await;
    let trees = StoredTrees::of(&stack);
    Calendar::new().round(stack.stores(), settings(PLENTY, true)).await;
    trees.damage(&org_tree(1), Damage::WrongCount).await;
    let mut nodes = Vec::new();
    for settings in [settings(PLENTY, false), AuditSettings { rebuild_reviews: 2_000, ..settings(PLENTY, true) }] {
        // Both begin without a slice that is known to be wrong.
        trees.delete_all(|pk| pk == AUDIT_PK).await;
        let calls = FaultConnector::new();
        let store = stack.stores_through(calls.over(in_process_client()), long_timeouts(), stack.table_prefix());
        let (runs, _) = Calendar::new().round(&store, settings).await;
        assert_eq!((sum(&runs, |run| run.wrong), sum(&runs, |run| run.mended)), (1, 0));
        let keys = calls.observed().into_iter().map(|call| call.request.to_string().matches(NODE_SK_PREFIX).count());
        nodes.push(keys.sum::<usize>());
    }
    assert!(nodes[0] > 0 && nodes[0] == nodes[1], "{nodes:?} reads of nodes");
}

#[tokio::test(flavor = "multi_thread")]
async fn lagging_index_is_no_drift() {
    let (stack, mut reviews) = filled(false).await;
    let lag = LagConnector::new(0);
    let store = stack.stores_through(lag.over(in_process_client()), long_timeouts(), stack.table_prefix());
    let mut calendar = Calendar::new();
    // The connector keeps what the index says now.
    calendar.round(&store, settings(PLENTY, true)).await;
    change_behind(&stack, &lag, &mut reviews).await;
    let (runs, metrics) = calendar.round(&store, settings(PLENTY, true)).await;
    assert_eq!((sum(&runs, |run| run.wrong), metrics), (0, Vec::new()));
    assert!(lag.stale_answers() > 0, "the index did lag");
    damage(&stack, &org_tree(2), Damage::LostPosting).await;
    let (runs, _) = calendar.round(&store, settings(PLENTY, true)).await;
    assert_eq!(sum(&runs, |run| run.mended), 1, "the error is found all the same");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_set_is_rebuilt_with_the_reviews_that_the_index_does_not_list_yet() {
    let (stack, _) = filled(true).await;
    let lag = LagConnector::new(0);
    let store = stack.stores_through(lag.over(in_process_client()), long_timeouts(), stack.table_prefix());
    let mut calendar = Calendar::new();
    calendar.round(&store, settings(PLENTY, true)).await;
    lag.set_reads(u64::MAX);
    let new = |number| {
        let new = review(&format!("new {number}"), "m1", second("2025-08-25T10:00:00"), 5, ReviewState::Treated);
        ReviewWrite { old: None, new: Review { version: 0, ..new } }
    };
    crate::api::reviews::fixtures::write_reviews(&stack, (0..70).map(new).collect()).await;
    stack.stores().reviews.fold_reviews(org(1)).await.expect("the store answers");
    damage(&stack, &city_tree(1, "lyon"), Damage::WrongCount).await;
    let (runs, _) = calendar.round(&store, settings(PLENTY, true)).await;
    assert_eq!((sum(&runs, |run| run.wrong), sum(&runs, |run| run.mended)), (1, 1));
    assert_eq!(findings(&stack).await, 0, "the tree of the organisation names all reviews");

    damage(&stack, &org_tree(1), Damage::WrongCount).await;
    let (runs, _) = calendar.round(&store, settings(PLENTY, true)).await;
    assert_eq!(sum(&runs, |run| run.mended), 1);
    assert_eq!(findings(&stack).await, 0, "the trees of its businesses name all reviews");

    damage(&stack, &org_tree(1), Damage::GarbledRoot).await;
    damage(&stack, &business_tree(1, "m1"), Damage::GarbledRoot).await;
    damage(&stack, &city_tree(1, "lyon"), Damage::GarbledRoot).await;
    let (runs, _) = calendar.round(&store, settings(PLENTY, true)).await;
    assert_eq!(sum(&runs, |run| run.mended), 0, "nothing proves that all reviews are known");
    lag.set_reads(0);
    store.reviews.rebuild_reviews(org(1)).await.expect("the operator knows that the index is up to date");
    assert_eq!(findings(&stack).await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn review_that_is_written_all_the_time_is_no_drift_and_hides_none() {
    let (stack, reviews) = filled(false).await;
    let store = stack.stores().clone();
    let (count, mut one) = (Arc::new(AtomicUsize::new(0)), reviews["mid"].clone());
    let counted = Arc::clone(&count);
    let writer = tokio::spawn(async move {
        loop {
            let new = Review { rating: Rating::ALL[counted.fetch_add(1, Ordering::Relaxed) % 2], ..one.clone() };
            store
                .reviews
                .write_reviews(&[ReviewWrite { old: Some(one.clone()), new: new.clone() }])
                .await
                .expect("nobody else writes");
            one = Review { version: one.version + 1, ..new };
            tokio::time::sleep(WRITE_PAUSE).await;
        }
    });
    let (mut calendar, mut round) = (Calendar::new(), 0);
    while round < rounds(3) || (count.load(Ordering::Relaxed) < 40 && !writer.is_finished()) {
        round += 1;
        let (runs, metrics) = calendar.round(stack.stores(), settings(PLENTY, true)).await;
        assert_eq!((sum(&runs, |run| run.wrong), metrics), (0, Vec::new()));
    }
    damage(&stack, &org_tree(2), Damage::LostPosting).await;
    let (runs, _) = calendar.round(stack.stores(), settings(PLENTY, true)).await;
    assert_eq!(sum(&runs, |run| run.mended), 1, "the error of another organisation");
    writer.abort();
    assert!(writer.await.is_err_and(|error| error.is_cancelled()), "each write succeeded");
    assert_eq!(findings(&stack).await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn run_that_dies_at_any_call_is_continued() {
    let (stack, _) = filled(false).await;
    let faults = FaultConnector::new();
    let store = stack.stores_through(faults.over(in_process_client()), short_retries(), stack.table_prefix());
    let mut calendar = Calendar::new();
    let mut call = 1;
    loop {
        damage(&stack, &org_tree(1), Damage::OldVersion).await;
        damage(&stack, &city_tree(2, "lyon"), Damage::LostRoot).await;
        calendar.0 += DAY;
        faults.restart(Plan::At { call, kind: FaultKind::ServerError, times: u64::MAX });
        let died = store.reviews.audit_on_schedule(settings(PLENTY, true), calendar.0, || true).await.is_err();
        faults.restart(Plan::None);
        if died {
            calendar.0 -= DAY;
            calendar.round(&store, settings(PLENTY, true)).await;
        }
        assert_eq!(findings(&stack).await, 0, "died at call {call}");
        if !died {
            break;
        }
        call += calls_apart(13) as u64;
    }
    assert!(call > 20, "{call} calls");
}

#[tokio::test(flavor = "multi_thread")]
async fn step_that_never_ends_is_skipped_after_three_attempts() {
    let (stack, _) = filled(false).await;
    let calm = stack.stores();
    damage(&stack, &org_tree(2), Damage::LostPosting).await;
    let faults = FaultConnector::new();
    let store = stack.stores_through(faults.over(in_process_client()), short_retries(), stack.table_prefix());
    let now = Calendar::new().0;
    for _ in 0..3 {
        // The run dies in the first organisation: after the calls for the position, the list, the months and the new position.
        faults.restart(Plan::At { call: 6, kind: FaultKind::ServerError, times: u64::MAX });
        assert!(store.reviews.audit_on_schedule(settings(PLENTY, true), now, || true).await.is_err());
    }
    let run = calm.reviews.audit_on_schedule(settings(PLENTY, true), now, || true).await.expect("the store answers");
    let of_two = reviews().iter().filter(|review| review.org_id == OrgId::new(2).expect("an id")).count();
    assert_eq!((run.steps, run.reviews, run.mended, run.round_is_done), (1, of_two, 1, true), "the second one alone");
}

#[tokio::test(flavor = "multi_thread")]
async fn no_step_is_started_without_time() {
    let (stack, _) = filled(false).await;
    let now = Calendar::new().0;
    let run = stack
        .stores()
        .reviews
        .audit_on_schedule(settings(PLENTY, true), now, || false)
        .await
        .expect("the store answers");
    assert_eq!((run.steps, run.reviews, run.round_is_done), (0, 0, false));
}
