//! Names as mails and pages show them. A malicious name does no harm there.

use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory as _};
use unicode_segmentation::UnicodeSegmentation as _;

/// Largest number of characters as people count them. Longer names would push the rest off a small screen.
const MAX_GRAPHEMES: usize = 40;

/// Largest number of marks on one letter. No name has more, and a hundred of them cover the lines above and below.
const MAX_MARKS: usize = 4;

/// Largest number of code points, so that each cluster has a bound.
const MAX_CHARS: usize = 120;

/// Returns the name for display, on one line; empty if nothing in it is visible.
///
/// - Control, format (bidirectional, zero-width), private and unassigned characters are removed.
/// - Marks are few, and stand on a letter. Spaces are single. Long text ends in an ellipsis between two characters.
/// - The signs of links and addresses become spaces, and a space follows each full stop. Otherwise a name could make an
///   invitation an advertisement.
///
/// The templates escape HTML.
pub fn display_name(name: &str) -> String {
    let mut shown = String::with_capacity(name.len());
    let mut marks = None;
    for c in name.chars() {
        match CharClass::of(c) {
            CharClass::Invisible => {}
            CharClass::Space => {
                push_space(&mut shown);
                marks = None;
            }
            CharClass::Mark => {
                if let Some(count) = marks.as_mut().filter(|count| **count < MAX_MARKS) {
                    shown.push(c);
                    *count += 1;
                }
            }
            CharClass::Visible => {
                if shown.ends_with(['.', '。', '．', '｡']) {
                    push_space(&mut shown);
                }
                shown.push(c);
                marks = Some(0);
            }
        }
    }
    truncate(shown.trim_end())
}

/// Class of a character, for its display.
enum CharClass {
    /// Removed.
    Invisible,
    /// Shown as a space.
    Space,
    Mark,
    Visible,
}

impl CharClass {
    fn of(c: char) -> Self {
        if c.is_whitespace() || matches!(c, '/' | '\\' | ':' | '@' | '\u{2800}') {
            Self::Space
        } else if c.general_category_group() == GeneralCategoryGroup::Other || is_ignorable(c) {
            Self::Invisible
        } else if matches!(c.general_category(), GeneralCategory::NonspacingMark | GeneralCategory::EnclosingMark) {
            Self::Mark
        } else {
            Self::Visible
        }
    }
}

/// True for a letter or a mark that is shown as nothing. Unicode's property `Default_Ignorable_Code_Point` has it, and besides only
/// characters of the category Other.
const fn is_ignorable(c: char) -> bool {
    matches!(
        c,
        '\u{34F}'
            | '\u{115F}'..='\u{1160}'
            | '\u{17B4}'..='\u{17B5}'
            | '\u{180B}'..='\u{180D}'
            | '\u{180F}'
            | '\u{3164}'
            | '\u{FE00}'..='\u{FE0F}'
            | '\u{FFA0}'
            | '\u{E0100}'..='\u{E01EF}'
    )
}

fn push_space(shown: &mut String) {
    if !shown.is_empty() && !shown.ends_with(' ') {
        shown.push(' ');
    }
}

