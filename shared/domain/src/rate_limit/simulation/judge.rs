//! Judge of a run: the requests that passed in each window, against the limit.

use jiff::Timestamp;

use crate::rate_limit::RateLimit;

/// Returns the largest number of requests, over all windows, beyond `limit + limit * t / 60`, rounded up. The instants are in real time,
/// in any order.
pub(super) fn largest_excess(passes: &[Timestamp], limit: RateLimit) -> i64 {
    if passes.is_empty() {
        return 0;
    }
    let per_minute = i128::from(limit.requests_per_minute());
    let mut passes: Vec<i128> = passes.iter().map(|pass| i128::from(pass.as_microsecond())).collect();
    passes.sort_unstable();
    // In units of a request in 60 s of microseconds, so that the numbers are whole.
    let minute = 60_000_000;
    let (mut least, mut largest) = (i128::MAX, i128::MIN);
    for (before, pass) in (0_i128..).zip(&passes) {
        least = least.min(before * minute - per_minute * pass);
        largest = largest.max((before + 1) * minute - per_minute * pass - least);
    }
    let excess = largest - per_minute * minute;
    i64::try_from((excess + minute - 1).div_euclid(minute)).expect("few requests").max(0)
}

#[test]
fn the_judge_finds_the_fullest_window() {
    let at = |milliseconds| Timestamp::from_millisecond(milliseconds).expect("an instant");
    let limit = RateLimit::new(60).expect("a limit");
    let burst = |start: i64, count: i64| (0..count).map(move |_| at(start));
    for (passes, excess) in [
        (vec![], 0),
        (burst(0, 60).collect(), 0),
        (burst(0, 61).collect(), 1),
        (burst(0, 60).chain(burst(1_000, 1)).collect(), 0),
        (burst(0, 60).chain(burst(1_000, 2)).collect(), 1),
        (burst(0, 50).chain(burst(90_000, 65)).collect(), 5),
    ] {
        assert_eq!(largest_excess(&passes, limit), excess, "{passes:?}");
    }
}
