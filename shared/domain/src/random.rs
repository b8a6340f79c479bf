//! Random bytes: those of the operating system, and in a simulation those of its seed.

/// Fills a buffer with bytes of the operating system's generator.
///
/// # Panics
///
/// When the operating system has no random bytes to give: nothing safe can be done then.
pub fn fill(bytes: &mut [u8]) {
    #[cfg(debug_assertions)]
    if seeded::fill(bytes) {
        return;
    }
    getrandom::fill(bytes).expect("the operating system provides randomness");
}

/// Returns eight random bytes as [`fill`] does.
pub fn random_u64() -> u64 {
    let mut bytes = [0; 8];
    fill(&mut bytes);
    u64::from_ne_bytes(bytes)
}

/// Random bytes that repeat, for simulations. No release has them.
#[cfg(debug_assertions)]
pub mod seeded {
    use std::cell::Cell;
    use std::hash::{DefaultHasher, Hash as _, Hasher as _};

    thread_local! {
        /// Seed, and number of the next eight bytes.
        static NEXT: Cell<Option<(u64, u64)>> = const { Cell::new(None) };
    }

    /// Lets this thread draw the bytes of a seed from now on.
    pub fn start(seed: u64) {
        NEXT.set(Some((seed, 0)));
    }

    pub(super) fn fill(bytes: &mut [u8]) -> bool {
        let Some((seed, first)) = NEXT.get() else { return false };
        for (number, chunk) in (first..).zip(bytes.chunks_mut(8)) {
            let mut hasher = DefaultHasher::new();
            (seed, number).hash(&mut hasher);
            chunk.copy_from_slice(&hasher.finish().to_ne_bytes()[..chunk.len()]);
            NEXT.set(Some((seed, number + 1)));
        }
        true
    }
}
