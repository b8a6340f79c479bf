//! Differences between the postings of a tree and those that the reviews make.

use std::collections::BTreeMap;

use crate::{Posting, ReviewNumber};

/// Maximum number of reviews that a finding names.
const NAMED: usize = 20;

/// Review whose posting in a tree is not what the review makes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Review.
    pub id: ReviewNumber,
    /// Posting in the tree; `None` if it has none.
    pub found: Option<Posting>,
    /// Posting by the review; `None` if the tree should have none.
    pub expected: Option<Posting>,
}

/// Returns the differences between two lists of postings, both ascending.
///
/// A review that the tree has twice is two differences at least, unless one of them is right.
pub(super) fn differences(found: &[Posting], expected: &[Posting]) -> Vec<Difference> {
    let mut unexpected: Vec<&Posting> = Vec::new();
    let mut missing: BTreeMap<ReviewNumber, Posting> = BTreeMap::new();
    let (mut found, mut expected) = (found.iter().peekable(), expected.iter().peekable());
    loop {
        match (found.peek(), expected.peek()) {
            (None, None) => break,
            (Some(one), Some(other)) if one == other => {
                found.next();
                expected.next();
            }
            (Some(one), other) if other.is_none_or(|other| one < other) => unexpected.extend(found.next()),
            (_, _) => missing.extend(expected.next().map(|posting| (posting.key.id, *posting))),
        }
    }
    let mut differences = Vec::new();
    for posting in unexpected {
        let id = posting.key.id;
        differences.push(Difference { id, found: Some(*posting), expected: missing.remove(&id) });
    }
    differences.extend(missing.into_iter().map(|(id, posting)| Difference {
        id,
        found: None,
        expected: Some(posting),
    }));
    differences
}

/// Returns the differences of a tree as one phrase. Reviews are named by their ids.
pub fn describe(differences: &[Difference]) -> String {
    let of_kind = |is_kind: fn(&Difference) -> bool| {
        let ids = differences.iter().filter(|difference| is_kind(difference)).map(|difference| name_of(difference.id));
        ids.collect::<Vec<String>>()
    };
    let parts = [
        ("lacks", of_kind(|difference| difference.found.is_none())),
        ("names without a reason", of_kind(|difference| difference.expected.is_none())),
        ("has an old state of", of_kind(|difference| difference.found.is_some() && difference.expected.is_some())),
    ];
    let parts = parts.iter().filter(|(_, ids)| !ids.is_empty());
    parts.map(|(verb, ids)| format!("{verb} {}", list(ids))).collect::<Vec<_>>().join("; ")
}

fn name_of(id: ReviewNumber) -> String {
    id.to_id().map_or_else(|| format!("number {}", id.get()), |id| id.as_str().to_owned())
}

fn list(ids: &[String]) -> String {
    let named = ids.get(..NAMED).unwrap_or(ids).join(", ");
    match ids.len().saturating_sub(NAMED) {
        0 => named,
        others => format!("{named} and {others} others"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PostingKey;
    use presence_domain::review::FacetKey;

    fn posting(second: i64, id: u64, version: u64) -> Posting {
        let key = PostingKey { effective_at: second, id: ReviewNumber::new(id) };
        Posting { key, facet_key: FacetKey::from_number(3).expect("a facet key"), version }
    }

    #[test]
    fn differences_are_what_one_list_has_and_the_other_has_not() {
        let found = [posting(1, 10, 1), posting(2, 20, 1), posting(3, 30, 1), posting(5, 50, 1)];
        let expected = [posting(1, 10, 1), posting(2, 20, 2), posting(4, 40, 1), posting(6, 50, 1)];
        let difference = |id, found, expected| Difference { id: ReviewNumber::new(id), found, expected };
        let all = [
            difference(20, Some(found[1]), Some(expected[1])),
            difference(30, Some(found[2]), None),
            difference(50, Some(found[3]), Some(expected[3])),
            difference(40, None, Some(expected[2])),
        ];
        assert_eq!(differences(&found, &expected), all);
        assert_eq!(differences(&found, &found), []);
        assert_eq!(differences(&found[1..2], &found[..3]).len(), 2, "what both have is no difference");
        assert_eq!(differences(&[], &expected).len(), 4);
        let phrase =
            "lacks 000000000014; names without a reason 00000000000u; has an old state of 00000000000k, 00000000001e";
        assert_eq!(describe(&all), phrase);
    }

    #[test]
    fn posting_that_is_there_twice_is_a_difference() {
        let twice = [posting(1, 10, 1), posting(2, 10, 1)];
        assert_eq!(
            differences(&twice, &twice[1..]),
            [Difference { id: twice[0].key.id, found: Some(twice[0]), expected: None }]
        );
    }

    #[test]
    fn finding_names_a_bounded_number_of_reviews() {
        let found: Vec<Posting> = (1..=50).map(|id| posting(1, id, 1)).collect();
        assert!(describe(&differences(&found, &[])).ends_with(" and 30 others"));
    }
}
