//! Scan of a range of a tree: its postings, and everything in its nodes that contradicts itself.
//!
//! The scan makes no call. Its caller reads the nodes that [`TreeScan::wanted`] names, level by level, until there are none.

use std::ops::Range;
use std::sync::Arc;

use crate::tree::{BranchEntry, NodeRef, OldestPostings, Period, PeriodNodes, TreeRoot, decode_branch, decode_leaf};
use crate::{Posting, PostingKey};
use presence_domain::review::FacetCounts;

/// Scan in progress.
#[derive(Debug)]
pub(super) struct TreeScan {
    range: Range<PostingKey>,
    wanted: Vec<WantedNode>,
    plain_periods: Vec<PlainPeriod>,
    /// Copies of the oldest postings, which the root has.
    oldest: OldestPostings,
    result: ScannedRange,
}

/// Result of a scan.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ScannedRange {
    /// Postings of the range, ascending.
    pub(super) postings: Vec<Posting>,
    /// Nodes that the scan read.
    pub(super) nodes: Vec<NodeRef>,
    /// Contradictions within the tree, as phrases.
    pub(super) faults: Vec<String>,
    /// True if the copies that the root has of the oldest postings are not those of the leaves.
    pub(super) has_wrong_copies: bool,
}

#[derive(Debug)]
struct WantedNode {
    node: NodeRef,
    /// Keys that the node may hold.
    bounds: Range<PostingKey>,
    content: Content,
}

#[derive(Debug)]
enum Content {
    /// Branch with these counts.
    Branch(FacetCounts),
    /// Leaf of a branch, with these counts.
    CountedLeaf(FacetCounts),
    /// Leaf of the period at this position of `plain_periods`.
    PlainLeaf(usize),
}

/// Period without branches. Its counts are those of all its leaves together.
#[derive(Debug)]
struct PlainPeriod {
    name: String,
    counts: FacetCounts,
    found: FacetCounts,
    /// True if a leaf could not be read, which is a fault of its own.
    is_damaged: bool,
}

impl TreeScan {
    /// Starts a scan of the postings in a range of keys.
    pub(super) fn new(root: &TreeRoot, range: Range<PostingKey>) -> Self {
        let (wanted, plain_periods, result) = (Vec::new(), Vec::new(), ScannedRange::default());
        let mut scan = Self { range, wanted, plain_periods, oldest: root.oldest.clone(), result };
        let mut end = PostingKey::FIRST;
        for period in &root.periods {
            let bounds = period.span.start()..period.span.end().min(root.recent_start);
            if bounds.start < end || bounds.is_empty() {
                scan.add_fault(format!("period {} is out of order", name_of(period)));
            }
            end = bounds.end;
            scan.add_period(period, bounds);
        }
        if !are_ascending(&root.recent, &(root.recent_start..PostingKey::END)) {
            scan.add_fault("the newest postings are out of order".to_owned());
        }
        scan.add_postings(&root.recent);
        scan
    }

    /// Returns the nodes that must be read next. Empty once the scan is complete.
    pub(super) fn wanted(&self) -> impl Iterator<Item = NodeRef> {
        self.wanted.iter().map(|wanted| wanted.node)
    }

    /// Takes the bytes of each wanted node, in order; `None` for a node that is not there.
    pub(super) fn insert(&mut self, nodes: impl IntoIterator<Item = Option<Arc<[u8]>>>) {
        for (WantedNode { node, bounds, content }, bytes) in std::mem::take(&mut self.wanted).into_iter().zip(nodes) {
            self.result.nodes.push(node);
            if let Content::PlainLeaf(period) = content {
                self.plain_periods[period].is_damaged |= bytes.is_none();
            }
            let inserted = match bytes {
                None => Err("is missing".to_owned()),
                Some(bytes) => self.insert_node(&bytes, bounds, &content),
            };
            if let Err(problem) = inserted {
                self.add_fault(format!("node {:08x} {problem}", node.slot));
            }
        }
    }

    /// Returns the postings and the faults.
    pub(super) fn finish(mut self) -> ScannedRange {
        for PlainPeriod { name, counts, found, is_damaged } in std::mem::take(&mut self.plain_periods) {
            if !is_damaged && counts != found {
                self.add_fault(format!("period {name} {}", count_problem(&counts, &found)));
            }
        }
        // Nodes are read level by level, not in the order of their keys.
        self.result.postings.sort_unstable();
        // Nothing is said about copies of leaves that could not be read.
        self.result.has_wrong_copies = self.result.faults.is_empty() && !self.are_copies_right();
        self.result
    }

    fn add_period(&mut self, period: &Period, bounds: Range<PostingKey>) {
        match &period.nodes {
            PeriodNodes::Leaves(leaves) => {
                if !self.overlaps(&bounds) {
                    return;
                }
                // Every leaf, also one behind the range: the counts are those of all of them.
                let number = self.plain_periods.len();
                self.plain_periods.push(PlainPeriod::new(period));
                let starts: Vec<PostingKey> = leaves.iter().map(|(start, _)| *start).collect();
                for ((_, node), bounds) in leaves.iter().zip(self.bounds_of_nodes(&starts, &bounds)) {
                    self.wanted.push(WantedNode { node: *node, bounds, content: Content::PlainLeaf(number) });
                }
            }
            PeriodNodes::Branches(branches) => {
                let found = sum(branches.iter().map(|branch| &branch.counts));
                if found != period.counts {
                    self.add_fault(format!("period {} {}", name_of(period), count_problem(&period.counts, &found)));
                }
                let starts: Vec<PostingKey> = branches.iter().map(|branch| branch.start).collect();
                for (branch, bounds) in branches.iter().zip(self.bounds_of_nodes(&starts, &bounds)) {
                    if self.overlaps(&bounds) {
                        let content = Content::Branch(branch.counts.clone());
                        self.wanted.push(WantedNode { node: branch.node, bounds, content });
                    }
                }
            }
        }
    }

