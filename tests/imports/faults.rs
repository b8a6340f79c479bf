//! Imports with faults: counts and postings always fit the reviews. A second run leads to the content of a single run without
//! faults.

use std::collections::BTreeMap;
use std::time::Duration;

use fastrand::Rng;
use futures::future::join_all;
use presence_tests::{FaultKind, Plan, calls_apart, rng, rounds};

use super::import_env::{ImportEnv, faultless_content, rows};

/// Number of rows: enough for several transactions of a month when reviews move.
const ROWS: usize = 36;
/// Number of stacks in parallel: they mostly wait.
const STACKS: usize = 4;

/// Faults that the client sees at once.
const IMMEDIATE: [FaultKind; 6] = [
    FaultKind::Throttle,
    FaultKind::ServerError,
    FaultKind::RefuseConnection,
    FaultKind::TransactionConflict,
    FaultKind::LoseReply,
    FaultKind::CutBody,
];
/// Faults that only a timeout ends. The delay is longer than the short timeouts.
const TIMED_OUT: [FaultKind; 2] = [FaultKind::Hang, FaultKind::Delay(Duration::from_millis(350))];

/// Two editions of the rows, each with its content after an import without faults.
struct Editions {
    rows: [String; 2],
    contents: [BTreeMap<String, String>; 2],
}

impl Editions {
    async fn new() -> Self {
        let rows = [rows(ROWS, 0), rows(ROWS, 1)];
        let contents = futures::join!(Box::pin(faultless_content(&rows[0])), Box::pin(faultless_content(&rows[1])));
        Self { rows, contents: contents.into() }
    }

    /// Returns the number of attempts of an import of one edition over the other.
    async fn attempts(&self) -> u64 {
        let env = ImportEnv::new().await;
        env.import_without_faults("reviews", &self.rows[0]).await;
        env.attempts("reviews", &self.rows[1]).await
    }

    /// Imports one edition over the other and back, with one plan after the other, and repeats each import without faults.
    async fn run_with_faults(&self, env: ImportEnv, plans: Vec<Plan>) {
        env.import_without_faults("reviews", &self.rows[0]).await;
        for (number, plan) in (1..).zip(plans) {
            let (rows, content) = (&self.rows[number % 2], &self.contents[number % 2]);
            env.faults.restart(plan.clone());
            env.import("reviews", rows).await;
            assert_eq!(env.audit().await, [], "{plan:?}");
            env.import_without_faults("reviews", rows).await;
            assert_eq!(env.content().await, *content, "{plan:?}, and then again");
        }
    }

    /// Runs the plans in several stacks in parallel.
    async fn run_in_parallel(&self, short_timeouts: bool, plans: Vec<Plan>) {
        let shares = (0..STACKS).map(|first| plans.iter().skip(first).step_by(STACKS).cloned().collect());
        let runs = shares.map(|plans| async move {
            let env = if short_timeouts { ImportEnv::with_short_timeouts().await } else { ImportEnv::new().await };
            Box::pin(self.run_with_faults(env, plans)).await;
        });
        join_all(runs).await;
    }
}

/// Returns plans with a fault at every attempt, once or for ever. The seed decides on the kind, and `PRESENCE_ROUNDS` takes several.
fn faults(rng: &mut Rng, kinds: &[FaultKind], attempts: u64) -> Vec<Plan> {
    let mut plans = Vec::new();
    for call in (1..=attempts).step_by(calls_apart(5)) {
        for kind in rng.choose_multiple(kinds.iter(), rounds(1)) {
            plans.push(Plan::At { call, kind: *kind, times: if rng.bool() { 1 } else { u64::MAX } });
        }
    }
    plans
}

#[tokio::test(flavor = "multi_thread")]
async fn import_with_a_fault_at_any_attempt_leaves_exact_counts_and_the_next_completes_it() {
    let editions = Editions::new().await;
    let (mut rng, attempts) = (rng("imports broken"), editions.attempts().await);
    let (immediate, timed_out) = (faults(&mut rng, &IMMEDIATE, attempts), faults(&mut rng, &TIMED_OUT, attempts));
    futures::join!(editions.run_in_parallel(false, immediate), editions.run_in_parallel(true, timed_out));
}

#[tokio::test(flavor = "multi_thread")]
async fn random_faults_in_an_import_leave_exact_counts() {
    let editions = Editions::new().await;
    let plan = |seed| Plan::Seeded { seed, percent: 15, kinds: IMMEDIATE.to_vec() };
    editions.run_in_parallel(false, (0..4).map(plan).collect()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn business_that_moves_takes_its_reviews_with_it_although_the_import_is_killed_at_any_attempt() {
    let away = r#"{"id":"s2","org_id":2,"name":"Shop s2","city":"Saint-Étienne"}"#;
    let home = r#"{"id":"s2","org_id":1,"name":"Shop s2","city":"Lyon"}"#;
    let env = ImportEnv::new().await;
    env.import_without_faults("orgs", "{\"id\":1,\"name\":\"A\"}\n{\"id\":2,\"name\":\"B\"}").await;
    env.import_without_faults("reviews", &rows(ROWS, 1)).await;
    let attempts = env.attempts("businesses", away).await;
    let moved_content = env.content().await;
    env.import_without_faults("businesses", home).await;
    let places = [(home, env.content().await), (away, moved_content)];
    for call in (1..=attempts).step_by(calls_apart(5)) {
        let (place, content) = &places[usize::from(call % 2 == 1)];
        env.faults.restart(Plan::At { call, kind: FaultKind::RefuseConnection, times: u64::MAX });
        env.import("businesses", place).await;
        env.import_without_faults("businesses", place).await;
        assert_eq!(env.audit().await, [], "killed at attempt {call}");
        assert_eq!(env.content().await, *content, "killed at attempt {call}");
    }
}
