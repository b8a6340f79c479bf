//! The index behind the search: every distinct word once, and for each the people who have it.
//!
//! Names and the parts of e-mail addresses repeat a lot, so a query word is held against each distinct word once and
//! the result handed to the people. The words lie in one arena, ordered by length: substrings are one scan of it, and
//! the candidates for edits are neighbours in it.

use std::fmt;
use std::hash::{BuildHasher as _, RandomState};
use std::ops::Range;

use hashbrown::HashTable;
use memchr::memmem::Finder;

use super::{EQUAL, FuzzyQuery, MAX_WORDS, ONE_EDIT_FROM, PREFIX, SUBSTRING, TWO_EDITS_FROM, words_and_parts};

/// No word has it: words end at white space. It keeps a match from running from one word into the next.
const SEPARATOR: char = '\n';

/// The penalty of what does not match. Adding to it saturates, so it stays.
const NO_MATCH: u8 = u8::MAX;

const _: () = assert!(MAX_WORDS * (SUBSTRING as usize + 2) < NO_MATCH as usize, "a sum of penalties fits a byte");

const TOO_LARGE: &str = "an index is far below 4 GiB of text and 2^32 people";

/// A person who matches: the position in the order in which the index was built, and the penalty, 0 being best.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Match {
    /// Index of the person among those given to [`PeopleIndex::build`].
    pub position: u32,
    /// As by [`penalty`](super::penalty).
    pub penalty: u32,
}

/// The words of a list of people, ready to be searched. About 100 bytes a person.
pub struct PeopleIndex {
    people: usize,
    /// The distinct words, ordered by their number of characters, each followed by the separator.
    arena: Box<str>,
    /// Where each word starts in the arena, and the arena's end.
    starts: Box<[u32]>,
    /// The first word of each number of characters that occurs: (characters, word), ascending.
    lengths: Box<[(u32, u32)]>,
    /// Which characters each word has, as by [`bag`].
    bags: Box<[u64]>,
    /// The people of each word, word by word.
    postings: Box<[u32]>,
    /// Where each word's people start in the postings, and the postings' end.
    posting_starts: Box<[u32]>,
}

impl PeopleIndex {
    /// Indexes people, each given as folded first name, last name and e-mail address.
    ///
    /// # Panics
    ///
    /// Above 2^32 people, distinct words times people who have them, or bytes of distinct words.
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

    /// Everyone who matches, in the order of their positions.
    pub fn find(&self, query: &FuzzyQuery) -> Vec<Match> {
        let mut sums = vec![EQUAL; self.people];
        let mut of_people = vec![NO_MATCH; self.people];
        let mut of_words = vec![NO_MATCH; self.bags.len()];
        for word in query.words() {
            of_words.fill(NO_MATCH);
            of_people.fill(NO_MATCH);
            self.match_substrings(word, &mut of_words);
            self.match_edits(word, &mut of_words);
            self.hand_to_people(&of_words, &mut of_people);
            for (sum, penalty) in sums.iter_mut().zip(&of_people) {
                *sum = sum.saturating_add(*penalty);
            }
        }
        let found = (0..).zip(sums).filter(|&(_, sum)| sum != NO_MATCH);
        found.map(|(position, sum)| Match { position, penalty: u32::from(sum) }).collect()
    }

    /// Bytes that the index holds on the heap.
    pub fn heap_bytes(&self) -> usize {
        self.arena.len()
            + size_of_val(&*self.starts)
            + size_of_val(&*self.lengths)
            + size_of_val(&*self.bags)
            + size_of_val(&*self.postings)
            + size_of_val(&*self.posting_starts)
    }

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

    fn match_edits(&self, query: &str, of_words: &mut [u8]) {
        let length = query.chars().count();
        let edits: u8 = match length {
            ..ONE_EDIT_FROM => return,
            ONE_EDIT_FROM..TWO_EDITS_FROM => 1,
            TWO_EDITS_FROM.. => 2,
        };
        let bag = bag(query);
        let (shortest, longest) = (length - usize::from(edits), length + usize::from(edits));
        let near = self.first_of_length(shortest)..self.first_of_length(longest + 1);
        let bags = &self.bags[near.clone()];
        for ((word, of_word), &word_bag) in near.clone().zip(&mut of_words[near]).zip(bags) {
            if *of_word != NO_MATCH || !may_be_close(bag, word_bag, edits) {
                continue;
            }
            let distance = strsim::osa_distance(query, &self.arena[self.span(word)]);
            if let Ok(distance) = u8::try_from(distance)
                && distance <= edits
            {
                *of_word = SUBSTRING + distance;
            }
        }
    }

    fn hand_to_people(&self, of_words: &[u8], of_people: &mut [u8]) {
        for (word, &penalty) in of_words.iter().enumerate().filter(|&(_, &penalty)| penalty != NO_MATCH) {
            let people = self.posting_starts[word] as usize..self.posting_starts[word + 1] as usize;
            for &person in &self.postings[people] {
                let best = &mut of_people[person as usize];
                *best = penalty.min(*best);
            }
        }
    }

    /// The first word with at least so many characters; the number of words when there is none.
    fn first_of_length(&self, characters: usize) -> usize {
        let class = self.lengths.partition_point(|&(length, _)| (length as usize) < characters);
        self.lengths.get(class).map_or(self.bags.len(), |&(_, word)| word as usize)
    }

