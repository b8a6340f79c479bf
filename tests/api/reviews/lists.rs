//! Parameters with lists.

use super::filters::ALL;
use super::fixtures::{Case, bad, finds};

const STATES: &str =
    r#"{"state":{"explanation":"is not one of the choices","choices":["treated","not_treated","deleted"]}}"#;
const PARTNERS: &str =
    r#"{"partner__in":{"explanation":"is not one of the choices","choices":["partner_8","partner_1","partner_9"]}}"#;

pub(super) fn cases() -> Vec<Case> {
    [states(), ratings(), partners(), businesses()].concat()
}

fn states() -> Vec<Case> {
    vec![
        finds("treated", "state=treated", "g d a"),
        finds("not treated", "state=not_treated", "h e b"),
        finds("deleted", "state=deleted", "f c"),
        finds("two states", "state=treated,deleted", "g f d c a"),
        finds("all states", "state=treated,not_treated,deleted", ALL),
        finds("repeated", "state=treated&state=deleted", "g f d c a"),
        finds("blank is not given", "state=", ALL),
        bad("another word", "state=open", STATES),
        bad("another case", "state=Treated", STATES),
        bad("one wrong item is enough", "state=treated,open", STATES),
    ]
}

fn bad_rating(reason: &'static str, value: &str, text: &str) -> Case {
    bad(reason, &format!("rating__in={value}"), &format!(r#"{{"rating__in":"{text}"}}"#))
}

fn ratings() -> Vec<Case> {
    vec![
        finds("one", "rating__in=5", "f a"),
        finds("several", "rating__in=1,2", "d e"),
        finds("repeated parameter", "rating__in=1&rating__in=2", "d e"),
        finds("both forms mixed", "rating__in=1,2&rating__in=3", "h d e c"),
        finds("in any order, with duplicates", "rating__in=2,1,2", "d e"),
        finds("trimmed", "rating__in=%201%20,%202", "d e"),
        finds("blank items are dropped", "rating__in=,1,,2,", "d e"),
        finds("an all-blank list is not given", "rating__in=,%20,", ALL),
        finds("an encoded comma", "rating__in=1%2C2", "d e"),
        bad_rating("out of range", "0", "must be an integer from 1 to 5"),
        bad_rating("one out of range is enough", "1,6", "must be an integer from 1 to 5"),
        bad_rating("no integer", "1,x", "must be an integer"),
        bad_rating("another separator", "1;2", "must be an integer"),
        bad_rating("a control character", "1,%092", "must not contain control characters"),
    ]
}

fn partners() -> Vec<Case> {
    vec![
        finds("one", "partner__in=partner_8", "g d a"),
        finds("two", "partner__in=partner_1,partner_9", "h f e c b"),
        finds("repeated", "partner__in=partner_1&partner__in=partner_9", "h f e c b"),
        finds("blank is not given", "partner__in=%20", ALL),
        bad("a partner without reviews", "partner__in=partner_2", PARTNERS),
        bad("another case", "partner__in=Partner_8", PARTNERS),
    ]
}

fn businesses() -> Vec<Case> {
    let many = (0..500).map(|number| format!("n{number}")).collect::<Vec<_>>().join(",");
    vec![
        finds("one", "business__in=lyon-1", "b a"),
        finds("several, merged by date", "business__in=lyon-1,lyon-2,hay", "h d c b a"),
        finds("repeated parameter", "business__in=lyon-1&business__in=hay", "h b a"),
        finds("a duplicate counts once", "business__in=lyon-1,lyon-1", "b a"),
        finds("trimmed, blanks dropped", "business__in=,%20lyon-1%20,", "b a"),
        finds("an all-blank list is not given", "business__in=,", ALL),
        finds("an unknown id matches nothing", "business__in=nowhere", ""),
        finds("nor does what is no id", "business__in=a%20b,%C3%A9", ""),
        finds("a known one among unknown ones", "business__in=nowhere,hay,a%20b", "h"),
        finds("ids are compared exactly", "business__in=LYON-1", ""),
        finds("with a state", "business__in=lyon-1,lyon-2&state=treated", "d a"),
        finds("more than a batch reads", &format!("business__in={many}"), ""),
        bad("too many", &format!("business__in={many},x"), r#"{"business__in":"must have at most 500 items"}"#),
        bad("a control character", "business__in=hay%00", r#"{"business__in":"must not contain control characters"}"#),
    ]
}
