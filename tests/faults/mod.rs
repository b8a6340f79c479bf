//! Faults at every call to `DynamoDB` of every operation: the client gets the answer without faults, or 503, and a retry
//! succeeds.

mod deadline;
mod fixture;
mod reads;
mod reviews;
mod run;
mod throttling;
mod writes;

use std::collections::BTreeSet;
use std::time::Duration;

use futures::stream::{self, StreamExt as _};
use presence_local::Options;
use presence_tests::{FaultKind, no_read_wait, short_retries};

use self::fixture::Scenario;
use self::run::{Masking, run};

/// Number of scenarios in parallel, each with its own database. They mostly wait.
const PARALLEL_SCENARIOS: usize = 16;

fn scenarios() -> Vec<Scenario> {
    reads::scenarios().into_iter().chain(writes::scenarios()).chain(reviews::scenarios()).collect()
}

/// Runs all scenarios with these faults. The number `first` shifts the sample: each test breaks other reads.
async fn run_all(first: usize, options: fn() -> Options, kinds: &[(FaultKind, Masking)]) {
    let scenarios = (first..).zip(scenarios());
    let runs = scenarios.map(|(first, scenario)| async move { run(&scenario, first, options(), kinds).await });
    stream::iter(runs).buffer_unordered(PARALLEL_SCENARIOS).collect::<()>().await;
}

/// Runs one in `step` scenarios with these faults and options. The answer may always be 503.
pub(crate) async fn run_some(options: Options, kinds: &[FaultKind], first: usize, step: usize) {
    let kinds: Vec<_> = kinds.iter().map(|kind| (*kind, Masking::Never)).collect();
    for (number, scenario) in scenarios().into_iter().enumerate().skip(first % step).step_by(step) {
        run(&scenario, first + number, options.clone(), &kinds).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn refused_call_at_any_site_leads_to_the_same_answer_or_503() {
    use FaultKind::{
        RefuseConnection, ServerError, Throttle, TransactionConflict, TransactionInProgress, TransactionThrottle,
        UnprocessedKeys,
    };
    let of_any_call = [Throttle, ServerError, RefuseConnection];
    let of_some_calls = [TransactionConflict, TransactionThrottle, TransactionInProgress, UnprocessedKeys];
    let kinds: Vec<_> = of_any_call.into_iter().chain(of_some_calls).map(|kind| (kind, Masking::IfOnce)).collect();
    run_all(0, short_retries, &kinds).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn call_whose_answer_is_lost_or_cut_at_any_site_is_never_applied_twice() {
    use FaultKind::{CutBody, LoseReply};
    run_all(1, short_retries, &[(LoseReply, Masking::IfOnce), (CutBody, Masking::Never)]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn hanging_or_late_call_at_any_site_leads_to_the_same_answer_or_503() {
    let late = FaultKind::Delay(Duration::from_mins(1));
    run_all(2, no_read_wait, &[(FaultKind::Hang, Masking::Never), (late, Masking::Never)]).await;
}

/// Changes of webhooks. `tests/api/webhooks.rs` fails each of their calls.
const CHANGES_OF_WEBHOOKS: [&str; 7] = [
    "create_webhook",
    "update_webhook",
    "delete_webhook",
    "rotate_webhook",
    "test_webhook",
    "enable_webhook",
    "replay_webhook",
];

#[test]
fn every_operation_has_a_scenario() {
    let scenarios = scenarios();
    let covered = scenarios.iter().map(|scenario| scenario.operation);
    let covered = covered.chain(CHANGES_OF_WEBHOOKS).collect::<BTreeSet<_>>();
    assert_eq!(covered, presence_tests::routes().iter().map(|route| route.name).collect::<BTreeSet<_>>());
}
