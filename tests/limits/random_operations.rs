//! Random operations of other tests, under the limits of AWS: changes of users, invitations, and requests with faults.

use fastrand::Rng;
use presence_local::{LimitCounts, Options};
use presence_tests::{FaultKind, short_retries};

use super::{ENOUGH, counts, each_seed, limits, stack};
use crate::faults;
use crate::mail::random;
use crate::properties::sequences;

/// Random operations of callers, for each seed.
const USER_STEPS: usize = 60;
/// Random steps of clients, clock, stream, sweep and crashes of the mailer, for each seed.
const MAIL_STEPS: usize = 60;
/// Each seed runs one scenario with faults in this number.
const FAULTS_ONE_IN: usize = 40;

#[tokio::test(flavor = "multi_thread")]
async fn changes_of_users_are_answered_as_the_model_does_under_the_limits_of_aws() {
    let run = |seed| async move {
        let stack = Box::pin(sequences::run(stack(seed).await, Rng::with_seed(seed), USER_STEPS)).await;
        counts(&stack)
    };
    let sum = each_seed("changes of users", run).await;
    assert!(sum.calls < ENOUGH || sum.throttled > 0, "{sum:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn no_mail_is_lost_and_no_two_are_sent_in_five_minutes_under_the_limits_of_aws() {
    let run = |seed| async move {
        let stack = Box::pin(random::run(stack(seed).await, seed, MAIL_STEPS)).await;
        counts(&stack)
    };
    let sum = each_seed("invitations", run).await;
    assert!(sum.calls < ENOUGH || (sum.throttled > 0 && sum.truncated_pages > 0), "{sum:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn fault_at_any_call_leads_to_the_same_answer_or_503_under_the_limits_of_aws() {
    let run = |seed: u64| async move {
        let options = Options { aws_limits: Some(limits(seed)), ..short_retries() };
        let first = usize::try_from(seed).expect("a small one");
        let kinds = [FaultKind::LoseReply, FaultKind::ServerError];
        Box::pin(faults::run_some(options, &kinds, first, FAULTS_ONE_IN)).await;
        LimitCounts::default()
    };
    each_seed("faults", run).await;
}
