//! Faults in addition to the limits.

use presence_local::{LimitCounts, Options};
use presence_tests::{FaultKind, short_retries};

use super::{each_seed, limits};
use crate::faults;

/// Each seed runs one in this number of scenarios.
const ONE_IN: usize = 20;

#[tokio::test(flavor = "multi_thread")]
async fn fault_at_any_call_leads_to_the_same_answer_or_503_under_the_limits_of_aws() {
    let run = |seed: u64| async move {
        let options = Options { aws_limits: Some(limits(seed)), ..short_retries() };
        let first = usize::try_from(seed).expect("a small one");
        faults::run_some(options, &[FaultKind::LoseReply, FaultKind::ServerError], first, ONE_IN).await;
        LimitCounts::default()
    };
    each_seed("faults", run).await;
}
