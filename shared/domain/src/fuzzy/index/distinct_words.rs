//! Distinct words of people, from which their index is built.

use std::hash::{BuildHasher as _, RandomState};

use hashbrown::HashTable;

use super::{PeopleIndex, SEPARATOR, character_set, index_u32};

/// Distinct words while the index is built. Their texts lie in one string, without an allocation for each.
#[derive(Default)]
pub(super) struct DistinctWords {
    /// Words in the order of their first occurrence, each followed by the separator.
    arena: String,
    /// End of each word in the arena, with its separator.
    ends: Vec<u32>,
    /// Numbers of the words, by their texts.
    numbers: HashTable<u32>,
    hasher: RandomState,
    /// Last person who has each word, so that a person counts once for a word.
    last: Vec<u32>,
    /// Pairs of word and person, person by person.
    pairs: Vec<(u32, u32)>,
}

impl DistinctWords {
    /// Adds a word of a person.
    pub(super) fn add(&mut self, word: &str, person: u32) {
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

    /// Returns the number of a word. A new word gets the next number.
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

    /// Builds the index: words ordered by length, and the people of each word.
    pub(super) fn into_index(self, people: usize) -> PeopleIndex {
        let Self { arena: unordered, ends, numbers, last, pairs, .. } = self;
        drop((numbers, last));
        let mut order: Vec<(u32, u32)> = (0..index_u32(ends.len()))
            .map(|number| (index_u32(word_at(&unordered, &ends, number).chars().count()), number))
            .collect();
        order.sort_unstable_by(|(length, number), (other_length, other)| {
            length
                .cmp(other_length)
                .then_with(|| word_at(&unordered, &ends, *number).cmp(word_at(&unordered, &ends, *other)))
        });
        let mut arena = String::with_capacity(unordered.len());
        let mut starts = Vec::with_capacity(order.len() + 1);
        starts.push(0);
        let (mut lengths, mut character_sets) = (Vec::new(), Vec::with_capacity(order.len()));
        for (length, number) in &order {
            if lengths.last().is_none_or(|(last, _)| last != length) {
                lengths.push((*length, index_u32(character_sets.len())));
            }
            let word = word_at(&unordered, &ends, *number);
            arena.push_str(word);
            arena.push(SEPARATOR);
            starts.push(index_u32(arena.len()));
            character_sets.push(character_set(word));
        }
        drop((unordered, ends));
        let (postings, posting_starts) = postings(&order, &pairs);
        PeopleIndex {
            people,
            arena: arena.into(),
            starts: starts.into(),
            lengths: lengths.into(),
            character_sets: character_sets.into(),
            postings,
            posting_starts,
        }
    }
}

/// Returns the word with a number.
fn word_at<'a>(arena: &'a str, ends: &[u32], number: u32) -> &'a str {
    let number = number as usize;
    let start = number.checked_sub(1).map_or(0, |before| ends[before] as usize);
    &arena[start..ends[number] as usize - SEPARATOR.len_utf8()]
}

/// Returns the people of each word in this order of words, and the start of each word's people. It is a counting sort of the pairs.
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
