//! Search over people that forgives typing errors: the query, the rule, and the index that answers it.
//!
//! Every word of the query must match a word of the first name, the last name or the e-mail address: as a substring, or
//! with one edit from 5 letters up, two from 9. An edit is a letter added, dropped or replaced, or two neighbours
//! swapped. Words end at white space; for edits and for the ranking, their alphanumeric parts count as words too, so
//! that `piere` finds `Jean-Pierre` and `dupond` finds `jean.dupont@example.com`.

mod index;

use std::collections::HashSet;
use std::fmt;
use std::iter;

pub use index::{Match, PeopleIndex};

use super::text::fold;

/// Distinct words that count; those after them are ignored. A query of 255 characters could have 128, nobody types
/// more than a few, and every word costs a pass over the index.
pub const MAX_WORDS: usize = 32;

/// Letters of a query word from which one edit is forgiven: shorter words are too close to one another.
const ONE_EDIT_FROM: usize = 5;

/// Letters of a query word from which two edits are forgiven.
const TWO_EDITS_FROM: usize = 9;

/// Penalties of one query word, best first. One edit costs one more than a substring, two edits two more.
const EQUAL: u8 = 0;
const PREFIX: u8 = 1;
const SUBSTRING: u8 = 2;

/// The distinct words of a search text, folded, in the order of the text.
#[derive(Clone, PartialEq, Eq)]
pub struct FuzzyQuery {
    words: Vec<String>,
}

impl FuzzyQuery {
    /// Folds the text and splits it at white space; `None` when no word is left. Repeated words and words after the
    /// [`MAX_WORDS`]th are dropped.
    pub fn parse(text: &str) -> Option<Self> {
        let folded = fold(text);
        let mut seen = HashSet::new();
        let words: Vec<String> =
            folded.split_whitespace().filter(|word| seen.insert(*word)).take(MAX_WORDS).map(str::to_owned).collect();
        (!words.is_empty()).then_some(Self { words })
    }

    fn words(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(String::as_str)
    }
}

impl fmt::Debug for FuzzyQuery {
    /// Never prints the words: people search by name and e-mail address.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FuzzyQuery({} words)", self.words.len())
    }
}

/// How far one person is from the query, 0 being best; `None` when a word does not match. The person is the folded
/// first name, last name and e-mail address.
///
/// The sum over the words of the query of the best penalty over the person's words and their parts: 0 equal, 1 prefix,
/// 2 substring, 3 one edit, 4 two edits. This is the rule spelled out; [`PeopleIndex`] answers the same for thousands.
pub fn penalty(query: &FuzzyQuery, person: [&str; 3]) -> Option<u32> {
    let mut sum = 0;
    for word in query.words() {
        let candidates = person.iter().flat_map(|field| words_and_parts(field));
        sum += candidates.filter_map(|candidate| distance(word, candidate)).min()?;
    }
    Some(sum)
}

fn distance(word: &str, candidate: &str) -> Option<u32> {
    if candidate == word {
        return Some(0);
    }
    if candidate.starts_with(word) {
        return Some(1);
    }
    if candidate.contains(word) {
        return Some(2);
    }
    match (strsim::osa_distance(word, candidate), word.chars().count()) {
        (1, 5..) => Some(3),
        (2, 9..) => Some(4),
        _ => None,
    }
}

/// The words of a folded field, each followed by its alphanumeric parts where it has other characters.
fn words_and_parts(field: &str) -> impl Iterator<Item = &str> {
    field.split_whitespace().flat_map(|word| {
        let parts = word.split(|c: char| !c.is_alphanumeric()).filter(move |part| !part.is_empty() && *part != word);
        iter::once(word).chain(parts)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANA: [&str; 3] = ["Ana María", "López", "ana.lopez+shop@example.com"];
    const JEAN: [&str; 3] = ["Jean-Pierre", "Dupont", "jp@example.org"];
    const KONSTANTIN: [&str; 3] = ["Константин", "Papadopoulos", "k.papadopoulos@example.net"];

    /// The reference and the index, which must agree.
    fn ask(text: &str, person: [&str; 3]) -> Option<u32> {
        let query = FuzzyQuery::parse(text).expect("the query has a word");
        let folded = person.map(fold);
        let plain = penalty(&query, [&folded[0], &folded[1], &folded[2]]);
        let indexed = PeopleIndex::build([folded]).find(&query).first().map(|found| found.penalty);
        assert_eq!(plain, indexed, "{text}");
        plain
    }

    #[test]
    fn better_matches_have_smaller_penalties() {
        let cases = [
            ("a word", "lopez", ANA, Some(0)),
            ("a part of a word", "pierre", JEAN, Some(0)),
            ("a part of the e-mail address", "shop", ANA, Some(0)),
            ("the whole e-mail address", "JP@Example.org", JEAN, Some(0)),
            ("the beginning of a word", "dup", JEAN, Some(1)),
            ("the beginning of a part", "pie", JEAN, Some(1)),
            ("the beginning across a hyphen", "jean-p", JEAN, Some(1)),
            ("the middle of a word", "upon", JEAN, Some(2)),
            ("the middle across a sign", "pez+sh", ANA, Some(2)),
            ("a dropped letter in a part", "piere", JEAN, Some(3)),
            ("a replaced letter", "dupond", JEAN, Some(3)),
            ("an added letter", "duppont", JEAN, Some(3)),
            ("swapped neighbours", "duopnt", JEAN, Some(3)),
            ("a replaced letter in the e-mail address", "exemple", JEAN, Some(3)),
            ("two edits in a long word", "papadopulus", KONSTANTIN, Some(4)),
            ("two edits in Cyrillic, counted in letters", "канстонтин", KONSTANTIN, Some(4)),
            ("one edit in four letters", "jaen", JEAN, None),
            ("two edits in eight letters", "dupomtts", JEAN, None),
            ("three edits", "bapedopulus", KONSTANTIN, None),
            ("nothing alike", "martin", JEAN, None),
        ];
        for (what, text, person, expected) in cases {
            assert_eq!(ask(text, person), expected, "{what}");
        }
    }

    #[test]
    fn every_word_must_match_and_penalties_add_up() {
        assert_eq!(ask("lopez ana", ANA), Some(0));
        assert_eq!(ask("LÓP mari shopp", ANA), Some(1 + 1 + 3));
        assert_eq!(ask("lopez dupont", ANA), None);
    }

    #[test]
    fn words_do_not_run_over_the_end_of_a_field() {
        assert_eq!(ask("marialopez", ANA), None);
        assert_eq!(ask("ana\u{A0}lopez", ANA), Some(0));
    }

    #[test]
    fn a_query_without_words_is_none() {
        for text in ["", " ", "\t\u{3000}", "\u{301}"] {
            assert_eq!(FuzzyQuery::parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn repeated_words_count_once_and_the_number_of_words_is_bounded() {
        assert_eq!(FuzzyQuery::parse("Ana ANA  ána"), FuzzyQuery::parse("ana"));
        let many: Vec<String> = (0..100).map(|n| n.to_string()).collect();
        assert_eq!(FuzzyQuery::parse(&many.join(" ")), FuzzyQuery::parse(&many[..MAX_WORDS].join(" ")));
    }

    #[test]
    fn debug_output_has_no_words() {
        assert_eq!(format!("{:?}", FuzzyQuery::parse("ana lopez")), "Some(FuzzyQuery(2 words))");
    }
}
