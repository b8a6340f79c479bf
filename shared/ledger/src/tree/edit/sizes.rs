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
                index = index.min(neighbour);
                let (left_count, left) = groups.remove(index);
                let (count, right) = &mut groups[index];
                *count += left_count;
                right.size = left.size.zip(right.size).map(|(left, right)| left + right);
                right.shrank = true;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plan_merges_nodes_that_shrank_below_the_minimum_with_the_smaller_neighbour_that_fits() {
        let kept = |size| NodeSize { size: Some(size), shrank: false };
        let shrank = |size| NodeSize { size: Some(size), shrank: true };
        let unknown = NodeSize { size: None, shrank: false };
        for (nodes, expected) in [
            (vec![shrank(9), kept(21)], vec![2]),
            (vec![shrank(9), kept(22)], vec![1, 1]),
            (vec![shrank(10), kept(20)], vec![1, 1]),
            (vec![kept(9), kept(20)], vec![1, 1]),
            (vec![unknown, shrank(9), unknown], vec![1, 1, 1]),
            (vec![kept(20), shrank(9), kept(15)], vec![1, 2]),
            (vec![kept(15), shrank(9), kept(20)], vec![2, 1]),
            // What is still too small is merged again.
            (vec![shrank(4), kept(4), kept(4)], vec![3]),
            (vec![shrank(5), kept(5), kept(5)], vec![2, 1]),
        ] {
            assert_eq!(plan_merges(nodes.iter().copied(), 10, 30), expected, "{nodes:?}");
        }
    }

    #[test]
    fn a_node_has_a_neighbour_that_is_marked_before_it_or_behind_it() {
        let marked = [false, true, false, false, true];
        let found = [0, 1, 2, 3, 4].map(|index| has_neighbour(&marked, index));
        assert_eq!(found, [true, false, true, true, false]);
    }
}
