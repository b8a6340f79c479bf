//! Fuzzy search by `query`: the words that match, and their order.

use presence_domain::user::Status::Active;

use super::SearchedUser;
use crate::api::users::fixture::{Case, get};

pub(super) const USERS: [SearchedUser; 8] = [
    ("xav", "Xav", "Adupont", "p1", Active, Some(7)),
    ("wil", "Wil", "Dupond", "p2", Active, Some(7)),
    ("zoe", "Zoé", "Dupont", "p3", Active, Some(7)),
    ("yan", "Yan", "Dupontel", "p4", Active, Some(7)),
    ("jean", "Jean-Pierre", "Noël", "boutique.lyon+x", Active, Some(7)),
    ("kon", "Константин", "Papadopoulos", "p5", Active, Some(7)),
    ("four", "Olaf", "Quux", "p6", Active, Some(7)),
    ("far", "Farah", "Dupont", "p7", Active, Some(8)),
];

pub(super) fn cases() -> Vec<Case> {
    [words(), edits(), order(), bounds()].concat()
}

fn search(reason: &'static str, query: &str, people: &str) -> Case {
    get(reason, &format!("/user/search?query={query}")).by("reader").finds(people)
}

fn words() -> Vec<Case> {
    vec![
        search("a first name", "olaf", "four"),
        search("a last name", "quux", "four"),
        search("the local part of an address", "boutique", "jean"),
        search(
            "a whole address, then those an edit or two away",
            "p6@canary-mail.example",
            "four xav wil zoe yan kon reader",
        ),
        search("a substring", "ola", "four"),
        search("a substring in the middle", "apado", "kon"),
        search("a substring across signs", "que.ly", "jean"),
        search("without case and accents", "NOEL", "jean"),
        search("with accents that the name lacks", "qüux", "four"),
        search("full width", "%EF%BC%B1uux", "four"),
        search("another script, in any case", "КОНСТАНТИН", "kon"),
        search("every word must match", "olaf+quux", "four"),
        search("in any order", "quux+olaf", "four"),
        search("in different fields", "noel+jean+boutique", "jean"),
        search("one that does not match is enough", "olaf+dupont", ""),
        search("blanks around and between", "%20%20olaf%20%20%20quux%20", "four"),
        search("a word twice", "olaf+olaf", "four"),
        search("no phone", "33", ""),
        search("no wildcard", "ola*", ""),
        search("nobody of another organisation", "farah", ""),
        search("one letter", "q", "four jean"),
    ]
}

/// Returns the cases of typing errors: words of 5 letters and more may have one, those of 9 and more two.
fn edits() -> Vec<Case> {
    vec![
        search("4 letters: no edit", "quxx", ""),
        search("4 letters: no swap", "oalf", ""),
        search("5 letters, one added", "quuux", "four"),
        search("5 letters, one replaced, in a part of a name", "piere", "jean"),
        search("5 letters, another one dropped", "pirre", "jean"),
        search("5 letters, two edits", "biere", ""),
        search("6 letters, one dropped in the query", "boutiqe", "jean"),
        search("6 letters, neighbours swapped", "duopnt", "zoe"),
        search("8 letters, one edit", "boutiqye", "jean"),
        search("8 letters, two edits", "boutykye", ""),
        search("9 letters, two edits", "boutiquxy", "jean"),
        search("9 letters, three edits", "bautiquxy", ""),
        search("11 letters, two edits", "papadobulos", "kon"),
        search("11 letters, three edits", "papatobulos", ""),
        search("letters of another script count as one", "канстонтин", "kon"),
        search("an edit in the address", "boutiqua", "jean"),
    ]
}

/// Returns the cases of the order: best match first, then last name, first name and id.
fn order() -> Vec<Case> {
    vec![
        search("equal, beginning, substring, one edit", "dupont", "zoe yan xav wil"),
        search("equal, then one edit", "dupond", "wil zoe"),
        search("equals by name", "dupon", "wil zoe yan xav"),
        search("the words' distances add up", "dupont+yan", "yan"),
        get("over organisations, by a PROVIDER: best match first in each", "/user/search?query=dupont")
            .by("provider")
            .finds("zoe yan xav wil far"),
    ]
}

fn bounds() -> Vec<Case> {
    let words = |count: usize| (0..count).map(|number| format!("w{number}")).collect::<Vec<_>>().join("+");
    vec![
        search("32 words, and some of them again", &format!("{}+w1+w2", words(32)), ""),
        get("33 words", &format!("/user/search?query={}", words(33)))
            .by("reader")
            .bad_field("query", "has more than 32 words"),
        search("255 characters", &"q".repeat(255), ""),
        search("255 characters of several bytes", &"é".repeat(255), ""),
    ]
}
