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

/// Returns the key of an empty page that ends just before this item, the first one of its result.
///
/// Returns `None` if no such key can be computed. The key may violate the condition of the Query.
pub(super) fn key_before(table: &TableInfo, index: Option<&IndexInfo>, first: &Item, forward: bool) -> Option<Item> {
    let index_names = index.into_iter().flat_map(|index| index.key.names());
    let mut key = attributes(first, table.key.names().chain(index_names))?;
    let sort = index.map_or(&table.key, |index| &index.key).sort.as_ref()?;
    let before = neighbour(first.get(sort)?, forward)?;
    key.insert(sort.clone(), before);
    Some(key)
}

/// Returns a sort key close below another one, or close above it.
fn neighbour(key: &Value, is_below: bool) -> Option<Value> {
    if let Some(text) = key["S"].as_str() {
        if !is_below {
            return Some(json!({ "S": format!("{text}\u{1}") }));
        }
        let (end, last) = text.char_indices().next_back()?;
        let lower = char::from_u32(u32::from(last).checked_sub(1)?)?;
        return Some(json!({ "S": format!("{}{lower}", &text[..end]) }));
    }
    let number: i64 = key["N"].as_str()?.parse().ok()?;
    let next = if is_below { number.checked_sub(1)? } else { number.checked_add(1)? };
    Some(json!({ "N": next.to_string() }))
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
    #[test]
    fn neighbour_of_a_key_is_on_the_given_side() {
        for (key, below, above) in [
            (json!({ "S": "cb" }), Some(json!({ "S": "ca" })), json!({ "S": "cb\u{1}" })),
            (json!({ "S": "" }), None, json!({ "S": "\u{1}" })),
            (json!({ "N": "7" }), Some(json!({ "N": "6" })), json!({ "N": "8" })),
        ] {
            assert_eq!((neighbour(&key, true), neighbour(&key, false)), (below, Some(above)), "{key}");
        }
    }
}
