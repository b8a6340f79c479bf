//! Keys of the reviews table, except those of the ledger.

use presence_domain::review::ReviewId;

/// Prefix of the partitions of reviews.
const REVIEW_PK_PREFIX: &str = "R#";
/// Sort key of a review.
pub const REVIEW_SK: &str = "R";
/// Partition with one item for each organisation that has, or had, reviews. The sort key is the [`org_key`](super::org_key).
pub const ORGS_WITH_REVIEWS_PK: &str = "BOOKS";
/// Partition of the position of the scheduled audit.
pub const AUDIT_PK: &str = "AUDIT";
/// Sort key of the position of the scheduled audit.
pub const AUDIT_SK: &str = "POSITION";
/// Partition of `replies-index`, the only one: replies are written by people, and 1,000 a second fit.
pub const PENDING_REPLIES: &str = "pending";
/// First second of the year 0. Counted from it, every accepted second is positive and has at most 12 digits.
const YEAR_0: i64 = -62_167_219_200;

/// Returns the partition of a review.
pub fn review_pk(id: &ReviewId) -> String {
    format!("{REVIEW_PK_PREFIX}{}", id.as_str())
}

/// Reads the partition of a review; `None` if the text has another form.
pub fn parse_review_pk(pk: &str) -> Option<ReviewId> {
    pk.strip_prefix(REVIEW_PK_PREFIX).and_then(ReviewId::parse)
}

/// Returns the sort key of `listing-index`: the effective second, then the id.
///
/// Seconds are counted from the year 0, because then all of them are positive and have the same number of digits.
pub fn effective_listing(second: i64, id: &ReviewId) -> String {
    format!("{:012}#{}", second - YEAR_0, id.as_str())
}

/// Reads [`effective_listing`]; `None` if the text has another form.
pub fn parse_effective_listing(text: &str) -> Option<(i64, ReviewId)> {
    let (second, id) = text.split_once('#')?;
    Some((second.parse::<i64>().ok()? + YEAR_0, ReviewId::parse(id)?))
}

/// Returns the first and the last sort key of `listing-index` for a range of effective seconds, both ends included.
/// `None` if the range has no end, and a query reads the whole partition.
pub fn effective_between(from: Option<i64>, to: Option<i64>) -> Option<(String, String)> {
    if from.is_none() && to.is_none() {
        return None;
    }
    // A sort key must not be empty, so the lowest bound is `0`. `~` sorts after every character of an id.
    let first = from.map_or_else(|| "0".to_owned(), |second| format!("{:012}#", second - YEAR_0));
    let last = to.map_or_else(|| "~".to_owned(), |second| format!("{:012}#~", second - YEAR_0));
    Some((first, last))
}

#[cfg(test)]
mod tests {
    use presence_domain::instant::{FIRST_SECOND, LAST_SECOND};

    use super::*;

    #[test]
    fn effective_seconds_lie_between_the_keys_of_their_range() {
        let id = ReviewId::parse("zzzzzzzzzzzz").expect("an id");
        for second in [FIRST_SECOND, -1, 0, 1_709_294_400, LAST_SECOND] {
            let key = effective_listing(second, &id);
            assert_eq!(parse_effective_listing(&key), Some((second, id.clone())));
            let inside = |from, to| {
                let (first, last) = effective_between(from, to).expect("a range");
                first <= key && key <= last
            };
            assert!(inside(Some(second), Some(second)) && inside(Some(second), None) && inside(None, Some(second)));
            assert!(!inside(Some(second + 1), None) && !inside(None, Some(second - 1)));
        }
        assert_eq!(effective_between(None, None), None);
    }
}
