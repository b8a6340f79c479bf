//! Build of a tree from a stream of its postings, for trees that do not fit the memory.
//!
//! The number of postings in each month decides how the tree is laid out. So a first pass over the postings counts them, and a second one
//! makes the nodes. It holds one leaf and the entries of one branch at a time.

use super::edit::{even_sizes, leaf_start};
use super::layout::{BRANCH_FILL, LEAF_FILL, PLAIN_LEAVES_MAX};
use super::oldest::key_behind;
use super::{
    BranchEntry, BranchRef, MonthSpan, NodeRef, OldestPostings, Period, PeriodNodes, TreeLimits, TreeRoot,
    encode_branch, encode_leaf,
};
use crate::{Posting, PostingKey};
use presence_domain::calendar::Month;
use presence_domain::review::FacetCounts;

/// Number of postings of a tree in each month, ascending. Months without postings are left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MonthCounts(Vec<(Month, usize)>);

impl MonthCounts {
    /// Counts a posting, which is in the last month that was counted, or later.
    pub fn add(&mut self, posting: &Posting) {
        let month = Month::of(posting.key.effective_at);
        match self.0.last_mut() {
            Some((last, count)) if *last == month => *count += 1,
            _ => self.0.push((month, 1)),
        }
    }

    /// Returns the number of all postings.
    pub fn total(&self) -> usize {
        total_of(&self.0)
    }

    /// Returns the counts without those of the newest postings.
    fn without_newest(&self, mut newest: usize) -> Self {
        let mut months = self.0.clone();
        while let Some((_, count)) = months.last_mut() {
            if newest < *count {
                *count -= newest;
                break;
            }
            newest -= *count;
            months.pop();
        }
        Self(months)
    }
}

fn total_of(months: &[(Month, usize)]) -> usize {
    months.iter().map(|(_, count)| count).sum()
}

/// Returns the root of the tree of these postings, which are ascending and were counted, at edition 0 and the start of the log.
/// `put_node` takes the binary form of each node, children before parents, and returns its name.
///
/// The layout is that of [`build_tree`](super::build_tree). The caller sets the edition and those of facet trees.
///
/// # Errors
/// The first error of the postings or of `put_node`.
pub fn stream_tree<E>(
    months: &MonthCounts,
    postings: impl IntoIterator<Item = Result<Posting, E>>,
    limits: TreeLimits,
    mut put_node: impl FnMut(Vec<u8>) -> Result<NodeRef, E>,
) -> Result<TreeRoot, E> {
    let mut first: Vec<Posting> = Vec::new();
    let note_first = |posting: &Result<Posting, E>| {
        first.extend(posting.as_ref().ok().filter(|_| first.len() <= limits.oldest_max));
    };
    let mut postings = postings.into_iter().inspect(note_first);
    let mut periods = Vec::new();
    let total = months.total();
    let recent = if total <= limits.recent_max { total } else { (limits.recent_max / 2).max(1) };
    for (span, count) in plan_periods(&months.without_newest(recent), limits) {
        periods.push(stream_period(span, count, &mut postings, &mut put_node)?);
    }
    let recent: Vec<Posting> = postings.collect::<Result<_, E>>()?;
    let recent_start = if periods.is_empty() { None } else { recent.first().map(|first| first.key) };
    let recent_start = recent_start.unwrap_or(PostingKey::FIRST);
    first.truncate(months.total().saturating_sub(recent.len()));
    let oldest = OldestPostings::of(first, limits.oldest_max, recent_start);
    Ok(TreeRoot { periods, recent_start, recent, oldest, ..TreeRoot::empty() })
}

/// Returns the periods of a tree with these postings, and the number of postings in each.
fn plan_periods(months: &MonthCounts, limits: TreeLimits) -> Vec<(MonthSpan, usize)> {
    let mut periods = Vec::new();
    let years = months.0.chunk_by(|one, other| year_of(one.0) == year_of(other.0));
    for year in years {
        plan_span(year_of(year[0].0), year, limits, &mut periods);
    }
    periods
}

