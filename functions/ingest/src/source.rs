//! Rows of an object, segment by segment.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use async_compression::tokio::bufread::GzipDecoder;
use presence_domain::error::Error;
use presence_domain::ingest::MAX_SEGMENT_LINES;
use presence_runtime::lines::{Line, LineReader};
use tokio::io::{AsyncRead, AsyncReadExt as _, BufReader, ReadBuf};

use crate::outside::ObjectBody;

/// Bytes of a segment at which it ends. Its rows and messages are in memory at the same time.
const MAX_SEGMENT_BYTES: u64 = 8 << 20;

/// Body of an object whose failures are those of the transport, not those of its content.
struct Transport(ObjectBody);

/// Occurs when the body of an object breaks off. Reading it again may succeed.
#[derive(Debug)]
struct TransportError(io::Error);

impl std::fmt::Display for TransportError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "an object could not be read: {}", self.0)
    }
}

impl std::error::Error for TransportError {}

impl AsyncRead for Transport {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(cx, buffer).map_err(|error| io::Error::other(TransportError(error)))
    }
}

/// Lines of a segment.
pub(crate) struct SegmentLines {
    /// Lines that are not blank.
    pub(crate) lines: Vec<Line>,
    /// End of the segment: bytes and lines of the object.
    pub(crate) end: (u64, u64),
    /// True if there is nothing behind the segment that can be read.
    pub(crate) is_last: bool,
    /// Reason why the object cannot be read any further.
    pub(crate) error: Option<String>,
}

/// Reader of an object's segments.
pub(crate) struct SegmentReader {
    lines: LineReader,
    /// First line of the next segment.
    next: Option<Line>,
    end: (u64, u64),
}

/// Content encoding of an object, from its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ContentEncoding {
    /// JSON Lines.
    Identity,
    /// JSON Lines, compressed.
    Gzip,
}

impl ContentEncoding {
    /// Returns the encoding of an object; `None` if it cannot hold rows.
    pub(crate) fn of(object: &str) -> Option<Self> {
        match object.strip_suffix(".gz") {
            Some(name) => name.strip_suffix(".jsonl").map(|_| Self::Gzip),
            None => object.strip_suffix(".jsonl").map(|_| Self::Identity),
        }
    }
}

impl SegmentReader {
    /// Reads an object whose body begins at this end of a segment, or, if it is compressed, at its start.
    pub(crate) async fn open(body: ObjectBody, encoding: ContentEncoding, end: (u64, u64)) -> Result<Self, Error> {
        let (offset, lines) = end;
        let body = Transport(body);
        let input: ObjectBody = match encoding {
            ContentEncoding::Identity => Box::new(body),
            ContentEncoding::Gzip => {
                let mut decoder = GzipDecoder::new(BufReader::new(body));
                decoder.multiple_members(true);
                let skipped = tokio::io::copy(&mut (&mut decoder).take(offset), &mut tokio::io::sink()).await;
                // An earlier run has read so far: what fails now is the transport.
                if !skipped.as_ref().is_ok_and(|skipped| *skipped == offset) {
                    return Err(Error::Unavailable("an object could not be read as far as before".into()));
                }
                Box::new(decoder)
            }
        };
        Ok(Self { lines: LineReader::resume(input, lines, offset), next: None, end })
    }

    /// Reads the next segment. What breaks off inside a line is left out. A failure of the transport is [`Error::Unavailable`].
    pub(crate) async fn read(&mut self) -> Result<SegmentLines, Error> {
        let (start, mut lines, mut error) = (self.end.0, Vec::new(), None);
        let mut first = None;
        let is_last = loop {
            let line = match self.next.take() {
                Some(line) => line,
                None => match self.lines.next().await {
                    Ok(Some(line)) => line,
                    Ok(None) => break true,
                    Err(broken) => {
                        error = Some(reason(broken)?);
                        break true;
                    }
                },
            };
            let first = *first.get_or_insert(line.number);
            let is_full = line.number - first >= MAX_SEGMENT_LINES || self.end.0 - start >= MAX_SEGMENT_BYTES;
            if is_full {
                self.next = Some(line);
                break false;
            }
            self.end = (line.end_offset, line.number);
            lines.push(line);
        };
        Ok(SegmentLines { lines, end: self.end, is_last, error })
    }
}

/// Returns the reason why the content of an object cannot be read. A failure of the transport is an error.
fn reason(broken: io::Error) -> Result<String, Error> {
    if broken.get_ref().is_some_and(<dyn std::error::Error + Send + Sync>::is::<TransportError>) {
        return Err(Error::Unavailable(broken.into()));
    }
    match broken.kind() {
        io::ErrorKind::UnexpectedEof => Ok("the gzip data end too early".to_owned()),
        _ => Ok(format!("the gzip data are damaged: {broken}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn each_segment_has_as_many_lines_as_its_report_counts() {
        let body = Box::new(io::Cursor::new("{}\n".repeat(40_000)));
        let mut reader = SegmentReader::open(body, ContentEncoding::Identity, (0, 0)).await.expect("a body");
        for (lines, is_last) in [(16_384, false), (16_384, false), (7_232, true)] {
            let segment = reader.read().await.expect("lines");
            assert_eq!((segment.lines.len(), segment.is_last), (lines, is_last));
        }
    }
}
