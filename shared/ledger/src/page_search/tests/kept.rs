//! Matches and nodes that a search keeps in memory.

use super::model::TestSearch;
use super::stored::{StoredTree, start};
use super::{EVERYTHING, FIRST_SECOND, each_minute, posting};
use crate::PostingFilter;
use crate::page_search::NodeKind;
use presence_domain::calendar::SECONDS_OF_DAY;
use presence_domain::page::PageRequest;
use presence_domain::review::FacetKey;

/// Returns a second in the middle of 2020, or this number of years later.
fn middle_of_year(later: i64) -> i64 {
    FIRST_SECOND + (180 + later * 366) * SECONDS_OF_DAY
}

#[test]
fn what_comes_after_the_pages_ahead_is_counted_and_not_kept() {
    let of_ids = |ids: &[u64]| ids.iter().map(|id| posting(middle_of_year(0), *id, 0)).collect();
    let in_root = |ids: &[u64]| StoredTree::new(of_ids(ids), 64, false);
    // 2019 and 2021 are periods, and the root has the last posting.
    let of_years = StoredTree::new([-1, 1, 2].map(|later| posting(middle_of_year(later), 1, 0)).to_vec(), 0, false);
    let trees = [in_root(&[10, 20, 30]), in_root(&[29, 31]), of_years];
    let page = PageRequest { page: 1, size: 1 };
    let search = start(&trees, &TestSearch { filter: EVERYTHING, newest_first: false, page }).0;
    let mut kept: Vec<_> = search.matches.iter().map(|(.., posting)| posting.key.id.get()).collect();
    kept.sort_unstable();
    assert_eq!((kept, search.buckets.len(), search.after), (vec![10, 20, 29, 30], 1, 3));
}

#[test]
fn periods_and_leaves_without_a_match_in_the_range_of_dates_are_not_kept() {
    let years = [(-3, 9), (-2, 0), (-1, 9)].map(|(later, facet_key)| posting(middle_of_year(later), 1, facet_key));
    // Six leaves of a branch, of which the first one has no match. The last posting is in the root.
    let month = [each_minute(0, 256, 0), each_minute(1, 5 * 256, 9)].concat();
    let all = [years.to_vec(), month, vec![posting(middle_of_year(2), 1, 0)]].concat();
    let tree = StoredTree::new(all, 0, false);
    // The range begins in 2018, and ends in the fifth leaf.
    let (from, to) = (Some(middle_of_year(-2) - 1), Some(FIRST_SECOND + SECONDS_OF_DAY + 800 * 60));
    let filter = PostingFilter { mask: FacetKey::from_number(9).into_iter().collect(), from, to };
    let page = PageRequest { page: 1, size: 10 };
    let mut search = start(std::slice::from_ref(&tree), &TestSearch { filter, newest_first: false, page }).0;
    assert_eq!(search.buckets.len(), 2, "the period of 2019, and the branch");
    let needed = search.needed_nodes();
    assert_eq!(needed.iter().map(|node| node.kind).collect::<Vec<_>>(), [NodeKind::Branch]);
    search.insert_node(needed[0], &tree.nodes[&needed[0].node]).expect("a branch that fits");
    assert_eq!(search.buckets.len(), 2 + 4, "and the second to fifth leaf");
}
