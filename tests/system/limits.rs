//! Keys with a limit: callers who send too many requests, one who sends few, and the judge of what passed.

use std::sync::Arc;
use std::time::Duration;

use futures::future::join_all;
use presence_domain::api_key::PlaintextApiKey;
use presence_domain::rate_limit::KeyLimit;
use presence_runtime::clock::Clock as _;
use presence_tests::{Fixtures, TestStack, operator};
use tokio::time::Instant;

use super::processes::Request;
use super::simulation::Simulation;

/// Requests a minute of a client that sends more, and whose key others use in bursts.
const SMALL: u32 = 30;
/// Requests of a burst.
const BURST: usize = 12;
/// Longest pause between two bursts, in milliseconds.
const LONGEST_PAUSE: u64 = 15_000;
/// Requests a minute of a caller that sends a third of them.
const LARGE: u32 = 60;
/// Pauses between its requests, in milliseconds.
const PAUSES: std::ops::Range<u64> = 3_000..6_000;
/// Largest error of clocks that limits tolerate, in milliseconds: those of two processes differ by half a second.
pub(crate) const CLOCK_TOLERANCE: i64 = 250;
/// Milliseconds whose tokens may pass beyond a full bucket: the life of a lease, and the time until a write notices that the bucket is full.
const LEASED: i64 = 10_000 + 2_000;
const MINUTE: i64 = 60_000;
/// Time after the call of a lease that failed: until it is given up, and in which requests pass without one.
const WITHOUT_LEASE: Duration = Duration::from_secs(5);

/// Times at which a request was sent and answered.
pub(crate) type Pass = (Instant, Instant);

/// Gives both keys their limits, as an operator does.
pub(crate) async fn set(stack: &TestStack, fixtures: &Fixtures) {
    for (key, limit) in [(&fixtures.other_admin_1.key, SMALL), (&fixtures.manager_2.key, LARGE)] {
        let hash = PlaintextApiKey::parse(key).expect("a key").hash();
        let record = stack.stores().api_keys.get(&hash).await.expect("an answer").expect("a stored key");
        let (limit, now) = (KeyLimit::from_number(limit).expect("a limit"), stack.clock.now());
        stack.stores().users.set_key_limit(record.id(), limit, &operator(), now).await.expect("a stored key");
    }
}

/// Notes a request with the key of the small limit that passed it.
pub(crate) fn note(simulation: &Simulation, request: &Request, sent: Instant, status: u16) {
    if request.key == simulation.fixtures.other_admin_1.key && !matches!(status, 401 | 429 | 500..) {
        simulation.passes().push((sent, Instant::now()));
    }
}

fn whoami(key: &str) -> Request {
    Request::get("/user/me".to_owned(), key)
}

/// Sends bursts of requests with the key of the small limit.
pub(crate) async fn send_too_many(simulation: Arc<Simulation>, time: Duration) {
    let mut rng = simulation.fork_rng();
    let end = Instant::now() + time;
    let request = whoami(&simulation.fixtures.other_admin_1.key);
    while Instant::now() < end {
        tokio::time::sleep(Duration::from_millis(rng.u64(..LONGEST_PAUSE))).await;
        let mut rngs: Vec<_> = (0..BURST).map(|_| rng.fork()).collect();
        join_all(rngs.iter_mut().map(|rng| simulation.send(&request, rng))).await;
    }
}

/// Sends fewer requests than the large limit. None is refused, unless clocks are wrong.
pub(crate) async fn send_few(simulation: Arc<Simulation>, time: Duration) {
    let mut rng = simulation.fork_rng();
    let end = Instant::now() + time;
    let request = whoami(&simulation.fixtures.manager_2.key);
    while Instant::now() < end {
        tokio::time::sleep(Duration::from_millis(rng.u64(PAUSES))).await;
        let answer = simulation.send(&request, &mut rng).await;
        if simulation.clock_error <= CLOCK_TOLERANCE && matches!(answer, Some((429, _))) {
            simulation.history().found(format!("a key below its limit is refused: {answer:?}"));
        }
    }
}

/// Judges that no time had more requests with the key of the small limit than `shared/docs/rate-limits.md` allows. Those that may have passed
/// because a lease failed do not count.
pub(crate) fn judge_end(simulation: &Simulation) {
    let failed = simulation.network.log().into_iter().filter(|call| call.what.contains("BUCKET#") && !call.is_prompt);
    let failed: Vec<Instant> = failed.map(|call| call.at).collect();
    let is_leased = |(sent, answered): &Pass| !failed.iter().any(|at| at <= answered && *sent <= *at + WITHOUT_LEASE);
    let passes: Vec<Pass> = simulation.passes().iter().copied().filter(is_leased).collect();
    for start in passes.iter().map(|(sent, _)| *sent) {
        let mut ends: Vec<Instant> = passes.iter().filter(|(sent, _)| *sent >= start).map(|(_, end)| *end).collect();
        ends.sort_unstable();
        for (count, end) in (1..).zip(ends) {
            let time = i64::try_from((end - start).as_millis()).expect("a short time");
            let allowed = i64::from(SMALL) * (MINUTE + time + LEASED + 2 * simulation.clock_error) / MINUTE;
            if count > allowed {
                let finding = format!("{count} requests of a key passed in {time} ms, and {allowed} may");
                return simulation.history().found(finding);
            }
        }
    }
}
