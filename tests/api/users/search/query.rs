//! The forgiving search: which words match, and what is best.

use presence_domain::user::Status::Active;

use super::Found;
use crate::api::users::fixture::{Case, get};

pub(super) const PEOPLE: [Found; 8] = [
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

fn ask(why: &'static str, query: &str, people: &str) -> Case {
    get(why, &format!("/user/search?query={query}")).by("reader").finds(people)
}

fn words() -> Vec<Case> {
    vec![
        ask("a first name", "olaf", "four"),
        ask("a last name", "quux", "four"),
        ask("the local part of an address", "boutique", "jean"),
        ask(
            "a whole address, then those an edit or two away",
            "p6@canary-mail.example",
            "four xav wil zoe yan kon reader",
        ),
        ask("a substring", "ola", "four"),
        ask("a substring in the middle", "apado", "kon"),
        ask("a substring across signs", "que.ly", "jean"),
        ask("without case and accents", "NOEL", "jean"),
        ask("with accents that the name lacks", "qüux", "four"),
        ask("full width", "%EF%BC%B1uux", "four"),
        ask("another script, in any case", "КОНСТАНТИН", "kon"),
        ask("every word must match", "olaf+quux", "four"),
        ask("in any order", "quux+olaf", "four"),
        ask("in different fields", "noel+jean+boutique", "jean"),
        ask("one that does not match is enough", "olaf+dupont", ""),
        ask("blanks around and between", "%20%20olaf%20%20%20quux%20", "four"),
        ask("a word twice", "olaf+olaf", "four"),
        ask("no phone", "33", ""),
        ask("no wildcard", "ola*", ""),
        ask("nobody of another organisation", "farah", ""),
        ask("one letter", "q", "four jean"),
    ]
}

/// One edit from 5 letters up, two from 9.
fn edits() -> Vec<Case> {
    vec![
        ask("4 letters: no edit", "quxx", ""),
        ask("4 letters: no swap", "oalf", ""),
        ask("5 letters, one added", "quuux", "four"),
        ask("5 letters, one replaced, in a part of a name", "piere", "jean"),
        ask("5 letters, another one dropped", "pirre", "jean"),
        ask("5 letters, two edits", "biere", ""),
        ask("6 letters, one dropped in the query", "boutiqe", "jean"),
        ask("6 letters, neighbours swapped", "duopnt", "zoe"),
        ask("8 letters, one edit", "boutiqye", "jean"),
        ask("8 letters, two edits", "boutykye", ""),
        ask("9 letters, two edits", "boutiquxy", "jean"),
        ask("9 letters, three edits", "bautiquxy", ""),
        ask("11 letters, two edits", "papadobulos", "kon"),
        ask("11 letters, three edits", "papatobulos", ""),
        ask("letters of another script count as one", "канстонтин", "kon"),
        ask("an edit in the address", "boutiqua", "jean"),
    ]
}

/// Best match first, then last name, first name, id.
fn order() -> Vec<Case> {
    vec![
        ask("equal, beginning, substring, one edit", "dupont", "zoe yan xav wil"),
        ask("equal, then one edit", "dupond", "wil zoe"),
        ask("equals by name", "dupon", "wil zoe yan xav"),
        ask("the words' distances add up", "dupont+yan", "yan"),
        get("over organisations, by a PROVIDER: best match first in each", "/user/search?query=dupont")
            .by("provider")
            .finds("zoe yan xav wil far"),
    ]
}

fn bounds() -> Vec<Case> {
    let long = "q".repeat(255);
    let bad = |why, query: &str, text: &str| {
        get(why, &format!("/user/search?query={query}")).by("reader").bad(&format!(r#"{{"query":"{text}"}}"#))
    };
    vec![
        ask("255 characters", &long, ""),
        ask("255 characters of several bytes", &"é".repeat(255), ""),
        bad("256 characters", &format!("{long}q"), "must have at most 255 characters"),
        bad(
            "256 characters, blanks among them",
            &format!("{}a", "%20".repeat(255)),
            "must have at most 255 characters",
        ),
        bad("NUL", "a%00b", "must not contain control characters"),
        bad("a tab", "a%09b", "must not contain control characters"),
        bad("a control character of Unicode", "a%C2%85b", "must not contain control characters"),
        bad("nothing but an accent", "%CC%81", "has nothing to search for"),
    ]
}
