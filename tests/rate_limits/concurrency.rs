//! Bound on the requests of one key, whatever the number of functions and callers.

use futures::future::join_all;
use jiff::Timestamp;
use presence_domain::rate_limit::EXCESS;
use presence_local::{AwsLimits, Options};
use presence_runtime::clock::Clock as _;
use presence_tests::{Fixtures, TestStack, rounds};
use rstest::rstest;

use super::{advance, limited};

const LIMIT: u32 = 300;
const FUNCTIONS: usize = 8;
const CALLERS: usize = 50;
/// Bursts in the first seconds, with more calls than the limit allows. Each function spends in them what it leased.
const BURSTS: usize = 10;
/// Bursts after pauses in which the bucket refills, with fewer calls than the limit allows.
const LATER_BURSTS: usize = 5;

/// Functions over one database, each with a clock that is some 100 ms off.
async fn functions(options: impl Fn() -> Options) -> (Vec<TestStack>, Fixtures) {
    let first = TestStack::with(options()).await;
    let fixtures = Fixtures::create(&first).await;
    let mut stacks = vec![first];
    for number in 1..FUNCTIONS {
        let tables = stacks[0].second_stack_options();
        let other = Options { dynamodb: tables.dynamodb, table_prefix: tables.table_prefix, ..options() };
        let stack = TestStack::with(other).await;
        advance(&stack, 60 * i64::try_from(number).expect("a few"));
        stacks.push(stack);
    }
    (stacks, fixtures)
}

/// Asserts that no window has more than `LIMIT + LIMIT * t / 60 + 40` requests.
fn assert_bound(passes: &[Timestamp]) {
    for (first, start) in passes.iter().enumerate() {
        for (last, end) in passes.iter().enumerate().skip(first) {
            let milliseconds = end.duration_since(*start).as_millis();
            let allowed = i128::from(LIMIT + EXCESS) + i128::from(LIMIT) * milliseconds / 60_000;
            let count = i128::try_from(last - first + 1).expect("a few");
            assert!(count <= allowed, "{count} requests passed in {milliseconds} ms, and {allowed} may");
        }
    }
}

#[rstest]
#[case::plain(None)]
#[case::with_the_limits_of_aws(Some("seed=7"))]
#[tokio::test(flavor = "multi_thread")]
async fn fifty_callers_in_eight_functions_get_what_the_limit_allows_and_little_more(#[case] aws: Option<&str>) {
    let options =
        || Options { aws_limits: aws.map(|text| text.parse::<AwsLimits>().expect("settings")), ..limited(LIMIT) };
    let (stacks, fixtures) = functions(options).await;
    let key = &fixtures.admin_1.key;
    let mut passes = Vec::new();
    let mut refused = 0;
    let later = rounds(LATER_BURSTS);
    for round in 0..BURSTS + later {
        let now = stacks[0].clock.now();
        let calls = (0..CALLERS).map(|caller| stacks[(caller + round) % FUNCTIONS].get("/user/me", key));
        for reply in join_all(calls).await {
            match reply.status {
                200 => passes.push(now),
                429 => refused += 1,
                status => panic!("{status}: {}", reply.text),
            }
        }
        let pause = if round + 1 < BURSTS { 400 } else { 30_000 };
        for stack in &stacks {
            advance(stack, pause);
        }
    }
    assert_bound(&passes);
    // 500 calls in 4 s, of which a bucket and what it refills may pass; then 50 calls in 30 s, which all may.
    let first = passes.iter().filter(|pass| pass.duration_since(passes[0]).as_secs() < 10).count();
    assert!((280..=365).contains(&first), "{first} passed at first");
    assert_eq!((passes.len() - first, refused), (later * CALLERS, BURSTS * CALLERS - first));
}
