//! Index of people: every distinct word once, with the people who have it.
//!
//! Names and the parts of e-mail addresses repeat often. So a query word is compared with each distinct word once, and the result is
//! passed on to the people. The words lie in one arena, ordered by length. Substrings are found by one scan of the arena, and
//! the candidates for edits are neighbours in it.

mod distinct_words;

use std::fmt;
use std::ops::Range;

use memchr::memmem::Finder;

use self::distinct_words::DistinctWords;
use super::edits::EditDistance;
use super::{EQUAL, FuzzyQuery, MAX_WORDS, ONE_EDIT_FROM, PREFIX, SUBSTRING, TWO_EDITS_FROM, words_and_parts};
use crate::work::{TooCostlyError, Work};

/// Separator of words in the arena. No word contains it, because words end at white space. So no match runs over the end of a word.
const SEPARATOR: char = '\n';

/// Penalty of a word or person that does not match. Sums saturate, so that it stays.
const NO_MATCH: u8 = u8::MAX;

const _: () = assert!(MAX_WORDS * (SUBSTRING as usize + 2) < NO_MATCH as usize, "a sum of penalties fits a byte");

/// Bytes of the index that are scanned in a unit of work.
const SCANNED_BYTES: usize = 32;

/// Field of a search that has the words.
const QUERY: &str = "query";

const TOO_LARGE: &str = "an index is far below 4 GiB of text and 2^32 people";

/// Person who matches a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Match {
    /// Position of the person among those given to [`PeopleIndex::build`].
    pub position: u32,
    /// Penalty by [`penalty`](super::penalty), 0 being the best match.
    pub penalty: u32,
}

/// Index of the words of a list of people. It takes about 100 bytes for each person.
pub struct PeopleIndex {
    /// Number of people.
    people: usize,
    /// Distinct words, ordered by their number of characters, each followed by the separator.
    arena: Box<str>,
    /// Start of each word in the arena, and the arena's end.
    starts: Box<[u32]>,
    /// First word of each length in characters that occurs: (length, word), ascending.
    lengths: Box<[(u32, u32)]>,
    /// Set of characters of each word, by [`character_set`].
    character_sets: Box<[u64]>,
    /// People of each word, word by word.
    postings: Box<[u32]>,
    /// Start of each word's people in the postings, and the postings' end.
    posting_starts: Box<[u32]>,
}

impl PeopleIndex {
    /// Builds the index of people, each given by its folded first name, last name and e-mail address.
    ///
    /// # Panics
    ///
    /// Panics above 2^32 people, pairs of a distinct word and a person, or bytes of distinct words.
    pub fn build(people: impl IntoIterator<Item = [impl AsRef<str>; 3]>) -> Self {
        let mut words = DistinctWords::default();
        let mut count = 0;
        for person in people {
            let position = index_u32(count);
            for field in &person {
                words_and_parts(field.as_ref()).for_each(|word| words.add(word, position));
            }
            count += 1;
        }
        words.into_index(count)
    }

    /// Returns the people who match, in the order of their positions.
    pub fn find(&self, query: &FuzzyQuery, work: &Work) -> Result<Vec<Match>, TooCostlyError> {
        let scan = (self.arena.len() + size_of_val(&*self.postings)) / SCANNED_BYTES;
        let mut sums = vec![EQUAL; self.people];
        let mut of_people = vec![NO_MATCH; self.people];
        let mut of_words = vec![NO_MATCH; self.character_sets.len()];
        for word in query.words.iter().map(String::as_str) {
            work.add(QUERY, scan)?;
            of_words.fill(NO_MATCH);
            of_people.fill(NO_MATCH);
            self.match_substrings(word, &mut of_words);
            self.match_edits(word, work, &mut of_words)?;
            self.pass_to_people(&of_words, &mut of_people);
            for (sum, penalty) in sums.iter_mut().zip(&of_people) {
                *sum = sum.saturating_add(*penalty);
            }
        }
        let found = (0..).zip(sums).filter(|&(_, sum)| sum != NO_MATCH);
        Ok(found.map(|(position, sum)| Match { position, penalty: u32::from(sum) }).collect())
    }

    /// Returns the size of the index on the heap, in bytes.
    pub fn heap_bytes(&self) -> usize {
        self.arena.len()
            + size_of_val(&*self.starts)
            + size_of_val(&*self.lengths)
            + size_of_val(&*self.character_sets)
            + size_of_val(&*self.postings)
            + size_of_val(&*self.posting_starts)
    }