    fn insert_node(&mut self, bytes: &[u8], bounds: Range<PostingKey>, content: &Content) -> Result<(), String> {
        match content {
            Content::Branch(counts) => {
                let entries = decode_branch(bytes).map_err(|error| error.to_string())?;
                self.add_branch(&entries, &bounds);
                check_counts(counts, &sum(entries.iter().map(|entry| &entry.counts)))
            }
            Content::CountedLeaf(counts) => {
                let postings = decode_leaf(bytes).map_err(|error| error.to_string())?;
                self.add_postings(&postings);
                check_order(&postings, &bounds)?;
                check_counts(counts, &Posting::counts(&postings))
            }
            Content::PlainLeaf(period) => {
                let postings = decode_leaf(bytes).map_err(|error| error.to_string());
                self.plain_periods[*period].is_damaged |= postings.is_err();
                let postings = postings?;
                self.add_postings(&postings);
                self.plain_periods[*period].found.add_all(&Posting::counts(&postings));
                check_order(&postings, &bounds)
            }
        }
    }

    fn add_branch(&mut self, entries: &[BranchEntry], bounds: &Range<PostingKey>) {
        let starts: Vec<PostingKey> = entries.iter().map(|entry| entry.start).collect();
        for (entry, bounds) in entries.iter().zip(self.bounds_of_nodes(&starts, bounds)) {
            if self.overlaps(&bounds) {
                let content = Content::CountedLeaf(entry.counts.clone());
                self.wanted.push(WantedNode { node: entry.node, bounds, content });
            }
        }
    }

    /// Returns the keys that each of several neighbouring nodes may hold: from its start to the start of the next. The first one begins at
    /// the start of all.
    fn bounds_of_nodes(&mut self, starts: &[PostingKey], bounds: &Range<PostingKey>) -> Vec<Range<PostingKey>> {
        let nexts = starts.iter().skip(1).copied().chain([bounds.end]);
        let mut all: Vec<Range<PostingKey>> = starts.iter().zip(nexts).map(|(start, next)| *start..next).collect();
        if let Some(first) = all.first_mut() {
            first.start = bounds.start;
        }
        if all.iter().any(Range::is_empty) {
            self.add_fault("nodes are out of order".to_owned());
        }
        all
    }

    fn add_postings(&mut self, postings: &[Posting]) {
        let in_range = postings.iter().filter(|posting| self.range.contains(&posting.key));
        self.result.postings.extend(in_range);
    }

    fn add_fault(&mut self, fault: String) {
        self.result.faults.push(fault);
    }

    /// True if the copies of the oldest postings are those of the leaves, as far as they are in the range.
    fn are_copies_right(&self) -> bool {
        let copies = self.oldest.postings.iter().filter(|posting| self.range.contains(&posting.key));
        let stored = self.result.postings.iter().filter(|posting| posting.key < self.oldest.end);
        copies.eq(stored)
    }

    fn overlaps(&self, bounds: &Range<PostingKey>) -> bool {
        bounds.start < self.range.end && self.range.start < bounds.end
    }
}

impl PlainPeriod {
    fn new(period: &Period) -> Self {
        let (name, counts) = (name_of(period), period.counts.clone());
        Self { name, counts, found: FacetCounts::default(), is_damaged: false }
    }
}

fn name_of(period: &Period) -> String {
    format!("{}+{}", period.span.first, period.span.months)
}

fn sum<'a>(counts: impl Iterator<Item = &'a FacetCounts>) -> FacetCounts {
    let mut sum = FacetCounts::default();
    counts.for_each(|counts| sum.add_all(counts));
    sum
}

fn check_order(postings: &[Posting], bounds: &Range<PostingKey>) -> Result<(), String> {
    if are_ascending(postings, bounds) { Ok(()) } else { Err("holds postings out of order".to_owned()) }
}

fn check_counts(stored: &FacetCounts, found: &FacetCounts) -> Result<(), String> {
    if stored == found { Ok(()) } else { Err(count_problem(stored, found)) }
}

fn count_problem(stored: &FacetCounts, found: &FacetCounts) -> String {
    let mut difference = sum([stored].into_iter());
    found.nonzero().for_each(|(facet_key, count)| difference.add(facet_key, -count));
    let differing = difference.nonzero().count();
    format!("counts {} where there are {}, over the facet keys that differ: {differing}", stored.total(), found.total())
}

fn are_ascending(postings: &[Posting], bounds: &Range<PostingKey>) -> bool {
    postings.is_sorted_by(|one, next| one.key < next.key)
        && postings.iter().all(|posting| bounds.contains(&posting.key))
}

#[cfg(test)]
mod tests;
