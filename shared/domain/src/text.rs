//! Folding of text for comparison, search and sorting. No other place folds text.

use caseless::Caseless;
use unicode_normalization::UnicodeNormalization;

/// Largest number of bytes of a sort key. Two of them (last and first name), the status and the id share one range key of the
/// database, which may have 1,024 bytes.
pub const SORT_KEY_MAX_BYTES: usize = 400;

const SOFT_HYPHEN: char = '\u{AD}';

/// Returns the text without case, accents and width, so that two spellings of one name are equal.
///
/// The steps: compatibility decomposition, without general combining marks; default case folding; plain spelling of Latin letters
/// without a decomposition (`ł`, `ø`, `æ`); recomposition. Voicing marks of kana and vowel signs of Indic scripts stay, since they
/// change the word. Folding twice changes nothing more.
pub fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    // Case folding may yield characters that decompose further (`ẚ`, `ΐ`), hence the second pass.
    let folded = decompose_and_fold(&decompose_and_fold(text));
    let mut plain = String::with_capacity(folded.len());
    for letter in folded.chars() {
        match plain_latin(letter) {
            Some(spelling) => plain.push_str(spelling),
            None => plain.push(letter),
        }
    }
    plain.nfc().collect()
}

/// Returns the folded text for a sort key: without control characters, with single spaces and none at the ends, at most
/// [`SORT_KEY_MAX_BYTES`] bytes long.
pub fn sort_key(text: &str) -> String {
    let printable: String = text.chars().filter(|&c| c.is_whitespace() || !c.is_control()).collect();
    let mut key = single_spaced(&fold(&printable));
    key.truncate(key.floor_char_boundary(SORT_KEY_MAX_BYTES));
    key.truncate(key.trim_end().len());
    key
}

/// True if the text has a control character: NUL, a line break, a tab, an escape, a C1 control.
pub fn has_control(text: &str) -> bool {
    text.chars().any(char::is_control)
}

/// Returns the key by which city names are compared: folded, with hyphens, apostrophes and repeated spaces as one space.
///
/// `Saint-Étienne`, `saint etienne` and `SAINT  ETIENNE` are one city; `Paris` is not `Cormeilles-en-Parisis`.
pub fn city_key(text: &str) -> String {
    let visible: String = text.chars().filter(|&c| c != SOFT_HYPHEN).collect();
    single_spaced(&fold(&visible).replace(|c| is_hyphen(c) || is_apostrophe(c), " "))
}

fn decompose_and_fold(text: &str) -> String {
    text.nfkd().filter(|&c| !is_accent(c)).default_case_fold().collect()
}

fn single_spaced(text: &str) -> String {
    let mut spaced = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !spaced.is_empty() {
            spaced.push(' ');
        }
        spaced.push_str(word);
    }
    spaced
}

/// True for characters of Unicode's general combining blocks. These hold accents, and nothing that makes another word.
fn is_accent(c: char) -> bool {
    matches!(c,
        '\u{0300}'..='\u{036F}'
        | '\u{1AB0}'..='\u{1AFF}'
        | '\u{1DC0}'..='\u{1DFF}'
        | '\u{20D0}'..='\u{20FF}'
        | '\u{FE20}'..='\u{FE2F}')
}

/// True for dashes of any length and the hyphens of other scripts. Folding has replaced those of full or small width.
fn is_hyphen(c: char) -> bool {
    matches!(
        c,
        '-' | '\u{058A}' | '\u{05BE}' | '\u{1806}' | '\u{2010}'..='\u{2015}' | '\u{2043}' | '\u{2212}' | '\u{2E17}'
    )
}

/// True for the characters that people type for an apostrophe: quotes, primes, modifier letters, the backtick.
fn is_apostrophe(c: char) -> bool {
    matches!(c,
        '\'' | '`' | '\u{02B9}' | '\u{02BB}'..='\u{02BF}' | '\u{02C8}' | '\u{02CA}' | '\u{02CB}' | '\u{055A}'
        | '\u{05F3}' | '\u{2018}'..='\u{201B}' | '\u{2032}' | '\u{2035}' | '\u{A78C}')
}

