//! Simulation of many functions that share the bucket of one key, by random callers over an unkind network.
//!
//! A run has up to 32 functions, with clocks that differ. Writes arrive late or twice, and replies are lost. A seed decides on everything.
//! Two properties hold in each run:
//!
//! - never more than `limit + limit * t / 60 + 40` requests pass in any `t` seconds;
//! - a caller below its limit is never refused, and one that waits for the seconds of a refusal gets through.
//!
//! Planted faults show that the simulation finds violations.

mod caller;
mod fault;
mod judge;
mod run;

use caller::{CallerKind, Traffic};
use fault::PlantedFault;
use judge::largest_excess;
use run::{LimiterRun, Network, Routing, Settings};

use super::{EXCESS, RateLimit};

/// Number of runs of each property.
const RUNS: u64 = 100;

fn limit(number: u32) -> RateLimit {
    RateLimit::new(number).expect("a limit")
}

/// Returns the settings of a run with any callers, clocks and losses.
fn hostile(seed: u64, fault: Option<PlantedFault>) -> Settings {
    let mut rng = fastrand::Rng::with_seed(seed);
    let limit = limit([1, 7, 60, 300, 300, 300, 1_000, 6_000, 60_000][rng.usize(..9)]);
    // A flood alone finds most: other callers spend the tokens that it needs.
    let traffic = match rng.u32(..4) {
        0 => (0..3).map(|_| Traffic::any(limit, &mut rng)).collect(),
        1 => vec![Traffic::any(limit, &mut rng)],
        _ => vec![Traffic::of(CallerKind::Floods, limit, 100)],
    };
    Settings {
        seed,
        limit,
        functions: [1, 2, 8, 32][rng.usize(..4)],
        clock_spread_ms: 500,
        routing: [Routing::Any, Routing::FirstIdle][rng.usize(..2)],
        network: [Network::Kind, Network::Unkind][rng.usize(..2)],
        traffic,
        seconds: 200,
        fault,
    }
}

/// Returns the settings of a run with callers of one kind, over a network that works.
fn friendly(seed: u64, functions: usize, limit: RateLimit, traffic: Vec<Traffic>) -> Settings {
    Settings {
        seed,
        limit,
        functions,
        clock_spread_ms: 500,
        routing: [Routing::Any, Routing::FirstIdle][usize::from(seed.is_multiple_of(3))],
        network: Network::Kind,
        traffic,
        seconds: 120,
        fault: None,
    }
}

/// Returns the settings of a run in which a fault shows.
fn scenario(fault: PlantedFault, seed: u64) -> Settings {
    let limit = limit(300);
    if !fault.harms_callers() {
        return hostile(seed, Some(fault));
    }
    let traffic = vec![Traffic::of(CallerKind::Bursts, limit, 60)];
    Settings { fault: Some(fault), ..friendly(seed, 32, limit, traffic) }
}

/// Returns what a run breaks.
fn violation(settings: Settings) -> Option<String> {
    let (limit, fault) = (settings.limit, settings.fault);
    let report = LimiterRun::new(settings).run();
    let excess = largest_excess(&report.passes, limit);
    if excess > i64::from(EXCESS) {
        return Some(format!("{excess} requests passed beyond the limit of {}", limit.requests_per_minute()));
    }
    // Refusals have a meaning only where the caller keeps to its limit.
    fault
        .filter(|fault| fault.harms_callers())
        .filter(|_| report.refused > 0)
        .map(|_| "a caller below its limit was refused".to_owned())
}

#[test]
fn no_window_has_more_requests_than_the_limit_and_the_excess() {
    let mut passed = 0;
    for seed in 0..RUNS {
        let settings = hostile(seed, None);
        let context = format!("run {seed}: {settings:?}");
        let report = LimiterRun::new(settings.clone()).run();
        let excess = largest_excess(&report.passes, settings.limit);
        assert!(excess <= i64::from(EXCESS), "{context}: {excess}");
        passed += report.passes.len();
    }
    assert!(passed > 50_000, "too little traffic: {passed}");
}

#[test]
fn a_caller_below_its_limit_is_never_refused() {
    for seed in 0..RUNS {
        let functions = [1, 2, 3, 8, 16, 32][usize::try_from(seed % 6).expect("small")];
        let mut rng = fastrand::Rng::with_seed(seed);
        let limit = limit([60, 300, 300, 1_000][rng.usize(..4)]);
        let kind = [CallerKind::Steady, CallerKind::Random, CallerKind::Bursts][rng.usize(..3)];
        let percent = if kind == CallerKind::Bursts { 60 } else { 90 };
        let report = LimiterRun::new(friendly(seed, functions, limit, vec![Traffic::of(kind, limit, percent)])).run();
        assert_eq!(report.refused, 0, "run {seed}: {kind:?}, {limit:?}, {functions} functions, {report}");
    }
}

#[test]
fn a_caller_that_waits_for_the_seconds_of_a_refusal_gets_through() {
    for seed in 0..RUNS {
        let functions = [1, 2, 8, 32][usize::try_from(seed % 4).expect("small")];
        let limit = limit([1, 10, 60, 300, 1_000][fastrand::Rng::with_seed(seed).usize(..5)]);
        let report =
            LimiterRun::new(friendly(seed, functions, limit, vec![Traffic::of(CallerKind::Patient, limit, 0)])).run();
        assert!(report.refused > 0, "run {seed}: it was never refused");
        assert_eq!(report.refused_again, 0, "run {seed}: {limit:?}, {functions} functions, {report}");
    }
}

#[test]
fn callers_above_the_limit_get_what_the_limit_allows() {
    for functions in [1, 8, 32] {
        let limit = limit(300);
        let report =
            LimiterRun::new(friendly(7, functions, limit, vec![Traffic::of(CallerKind::Greedy, limit, 0); 8])).run();
        // A bucket, and the refill of two minutes. Leases that end with tokens left take some.
        let passes = report.passes.len();
        assert!((720..=940).contains(&passes), "{functions} functions: {report}");
        // Refusals are remembered: most of them cost no write.
        assert!(report.refused > 10 * report.writes, "{functions} functions: {report}");
    }
}

#[test]
fn a_busy_function_writes_once_in_about_twenty_requests() {
    let limit = limit(300);
    for (functions, percent, requests_per_write) in [(1, 90, 10), (2, 90, 5), (8, 90, 1), (1, 40, 8)] {
        let traffic = vec![Traffic::of(CallerKind::Random, limit, percent)];
        let report = LimiterRun::new(friendly(3, functions, limit, traffic)).run();
        let ratio = report.passes.len() / report.writes;
        assert!(ratio >= requests_per_write, "{functions} functions at {percent} %: {report}");
    }
}

#[test]
fn planted_faults_are_found() {
    for fault in PlantedFault::ALL {
        let found = (0..RUNS).find_map(|seed| violation(scenario(fault, seed)));
        assert!(found.is_some(), "{fault:?} was not found");
    }
}
