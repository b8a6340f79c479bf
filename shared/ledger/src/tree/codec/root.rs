//! Binary form of roots.

use super::DecodeError;
use super::bytes::{ByteReader, ByteWriter};
use super::counts::COUNTS_MIN_BYTES;
use super::keys::{NODE_MIN_BYTES, NODE_REF_MIN_BYTES};
use super::periods::{NodeList, Spans, write_span};
use crate::tree::{BranchRef, OldestPostings, Period, PeriodNodes, TreeRoot};
use crate::{LogPosition, Posting, PostingKey};
use presence_domain::review::{FACET_KEY_COUNT, FacetCounts};

/// Minimum number of bytes of a period: its span, the number of its nodes, and one leaf with counts or one branch.
pub(super) const PERIOD_MIN_BYTES: usize = 2 + NODE_MIN_BYTES + COUNTS_MIN_BYTES;

/// Returns the binary form of a root, without the copies of its oldest postings. The counts of a period with branches are not in it:
/// they are the sums of those of its branches.
pub fn encode_root(root: &TreeRoot) -> Vec<u8> {
    let mut writer = ByteWriter::new();
    writer.varint(root.edition);
    writer.position(&root.position);
    let editions = root.facet_editions.as_deref().unwrap_or_default();
    writer.length(editions.len());
    for edition in editions {
        writer.varint(*edition);
    }
    writer.length(root.periods.len());
    let mut end_before = 0;
    for period in &root.periods {
        end_before = write_span(&mut writer, period.span, end_before);
        write_nodes(&mut writer, period);
    }
    writer.key(root.recent_start);
    writer.postings(&root.recent);
    writer.length(root.free.len());
    for node in &root.free {
        writer.node_ref(*node);
    }
    writer.finish()
}

/// Writes the counts and the nodes of a period.
fn write_nodes(writer: &mut ByteWriter, period: &Period) {
    let mut earlier = period.span.start().effective_at;
    match &period.nodes {
        PeriodNodes::Leaves(leaves) => {
            NodeList { length: leaves.len(), has_branches: false }.write(writer);
            writer.counts(&period.counts);
            for (start, node) in leaves {
                writer.start(*start, earlier);
                writer.node_ref(*node);
                earlier = start.effective_at;
            }
        }
        PeriodNodes::Branches(branches) => {
            NodeList { length: branches.len(), has_branches: true }.write(writer);
            for branch in branches {
                writer.start(branch.start, earlier);
                writer.counts(&branch.counts);
                writer.node_ref(branch.node);
                earlier = branch.start.effective_at;
            }
        }
    }
}

/// Reads a root. It has no copies of its oldest postings: these are stored beside it.
pub fn decode_root(bytes: &[u8]) -> Result<TreeRoot, DecodeError> {
    let mut reader = ByteReader::new(bytes)?;
    let head = RootHead::read(&mut reader)?;
    let length = reader.length(PERIOD_MIN_BYTES)?;
    let (mut spans, mut periods) = (Spans::default(), Vec::with_capacity(length));
    for _ in 0..length {
        periods.push(read_period(&mut reader, &mut spans)?);
    }
    let (recent_start, recent) = read_recent(&mut reader, &spans)?;
    let free_length = reader.length(NODE_REF_MIN_BYTES)?;
    let free = (0..free_length).map(|_| reader.node_ref()).collect::<Result<_, _>>()?;
    reader.finish()?;
    let RootHead { edition, position, facet_editions } = head;
    let oldest = OldestPostings::NONE;
    Ok(TreeRoot { edition, position, facet_editions, periods, recent_start, recent, oldest, free })
}

fn read_period(reader: &mut ByteReader<'_>, spans: &mut Spans) -> Result<Period, DecodeError> {
    let (span, mut starts) = spans.next(reader)?;
    let list = NodeList::read(reader)?;
    let mut counts = FacetCounts::default();
    let nodes = if list.has_branches {
        let mut branches = Vec::with_capacity(list.length);
        for _ in 0..list.length {
            let start = starts.next(reader)?;
            let branch = BranchRef { start, counts: reader.counts()?, node: reader.node_ref()? };
            counts.add_all(&branch.counts);
            branches.push(branch);
        }
        PeriodNodes::Branches(branches)
    } else {
        counts = reader.counts()?;
        let leaves = (0..list.length).map(|_| Ok((starts.next(reader)?, reader.node_ref()?)));
        PeriodNodes::Leaves(leaves.collect::<Result<_, DecodeError>>()?)
    };
    spans.check_last(starts.last())?;
    Ok(Period { span, counts, nodes })
}

/// Part of a root before its periods.
pub(super) struct RootHead {
    pub(super) edition: u64,
    pub(super) position: LogPosition,
    pub(super) facet_editions: Option<Vec<u64>>,
}

impl RootHead {
    pub(super) fn read(reader: &mut ByteReader<'_>) -> Result<Self, DecodeError> {
        let (edition, position) = (reader.varint()?, reader.position()?);
        let facet_editions = match reader.length(1)? {
            0 => None,
            FACET_KEY_COUNT => Some((0..FACET_KEY_COUNT).map(|_| reader.varint()).collect::<Result<_, _>>()?),
            _ => return Err(DecodeError("a number of facet keys that does not exist")),
        };
        Ok(Self { edition, position, facet_editions })
    }
}

/// Reads the postings that the root holds itself, and their start.
pub(super) fn read_recent(
    reader: &mut ByteReader<'_>,
    spans: &Spans,
) -> Result<(PostingKey, Vec<Posting>), DecodeError> {
    let (start, postings) = (reader.key()?, reader.postings()?);
    if spans.last_start().is_some_and(|last| start <= last) {
        return Err(DecodeError("a period behind the start of the newest postings"));
    }
    if postings.first().is_some_and(|first| first.key < start) {
        return Err(DecodeError("a posting before the start of the newest postings"));
    }
    Ok((start, postings))
}

impl ByteWriter {
    /// Writes a position in a log.
    pub(crate) fn position(&mut self, position: &LogPosition) {
        for sequence in position.0 {
            self.varint(sequence);
        }
    }
}

impl ByteReader<'_> {
    /// Reads a position in a log.
    pub(crate) fn position(&mut self) -> Result<LogPosition, DecodeError> {
        let mut position = LogPosition::default();
        for sequence in &mut position.0 {
            *sequence = self.varint()?;
        }
        Ok(position)
    }
}