fn year_of(month: Month) -> MonthSpan {
    MonthSpan::containing(month, MonthSpan::LENGTHS[0])
}

/// Adds the periods of a span with these months: one, or shorter ones if there are many postings.
fn plan_span(span: MonthSpan, months: &[(Month, usize)], limits: TreeLimits, periods: &mut Vec<(MonthSpan, usize)>) {
    let total = total_of(months);
    let is_large = i64::try_from(total).is_ok_and(|total| total >= limits.period_split);
    let shorter = MonthSpan::LENGTHS.into_iter().find(|length| *length < span.months);
    match shorter.filter(|_| is_large) {
        Some(length) => {
            for months in months
                .chunk_by(|one, other| MonthSpan::containing(one.0, length) == MonthSpan::containing(other.0, length))
            {
                plan_span(MonthSpan::containing(months[0].0, length), months, limits, periods);
            }
        }
        None => periods.push((span, total)),
    }
}

/// Makes the nodes of a period from the next postings.
fn stream_period<E>(
    span: MonthSpan,
    count: usize,
    postings: &mut impl Iterator<Item = Result<Posting, E>>,
    put_node: &mut impl FnMut(Vec<u8>) -> Result<NodeRef, E>,
) -> Result<Period, E> {
    let mut leaf_sizes = even_sizes(count, LEAF_FILL);
    let (leaves, mut bound) = (count.div_ceil(LEAF_FILL), span.start());
    if leaves <= PLAIN_LEAVES_MAX {
        let entries = stream_leaves(leaf_sizes, &mut bound, postings, put_node)?;
        let counts = sum_of(entries.iter().map(|entry| &entry.counts));
        let names = entries.into_iter().map(|entry| (entry.start, entry.node)).collect();
        return Ok(Period { span, counts, nodes: PeriodNodes::Leaves(names) });
    }
    let mut branches = Vec::new();
    for size in even_sizes(leaves, BRANCH_FILL) {
        let entries = stream_leaves(leaf_sizes.by_ref().take(size), &mut bound, postings, put_node)?;
        let counts = sum_of(entries.iter().map(|entry| &entry.counts));
        let start = entries.first().map_or(PostingKey::FIRST, |entry| entry.start);
        branches.push(BranchRef { start, counts, node: put_node(encode_branch(&entries))? });
    }
    let counts = sum_of(branches.iter().map(|branch| &branch.counts));
    Ok(Period { span, counts, nodes: PeriodNodes::Branches(branches) })
}

/// Makes leaves of these sizes from the next postings. All postings before these are before the bound, which goes on with them.
fn stream_leaves<E>(
    sizes: impl Iterator<Item = usize>,
    bound: &mut PostingKey,
    postings: &mut impl Iterator<Item = Result<Posting, E>>,
    put_node: &mut impl FnMut(Vec<u8>) -> Result<NodeRef, E>,
) -> Result<Vec<BranchEntry>, E> {
    let mut leaves = Vec::new();
    for size in sizes {
        let own: Vec<Posting> = postings.by_ref().take(size).collect::<Result<_, E>>()?;
        let start = own.first().map_or(*bound, |first| leaf_start(*bound, first.key));
        *bound = own.last().map_or(*bound, |last| key_behind(last.key));
        leaves.push(BranchEntry { start, counts: Posting::counts(&own), node: put_node(encode_leaf(&own))? });
    }
    Ok(leaves)
}

fn sum_of<'a>(counts: impl Iterator<Item = &'a FacetCounts>) -> FacetCounts {
    let mut sum = FacetCounts::default();
    counts.for_each(|counts| sum.add_all(counts));
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::posting_at;
    use presence_domain::calendar::SECONDS_OF_DAY;

    #[test]
    fn each_month_has_one_count() {
        let mut months = MonthCounts::default();
        for day in [0, 30, 31, 58] {
            months.add(&posting_at(day * SECONDS_OF_DAY));
        }
        let [january, february] = [0, 1].map(|month| Month::from_number(1_970 * 12 + month));
        assert_eq!(months, MonthCounts(vec![(january, 2), (february, 2)]));
    }
}