/// Returns the plain spelling of a lower-case Latin letter that Unicode does not decompose, by the usual ASCII folding.
fn plain_latin(letter: char) -> Option<&'static str> {
    Some(match letter {
        'æ' => "ae",
        'œ' => "oe",
        'þ' => "th",
        'ⱥ' => "a",
        'ƀ' | 'ɓ' => "b",
        'ȼ' | 'ƈ' => "c",
        'đ' | 'ð' | 'ɖ' | 'ɗ' => "d",
        'ɇ' | 'ə' | 'ǝ' | 'ɛ' => "e",
        'ƒ' => "f",
        'ǥ' | 'ɠ' => "g",
        'ħ' => "h",
        'ı' | 'ɨ' => "i",
        'ȷ' | 'ɉ' => "j",
        'ƙ' => "k",
        'ł' | 'ƚ' => "l",
        'ŋ' | 'ɲ' | 'ƞ' => "n",
        'ø' | 'ɔ' | 'ɵ' => "o",
        'ƥ' | 'ᵽ' => "p",
        'ɋ' | 'ĸ' => "q",
        'ɍ' => "r",
        'ŧ' | 'ƭ' | 'ⱦ' => "t",
        'ʉ' => "u",
        'ʋ' => "v",
        'ɏ' | 'ƴ' => "y",
        'ƶ' | 'ȥ' => "z",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn folding_ignores_case_accents_and_width() {
        let cases = [
            ("plain ASCII", "Martin LUC", "martin luc"),
            ("accents", "Éloïse Gönül Škoda Çelik Nguyễn", "eloise gonul skoda celik nguyen"),
            ("accents typed as combining marks", "E\u{301}loi\u{308}se", "eloise"),
            ("full width", "ＭＡＲＴＩＮ　１２", "martin 12"),
            ("half-width kana with a voicing mark", "ｶﾞｲﾄﾞ", "ガイド"),
            ("kana that differ by their voicing stay apart", "ハバパ", "ハバパ"),
            ("Indic vowel signs stay", "हिन्दी", "हिन्दी"),
            ("Hangul stays composed", "김민준", "김민준"),
            ("sharp s", "Straße GROẞ", "strasse gross"),
            ("Greek with a final sigma", "Ὀδυσσεύς", "οδυσσευσ"),
            ("Cyrillic", "Ёлка Й", "елка и"),
            ("Turkish dots", "İstanbul Işık", "istanbul isik"),
            (
                "letters that Unicode does not decompose",
                "Łódź Øre Đặng Æsir Œuvre Þór Ŧ",
                "lodz ore dang aesir oeuvre thor t",
            ),
            ("ligatures", "ﬁancé Ǆ", "fiance dz"),
            (
                "letters with a stroke, a hook or a turn",
                "ⱥƀɓȼƈđðɖɗɇəǝɛƒǥɠħıɨȷɉƙłƚŋɲƞøɔɵƥᵽɋĸɍŧƭⱦʉʋɏƴƶȥ",
                "abbccddddeeeefgghiijjkllnnnoooppqqrtttuvyyzz",
            ),
        ];
        for (what, text, folded) in cases {
            assert_eq!(fold(text), folded, "{what}");
        }
    }

    #[test]
    fn folding_any_single_character_twice_changes_nothing_more() {
        for c in '\0'..='\u{323AF}' {
            let once = fold(c.encode_utf8(&mut [0; 4]));
            assert_eq!(fold(&once), once, "U+{:04X}", u32::from(c));
        }
    }

    #[test]
    fn both_cases_of_a_latin_letter_fold_to_the_same_text() {
        for c in 'A'..='\u{24F}' {
            assert_eq!(fold(&c.to_uppercase().to_string()), fold(&c.to_string()), "{c}");
            assert_eq!(fold(&c.to_lowercase().to_string()), fold(&c.to_string()), "{c}");
        }
    }

    #[test]
    fn city_names_ignore_hyphens_apostrophes_and_repeated_spaces() {
        let cases = [
            ("saint etienne", "Saint-Étienne"),
            ("saint etienne", "  SAINT ‑  ETIENNE "),
            ("saint etienne", "Saint–Étienne"),
            ("l hay les roses", "L’Haÿ-les-Roses"),
            ("l hay les roses", "L'Haÿ‐les‐Roses"),
            ("val d isere", "Val d＇Isère"),
            ("marseille", "Mar\u{AD}seille"),
            ("", " - "),
        ];
        for (key, name) in cases {
            assert_eq!(city_key(name), key, "{name}");
        }
        assert_ne!(city_key("Paris"), city_key("Cormeilles-en-Parisis"));
    }

    #[test]
    fn sort_keys_have_single_spaces_and_no_control_characters() {
        assert_eq!(sort_key("  De\u{0}\t La\r\n  Cruz\u{85} \u{7} "), "de la cruz");
    }

    #[test]
    fn sort_keys_are_cut_at_a_character() {
        assert_eq!(sort_key(&"字".repeat(200)), "字".repeat(SORT_KEY_MAX_BYTES / 3));
        assert_eq!(sort_key(&"a ".repeat(300)).len(), SORT_KEY_MAX_BYTES - 1);
    }

    #[test]
    fn control_characters_are_found() {
        for text in ["\0", "a\nb", "a\tb", "\u{7f}", "\u{9b}"] {
            assert!(has_control(text), "{text:?}");
        }
        assert!(!has_control("Zoë – 字 \u{200D}"));
    }

    proptest! {
        #[test]
        fn folding_is_idempotent(text in any::<String>()) {
            let once = fold(&text);
            prop_assert_eq!(fold(&once), once);
        }

        #[test]
        fn the_ascii_shortcut_agrees_with_the_whole_rule(text in "[ -~]{0,20}") {
            let whole = fold(&format!("{text}é"));
            prop_assert_eq!(format!("{}e", fold(&text)), whole);
        }

        #[test]
        fn sort_keys_are_bounded_printable_and_idempotent(text in "\\PC{0,300}|[\\x00-\\x{A0} a-zé]{0,300}") {
            let key = sort_key(&text);
            prop_assert!(key.len() <= SORT_KEY_MAX_BYTES && !has_control(&key));
            prop_assert_eq!(sort_key(&key), key);
        }

        #[test]
        fn city_keys_are_idempotent(text in any::<String>()) {
            let key = city_key(&text);
            prop_assert_eq!(city_key(&key), key);
        }
    }
}
