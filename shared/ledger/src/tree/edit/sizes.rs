//! Sizes of nodes: cuts of those that are too large, and merges of those that are too small.

/// Size of a node, as far as merges need it.
#[derive(Clone, Copy, Debug)]
pub(super) struct NodeSize {
    /// Number of its entries, if it is known.
    pub(super) size: Option<usize>,
    /// True if the edit made it smaller. Only such nodes are merged, so that no other one is read for it.
    pub(super) shrank: bool,
}

/// Returns the sizes of as few parts as possible with at most `max` entries each, all of about the same size. None is empty.
pub(in crate::tree) fn even_sizes(entries: usize, max: usize) -> impl Iterator<Item = usize> {
    let parts = entries.div_ceil(max);
    let (size, larger) = (entries / parts.max(1), entries % parts.max(1));
    (0..parts).map(move |part| size + usize::from(part < larger))
}

/// Cuts a list into as few parts as possible with at most `max` entries each, all of about the same size.
pub(super) fn cut_evenly<T>(entries: Vec<T>, max: usize) -> Vec<Vec<T>> {
    let sizes = even_sizes(entries.len(), max);
    let mut entries = entries.into_iter();
    sizes.map(|size| entries.by_ref().take(size).collect()).collect()
}

/// Cuts a list into full parts of `max` entries, and a last one with the rest.
pub(super) fn cut_full<T>(entries: Vec<T>, max: usize) -> Vec<Vec<T>> {
    let mut parts = Vec::with_capacity(entries.len().div_ceil(max));
    let mut entries = entries.into_iter().peekable();
    while entries.peek().is_some() {
        parts.push(entries.by_ref().take(max).collect());
    }
    parts
}

/// Merges each node that shrank below `min` with the smaller one of its neighbours, where both together have at most `max` entries.
/// Returns how many nodes become one, for each node after the merges.
pub(super) fn plan_merges(nodes: impl Iterator<Item = NodeSize>, min: usize, max: usize) -> Vec<usize> {
    let mut groups: Vec<(usize, NodeSize)> = nodes.map(|node| (1, node)).collect();
    let mut index = 0;
    while index < groups.len() {
        let (_, node) = groups[index];
        let is_small = node.shrank && node.size.is_some_and(|size| size < min);
        match is_small.then(|| neighbour_that_fits(&groups, index, max)).flatten() {
            None => index += 1,
            Some(neighbour) => {
                let first = index.min(neighbour);
                let (count, right) = groups.remove(first + 1);
                let (left_count, left) = &mut groups[first];
                *left_count += count;
                left.size = left.size.zip(right.size).map(|(left, right)| left + right);
                left.shrank = true;
                index = first;
            }
        }
    }
    groups.into_iter().map(|(count, _)| count).collect()
}

/// True if the node before this one or the one behind it is marked.
pub(super) fn has_neighbour(marked: &[bool], index: usize) -> bool {
    let before = index.checked_sub(1).and_then(|before| marked.get(before));
    before == Some(&true) || marked.get(index + 1) == Some(&true)
}

/// Returns the number of the smaller neighbour that a node fits into.
fn neighbour_that_fits(groups: &[(usize, NodeSize)], index: usize, max: usize) -> Option<usize> {
    let own = groups[index].1.size?;
    let neighbours = [index.checked_sub(1), Some(index + 1)].into_iter().flatten();
    let sized = neighbours.filter_map(|neighbour| Some((groups.get(neighbour)?.1.size?, neighbour)));
    sized.filter(|(size, _)| size + own <= max).min().map(|(_, neighbour)| neighbour)
}