    /// Where the word lies in the arena, without its separator.
    fn span(&self, word: usize) -> Range<usize> {
        self.starts[word] as usize..self.starts[word + 1] as usize - SEPARATOR.len_utf8()
    }
}

impl fmt::Debug for PeopleIndex {
    /// Never prints the words: they are names and e-mail addresses.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PeopleIndex({} people, {} words)", self.people, self.bags.len())
    }
}

/// The words as they come in while the index is built: their texts one after another, and no allocation for each.
#[derive(Default)]
struct DistinctWords {
    /// Each word, followed by the separator, as it came first.
    arena: String,
    /// Where each word ends in the arena, its separator included.
    ends: Vec<u32>,
    /// The numbers of the words, by their texts.
    numbers: HashTable<u32>,
    hasher: RandomState,
    /// The last person who has each word: a person counts once for a word.
    last: Vec<u32>,
    /// Word and person, person by person.
    pairs: Vec<(u32, u32)>,
}

impl DistinctWords {
    fn add(&mut self, word: &str, person: u32) {
        let number = self.number(word);
        if let Some(last) = self.last.get_mut(number as usize) {
            if *last == person {
                return;
            }
            *last = person;
        } else {
            self.last.push(person);
        }
        self.pairs.push((number, person));
    }

    fn number(&mut self, word: &str) -> u32 {
        let Self { arena, ends, numbers, hasher, .. } = self;
        let hash = hasher.hash_one(word);
        if let Some(number) = numbers.find(hash, |number| word_at(arena, ends, *number) == word) {
            return *number;
        }
        let number = index_u32(ends.len());
        arena.push_str(word);
        arena.push(SEPARATOR);
        ends.push(index_u32(arena.len()));
        numbers.insert_unique(hash, number, |number| hasher.hash_one(word_at(arena, ends, *number)));
        number
    }

    fn into_index(self, people: usize) -> PeopleIndex {
        let Self { arena: unordered, ends, numbers, last, pairs, .. } = self;
        drop((numbers, last));
        let word = |number: u32| word_at(&unordered, &ends, number);
        let mut order: Vec<(u32, u32)> =
            (0..index_u32(ends.len())).map(|number| (index_u32(word(number).chars().count()), number)).collect();
        order.sort_unstable_by(|(length, number), (other_length, other)| {
            length.cmp(other_length).then_with(|| word(*number).cmp(word(*other)))
        });
        let mut arena = String::with_capacity(unordered.len());
        let mut starts = Vec::with_capacity(order.len() + 1);
        starts.push(0);
        let (mut lengths, mut bags) = (Vec::new(), Vec::with_capacity(order.len()));
        for (length, number) in &order {
            if lengths.last().is_none_or(|(last, _)| last != length) {
                lengths.push((*length, index_u32(bags.len())));
            }
            let word = word(*number);
            arena.push_str(word);
            arena.push(SEPARATOR);
            starts.push(index_u32(arena.len()));
            bags.push(bag(word));
        }
        drop((unordered, ends));
        let (postings, posting_starts) = postings(&order, &pairs);
        PeopleIndex {
            people,
            arena: arena.into(),
            starts: starts.into(),
            lengths: lengths.into(),
            bags: bags.into(),
            postings,
            posting_starts,
        }
    }
}

fn word_at<'a>(arena: &'a str, ends: &[u32], number: u32) -> &'a str {
    let number = number as usize;
    let start = number.checked_sub(1).map_or(0, |before| ends[before] as usize);
    &arena[start..ends[number] as usize - SEPARATOR.len_utf8()]
}

/// The people of each word, word by word in this order, and where those of each word start.
fn postings(order: &[(u32, u32)], pairs: &[(u32, u32)]) -> (Box<[u32]>, Box<[u32]>) {
    let mut places = vec![0_u32; order.len()];
    for (place, (_, number)) in (0..).zip(order) {
        places[*number as usize] = place;
    }
    let mut starts = vec![0_u32; order.len() + 1];
    for (number, _) in pairs {
        starts[places[*number as usize] as usize + 1] += 1;
    }
    for place in 1..starts.len() {
        starts[place] += starts[place - 1];
    }
    let mut next = starts.clone();
    let mut postings = vec![0; pairs.len()];
    for (number, person) in pairs {
        let at = &mut next[places[*number as usize] as usize];
        postings[*at as usize] = *person;
        *at += 1;
    }
    (postings.into(), starts.into())
}

/// The set of characters of a word, in 64 bits: one for each letter and digit of ASCII, the others share the rest.
fn bag(word: &str) -> u64 {
    word.chars().fold(0, |bag, c| {
        bag | 1
            << match c {
                'a'..='z' => u32::from(c) - u32::from('a'),
                '0'..='9' => 26 + u32::from(c) - u32::from('0'),
                _ => 36 + u32::from(c) % 28,
            }
    })
}

/// Whether words with these characters can be so few edits apart. An edit brings at most one new character and takes
/// at most one away.
fn may_be_close(a: u64, b: u64, edits: u8) -> bool {
    (a & !b).count_ones() <= u32::from(edits) && (b & !a).count_ones() <= u32::from(edits)
}

fn index_u32(index: usize) -> u32 {
    u32::try_from(index).expect(TOO_LARGE)
}

#[cfg(test)]
mod tests;
