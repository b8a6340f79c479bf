//! Truncated and empty pages of Query and Scan.
//!
//! `DynamoDB` may end a page before its limit, even without any item. Only an absent `LastEvaluatedKey` ends a result.

use serde_json::{Value, json};

use super::item::{Item, attributes};
use super::settings::PageTruncation;
use super::tables::{IndexInfo, TableInfo};

/// Sizes of truncated pages: small ones, so that a result takes many pages, and some that end in the middle of a result.
const SIZES: [u64; 7] = [1, 2, 3, 7, 20, 60, 200];

/// Size of a page that the limits decided on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PageOutcome {
    Full,
    /// At most this many items.
    Truncated(u64),
    Empty,
}

/// Draws the outcome of a page for a request with this limit.
pub(super) fn draw(truncation: &PageTruncation, limit: Option<u64>, rng: &mut fastrand::Rng) -> PageOutcome {
    let draw = rng.f64();
    if draw < truncation.empty {
        return PageOutcome::Empty;
    }
    let size = rng.choice(SIZES).unwrap_or(1);
    let is_truncated = draw < truncation.empty + truncation.short && limit.is_none_or(|limit| size < limit);
    if is_truncated { PageOutcome::Truncated(size) } else { PageOutcome::Full }
}

/// Returns the `LastEvaluatedKey` of a page that ends with this item.
pub(super) fn key_after(table: &TableInfo, index: Option<&IndexInfo>, item: &Item) -> Option<Item> {
    let index_names = index.into_iter().flat_map(|index| index.key.names());
    attributes(item, table.key.names().chain(index_names))
}

/// Returns an empty page with this `LastEvaluatedKey`.
pub(super) fn empty(last: &Value) -> Value {
    json!({ "Items": [], "Count": 0, "ScannedCount": 0, "LastEvaluatedKey": last })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_truncated_as_often_as_set_and_never_exceed_the_limit() {
        let truncation = PageTruncation { short: 0.3, empty: 0.1 };
        let mut rng = fastrand::Rng::with_seed(1);
        let outcomes: Vec<PageOutcome> = (0..1_000).map(|_| draw(&truncation, Some(5), &mut rng)).collect();
        let count = |is: fn(&PageOutcome) -> bool| outcomes.iter().filter(|outcome| is(outcome)).count();
        assert!((60..140).contains(&count(|outcome| *outcome == PageOutcome::Empty)));
        assert!(
            (80..180).contains(&count(|outcome| matches!(outcome, PageOutcome::Truncated(_)))),
            "three of seven sizes are below 5"
        );
        assert!(outcomes.iter().all(|outcome| !matches!(outcome, PageOutcome::Truncated(0 | 5..))));
        let never = PageTruncation { short: 0.0, empty: 0.0 };
        assert!((0..100).all(|_| draw(&never, None, &mut rng) == PageOutcome::Full));
    }
}