    /// Sets the penalties of the words that contain the query word, by one scan of the arena.
    fn match_substrings(&self, query: &str, of_words: &mut [u8]) {
        let finder = Finder::new(query);
        let mut word = self.first_of_length(query.chars().count());
        let mut from = self.starts[word] as usize;
        while let Some(at) = finder.find(&self.arena.as_bytes()[from..]) {
            let at = from + at;
            while self.starts[word + 1] as usize <= at {
                word += 1;
            }
            let Range { start, end } = self.span(word);
            of_words[word] = match (at == start, end - start == query.len()) {
                (true, true) => EQUAL,
                (true, false) => PREFIX,
                (false, _) => SUBSTRING,
            };
            // The first match is the best one of its word.
            word += 1;
            from = self.starts[word] as usize;
        }
    }

    /// Sets the penalties of the words that are few edits away from the query word. Only words of a similar length can be.
    fn match_edits(&self, word: &str, budget: &Work, of_words: &mut [u8]) -> Result<(), TooCostlyError> {
        let letters: Vec<char> = word.chars().collect();
        let length = letters.len();
        let edits: u8 = match length {
            ..ONE_EDIT_FROM => return Ok(()),
            ONE_EDIT_FROM..TWO_EDITS_FROM => 1,
            TWO_EDITS_FROM.. => 2,
        };
        let (query_set, max, mut distance) = (character_set(word), usize::from(edits), EditDistance::default());
        let (shortest, longest) = (length - usize::from(edits), length + usize::from(edits));
        let near = self.first_of_length(shortest)..self.first_of_length(longest + 1);
        let character_sets = &self.character_sets[near.clone()];
        for ((word, of_word), &word_set) in near.clone().zip(&mut of_words[near]).zip(character_sets) {
            if *of_word != NO_MATCH || !may_be_close(query_set, word_set, edits) {
                continue;
            }
            budget.add(QUERY, comparison_work(length, max))?;
            let found = distance.within(&letters, &self.arena[self.span(word)], max);
            if let Some(distance) = found.and_then(|distance| u8::try_from(distance).ok()) {
                *of_word = SUBSTRING + distance;
            }
        }
        Ok(())
    }

    /// Sets the penalty of each person to the best one of its words.
    fn pass_to_people(&self, of_words: &[u8], of_people: &mut [u8]) {
        for (word, &penalty) in of_words.iter().enumerate().filter(|&(_, &penalty)| penalty != NO_MATCH) {
            let people = self.posting_starts[word] as usize..self.posting_starts[word + 1] as usize;
            for &person in &self.postings[people] {
                let best = &mut of_people[person as usize];
                *best = penalty.min(*best);
            }
        }
    }

    /// Returns the first word with at least so many characters, or the number of words if there is none.
    fn first_of_length(&self, characters: usize) -> usize {
        let class = self.lengths.partition_point(|&(length, _)| (length as usize) < characters);
        self.lengths.get(class).map_or(self.character_sets.len(), |&(_, word)| word as usize)
    }

    /// Returns the place of a word in the arena, without its separator.
    fn span(&self, word: usize) -> Range<usize> {
        self.starts[word] as usize..self.starts[word + 1] as usize - SEPARATOR.len_utf8()
    }
}

impl fmt::Debug for PeopleIndex {
    /// Prints numbers only: the words are names and e-mail addresses.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PeopleIndex({} people, {} words)", self.people, self.character_sets.len())
    }
}

/// Returns the units of work of comparing a word of so many letters with another one: the cells of their band.
fn comparison_work(letters: usize, max_edits: usize) -> usize {
    letters * (2 * max_edits + 1)
}

/// Returns the set of characters of a word in 64 bits. Each letter and digit of ASCII has its own bit; all others share 28 bits.
fn character_set(word: &str) -> u64 {
    word.chars().fold(0, |set, c| {
        set | 1
            << match c {
                'a'..='z' => u32::from(c) - u32::from('a'),
                '0'..='9' => 26 + u32::from(c) - u32::from('0'),
                _ => 36 + u32::from(c) % 28,
            }
    })
}

/// True if words with these sets of characters can be at most so many edits apart. An edit adds at most one character to the set and
/// removes at most one. The test is much cheaper than the edit distance.
fn may_be_close(a: u64, b: u64, edits: u8) -> bool {
    (a & !b).count_ones() <= u32::from(edits) && (b & !a).count_ones() <= u32::from(edits)
}

fn index_u32(index: usize) -> u32 {
    u32::try_from(index).expect(TOO_LARGE)
}

#[cfg(test)]
mod tests;
