//! Random operations of random callers.

use fastrand::Rng;

use super::{ENOUGH, counts, each_seed, stack};
use crate::properties::sequences;

/// Operations of each seed.
const STEPS: usize = 60;

#[tokio::test(flavor = "multi_thread")]
async fn changes_of_users_are_answered_as_the_model_does_under_the_limits_of_aws() {
    let run = |seed| async move {
        let stack = Box::pin(sequences::run(stack(seed).await, Rng::with_seed(seed), STEPS)).await;
        counts(&stack)
    };
    let sum = each_seed("changes of users", run).await;
    assert!(sum.calls < ENOUGH || sum.throttled > 0, "{sum:?}");
}
