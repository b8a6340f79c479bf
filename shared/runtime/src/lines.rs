//! Reader of lines: one at a time, of any length, with bounded memory.

use std::borrow::Cow;
use std::io;

use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader};

/// Largest number of bytes of a line that are kept. No valid row comes near 1 MiB, and a file without line breaks must not
/// fill the memory.
pub const MAX_LINE_BYTES: usize = 1 << 20;
/// Number of characters in the excerpt of a line that is too long.
const EXCERPT_CHARS: usize = 1_000;
/// Mark that some programs write before UTF-8 text.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Line that is not blank.
#[derive(Debug)]
pub struct Line {
    /// Number of the line in the stream, from 1. Blank lines count.
    pub number: u64,
    /// Offset of the end of the line in the stream, in bytes.
    pub end_offset: u64,
    bytes: Vec<u8>,
    is_truncated: bool,
}

impl Line {
    /// Returns the text of the line without its line break. The error is a reason to reject it.
    pub fn text(&self) -> Result<&str, String> {
        if self.is_truncated {
            return Err(format!("the line is longer than {MAX_LINE_BYTES} bytes"));
        }
        std::str::from_utf8(&self.bytes)
            .map_err(|error| format!("is not valid UTF-8 (byte {})", error.valid_up_to() + 1))
    }

    /// Returns the line for the file of rejected rows, shortened if it is too long.
    pub fn excerpt(&self) -> Cow<'_, str> {
        let text = String::from_utf8_lossy(&self.bytes);
        if self.is_truncated { Cow::Owned(text.chars().take(EXCERPT_CHARS).collect()) } else { text }
    }
}

/// Reader of the lines of a stream. A byte order mark before the first line is skipped.
pub struct LineReader {
    input: BufReader<Box<dyn AsyncRead + Send + Unpin>>,
    number: u64,
    position: u64,
}

impl LineReader {
    /// Reads a stream from its start.
    pub fn new(input: Box<dyn AsyncRead + Send + Unpin>) -> Self {
        Self::resume(input, 0, 0)
    }

    /// Reads the rest of a stream, behind this number of lines and this offset in bytes.
    pub fn resume(input: Box<dyn AsyncRead + Send + Unpin>, number: u64, position: u64) -> Self {
        Self { input: BufReader::new(input), number, position }
    }

    /// Returns the next line that is not blank, `None` at the end.
    pub async fn next(&mut self) -> io::Result<Option<Line>> {
        loop {
            let start = self.position;
            let line = self.read_line().await?;
            if self.position == start {
                return Ok(None);
            }
            if line.is_truncated || !line.bytes.trim_ascii().is_empty() {
                return Ok(Some(line));
            }
        }
    }

    /// Reads one line, blank or not. At the end of the stream it reads nothing, and `position` stays the same.
    async fn read_line(&mut self) -> io::Result<Line> {
        let (mut bytes, mut is_truncated) = (Vec::new(), false);
        loop {
            let chunk = self.input.fill_buf().await?;
            let line_break = chunk.iter().position(|byte| *byte == b'\n');
            let (content, used) = line_break.map_or((chunk, chunk.len()), |end| (&chunk[..end], end + 1));
            let room = content.len().min(MAX_LINE_BYTES - bytes.len());
            bytes.extend_from_slice(&content[..room]);
            is_truncated |= room < content.len();
            self.input.consume(used);
            self.position += used as u64;
            if line_break.is_some() || used == 0 {
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
        Ok(Line { number: self.number, end_offset: self.position, bytes, is_truncated })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn read_all(input: impl Into<Vec<u8>>) -> Vec<Line> {
        let mut lines = LineReader::new(Box::new(io::Cursor::new(input.into())));
        let mut read = Vec::new();
        while let Some(line) = lines.next().await.expect("memory can be read") {
            read.push(line);
        }
        read
    }

    #[tokio::test]
    async fn blank_lines_are_counted_and_skipped() {
        let read = read_all("\u{feff}a\r\n\n \t\r\nb\n\nc").await;
        let seen: Vec<_> =
            read.iter().map(|line| (line.number, line.end_offset, line.text().expect("UTF-8"))).collect();
        assert_eq!(seen, [(1, 6, "a"), (4, 13, "b"), (6, 15, "c")]);
    }

    #[tokio::test]
    async fn line_that_is_too_long_is_truncated_and_the_next_line_is_read() {
        let fits = "x".repeat(MAX_LINE_BYTES);
        let read = read_all(format!("{fits}\n{fits}y\nz\n")).await;
        assert_eq!(read[0].text().map(str::len), Ok(MAX_LINE_BYTES));
        assert!(read[1].text().is_err_and(|reason| reason.contains("longer than 1048576 bytes")));
        assert_eq!(read[1].excerpt().len(), EXCERPT_CHARS);
        assert_eq!((read[2].number, read[2].text()), (3, Ok("z")));
    }

    #[tokio::test]
    async fn line_that_is_not_utf_8_has_no_text_but_an_excerpt() {
        let read = read_all(b"ab\xff\n".to_vec()).await;
        assert_eq!(read[0].text(), Err("is not valid UTF-8 (byte 3)".to_owned()));
        assert_eq!(read[0].excerpt(), "ab\u{fffd}");
    }

    #[tokio::test]
    async fn empty_stream_has_no_lines() {
        assert!(read_all("").await.is_empty() && read_all("\n\n").await.is_empty());
    }
}
