//! Records that a build sorts: rows by the id of their review, and postings by their tree.

use std::io::{self, BufRead, Write};

use presence_domain::review::FacetKey;
use presence_ledger::{Posting, PostingKey, ReviewNumber};

use super::sort::{SortRecord, read_u64};

/// Bytes that a record takes in memory beside its text.
const OVERHEAD: usize = 16;
/// Version of every review of a build: each is written once.
pub(super) const FIRST_VERSION: u64 = 1;

/// Valid row of the file, in the order of reviews, and of lines for one review.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SourceRow {
    /// Id of the review, as its digest gives it.
    pub(super) id: ReviewNumber,
    /// Number of the line.
    pub(super) line: u64,
    /// Line as it is in the file.
    pub(super) text: Box<str>,
}

/// Posting with the tree that holds it, in the order of trees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FiledPosting {
    /// Tree.
    pub(super) tree: TreeNumber,
    /// Posting.
    pub(super) posting: Posting,
}

/// Number of a tree within a build.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TreeNumber {
    /// Number of the review set.
    pub(super) set: u32,
    /// Facet key of the tree; `None` for the tree of the whole set.
    pub(super) facet_key: Option<FacetKey>,
}

impl SortRecord for SourceRow {
    fn memory(&self) -> usize {
        size_of::<Self>() + OVERHEAD + self.text.len()
    }

    fn write(&self, output: &mut impl Write) -> io::Result<()> {
        for number in [self.id.get(), self.line, self.text.len() as u64] {
            output.write_all(&number.to_le_bytes())?;
        }
        output.write_all(self.text.as_bytes())
    }

    fn read(input: &mut impl BufRead) -> io::Result<Self> {
        let (id, line) = (ReviewNumber::new(read_u64(input)?), read_u64(input)?);
        let mut bytes = vec![0; usize::try_from(read_u64(input)?).map_err(io::Error::other)?];
        input.read_exact(&mut bytes)?;
        let text = String::from_utf8(bytes).map_err(io::Error::other)?;
        Ok(Self { id, line, text: text.into_boxed_str() })
    }
}

impl SortRecord for FiledPosting {
    fn memory(&self) -> usize {
        size_of::<Self>()
    }

    fn write(&self, output: &mut impl Write) -> io::Result<()> {
        output.write_all(&self.tree.set.to_le_bytes())?;
        output.write_all(&[u8::from(self.tree.facet_key.is_some())])?;
        write_posting(&self.posting, output)
    }

    fn read(input: &mut impl BufRead) -> io::Result<Self> {
        let (mut set, mut has_facet_key) = ([0; 4], [0; 1]);
        input.read_exact(&mut set)?;
        input.read_exact(&mut has_facet_key)?;
        let posting = read_posting(input)?;
        let facet_key = (has_facet_key == [1]).then_some(posting.facet_key);
        Ok(Self { tree: TreeNumber { set: u32::from_le_bytes(set), facet_key }, posting })
    }
}

/// Writes a posting of a build, whose version is the first one.
pub(super) fn write_posting(posting: &Posting, output: &mut impl Write) -> io::Result<()> {
    let PostingKey { effective_at, id } = posting.key;
    output.write_all(&effective_at.to_le_bytes())?;
    output.write_all(&id.get().to_le_bytes())?;
    output.write_all(&[posting.facet_key.number()])
}

/// Reads what [`write_posting`] wrote.
pub(super) fn read_posting(input: &mut impl BufRead) -> io::Result<Posting> {
    let effective_at = read_u64(input)?.cast_signed();
    let id = ReviewNumber::new(read_u64(input)?);
    let mut facet_key = [0; 1];
    input.read_exact(&mut facet_key)?;
    let facet_key = FacetKey::from_number(facet_key[0]).ok_or_else(|| io::Error::other("no facet key"))?;
    Ok(Posting { key: PostingKey { effective_at, id }, facet_key, version: FIRST_VERSION })
}
