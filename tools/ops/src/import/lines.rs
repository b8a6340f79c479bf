//! Lines of a stream, one at a time, whatever their length.

use std::borrow::Cow;
use std::io;

use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader};

/// Bytes of a line that are kept: no row comes near 1 MiB, and a file without line breaks must not fill the memory.
pub(super) const MAX_LINE_BYTES: usize = 1 << 20;
/// Characters shown of a line that is too long.
const EXCERPT_CHARS: usize = 1_000;
/// What some programs put in front of UTF-8.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// A line that is not blank.
#[derive(Debug)]
pub(super) struct Line {
    /// Its number in the stream, from 1, blank lines counted.
    pub(super) number: u64,
    /// Bytes of the stream up to its end.
    pub(super) end: u64,
    bytes: Vec<u8>,
    is_cut: bool,
}

impl Line {
    /// The line, or why it is none.
    pub(super) fn text(&self) -> Result<&str, String> {
        if self.is_cut {
            return Err(format!("the line is longer than {MAX_LINE_BYTES} bytes"));
        }
        std::str::from_utf8(&self.bytes)
            .map_err(|error| format!("is not valid UTF-8 (byte {})", error.valid_up_to() + 1))
    }

    /// The line as far as it can be shown.
    pub(super) fn shown(&self) -> Cow<'_, str> {
        let text = String::from_utf8_lossy(&self.bytes);
        if self.is_cut { Cow::Owned(text.chars().take(EXCERPT_CHARS).collect()) } else { text }
    }
}

/// The lines of a stream.
pub(super) struct Lines {
    input: BufReader<Box<dyn AsyncRead + Send + Unpin>>,
    number: u64,
    position: u64,
}

impl Lines {
    pub(super) fn new(input: Box<dyn AsyncRead + Send + Unpin>) -> Self {
        Self { input: BufReader::new(input), number: 0, position: 0 }
    }

    /// The next line that is not blank; none at the end.
    pub(super) async fn next(&mut self) -> io::Result<Option<Line>> {
        loop {
            let start = self.position;
            let line = self.read().await?;
            if self.position == start {
                return Ok(None);
            }
            if line.is_cut || !line.bytes.trim_ascii().is_empty() {
                return Ok(Some(line));
            }
        }
    }

    async fn read(&mut self) -> io::Result<Line> {
        let (mut bytes, mut is_cut) = (Vec::new(), false);
        loop {
            let chunk = self.input.fill_buf().await?;
            let end = chunk.iter().position(|byte| *byte == b'\n');
            let (content, used) = end.map_or((chunk, chunk.len()), |end| (&chunk[..end], end + 1));
            let room = content.len().min(MAX_LINE_BYTES - bytes.len());
            bytes.extend_from_slice(&content[..room]);
            is_cut |= room < content.len();
            self.input.consume(used);
            self.position += used as u64;
            if end.is_some() || used == 0 {
                break;
            }
        }
        self.number += 1;
        if bytes.last() == Some(&b'\r') {
            bytes.pop();
        }
        if self.number == 1 && bytes.starts_with(BYTE_ORDER_MARK) {
            bytes.drain(..BYTE_ORDER_MARK.len());
        }
        Ok(Line { number: self.number, end: self.position, bytes, is_cut })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn lines(input: impl Into<Vec<u8>>) -> Vec<Line> {
        let mut lines = Lines::new(Box::new(io::Cursor::new(input.into())));
        let mut read = Vec::new();
        while let Some(line) = lines.next().await.expect("memory can be read") {
            read.push(line);
        }
        read
    }

    #[tokio::test]
    async fn blank_lines_are_counted_and_skipped() {
        let read = lines("\u{feff}a\r\n\n \t\r\nb\n\nc").await;
        let seen: Vec<_> = read.iter().map(|line| (line.number, line.end, line.text().expect("UTF-8"))).collect();
        assert_eq!(seen, [(1, 6, "a"), (4, 13, "b"), (6, 15, "c")]);
    }

    #[tokio::test]
    async fn an_endless_line_is_cut_and_the_next_one_read() {
        let fits = "x".repeat(MAX_LINE_BYTES);
        let read = lines(format!("{fits}\n{fits}y\nz\n")).await;
        assert_eq!(read[0].text().map(str::len), Ok(MAX_LINE_BYTES));
        assert!(read[1].text().is_err_and(|reason| reason.contains("longer than 1048576 bytes")));
        assert_eq!(read[1].shown().len(), EXCERPT_CHARS);
        assert_eq!((read[2].number, read[2].text()), (3, Ok("z")));
    }

    #[tokio::test]
    async fn what_is_not_utf_8_is_no_text_and_can_still_be_shown() {
        let read = lines(b"ab\xff\n".to_vec()).await;
        assert_eq!(read[0].text(), Err("is not valid UTF-8 (byte 3)".to_owned()));
        assert_eq!(read[0].shown(), "ab\u{fffd}");
    }

    #[tokio::test]
    async fn an_empty_stream_has_no_lines() {
        assert!(lines("").await.is_empty() && lines("\n\n").await.is_empty());
    }
}
