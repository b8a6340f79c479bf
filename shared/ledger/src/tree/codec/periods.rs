//! Binary form of the spans of periods, and of what a period tells of its nodes.

use super::DecodeError;
use super::branch::ENTRY_MIN_BYTES;
use super::bytes::{ByteReader, ByteWriter};
use super::keys::{NODE_MIN_BYTES, Starts};
use crate::PostingKey;
use crate::tree::MonthSpan;
use presence_domain::calendar::Month;

/// Number of months in the years 0 to 9999. Reviews have the years from 1 on.
const MONTHS: i64 = 12 * 10_000;

/// Writes a span: the months since the end of the span before, and the length. Returns its end.
pub(super) fn write_span(writer: &mut ByteWriter, span: MonthSpan, end_before: i64) -> i64 {
    let length = MonthSpan::LENGTHS.iter().position(|length| *length == span.months).unwrap_or(0);
    writer.varint(span.first.number().abs_diff(end_before) << 2 | length as u64);
    span.first.number() + i64::from(span.months)
}

/// Reader of ascending spans.
#[derive(Default)]
pub(super) struct Spans {
    /// Number of the month behind the last span.
    end: i64,
    /// First second of the last span and first second behind it.
    last: Option<(PostingKey, PostingKey)>,
}

impl Spans {
    /// Reads the next span, and returns a reader of the starts of its nodes.
    pub(super) fn next(&mut self, reader: &mut ByteReader<'_>) -> Result<(MonthSpan, Starts), DecodeError> {
        let number = reader.varint()?;
        let months = MonthSpan::LENGTHS[(number & 3) as usize];
        let first = i64::try_from(number >> 2).unwrap_or(MONTHS).saturating_add(self.end);
        self.end = first.saturating_add(i64::from(months));
        if self.end > MONTHS || first % i64::from(months) != 0 {
            return Err(DecodeError("a span that is out of range"));
        }
        let span = MonthSpan { first: Month::from_number(first), months };
        self.last = Some((span.start(), span.end()));
        Ok((span, Starts::from(span.start().effective_at)))
    }

    /// Checks that the last start of a node is in the last span.
    pub(super) fn check_last(&self, start: Option<PostingKey>) -> Result<(), DecodeError> {
        match (start, self.last) {
            (Some(start), Some((_, end))) if start < end => Ok(()),
            _ => Err(DecodeError("a node outside its period")),
        }
    }

    /// Returns the first key of the last span; `None` if there is none.
    pub(super) fn last_start(&self) -> Option<PostingKey> {
        self.last.map(|(start, _)| start)
    }
}

/// Number and kind of the nodes of a period.
pub(super) struct NodeList {
    pub(super) length: usize,
    pub(super) has_branches: bool,
}

impl NodeList {
    pub(super) fn write(&self, writer: &mut ByteWriter) {
        writer.varint((self.length as u64) << 1 | u64::from(self.has_branches));
    }

    /// Reads the list. More nodes than fit into the bytes that are left are an error.
    pub(super) fn read(reader: &mut ByteReader<'_>) -> Result<Self, DecodeError> {
        let number = reader.varint()?;
        let has_branches = number & 1 == 1;
        let bytes = if has_branches { ENTRY_MIN_BYTES } else { NODE_MIN_BYTES };
        let length = usize::try_from(number >> 1).ok().filter(|length| *length <= reader.rest().len() / bytes);
        Ok(Self { length: length.ok_or(DecodeError("more nodes than bytes"))?, has_branches })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a number in binary form, and bytes behind it.
    fn number_and_bytes(number: u64, bytes: usize) -> Vec<u8> {
        let mut writer = ByteWriter::new();
        writer.varint(number);
        writer.bytes(&vec![0; bytes]);
        writer.finish()
    }

    #[test]
    fn a_span_is_aligned_and_within_the_calendar() {
        for (first, length, is_read) in [(12, 0, true), (3, 0, false), (119_999, 3, true), (120_000, 3, false)] {
            let bytes = number_and_bytes(first << 2 | length, 0);
            let span = ByteReader::new(&bytes).and_then(|mut reader| Spans::default().next(&mut reader));
            assert_eq!(span.is_ok(), is_read, "month {first}");
        }
    }

    #[test]
    fn the_last_node_of_a_period_starts_before_its_end() {
        let mut spans = Spans::default();
        assert!(spans.last_start().is_none() && spans.check_last(Some(PostingKey::FIRST)).is_err());
        let bytes = number_and_bytes((2_024 * 12) << 2, 0);
        let read = ByteReader::new(&bytes).and_then(|mut reader| spans.next(&mut reader));
        let (span, _) = read.expect("a span");
        assert_eq!(spans.last_start(), Some(span.start()));
        let before_end = PostingKey::at(span.end().effective_at - 1);
        for (start, is_inside) in [(None, false), (Some(before_end), true), (Some(span.end()), false)] {
            assert_eq!(spans.check_last(start).is_ok(), is_inside, "{start:?}");
        }
    }

    #[test]
    fn a_period_has_at_most_as_many_nodes_as_fit_into_the_bytes_that_are_left() {
        for (has_branches, bytes, fits) in [
            (false, 2 * NODE_MIN_BYTES, true),
            (false, 2 * NODE_MIN_BYTES - 1, false),
            (true, 2 * ENTRY_MIN_BYTES, true),
            (true, 2 * ENTRY_MIN_BYTES - 1, false),
        ] {
            let bytes = number_and_bytes(2 << 1 | u64::from(has_branches), bytes);
            let list = ByteReader::new(&bytes).and_then(|mut reader| NodeList::read(&mut reader));
            assert_eq!(list.is_ok(), fits, "{} bytes", bytes.len());
        }
    }
}
