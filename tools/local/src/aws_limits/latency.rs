//! Latency of calls.

use std::time::Duration;

/// Draws the latency of a call around the usual one. One in a hundred takes ten times as long, one in a thousand sixty times.
pub(super) fn draw(usual: Duration, rng: &mut fastrand::Rng) -> Duration {
    let factor = match rng.u32(..1_000) {
        0 => 60.0,
        1..11 => 10.0,
        _ => 1.0,
    };
    usual.mul_f64(factor * (0.7 + 0.3 * exponential(rng)))
}

/// Draws from the exponential distribution with mean 1, cut at 10.
pub(super) fn exponential(rng: &mut fastrand::Rng) -> f64 {
    (-(1.0 - rng.f64()).ln()).min(10.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_latencies_are_near_the_usual_one_and_few_are_long() {
        let mut rng = fastrand::Rng::with_seed(1);
        let mut times: Vec<_> = (0..10_000).map(|_| draw(Duration::from_millis(3), &mut rng)).collect();
        times.sort_unstable();
        let millis = |position: usize| times[position].as_secs_f64() * 1e3;
        assert!((2.1..3.5).contains(&millis(5_000)), "median {}", millis(5_000));
        assert!(millis(9_800) < 10.0, "98 of 100: {}", millis(9_800));
        assert!(millis(9_995) > 60.0, "longest: {}", millis(9_995));
        assert!(millis(0) >= 2.1);
    }
}
