//! Roots as a search reads them.
//!
//! A search decodes up to some hundred roots. It needs sums of counts only, so that no counts by facet key are built.

use super::DecodeError;
use super::bytes::ByteReader;
use super::counts::MatchCounts;
use super::periods::{NodeList, Spans};
use super::root::{PERIOD_MIN_BYTES, RootHead, read_recent};
use crate::tree::{MonthSpan, NodeRef, OldestPostings};
use crate::{LogPosition, Posting, PostingKey};
use presence_domain::review::FacetMask;

/// Root of a tree, read for a search: counts of what a mask admits instead of counts by facet key.
#[derive(Clone, Debug)]
pub struct RootSummary {
    /// Number of times that the root was written.
    pub edition: u64,
    /// Changes of the log that the tree contains.
    pub position: LogPosition,
    /// Editions of the trees of single facet keys, if the set has any.
    pub facet_editions: Option<Vec<u64>>,
    /// Periods, ascending.
    pub periods: Vec<PeriodSummary>,
    /// First key of `recent`.
    pub recent_start: PostingKey,
    /// Postings that the root holds itself, ascending; all of them, matching or not.
    pub recent: Vec<Posting>,
    /// Copies of the oldest postings in periods; all of them, matching or not. [`Self::decode`] reads none.
    pub oldest: OldestPostings,
    /// Number of postings in periods.
    pub total: u64,
}

/// Period of a [`RootSummary`].
#[derive(Clone, Debug)]
pub struct PeriodSummary {
    /// Months of the period.
    pub span: MonthSpan,
    /// Number of postings.
    pub total: u64,
    /// Number of postings that the mask admits.
    pub matches: u64,
    /// Nodes: start, name and, for branches, the number of postings that the mask admits.
    pub nodes: Vec<(PostingKey, NodeRef, Option<u64>)>,
}

impl RootSummary {
    /// Returns the root of a tree without postings that was never written.
    pub fn empty() -> Self {
        Self {
            edition: 0,
            position: LogPosition::default(),
            facet_editions: None,
            periods: Vec::new(),
            recent_start: PostingKey::FIRST,
            recent: Vec::new(),
            oldest: OldestPostings::NONE,
            total: 0,
        }
    }

    /// Reads a root for a search with this mask.
    pub fn decode(bytes: &[u8], mask: FacetMask) -> Result<Self, DecodeError> {
        let mut reader = ByteReader::new(bytes)?;
        let RootHead { edition, position, facet_editions } = RootHead::read(&mut reader)?;
        let length = reader.length(PERIOD_MIN_BYTES)?;
        let (mut spans, mut periods, mut total) = (Spans::default(), Vec::with_capacity(length), 0);
        for _ in 0..length {
            let period = PeriodSummary::read(&mut reader, &mut spans, mask)?;
            total += period.total;
            periods.push(period);
        }
        let (recent_start, recent) = read_recent(&mut reader, &spans)?;
        for _ in 0..reader.length(1)? {
            reader.node_ref()?;
        }
        reader.finish()?;
        let oldest = OldestPostings::NONE;
        Ok(Self { edition, position, facet_editions, periods, recent_start, recent, oldest, total })
    }
}

impl PeriodSummary {
    fn read(reader: &mut ByteReader<'_>, spans: &mut Spans, mask: FacetMask) -> Result<Self, DecodeError> {
        let (span, mut starts) = spans.next(reader)?;
        let list = NodeList::read(reader)?;
        let mut sums = if list.has_branches { MatchCounts::default() } else { reader.match_counts(mask)? };
        let mut nodes = Vec::with_capacity(list.length);
        for _ in 0..list.length {
            let start = starts.next(reader)?;
            let branch = if list.has_branches { Some(reader.match_counts(mask)?) } else { None };
            if let Some(counts) = branch {
                sums = MatchCounts { total: sums.total + counts.total, matches: sums.matches + counts.matches };
            }
            nodes.push((start, reader.node_ref()?, branch.map(|counts| counts.matches)));
        }
        spans.check_last(starts.last())?;
        Ok(Self { span, total: sums.total, matches: sums.matches, nodes })
    }
}
