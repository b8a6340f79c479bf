//! Input of an import: a file or standard input, of which the start decides if it is of the right kind.

use presence_runtime::lines::LineReader;
use std::io::Cursor;
use std::path::Path;

use anyhow::Context as _;
use tokio::io::{AsyncRead, AsyncReadExt as _};

use super::file_type::{PREFIX_BYTES, WrongType};
use super::kind::ImportKind;
use super::rejects;
use crate::error::CommandError;
use crate::import_error::ImportError;

type Stream = Box<dyn AsyncRead + Send + Unpin>;

/// Input of an import.
pub(super) struct Input {
    /// Rows.
    pub(super) lines: LineReader,
    /// Size of a regular file in bytes.
    pub(super) size: Option<u64>,
    /// True if there is not a single row.
    pub(super) is_empty: bool,
}

impl Input {
    /// Opens the file, or standard input for `-`. Returns [`ImportError::WrongFile`] if its start is of another type or kind.
    pub(super) async fn open(path: &Path, kind: ImportKind) -> Result<Self, CommandError> {
        let cannot_read = || format!("cannot read {}", path.display());
        let (mut stream, size) = open_stream(path).await?;
        let start = read_start(&mut stream).await.with_context(cannot_read)?;
        if let Some(WrongType { looks_like, advice }) = WrongType::of(&start, kind) {
            let (plural, example, path) = (kind.plural(), kind.example(), path.display());
            let text = format!(
                "{path} looks like {looks_like}: {advice}. `ops import {plural}` expects JSON Lines, one object a line, such as \
                 {example}. Nothing was written"
            );
            return Err(anyhow::Error::new(ImportError::WrongFile(text)).into());
        }
        let is_empty = start.len() < PREFIX_BYTES && start.trim_ascii().is_empty();
        Ok(Self { lines: LineReader::new(Box::new(Cursor::new(start).chain(stream))), size, is_empty })
    }
}

async fn open_stream(path: &Path) -> Result<(Stream, Option<u64>), CommandError> {
    if rejects::is_stdin(path) {
        return Ok((Box::new(tokio::io::stdin()), None));
    }
    let cannot_read = || format!("cannot read {}", path.display());
    let file = tokio::fs::File::open(path).await.with_context(cannot_read)?;
    let metadata = file.metadata().await.with_context(cannot_read)?;
    if metadata.is_dir() {
        return Err(CommandError::from_text(format!("{} is a folder", path.display())));
    }
    Ok((Box::new(file), metadata.is_file().then_some(metadata.len())))
}

/// Reads the start of a stream: two lines, or [`PREFIX_BYTES`], or all. A slow writer of a pipe is not waited for any longer.
async fn read_start(stream: &mut Stream) -> std::io::Result<Vec<u8>> {
    let mut start = Vec::new();
    let mut limited = stream.take(PREFIX_BYTES as u64);
    while !has_two_lines(&start) {
        if limited.read_buf(&mut start).await? == 0 {
            break;
        }
    }
    Ok(start)
}

fn has_two_lines(start: &[u8]) -> bool {
    let complete = start.split_inclusive(|byte| *byte == b'\n').filter(|line| line.ends_with(b"\n"));
    complete.filter(|line| !line.trim_ascii().is_empty()).count() >= 2
}
