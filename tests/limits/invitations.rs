//! Random steps of clients, clock, stream, sweep and crashes of the mailer.

use super::{ENOUGH, counts, each_seed, stack};
use crate::mail::random;

/// Steps of each seed.
const STEPS: usize = 120;

#[tokio::test(flavor = "multi_thread")]
async fn no_mail_is_lost_and_no_two_are_sent_in_five_minutes_under_the_limits_of_aws() {
    let run = |seed| async move {
        let stack = Box::pin(random::run(stack(seed).await, seed, STEPS)).await;
        counts(&stack)
    };
    let sum = each_seed("invitations", run).await;
    assert!(sum.calls < ENOUGH || (sum.throttled > 0 && sum.truncated_pages > 0), "{sum:?}");
}
