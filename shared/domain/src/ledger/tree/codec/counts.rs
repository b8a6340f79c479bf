//! Binary form of counts by facet key: 4 bits for an order `k`, then an exponential-Golomb code of order `k` for each key.
//!
//! The code of a count `n` is `n + 2^k` in binary, behind as many bits 0 as it has bits behind its first `k + 1`. The order is the one
//! that makes the form shortest: low for counts that are mostly 0, high for large counts.

use super::DecodeError;
use super::bits::{BitReader, BitWriter};
use super::bytes::{ByteReader, ByteWriter};
use crate::ledger::{FACET_KEY_COUNT, FacetCounts, FacetMask};

/// Minimum number of bytes of counts: 4 bits, and 1 bit for each key.
pub(super) const COUNTS_MIN_BYTES: usize = (4 + FACET_KEY_COUNT).div_ceil(8);

/// Largest count that can be stored. Sums of stored counts never overflow, as no item has 2^25 of them.
const COUNT_MAX: u64 = (1 << 31) - 1;

/// Number of bits of the order.
const ORDER_BITS: u32 = 4;

/// Maximum number of bits of a count with its order added.
const SUM_BITS: u32 = 32;

/// Number of postings: of all, and of those that a mask admits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct MatchCounts {
    pub(super) total: u64,
    pub(super) matches: u64,
}

impl ByteWriter {
    /// Writes counts. Those below 0 become 0 and those above 2^31 − 1 become that: no node has such counts.
    pub(super) fn counts(&mut self, counts: &FacetCounts) {
        let counts = counts.as_array().map(|count| u64::try_from(count).unwrap_or(0).min(COUNT_MAX));
        let orders = 0..1 << ORDER_BITS;
        let order = orders.min_by_key(|order| counts.iter().map(|count| code_bits(*count, *order)).sum::<u32>());
        let order = order.unwrap_or(0);
        let mut bits = BitWriter::new();
        bits.bits(u64::from(order), ORDER_BITS);
        for count in counts {
            let sum = count + (1 << order);
            let sum_bits = sum.ilog2() + 1;
            bits.bits(0, sum_bits - 1 - order);
            bits.bits(sum, sum_bits);
        }
        self.bytes(&bits.finish());
    }
}

/// Returns the number of bits of a count's code.
fn code_bits(count: u64, order: u32) -> u32 {
    2 * (count + (1 << order)).ilog2() + 1 - order
}

impl ByteReader<'_> {
    /// Reads counts.
    pub(super) fn counts(&mut self) -> Result<FacetCounts, DecodeError> {
        let mut counts = [0; FACET_KEY_COUNT];
        self.each_count(|key, count| {
            if let Some(own) = counts.get_mut(key) {
                *own = i64::from(count);
            }
        })?;
        Ok(FacetCounts::from_array(counts))
    }

    /// Reads the sums of counts.
    pub(super) fn match_counts(&mut self, mask: FacetMask) -> Result<MatchCounts, DecodeError> {
        let (mut sums, bits) = (MatchCounts::default(), mask.bits());
        self.each_count(|key, count| {
            sums.total += u64::from(count);
            sums.matches += u64::from(count) * (bits >> key & 1) as u64;
        })?;
        Ok(sums)
    }

    /// Reads counts one by one. Some that are 0 are left out.
    #[inline]
    fn each_count(&mut self, mut take: impl FnMut(usize, u32)) -> Result<(), DecodeError> {
        let mut bits = BitReader::new(self.rest());
        let order = (bits.window() >> (64 - ORDER_BITS)) as u32;
        bits.skip(ORDER_BITS);
        let mut key = 0;
        while key < FACET_KEY_COUNT {
            let window = bits.window();
            // In order 0, a count of 0 is one bit 1: most are, and a run of them is skipped at once.
            let zeros = if order == 0 { window.leading_ones().min((FACET_KEY_COUNT - key) as u32) } else { 0 };
            if zeros > 0 {
                bits.skip(zeros);
                key += zeros as usize;
                continue;
            }
            take(key, read_count(&mut bits, window, order)?);
            key += 1;
        }
        let read = bits.read_bytes().ok_or(DecodeError("counts that do not end"))?;
        self.bytes(read).map(|_| ())
    }
}

/// Reads a count at the start of a window.
#[inline]
fn read_count(bits: &mut BitReader<'_>, window: u64, order: u32) -> Result<u32, DecodeError> {
    let zeros = window.leading_zeros();
    let sum_bits = zeros + 1 + order;
    if sum_bits > SUM_BITS {
        return Err(DecodeError("a count that is too large"));
    }
    let sum = if zeros + sum_bits <= BitReader::WINDOW_BITS {
        bits.skip(zeros + sum_bits);
        window >> (64 - zeros - sum_bits)
    } else {
        bits.skip(zeros);
        let window = bits.window();
        bits.skip(sum_bits);
        window >> (64 - sum_bits)
    };
    // The first bit of the sum is 1, so that it is not below 2^k.
    let count = (sum & ((1 << SUM_BITS) - 1)).wrapping_sub(1 << order);
    if count > COUNT_MAX { Err(DecodeError("a count that is too large")) } else { Ok(count as u32) }
}
