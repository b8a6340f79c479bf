//! Limits of keys, seen by callers: answers, headers, cost, and the bound over many functions.

mod answers;
mod concurrency;
mod cost;
mod failures;

use jiff::SignedDuration;
use presence_domain::api_key::PlaintextApiKey;
use presence_domain::rate_limit::{KeyLimit, RateLimit};
use presence_local::Options;
use presence_runtime::clock::Clock as _;
use presence_store::schema::API_KEYS;
use presence_tests::{Fixtures, Reply, TestStack, long_timeouts};

/// Returns the options of a stack whose keys may make this number of requests a minute.
fn limited(requests_per_minute: u32) -> Options {
    Options { rate_limit: RateLimit::new(requests_per_minute), ..long_timeouts() }
}

async fn start(options: Options) -> (TestStack, Fixtures) {
    let stack = TestStack::with(options).await;
    let fixtures = Fixtures::create(&stack).await;
    (stack, fixtures)
}

/// Gives a key a limit, as an operator does.
async fn set_limit(stack: &TestStack, key: &str, limit: KeyLimit) {
    let hash = PlaintextApiKey::parse(key).expect("a key").hash();
    let record = stack.stores().api_keys.get(&hash).await.expect("an answer").expect("a stored key");
    let users = &stack.stores().users;
    let set = users.set_key_limit(record.id(), limit, &presence_tests::operator(), stack.clock.now()).await;
    set.expect("a stored key");
}

/// Sends requests until one is refused. Returns the number of those that passed, and the refusal.
async fn exhaust(stack: &TestStack, key: &str) -> (usize, Reply) {
    for passed in 0..2_000 {
        let reply = stack.get("/user/me", key).await;
        if reply.status == 429 {
            return (passed, reply);
        }
        assert_eq!(reply.status, 200, "{}", reply.text);
    }
    panic!("no request is refused");
}

fn advance(stack: &TestStack, milliseconds: i64) {
    stack.clock.advance(SignedDuration::from_millis(milliseconds));
}

/// Returns the seconds in which the stored buckets expire.
async fn expiries(stack: &TestStack) -> Vec<i64> {
    let items = stack.scan(&stack.stores().database.name(&API_KEYS)).await;
    let buckets = items.iter().filter(|item| item["key_hash"].as_s().is_ok_and(|hash| hash.starts_with("BUCKET#")));
    buckets.map(|item| item["ttl"].as_n().expect("a number").parse().expect("seconds")).collect()
}
