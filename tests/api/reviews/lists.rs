//! Parameters with lists.

use super::filters::ALL;
use super::fixtures::{Case, bad, finds};

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
    ]
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
    ]
}

fn partners() -> Vec<Case> {
    vec![
        finds("one", "partner__in=partner_8", "g d a"),
        finds("two", "partner__in=partner_1,partner_9", "h f e c b"),
        finds("repeated", "partner__in=partner_1&partner__in=partner_9", "h f e c b"),
        finds("blank is not given", "partner__in=%20", ALL),
    ]
}

fn businesses() -> Vec<Case> {
    let many = |count| (0..count).map(|number| format!("n{number}")).collect::<Vec<_>>().join(",");
    let too_many = r#"{"business__in":"must have at most 500 items"}"#;
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
        finds("more than a batch reads", &format!("business__in={}", many(500)), ""),
        bad("too many", &format!("business__in={}", many(501)), too_many),
    ]
}
