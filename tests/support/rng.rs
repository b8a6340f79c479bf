//! Random numbers that a failed test can repeat.

/// Default seed: the same steps on every machine.
const DEFAULT_SEED: u64 = 0x5EED;

/// Returns the generator of a test. Its seed is the environment variable `PRESENCE_SEED`, else a fixed one. It is printed, so
/// that a failure names it.
///
/// # Panics
/// Panics if `PRESENCE_SEED` is no whole number.
#[expect(clippy::disallowed_methods, clippy::print_stdout, reason = "a test's own setting, shown to its reader")]
pub fn rng(test: &str) -> fastrand::Rng {
    let seed =
        std::env::var("PRESENCE_SEED").map_or(DEFAULT_SEED, |text| text.parse().expect("PRESENCE_SEED is a number"));
    println!("{test}: PRESENCE_SEED={seed}");
    fastrand::Rng::with_seed(seed)
}
