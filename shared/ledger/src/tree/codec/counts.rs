//! Binary form of counts by facet key, as a stream of bits.
//!
//! It has one of two forms, whichever is shorter. The **sparse** form is for few reviews. A bit for each key, that of the last key first,
//! tells if its count is not 0. Codes follow for these counts less 1. The **dense** form has a code for each count. A bit tells the form,
//! and 4 bits an order `k`. The codes are exponential-Golomb codes of that order. The code of a number `n` is `n + 2^k` in binary, behind
//! as many bits 0 as it has bits behind its first `k + 1`. The order is the one that makes the codes shortest: low where most numbers are
//! small, high for large numbers.

use super::DecodeError;
use super::bits::{BitReader, BitWriter};
use super::bytes::{ByteReader, ByteWriter};
use presence_domain::review::{FACET_KEY_COUNT, FacetCounts, FacetMask};

/// Minimum number of bytes of counts: form and order, and 1 bit for each key.
pub(super) const COUNTS_MIN_BYTES: usize = (1 + ORDER_BITS as usize + FACET_KEY_COUNT).div_ceil(8);

/// Largest count that can be stored. Sums of stored counts never overflow, as no item has 2^25 of them.
const COUNT_MAX: u64 = (1 << 31) - 1;

/// Number of bits of the order.
const ORDER_BITS: u32 = 4;

/// Maximum number of bits of the binary number of a code.
const NUMBER_BITS: u32 = 32;

/// Number of keys from key 64 on.
#[expect(clippy::cast_possible_truncation, reason = "there are few keys")]
const HIGH_KEYS: u32 = FACET_KEY_COUNT as u32 - 64;

/// Number of postings: of all, and of those that a mask admits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct MatchCounts {
    pub(super) total: u64,
    pub(super) matches: u64,
}

/// Form of counts.
#[derive(Clone, Copy)]
struct CountsForm {
    is_dense: bool,
    order: u32,
}

impl CountsForm {
    /// Returns the form that takes the fewest bits.
    fn shortest(counts: &[u64; FACET_KEY_COUNT]) -> Self {
        // Most counts are 0, and the codes of these are equally long.
        let used: Vec<u64> = counts.iter().copied().filter(|count| *count > 0).collect();
        let forms = (0..1 << ORDER_BITS).flat_map(|order| [false, true].map(|is_dense| Self { is_dense, order }));
        forms.min_by_key(|form| form.bits(&used)).unwrap_or(Self { is_dense: true, order: 0 })
    }

    /// Returns the number that stands for a count. None does for 0 in the sparse form.
    fn number(self, count: u64) -> Option<u64> {
        if self.is_dense { Some(count) } else { count.checked_sub(1) }
    }

    /// Returns the number of bits of bits for keys and of codes, from the counts that are not 0.
    fn bits(self, used: &[u64]) -> usize {
        let code_bits = |number: u64| 2 * (number + (1 << self.order)).ilog2() + 1 - self.order;
        let codes = used.iter().filter_map(|count| self.number(*count)).map(code_bits).sum::<u32>();
        let unused = (FACET_KEY_COUNT - used.len()) * code_bits(0) as usize;
        codes as usize + if self.is_dense { unused } else { FACET_KEY_COUNT }
    }
}

impl ByteWriter {
    /// Writes counts. Those below 0 become 0 and those above 2^31 − 1 become that: no node has such counts.
    pub(super) fn counts(&mut self, counts: &FacetCounts) {
        let counts = counts.as_array().map(|count| u64::try_from(count).unwrap_or(0).min(COUNT_MAX));
        let form = CountsForm::shortest(&counts);
        let mut bits = BitWriter::new();
        bits.bits(u64::from(form.is_dense), 1);
        bits.bits(u64::from(form.order), ORDER_BITS);
        if !form.is_dense {
            for count in counts.iter().rev() {
                bits.bits(u64::from(*count > 0), 1);
            }
        }
        for number in counts.iter().filter_map(|count| form.number(*count)) {
            let sum = number + (1 << form.order);
            let sum_bits = sum.ilog2() + 1;
            bits.bits(0, sum_bits - 1 - form.order);
            bits.bits(sum, sum_bits);
        }
        self.bytes(&bits.finish());
    }
}

