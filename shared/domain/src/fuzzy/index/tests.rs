//! Compares the index with the reference rule.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::super::penalty;
use super::*;

type Person = [String; 3];

/// Edit of a word: position, kind, and letter.
type Edit = (Index, u8, char);

fn find_by_reference(people: &[Person], query: &FuzzyQuery) -> Vec<Match> {
    let penalties = people.iter().map(|[first, last, email]| penalty(query, [first, last, email]));
    (0..).zip(penalties).filter_map(|(position, penalty)| Some(Match { position, penalty: penalty? })).collect()
}

fn index_of(people: &[Person]) -> PeopleIndex {
    PeopleIndex::build(people.iter().cloned())
}

/// Generates a field. It has few letters, so that words are often similar, and signs, white space and letters of several bytes.
fn any_field() -> impl Strategy<Value = String> {
    prop_oneof![
        "[abcé]{0,11}([ .-][abcé]{1,7}){0,2}",
        "[ab]{0,3}",
        "[a-e字]{4,10}@[a-c]{1,4}\\.com",
        "\\PC{0,12}".prop_map(|text| crate::text::fold(&text)),
    ]
}

fn any_people() -> impl Strategy<Value = Vec<Person>> {
    vec([any_field(), any_field(), any_field()], 1..12)
}

/// Generates an edit, which may have no effect.
fn any_edit() -> impl Strategy<Value = Edit> {
    (any::<Index>(), 0..5u8, select(vec!['a', 'b', 'é', '字', '.', 'z']))
}

fn edited(word: &str, edits: &[Edit]) -> String {
    let mut letters: Vec<char> = word.chars().collect();
    for (index, edit, letter) in edits.iter().filter(|_| !word.is_empty()) {
        let at = index.index(letters.len().max(1));
        match edit {
            0 => letters.insert(at, *letter),
            1 if letters.len() > 1 => drop(letters.remove(at)),
            2 if at < letters.len() => letters[at] = *letter,
            3 if at + 1 < letters.len() => letters.swap(at, at + 1),
            _ => {}
        }
    }
    letters.into_iter().collect()
}

#[test]
fn empty_index_finds_nobody() {
    let index = PeopleIndex::build(Vec::<Person>::new());
    let query = FuzzyQuery::parse("dupont a").expect("the query has a word");
    assert_eq!(index.find(&query, &Work::default()).expect("it is cheap"), []);
}

#[test]
fn people_are_found_in_the_order_of_their_positions() {
    let people = ["dupond", "martin", "dupont", "", "dupontel"].map(|last| [String::new(), last.into(), String::new()]);
    let query = FuzzyQuery::parse("dupont").expect("the query has a word");
    let found = index_of(&people).find(&query, &Work::default()).expect("it is cheap");
    let expected = [(0, 3), (2, 0), (4, 1)].map(|(position, penalty)| Match { position, penalty });
    assert_eq!(found, expected);
}

#[test]
fn shared_words_are_stored_once() {
    let person = |n: usize| ["ana".to_owned(), "lopez".to_owned(), format!("{n}@example.com")];
    let people: Vec<Person> = (0..1000).map(person).collect();
    let index = index_of(&people);
    // Distinct words: each address and its number, and "ana", "lopez", "example", "com".
    assert_eq!(format!("{index:?}"), "PeopleIndex(1000 people, 2004 words)");
    assert!(index.heap_bytes() < 100 * people.len(), "{}", index.heap_bytes());
}

/// Generates the words of a query: for each the person and the word to take, and the edits to make.
fn any_picks() -> impl Strategy<Value = Vec<(Index, Index, Vec<Edit>)>> {
    vec((any::<Index>(), any::<Index>(), vec(any_edit(), 0..4)), 1..4)
}

fn mistyped(people: &[Person], picks: &[(Index, Index, Vec<Edit>)]) -> String {
    let mistyped_word = |(person, word, edits): &(Index, Index, Vec<Edit>)| {
        let words: Vec<&str> = person.get(people).iter().flat_map(|field| words_and_parts(field)).collect();
        words.get(word.index(words.len().max(1))).map_or_else(|| "a".to_owned(), |word| edited(word, edits))
    };
    picks.iter().map(mistyped_word).collect::<Vec<_>>().join(" ")
}

proptest! {
    #[test]
    fn index_agrees_with_the_reference_for_mistyped_words(people in any_people(), picks in any_picks()) {
        if let Ok(query) = FuzzyQuery::parse(&mistyped(&people, &picks)) {
            prop_assert_eq!(index_of(&people).find(&query, &Work::default()).expect("it is cheap"), find_by_reference(&people, &query));
        }
    }

    #[test]
    fn index_agrees_with_the_reference_for_any_query(people in any_people(), text in "[ab]{1,3}( [abcé.]{1,9}){0,2}") {
        let query = FuzzyQuery::parse(&text).expect("the query has a word");
        prop_assert_eq!(index_of(&people).find(&query, &Work::default()).expect("it is cheap"), find_by_reference(&people, &query));
    }

    #[test]
    fn words_few_edits_apart_pass_the_test_of_characters(word in "[a-d0é字.]{5,12}", edits in vec(any_edit(), 0..3)) {
        prop_assert!(may_be_close(character_set(&word), character_set(&edited(&word, &edits)), 2));
    }
}
