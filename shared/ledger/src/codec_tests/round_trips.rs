//! Everything that is written can be read again, as it was.

use proptest::prelude::*;

use crate::tree::{
    OldestPostings, PeriodNodes, RootSummary, TreeRoot, decode_branch, decode_branch_matches, decode_leaf,
    decode_leaf_matches, decode_oldest, decode_root, encode_branch, encode_leaf, encode_oldest, encode_root,
};
use crate::{Directory, DirectoryBucket, PostingFilter, arbitrary, decode_changes, encode_changes};
use presence_domain::review::{FacetCounts, FacetMask};

fn matches(counts: &FacetCounts, mask: FacetMask) -> u64 {
    u64::try_from(counts.count(mask)).expect("no negative count")
}

/// Checks a summary against the root that it summarises.
fn assert_summary_of(summary: &RootSummary, root: &TreeRoot, mask: FacetMask) {
    assert_eq!((summary.edition, summary.position), (root.edition, root.position));
    assert_eq!(summary.facet_editions, root.facet_editions);
    assert_eq!((summary.recent_start, &summary.recent), (root.recent_start, &root.recent));
    assert_eq!(summary.periods.len(), root.periods.len());
    for (summary, period) in summary.periods.iter().zip(&root.periods) {
        assert_eq!(summary.span, period.span);
        assert_eq!(summary.total, matches(&period.counts, FacetMask::ALL));
        assert_eq!(summary.matches, matches(&period.counts, mask));
        let nodes: Vec<_> = match &period.nodes {
            PeriodNodes::Leaves(leaves) => leaves.iter().map(|(start, node)| (*start, *node, None)).collect(),
            PeriodNodes::Branches(branches) => {
                let node =
                    |branch: &crate::tree::BranchRef| (branch.start, branch.node, Some(matches(&branch.counts, mask)));
                branches.iter().map(node).collect()
            }
        };
        assert_eq!(summary.nodes, nodes);
    }
    let total: u64 = summary.periods.iter().map(|period| period.total).sum();
    assert_eq!(summary.total, total);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]
    #[test]
    fn root_is_read_as_it_was_written(root in arbitrary::roots(), mask in arbitrary::masks()) {
        let bytes = encode_root(&root);
        prop_assert_eq!(decode_root(&bytes), Ok(root.clone()));
        assert_summary_of(&RootSummary::decode(&bytes, mask).expect("a root"), &root, mask);
    }

    #[test]
    fn copies_of_oldest_postings_are_read_as_they_were_written(oldest in arbitrary::oldest()) {
        let bytes = encode_oldest(&oldest).expect("copies");
        prop_assert_eq!(decode_oldest(&bytes), Ok(oldest.clone()));
        prop_assert_eq!(OldestPostings::read(Some(&bytes)), oldest);
        prop_assert_eq!(OldestPostings::read(None), OldestPostings::NONE);
    }

    #[test]
    fn branch_is_read_as_it_was_written(entries in arbitrary::branches(), mask in arbitrary::masks()) {
        let bytes = encode_branch(&entries);
        prop_assert_eq!(decode_branch(&bytes), Ok(entries.clone()));
        let masked: Vec<_> =
            entries.iter().map(|entry| (entry.start, entry.node, matches(&entry.counts, mask))).collect();
        prop_assert_eq!(decode_branch_matches(&bytes, mask), Ok(masked));
    }

    #[test]
    fn leaf_is_read_as_it_was_written(
        postings in arbitrary::postings(),
        mask in arbitrary::masks(),
        from in proptest::option::of(1_600_000_000_i64..1_800_000_000),
        to in proptest::option::of(1_600_000_000_i64..1_800_000_000),
    ) {
        let bytes = encode_leaf(&postings);
        prop_assert_eq!(decode_leaf(&bytes), Ok(postings.clone()));
        let filter = PostingFilter { mask, from, to };
        let admitted: Vec<_> = postings.into_iter().filter(|posting| filter.admits(posting)).collect();
        prop_assert_eq!(decode_leaf_matches(&bytes, &filter), Ok(admitted));
    }

    #[test]
    fn changes_are_read_as_they_were_written(changes in arbitrary::changes()) {
        prop_assert_eq!(decode_changes(&encode_changes(&changes)), Ok(changes));
    }

    #[test]
    fn directory_is_read_as_it_was_written(
        directory in arbitrary::directories(),
        bucket in arbitrary::directory_buckets(),
    ) {
        prop_assert_eq!(Directory::decode(&directory.encode()), Ok(directory));
        prop_assert_eq!(DirectoryBucket::decode(&bucket.encode()), Ok(bucket));
    }
}
