//! Search of people that tolerates typing errors: the query, the rule, and the index that applies it.
//!
//! Every word of the query must match a word of the first name, the last name or the e-mail address. It matches as a substring, with
//! one edit from 5 letters on, or with two edits from 9 letters on. An edit is a letter added, removed or replaced, or two neighbours
//! swapped.
//!
//! Words end at white space. For edits and for the ranking, their alphanumeric parts count as words too: `piere` finds `Jean-Pierre`,
//! and `dupond` finds `jean.dupont@example.com`.

mod edits;
mod index;

use std::collections::HashSet;
use std::fmt;
use std::iter;

pub use index::{Match, PeopleIndex};

use super::error::FieldError;
use super::text::fold;

/// Maximum number of distinct words of a query. People type a few words, but 255 characters can hold 128, and each word costs a pass over
/// the index.
pub const MAX_WORDS: usize = 32;

/// Minimum length in letters of a query word that may match with one edit. Shorter words are too similar to each other.
const ONE_EDIT_FROM: usize = 5;

/// Minimum length in letters of a query word that may match with two edits.
const TWO_EDITS_FROM: usize = 9;

/// Penalty of a query word that equals a word. The other penalties follow in order; one edit adds 1 to a substring, two edits add 2.
const EQUAL: u8 = 0;
/// Penalty of a query word at the start of a word.
const PREFIX: u8 = 1;
/// Penalty of a query word inside a word.
const SUBSTRING: u8 = 2;

/// Distinct words of a search text, folded, in the order of the text.
#[derive(Clone, PartialEq, Eq)]
pub struct FuzzyQuery {
    words: Vec<String>,
}

/// Occurs when a text is no query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FuzzyQueryError {
    /// It has no word.
    NoWords,
    /// It has more than [`MAX_WORDS`] distinct words.
    TooManyWords,
}

impl FuzzyQuery {
    /// Folds the text and splits it at white space. Repeated words are dropped.
    pub fn parse(text: &str) -> Result<Self, FuzzyQueryError> {
        let folded = fold(text);
        let mut seen = HashSet::new();
        let words: Vec<String> =
            folded.split_whitespace().filter(|word| seen.insert(*word)).map(str::to_owned).collect();
        match words.len() {
            0 => Err(FuzzyQueryError::NoWords),
            1..=MAX_WORDS => Ok(Self { words }),
            _ => Err(FuzzyQueryError::TooManyWords),
        }
    }
}

impl From<FuzzyQueryError> for FieldError {
    fn from(error: FuzzyQueryError) -> Self {
        match error {
            FuzzyQueryError::NoWords => "has nothing to search for".into(),
            FuzzyQueryError::TooManyWords => format!("has more than {MAX_WORDS} words").into(),
        }
    }
}

impl fmt::Debug for FuzzyQuery {
    /// Prints the number of words only: the words are names and e-mail addresses.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FuzzyQuery({} words)", self.words.len())
    }
}

/// Returns the penalty of a person, 0 being the best match; `None` if a word of the query does not match. The person is given by its
/// folded first name, last name and e-mail address.
///
/// The penalty is the sum over the words of the query. Each word has its best penalty over the person's words and their parts: 0 equal,
/// 1 prefix, 2 substring, 3 one edit, 4 two edits. This function is the reference: [`PeopleIndex`] returns the same for thousands of
/// people.
pub fn penalty(query: &FuzzyQuery, person: [&str; 3]) -> Option<u32> {
    let mut sum = 0;
    for word in query.words.iter().map(String::as_str) {
        let candidates = person.iter().flat_map(|field| words_and_parts(field));
        sum += candidates.filter_map(|candidate| word_penalty(word, candidate)).min()?;
    }
    Some(sum)
}

