//! Texts that are costly to fold, to compare, to escape or to compress.

use fastrand::Rng;

/// Letters that texts are made of: plain ones, those that folding makes longer, marks, letters of four bytes, and those that JSON,
/// queries and patterns escape.
const LETTERS: &str = "aaeé bcx㌖ﷺﬃßİΐ\u{301}\u{327}𝔞가龍🏳\"\\%+&@.-_/<\u{200d}0";
/// Largest number of letters of a word.
const WORD_CHARS: usize = 12;

/// Returns a text of at most so many characters: one letter, words, or letters at random.
pub(super) fn random(rng: &mut Rng, most: usize) -> String {
    let length = if rng.bool() { most } else { rng.usize(1..=most.max(1)) };
    let one = letter(rng);
    let text = match rng.u8(..4) {
        0 => one.to_string().repeat(length),
        1 => format!("{0} {0}", one.to_string().repeat(length.saturating_sub(1) / 2)),
        2 => words(rng, length),
        _ => (0..length).map(|_| letter(rng)).collect(),
    };
    text.chars().take(most).collect()
}

/// Returns the text with one change, and at most so many characters.
pub(super) fn mutated(rng: &mut Rng, text: &str, most: usize) -> String {
    let mut letters: Vec<char> = text.chars().collect();
    let (from, until) = (rng.usize(..=letters.len()), rng.usize(..=letters.len()));
    let (from, until) = (from.min(until), from.max(until));
    match rng.u8(..5) {
        0 => drop(letters.splice(from..until, random(rng, until - from).chars())),
        1 => letters.insert(from, letter(rng)),
        2 => drop(letters.drain(from..until)),
        3 => letters.extend_from_within(from..until),
        _ => letters.insert(from, ' '),
    }
    letters.into_iter().take(most).collect()
}

fn words(rng: &mut Rng, length: usize) -> String {
    let mut text = String::new();
    for _ in 0..length.div_ceil(2) {
        text.extend((0..rng.usize(1..=WORD_CHARS)).map(|_| letter(rng)).filter(|letter| *letter != ' '));
        text.push(' ');
    }
    text
}

fn letter(rng: &mut Rng) -> char {
    let position = rng.usize(..LETTERS.chars().count());
    LETTERS.chars().nth(position).unwrap_or('a')
}
