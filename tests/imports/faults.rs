//! Broken imports: counts and postings fit the reviews at any time, and the import run again ends in the tables of one run in
//! one go.

use std::collections::BTreeMap;
use std::time::Duration;

use fastrand::Rng;
use futures::future::join_all;
use presence_tests::{FaultKind, Plan, rng};

use super::import_env::{ImportEnv, rows, undisturbed};

/// Enough for several transactions of a month where reviews move.
const ROWS: usize = 36;
/// Points at which an import is cut off.
const POINTS: usize = 50;
/// Worlds side by side: the work is theirs, not the machine's.
const DOCKS: usize = 4;

/// Ways in which each attempt is broken: all of them would take minutes.
const KINDS_OF_EACH: usize = 2;

/// A reply that is lost or cut, and whatever is not done.
const SOON_TOLD: [FaultKind; 6] = [
    FaultKind::Throttle,
    FaultKind::ServerError,
    FaultKind::RefuseConnection,
    FaultKind::TransactionConflict,
    FaultKind::LoseReply,
    FaultKind::CutBody,
];
/// What only a timeout tells. The delay is longer than a hurried operator waits.
const LATE: [FaultKind; 2] = [FaultKind::Hang, FaultKind::Delay(Duration::from_millis(350))];

/// Two editions of the rows, and what each ends in when nothing breaks.
struct Editions {
    rows: [String; 2],
    contents: [BTreeMap<String, String>; 2],
}

impl Editions {
    async fn new() -> Self {
        let rows = [rows(ROWS, 0), rows(ROWS, 1)];
        let contents = futures::join!(Box::pin(undisturbed(&rows[0])), Box::pin(undisturbed(&rows[1])));
        Self { rows, contents: contents.into() }
    }

    /// How many attempts an import of one edition over the other makes.
    async fn attempts(&self) -> u64 {
        let env = ImportEnv::new().await;
        env.import_calmly("reviews", &self.rows[0]).await;
        env.attempts("reviews", &self.rows[1]).await
    }

    /// Imports one edition over the other and back, broken by one plan after the other, and mends it each time.
    async fn run_with_faults(&self, env: ImportEnv, plans: Vec<Plan>) {
        env.import_calmly("reviews", &self.rows[0]).await;
        for (number, plan) in (1..).zip(plans) {
            let (rows, content) = (&self.rows[number % 2], &self.contents[number % 2]);
            env.faults.restart(plan.clone());
            env.import("reviews", rows).await;
            assert_eq!(env.audit().await, [], "{plan:?}");
            env.import_calmly("reviews", rows).await;
            assert_eq!(env.content().await, *content, "{plan:?}, and then again");
        }
    }

    /// The same, the plans dealt out to several stacks.
    async fn survive_all(&self, hurried: bool, plans: Vec<Plan>) {
        let dealt = (0..DOCKS).map(|first| plans.iter().skip(first).step_by(DOCKS).cloned().collect());
        let runs = dealt.map(|plans| async move {
            let env = if hurried { ImportEnv::hurried().await } else { ImportEnv::new().await };
            self.run_with_faults(env, plans).await;
        });
        join_all(runs).await;
    }
}

/// From some attempt on nobody answers: as for a process that was killed, before it asked or before it heard.
fn kills(rng: &mut Rng, attempts: u64) -> Vec<Plan> {
    let kinds = [FaultKind::RefuseConnection, FaultKind::LoseReply];
    let kill = |point: usize| Plan::At { call: rng.u64(1..=attempts), kind: kinds[point % 2], times: u64::MAX };
    (0..POINTS).map(kill).collect()
}

/// Every attempt broken in one of these ways after the other, once or for good: which of them meets which is drawn anew
/// with every seed.
fn faults(rng: &mut Rng, kinds: &[FaultKind], attempts: u64) -> Vec<Plan> {
    let mut plans = Vec::new();
    for call in 1..=attempts {
        for kind in rng.choose_multiple(kinds.iter(), KINDS_OF_EACH) {
            plans.push(Plan::At { call, kind: *kind, times: if rng.bool() { 1 } else { u64::MAX } });
        }
    }
    plans
}

#[tokio::test(flavor = "multi_thread")]
async fn an_import_killed_at_50_points_and_run_again_equals_one_in_one_go() {
    let editions = Editions::new().await;
    let plans = kills(&mut rng("imports killed"), editions.attempts().await);
    editions.survive_all(false, plans).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_import_broken_at_any_attempt_in_any_way_leaves_exact_counts_and_is_mended_by_the_next() {
    let editions = Editions::new().await;
    let (mut rng, attempts) = (rng("imports broken"), editions.attempts().await);
    let (soon, late) = (faults(&mut rng, &SOON_TOLD, attempts), faults(&mut rng, &LATE, attempts));
    futures::join!(editions.survive_all(false, soon), editions.survive_all(true, late));
}

#[tokio::test(flavor = "multi_thread")]
async fn faults_all_over_an_import_leave_exact_counts() {
    let editions = Editions::new().await;
    let plan = |seed| Plan::Seeded { seed, percent: 15, kinds: SOON_TOLD.to_vec() };
    editions.survive_all(false, (0..4).map(plan).collect()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_business_that_moves_takes_its_reviews_with_it_wherever_the_import_is_cut_off() {
    let away = r#"{"id":"s2","org_id":2,"name":"Shop s2","city":"Saint-Étienne"}"#;
    let home = r#"{"id":"s2","org_id":1,"name":"Shop s2","city":"Lyon"}"#;
    let env = ImportEnv::new().await;
    env.import_calmly("orgs", "{\"id\":1,\"name\":\"A\"}\n{\"id\":2,\"name\":\"B\"}").await;
    env.import_calmly("reviews", &rows(ROWS, 1)).await;
    let attempts = env.attempts("businesses", away).await;
    let there = env.content().await;
    env.import_calmly("businesses", home).await;
    let places = [(home, env.content().await), (away, there)];
    for call in 1..=attempts {
        let (place, content) = &places[usize::from(call % 2 == 1)];
        env.faults.restart(Plan::At { call, kind: FaultKind::RefuseConnection, times: u64::MAX });
        env.import("businesses", place).await;
        env.import_calmly("businesses", place).await;
        assert_eq!(env.audit().await, [], "cut off at attempt {call}");
        assert_eq!(env.content().await, *content, "cut off at attempt {call}");
    }
}