/// Returns the penalty of one query word on one word; `None` if it does not match.
fn word_penalty(word: &str, candidate: &str) -> Option<u32> {
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

/// Iterates over the words of a folded field, each followed by its alphanumeric parts if it has other characters.
fn words_and_parts(field: &str) -> impl Iterator<Item = &str> {
    field.split_whitespace().flat_map(|word| {
        let parts = word.split(|c: char| !c.is_alphanumeric()).filter(move |part| !part.is_empty() && *part != word);
        iter::once(word).chain(parts)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::work::{MAX_WORK, Work};

    const ANA: [&str; 3] = ["Ana María", "López", "ana.lopez+shop@example.com"];
    const JEAN: [&str; 3] = ["Jean-Pierre", "Dupont", "jp@example.org"];
    const KONSTANTIN: [&str; 3] = ["Константин", "Papadopoulos", "k.papadopoulos@example.net"];

    /// Returns the penalty, by the reference and by the index, which must agree.
    fn penalty_of(text: &str, person: [&str; 3]) -> Option<u32> {
        let query = FuzzyQuery::parse(text).expect("the query has a word");
        let folded = person.map(fold);
        let reference = penalty(&query, [&folded[0], &folded[1], &folded[2]]);
        let indexed = PeopleIndex::build([folded])
            .find(&query, &Work::default())
            .expect("it is cheap")
            .first()
            .map(|found| found.penalty);
        assert_eq!(reference, indexed, "{text}");
        reference
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
        for (case, text, person, expected) in cases {
            assert_eq!(penalty_of(text, person), expected, "{case}");
        }
    }

    #[test]
    fn every_word_must_match_and_penalties_add_up() {
        assert_eq!(penalty_of("lopez ana", ANA), Some(0));
        assert_eq!(penalty_of("LÓP mari shopp", ANA), Some(1 + 1 + 3));
        assert_eq!(penalty_of("lopez dupont", ANA), None);
    }

    #[test]
    fn words_do_not_run_over_the_end_of_a_field() {
        assert_eq!(penalty_of("marialopez", ANA), None);
        assert_eq!(penalty_of("ana\u{A0}lopez", ANA), Some(0));
    }

    #[test]
    fn query_without_words_is_refused() {
        for text in ["", " ", "\t\u{3000}", "\u{301}"] {
            assert_eq!(FuzzyQuery::parse(text), Err(FuzzyQueryError::NoWords), "{text:?}");
        }
    }

    #[test]
    fn repeated_words_count_once_and_the_number_of_words_is_bounded() {
        assert_eq!(FuzzyQuery::parse("Ana ANA  ána"), FuzzyQuery::parse("ana"));
        let many: Vec<String> = (0..=MAX_WORDS).map(|n| n.to_string()).collect();
        assert_eq!(FuzzyQuery::parse(&many.join(" ")), Err(FuzzyQueryError::TooManyWords));
        assert!(FuzzyQuery::parse(&[&many[..MAX_WORDS], &many[..5]].concat().join(" ")).is_ok());
    }

    #[test]
    fn a_query_that_is_close_to_thousands_of_long_words_is_refused_and_one_letter_is_six_when_folded() {
        let name = |n: u32| fold(&format!("{}{n:04}", "\u{3316}".repeat(100)));
        let people = PeopleIndex::build((0..100).map(|n| [name(n), String::new(), String::new()]));
        let query = FuzzyQuery::parse(&[name(7), name(8)].join(" ")).expect("two words");
        assert_eq!(query.words[0].chars().count(), 604);
        let work = Work::default();
        assert!(people.find(&query, &work).is_ok_and(|found| found.len() == 100), "all are near");
        assert!((10 * work.units()..100 * work.units()).contains(&MAX_WORK), "1,000 are admitted, and 10,000 refused");
        work.exhaust();
        assert!(people.find(&query, &work).is_err(), "the bound is one for all indexes of a request");
    }

    #[test]
    fn a_word_comes_with_its_parts() {
        let words = |field| words_and_parts(field).collect::<Vec<_>>();
        assert_eq!(words("jean--pierre o'x ana"), ["jean--pierre", "jean", "pierre", "o'x", "o", "x", "ana"]);
    }

    #[test]
    fn debug_output_has_no_words() {
        assert_eq!(format!("{:?}", FuzzyQuery::parse("ana lopez")), "Ok(FuzzyQuery(2 words))");
    }
}
