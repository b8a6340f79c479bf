//! Pages of a search: numbers, sizes and bounds.

use super::filters::ALL;
use super::fixtures::{Case, finds, page};

pub(super) fn cases() -> Vec<Case> {
    vec![
        finds("page is optional", "", ALL),
        finds("the first page", "page=1", ALL),
        finds("0 counts as 1, and is echoed as 1", "page=0", ALL),
        finds("-7 counts as 1", "page=-7", ALL),
        finds("blank is not given", "page=&per_page=", ALL),
        page("past the end: empty, with the page as asked", "page=2", (2, 1, 8), ""),
        page("far past the end", "page=9007199254740991&per_page=100", (9_007_199_254_740_991, 1, 8), ""),
        finds("below every integer", "page=-99999999999999999999999999999999999999999999", ALL),
        page("three on a page", "per_page=3", (1, 3, 8), "h g f"),
        page("the second of them", "per_page=3&page=2", (2, 3, 8), "d e c"),
        page("the last, not full", "per_page=3&page=3", (3, 3, 8), "b a"),
        page("a full last page", "per_page=4&page=2", (2, 2, 8), "e c b a"),
        page("one on a page, inside equal seconds", "per_page=1&page=5", (5, 8, 8), "e"),
        page("oldest first", "per_page=3&order_by=update_date&page=2", (2, 3, 8), "e d f"),
        page("of a filter", "per_page=2&page=2&rating__in=3,4,5", (2, 3, 6), "f c"),
        page("of a city", "per_page=2&page=2&business_city=lyon", (2, 2, 4), "b a"),
        page("of businesses", "per_page=2&page=2&business__in=lyon-1,lyon-2,hay", (2, 3, 5), "c b"),
        page("past the end of businesses", "page=9&business__in=lyon-1", (9, 1, 2), ""),
        page("an empty list has one page", "rating=5&state=not_treated", (1, 1, 0), ""),
        page("past the end of an empty list", "business__in=nowhere&page=3", (3, 1, 0), ""),
        page("of no date at all", "update_date__gte=2025-02-01&update_date__lte=2025-01-01&page=2", (2, 1, 0), ""),
        finds("the largest size", "per_page=100", ALL),
    ]
}
