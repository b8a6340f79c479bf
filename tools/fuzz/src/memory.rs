//! Bound of the memory that one input takes.

use peak_alloc::PeakAlloc;

#[global_allocator]
static ALLOCATED: PeakAlloc = PeakAlloc;

/// A target that decodes must not allocate what its input only claims.
const MAX_BYTES: usize = 64 * 1024 * 1024;

/// Runs one input of a target that starts no stack.
///
/// # Panics
/// Panics if the input takes more than 64 MiB of memory.
pub fn within_memory(target: fn(&[u8]), bytes: &[u8]) {
    ALLOCATED.reset_peak_usage();
    let before = ALLOCATED.current_usage();
    target(bytes);
    let taken = ALLOCATED.peak_usage().saturating_sub(before);
    assert!(taken <= MAX_BYTES, "{taken} bytes of memory for {} bytes", bytes.len());
}

#[cfg(test)]
mod tests {
    use std::hint::black_box;

    use super::{MAX_BYTES, within_memory};

    #[test]
    #[should_panic(expected = "bytes of memory for 1 bytes")]
    fn input_that_takes_too_much_memory_fails() {
        within_memory(|_| drop(black_box(Vec::<u8>::with_capacity(2 * MAX_BYTES))), &[0]);
    }
}