impl ByteReader<'_> {
    /// Reads counts.
    pub(super) fn counts(&mut self) -> Result<FacetCounts, DecodeError> {
        let mut counts = [0; FACET_KEY_COUNT];
        self.each_count(|key, count| {
            if let Some(own) = counts.get_mut(key as usize) {
                *own = count.cast_signed();
            }
        })?;
        Ok(FacetCounts::from_array(&counts))
    }

    /// Reads the sums of counts.
    pub(super) fn match_counts(&mut self, mask: FacetMask) -> Result<MatchCounts, DecodeError> {
        let (mut sums, mask) = (MatchCounts::default(), mask.bits());
        let mask = [(mask << 64 >> 64) as u64, (mask >> 64) as u64];
        self.each_count(|key, count| {
            sums.total += count;
            // Without a branch, which the processor could not predict.
            sums.matches += count * (mask[(key >> 6 & 1) as usize] >> (key & 63) & 1);
        })?;
        Ok(sums)
    }

    /// Reads the counts that have codes, with the numbers of their keys. The others are 0.
    #[inline]
    fn each_count(&mut self, mut take: impl FnMut(u32, u64)) -> Result<(), DecodeError> {
        let mut bits = BitReader::new(self.rest());
        let form = CountsForm { is_dense: bits.take(1) == 1, order: (bits.take(ORDER_BITS) & 0xf) as u32 };
        let (high, low) = if form.is_dense {
            ((1 << HIGH_KEYS) - 1, u64::MAX)
        } else {
            (bits.take(HIGH_KEYS), bits.take(32) << 32 | bits.take(32))
        };
        for (first, mut keys) in [(0, low), (64, high)] {
            while keys != 0 {
                let number = read_number(&mut bits, form.order)?;
                let count = if form.is_dense { number } else { number + 1 };
                if count > COUNT_MAX {
                    return Err(TOO_LARGE);
                }
                take(first + keys.trailing_zeros(), count);
                keys &= keys - 1;
            }
        }
        let read = bits.read_bytes().ok_or(DecodeError("counts that do not end"))?;
        self.bytes(read).map(|_| ())
    }
}

/// Reads the number of a code.
#[inline]
fn read_number(bits: &mut BitReader<'_>, order: u32) -> Result<u64, DecodeError> {
    let zeros = bits.leading_zeros();
    let sum_bits = zeros + 1 + order;
    // The first bit of the sum is 1, so that it is not below 2^k. The bits 0 before it do not change its value.
    let code_bits = zeros + sum_bits;
    let sum = if code_bits as usize <= BitReader::TAKEN_MAX {
        bits.take(code_bits)
    } else {
        read_long_sum(bits, zeros, sum_bits)?
    };
    Ok(sum - (1 << order))
}

/// Reads the sum of a code that is longer than what the reader takes at once.
#[cold]
fn read_long_sum(bits: &mut BitReader<'_>, zeros: u32, sum_bits: u32) -> Result<u64, DecodeError> {
    if sum_bits > NUMBER_BITS {
        return Err(TOO_LARGE);
    }
    bits.skip(zeros);
    Ok(bits.take(sum_bits))
}

const TOO_LARGE: DecodeError = DecodeError("a count that is too large");

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the dense form of a count of the first key, and of none of the others.
    fn dense(first: u64) -> Vec<u8> {
        let (mut bits, order) = (BitWriter::new(), 15_u32);
        bits.bits(1, 1);
        bits.bits(u64::from(order), ORDER_BITS);
        for count in [first].into_iter().chain([0; FACET_KEY_COUNT - 1]) {
            let sum = count + (1 << order);
            let sum_bits = sum.ilog2() + 1;
            bits.bits(0, sum_bits - 1 - order);
            bits.bits(sum, sum_bits);
        }
        let mut writer = ByteWriter::new();
        writer.bytes(&bits.finish());
        writer.finish()
    }

    #[test]
    fn counts_up_to_the_largest_are_read() {
        for (count, is_read) in [(0, true), (1, true), (COUNT_MAX, true), (COUNT_MAX + 1, false)] {
            let bytes = dense(count);
            let counts = ByteReader::new(&bytes).and_then(|mut reader| reader.counts());
            let first = counts.ok().map(|counts| counts.as_array()[0].cast_unsigned());
            assert_eq!(first, is_read.then_some(count), "{count}");
        }
    }
}
