//! Leaves that are read first because matches are mostly spread evenly.

use std::ops::Range;

use super::model::{TestSearch, TestTree, start};
use super::{EVERYTHING, FIRST_SECOND, posting};
use crate::tree::LEAF_MAX;
use presence_domain::calendar::SECONDS_OF_DAY;
use presence_domain::page::PageRequest;
use presence_domain::review::FacetMask;

#[test]
fn leaves_are_likely_if_the_page_is_there_when_matches_are_spread_evenly() {
    // Four leaves of ten days each. A match is expected every two days and a half.
    let at = |day: i64| FIRST_SECOND + day * SECONDS_OF_DAY;
    let second = |number: i64| if number == 15 { at(40) - 1 } else { at(number / 4 * 10 + number % 4) };
    let spread: Vec<_> = (0_i64..16).map(|number| posting(second(number), 100 + number.unsigned_abs(), 0)).collect();
    let known_at = |day: i64, ids: Range<u64>| ids.map(|id| posting(at(day), id, 0)).collect::<Vec<_>>();
    for (known, page, leaves) in [
        (known_at(0, 0..0), PageRequest { page: 2, size: 4 }, vec![0, 1]),
        (known_at(12, 1..5), PageRequest { page: 4, size: 4 }, vec![2, 3]),
        // The page ends with the match that is known, in the first second of the third leaf.
        (known_at(20, 0..1), PageRequest { page: 1, size: 9 }, vec![0, 1, 2]),
    ] {
        let trees = [
            TestTree::unchanged(&known, (known.len(), 0), FacetMask::ALL),
            TestTree::unchanged(&spread, (0, 0), FacetMask::ALL),
        ];
        let mut search = start(&trees, &TestSearch { filter: EVERYTHING, newest_first: false, page });
        // As far as counts tell, all matches may be in one leaf.
        search.leaf_max = LEAF_MAX as u64;
        let likely = search.likely_leaves().expect("fewer leaves than counts tell");
        let slots: Vec<_> = likely.iter().map(|node| node.node.slot).collect();
        assert_eq!(slots, leaves, "{page:?}");
    }
}