/// Cuts long text between two characters, with an ellipsis.
fn truncate(shown: &str) -> String {
    let fits = |&(count, (at, grapheme)): &(usize, (usize, &str))| {
        count < MAX_GRAPHEMES && shown[..at + grapheme.len()].chars().count() <= MAX_CHARS
    };
    let kept = shown.grapheme_indices(true).enumerate().take_while(fits).last();
    let end = kept.map_or(0, |(_, (at, grapheme))| at + grapheme.len());
    if end == shown.len() { shown.to_owned() } else { format!("{}…", shown[..end].trim_end()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use regex_syntax::hir::{Class, HirKind};

    #[test]
    fn names_as_people_write_them_stay() {
        for name in [
            "Zoë",
            "Jean-François",
            "O’Neill",
            "D'Angelo",
            "Nguyễn Thị",
            "שרה לוי",
            "محمد علي",
            "हिन्दी",
            "김민준",
            "王小明",
            "Þór",
            "Anne & Paul",
            "Lëa\u{301}",
            "தமிழ்",
            "สมชาย",
            "🐟 Fisher",
        ] {
            assert_eq!(display_name(name), name);
        }
    }

    #[test]
    fn invisible_characters_are_removed_and_links_are_spelled_apart() {
        let cases = [
            ("line breaks", "Ana\r\nBcc: x", "Ana Bcc x"),
            ("a line separator", "Ana\u{2028}Bee", "Ana Bee"),
            ("NUL and escape", "A\0n\u{1b}[31ma", "An[31ma"),
            ("bidirectional overrides", "\u{202E}anA\u{2066}x\u{2069}", "anAx"),
            ("zero width", "A\u{200B}n\u{FEFF}a\u{AD}", "Ana"),
            ("nothing to see", "\u{200B}\u{3164}\u{2060}", ""),
            ("tags, selectors and private characters", "A\u{E0041}\u{FE0F}\u{E000}n", "An"),
            ("marks on nothing", "\u{301}\u{20DD}Ana", "Ana"),
            ("marks after a blank", "Ana \u{489}Bee", "Ana Bee"),
            ("a flood of marks", "a\u{301}\u{302}\u{303}\u{304}\u{305}\u{306}b", "a\u{301}\u{302}\u{303}\u{304}b"),
            ("spaces", "  Ana \u{3000}\u{A0} Bee ", "Ana Bee"),
            ("a link", "https://evil.example/x?y", "https evil. example x?y"),
            ("an address", "ana@evil.example", "ana evil. example"),
            ("a full stop of another script", "evil。example", "evil。 example"),
            ("initials", "J.R.R. Tolkien", "J. R. R. Tolkien"),
            ("joined emoji", "👩\u{200D}👩\u{200D}👧", "👩👩👧"),
        ];
        for (what, name, shown) in cases {
            assert_eq!(display_name(name), shown, "{what}");
        }
    }

    #[test]
    fn ignorable_characters_are_those_of_unicode() {
        let hir = regex_syntax::parse(r"\p{Default_Ignorable_Code_Point}").expect("a property");
        let HirKind::Class(Class::Unicode(class)) = hir.kind() else { panic!("a class: {hir:?}") };
        let ignorable = class.ranges().iter().flat_map(|range| range.start()..=range.end());
        let of_unicode = ignorable.filter(|c| c.general_category_group() != GeneralCategoryGroup::Other);
        let ours = ('\0'..=char::MAX).filter(|&c| is_ignorable(c));
        assert_eq!(ours.collect::<Vec<_>>(), of_unicode.collect::<Vec<_>>());
    }

    #[test]
    fn long_names_are_cut_between_two_characters() {
        assert_eq!(display_name(&"a".repeat(40)), "a".repeat(40));
        assert_eq!(display_name(&"a".repeat(41)), format!("{}…", "a".repeat(40)));
        assert_eq!(display_name(&"e\u{301}".repeat(50)), format!("{}…", "e\u{301}".repeat(40)));
        assert_eq!(display_name(&"🇫🇷".repeat(50)), format!("{}…", "🇫🇷".repeat(40)));
        assert_eq!(
            display_name(&"a\u{301}\u{302}\u{303}".repeat(33)),
            format!("{}…", "a\u{301}\u{302}\u{303}".repeat(30))
        );
        assert_eq!(display_name(&format!("{} {}", "a".repeat(39), "b".repeat(9))), format!("{}…", "a".repeat(39)));
    }

    proptest! {
        #[test]
        fn showing_a_shown_name_changes_nothing_more(name in "\\PC{0,120}|[\\x00-\\x{2FF}]{0,100}|\\p{M}{0,9}a\\p{M}{0,9}") {
            let shown = display_name(&name);
            prop_assert!(shown.chars().count() <= MAX_CHARS + 1 && !shown.contains(['\r', '\n', '/', '@', ':']));
            prop_assert_eq!(display_name(&shown), shown);
        }
    }
}
