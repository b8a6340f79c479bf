//! Range of effective dates.

use super::filters::ALL;
use super::fixtures::{Case, finds};

pub(super) fn cases() -> Vec<Case> {
    [from(), to(), both(), forms(), of_businesses()].concat()
}

fn finds_from(reason: &'static str, value: &str, names: &'static str) -> Case {
    finds(reason, &format!("update_date__gte={value}"), names)
}

fn finds_up_to(reason: &'static str, value: &str, names: &'static str) -> Case {
    finds(reason, &format!("update_date__lte={value}"), names)
}

fn finds_between(reason: &'static str, from: &str, to: &str, names: &'static str) -> Case {
    finds(reason, &format!("update_date__gte={from}&update_date__lte={to}"), names)
}

fn finds_of_businesses(reason: &'static str, dates: &str, names: &'static str) -> Case {
    finds(reason, &format!("business__in=lyon-1,lyon-2,etienne,paris&{dates}"), names)
}

fn from() -> Vec<Case> {
    vec![
        finds_from("gte is inclusive", "2025-03-01T12:00:00", "h g f d e"),
        finds_from("a second later", "2025-03-01T12:00:01", "h g f"),
        finds_from("a fraction of a second later", "2025-03-01T12:00:00.001", "h g f"),
        finds_from("a bare day means its start", "2025-04-01", "h"),
        finds_from("the day after", "2025-04-02", ""),
        finds_from("the update date counts, not the creation before it", "2025-03-31T00:00:00", "h g"),
        finds_from("the first second of all", "2025-01-01", ALL),
        finds_from("long ago", "0001-01-01", ALL),
        finds_from("long ago, with an offset", "0001-01-01T00:00%2B23:59", ALL),
        finds_from("blank is not given", "", ALL),
    ]
}

fn to() -> Vec<Case> {
    vec![
        finds_up_to("lte is inclusive: at or before", "2025-01-31T23:59:59", "b a"),
        finds_up_to("a second earlier", "2025-01-31T23:59:58", "a"),
        finds_up_to("a fraction keeps its second", "2025-01-31T23:59:59.999", "b a"),
        finds_up_to("a bare day means its last second", "2025-01-31", "b a"),
        finds_up_to("the day before", "2025-01-30", "a"),
        finds_up_to("a changed review is not found by its creation", "2024-12-31", ""),
        finds_up_to("the last day that can be written", "9999-12-31", ALL),
        finds_up_to("its last second", "9999-12-31T23:59:59Z", ALL),
        finds_up_to("blank is not given", "%20", ALL),
    ]
}

fn both() -> Vec<Case> {
    vec![
        finds_between("one day", "2025-03-01", "2025-03-01", "f d e"),
        finds_between("one second", "2025-03-01T12:00:00", "2025-03-01T12:00:00", "d e"),
        finds_between("whole months", "2025-02-01", "2025-03-31", "g f d e c"),
        finds_between("parts of months", "2025-01-15T12:00", "2025-03-01T12:00:00", "d e c b"),
        finds_between("gte after lte: an empty page", "2025-04-01", "2025-03-01", ""),
        finds_between("gte after lte by a second", "2025-03-01T12:00:01", "2025-03-01T12:00:00", ""),
        finds_between("no whole second between two fractions", "2025-03-01T12:00:00.2", "2025-03-01T12:00:00.8", ""),
        finds_between("with other filters", "2025-01-01", "2025-03-01&rating__in=2,5", "f d a"),
    ]
}

/// Returns a search from a second, spelled in this form.
fn finds_in_form(reason: &'static str, value: &str) -> Case {
    finds_from(reason, value, "h g f d e")
}

fn forms() -> Vec<Case> {
    vec![
        finds_in_form("Z", "2025-03-01T12:00:00Z"),
        finds_in_form("without seconds", "2025-03-01T12:00"),
        finds_in_form("an offset, its + encoded", "2025-03-01T14:00:00%2B02:00"),
        finds_in_form("an offset whose + a query string turned into a blank", "2025-03-01T14:00:00+02:00"),
        finds_in_form("an offset without colon, turned blank", "2025-03-01T14:00:00+0200"),
        finds_in_form("a negative offset", "2025-03-01T06:30:00-05:30"),
        finds_in_form("an offset into the day before", "2025-03-02T00:00:00%2B12:00"),
        finds_in_form("with blanks around", "%202025-03-01T12:00:00%20"),
    ]
}

fn of_businesses() -> Vec<Case> {
    vec![
        finds_of_businesses("gte of businesses", "update_date__gte=2025-03-01T12:00:00", "f d e"),
        finds_of_businesses("lte of businesses", "update_date__lte=2025-03-01T12:00:00", "d e c b a"),
        finds_of_businesses("a range of businesses", "update_date__gte=2025-01-31&update_date__lte=2025-02-01", "c b"),
        finds_of_businesses(
            "an empty range of businesses",
            "update_date__gte=2025-02-01&update_date__lte=2025-01-01",
            "",
        ),
        finds_of_businesses(
            "long ago, of businesses",
            "update_date__gte=0001-01-01&update_date__lte=9999-12-30",
            "f d e c b a",
        ),
    ]
}
