//! Bytes and integers of variable length, which all binary forms of the ledger consist of.

use super::DecodeError;

/// Version of the binary forms, their first byte. Stored bytes of a version are read for ever.
const FORMAT: u8 = 1;

/// Maximum number of bytes of an integer of variable length: 7 bits in each.
const VARINT_BYTES: usize = 10;

/// Writer of a binary form.
pub(crate) struct ByteWriter(Vec<u8>);

impl ByteWriter {
    /// Returns a writer that has written the version of the format.
    pub(crate) fn new() -> Self {
        Self(vec![FORMAT])
    }

    /// Returns the bytes that were written.
    pub(crate) fn finish(self) -> Vec<u8> {
        self.0
    }

    pub(crate) fn byte(&mut self, byte: u8) {
        self.0.push(byte);
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    /// Writes an integer: 7 bits in each byte, lowest first. The highest bit tells that more follow.
    pub(crate) fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(low_byte(value) | 0x80);
            value >>= 7;
        }
        self.0.push(low_byte(value));
    }

    /// Writes a signed integer: 0, -1, 1, -2, … take the numbers 0, 1, 2, 3, …
    pub(crate) fn signed(&mut self, value: i64) {
        self.varint((value << 1 ^ value >> 63).cast_unsigned());
    }

    pub(crate) fn length(&mut self, length: usize) {
        self.varint(length as u64);
    }
}

/// Reader of a binary form. Every read is an error where the bytes end.
pub(crate) struct ByteReader<'a> {
    rest: &'a [u8],
}

impl<'a> ByteReader<'a> {
    /// Starts to read a binary form behind its version.
    pub(crate) fn new(bytes: &'a [u8]) -> Result<Self, DecodeError> {
        match bytes.split_first() {
            Some((&FORMAT, rest)) => Ok(Self { rest }),
            Some(_) => Err(DecodeError("a version of the format that is not known")),
            None => Err(DecodeError("no bytes")),
        }
    }

    /// Ends the reading. Bytes that are left are an error.
    pub(crate) fn finish(self) -> Result<(), DecodeError> {
        if self.rest.is_empty() { Ok(()) } else { Err(DecodeError("bytes behind the end")) }
    }

    /// Returns the bytes that are not read yet.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    #[inline]
    pub(crate) fn byte(&mut self) -> Result<u8, DecodeError> {
        let (first, rest) = self.rest.split_first().ok_or(ENDED)?;
        self.rest = rest;
        Ok(*first)
    }

    #[inline]
    pub(crate) fn bytes(&mut self, length: usize) -> Result<&'a [u8], DecodeError> {
        let (taken, rest) = self.rest.split_at_checked(length).ok_or(ENDED)?;
        self.rest = rest;
        Ok(taken)
    }

    #[inline]
    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], DecodeError> {
        let (taken, rest) = self.rest.split_first_chunk().ok_or(ENDED)?;
        self.rest = rest;
        Ok(*taken)
    }

    #[inline]
    pub(crate) fn varint(&mut self) -> Result<u64, DecodeError> {
        let first = self.byte()?;
        if first < 0x80 { Ok(u64::from(first)) } else { self.long_varint(first) }
    }

    /// Reads the bytes behind the first one of an integer.
    fn long_varint(&mut self, first: u8) -> Result<u64, DecodeError> {
        let mut value = u64::from(first & 0x7f);
        for place in 1..VARINT_BYTES {
            let byte = self.byte()?;
            if place == VARINT_BYTES - 1 && byte > 1 {
                break;
            }
            value |= u64::from(byte & 0x7f) << (7 * place);
            if byte < 0x80 {
                // Each integer has one form, the shortest.
                return if byte == 0 { Err(DecodeError("an integer with needless bytes")) } else { Ok(value) };
            }
        }
        Err(DecodeError("an integer of more than 64 bits"))
    }

    #[inline]
    pub(crate) fn signed(&mut self) -> Result<i64, DecodeError> {
        let number = self.varint()?;
        Ok((number >> 1).cast_signed() ^ -(number & 1).cast_signed())
    }

    #[inline]
    pub(crate) fn varint_u32(&mut self) -> Result<u32, DecodeError> {
        u32::try_from(self.varint()?).map_err(|_| DecodeError("an integer of more than 32 bits"))
    }

    /// Reads the length of a list whose elements take at least this number of bytes each. More elements than fit into the bytes
    /// that are left are an error, so that a list can be allocated at once.
    #[inline]
    pub(crate) fn length(&mut self, bytes_of_element: usize) -> Result<usize, DecodeError> {
        let length = usize::try_from(self.varint()?).map_err(|_| ENDED)?;
        if length > self.rest.len() / bytes_of_element { Err(ENDED) } else { Ok(length) }
    }
}

const ENDED: DecodeError = DecodeError("the bytes end too early");

fn low_byte(value: u64) -> u8 {
    (value & 0x7f) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_has_at_most_as_many_elements_as_fit_into_the_bytes_that_are_left() {
        for (elements, bytes, fits) in [(0, 0, true), (1, 4, false), (2, 9, false), (2, 10, true)] {
            let mut writer = ByteWriter::new();
            writer.length(elements);
            writer.bytes(&vec![0; bytes]);
            let written = writer.finish();
            let length = ByteReader::new(&written).and_then(|mut reader| reader.length(5));
            assert_eq!(length, if fits { Ok(elements) } else { Err(ENDED) }, "{elements} in {bytes} bytes");
        }
    }
}
