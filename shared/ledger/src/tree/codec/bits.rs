//! Single bits, which counts consist of. The first bit is the highest of the first byte.

/// Writer of bits.
pub(super) struct BitWriter {
    bytes: Vec<u8>,
    /// Bits of the last byte that is not full, and maybe of bytes before it. The last one is the lowest.
    pending: u64,
    /// Number of bits that are pending.
    pending_bits: u32,
}

impl BitWriter {
    pub(super) fn new() -> Self {
        Self { bytes: Vec::new(), pending: 0, pending_bits: 0 }
    }

    /// Writes the low bits of a value: at most 32.
    pub(super) fn bits(&mut self, value: u64, bits: u32) {
        self.pending = self.pending << bits | value;
        self.pending_bits += bits;
        while self.pending_bits >= 8 {
            self.pending_bits -= 8;
            self.bytes.push((self.pending >> self.pending_bits & 0xff) as u8);
        }
    }

    /// Fills the last byte with bits 0, and returns the bytes.
    pub(super) fn finish(mut self) -> Vec<u8> {
        let missing = (8 - self.pending_bits) % 8;
        self.bits(0, missing);
        self.bytes
    }
}

/// Reader of bits. Behind the end are bits 0: the caller checks at the end that [`BitReader::read_bytes`] is not too much.
pub(super) struct BitReader<'a> {
    bytes: &'a [u8],
    /// Number of bits before the window.
    position: usize,
    /// The next bits, from the highest one.
    window: u64,
    /// Number of bits of the window that can be relied on.
    window_bits: usize,
}

impl<'a> BitReader<'a> {
    /// Number of bits that [`BitReader::take`] returns at most.
    pub(super) const TAKEN_MAX: usize = 32;

    pub(super) fn new(bytes: &'a [u8]) -> Self {
        let mut reader = Self { bytes, position: 0, window: 0, window_bits: 0 };
        reader.refill();
        reader
    }

    /// Reads some bits as a number: from 1 to 32.
    #[inline]
    pub(super) fn take(&mut self, bits: u32) -> u64 {
        let taken = self.window >> (64 - bits);
        self.skip(bits);
        taken
    }

    /// Skips some bits: up to 32.
    #[inline]
    pub(super) fn skip(&mut self, bits: u32) {
        self.window <<= bits;
        self.window_bits -= bits as usize;
        self.position += bits as usize;
        if self.window_bits < Self::TAKEN_MAX {
            self.refill();
        }
    }

    /// Returns the number of bits 0 before the next bit 1, if it is below 32. Otherwise, a number from 32 on.
    #[inline]
    pub(super) fn leading_zeros(&self) -> u32 {
        self.window.leading_zeros()
    }

    /// Fills the window with at least 57 bits.
    #[inline]
    fn refill(&mut self) {
        let start = self.position / 8;
        let word = match self.bytes.get(start..start + 8) {
            Some(bytes) => bytes.try_into().map_or(0, u64::from_be_bytes),
            None => self.last_word(start),
        };
        let skipped = self.position % 8;
        (self.window, self.window_bits) = (word << skipped, 64 - skipped);
    }

    /// Returns the last bytes as the highest ones of a word.
    fn last_word(&self, start: usize) -> u64 {
        let last = self.bytes.get(start..).unwrap_or_default();
        last.iter().rev().fold(0, |word, byte| word >> 8 | u64::from(*byte) << 56)
    }

    /// Returns the number of bytes that the bits read so far take. `None` if there are not as many, or if the rest of the last byte
    /// is not 0.
    pub(super) fn read_bytes(&self) -> Option<usize> {
        let unused_bits = self.position.wrapping_neg() % 8;
        let read = (self.position + unused_bits) / 8;
        let last = *self.bytes.get(..read)?.last()?;
        (last.trailing_zeros() as usize >= unused_bits).then_some(read)
    }
}
