//! The range of effective dates.

use super::filters::ALL;
use super::fixtures::{Row, bad, finds};

const TEXT: &str = "must be a date (YYYY-MM-DD) or a date and time (YYYY-MM-DDTHH:MM:SS, Z or ±hh:mm)";

pub(super) fn rows() -> Vec<Row> {
    [from(), to(), both(), forms(), of_businesses(), refused()].concat()
}

fn from() -> Vec<Row> {
    let ask = |why, value: &str, names| finds(why, &format!("update_date__gte={value}"), names);
    vec![
        ask("gte is inclusive", "2025-03-01T12:00:00", "h g f d e"),
        ask("a second later", "2025-03-01T12:00:01", "h g f"),
        ask("a fraction of a second later", "2025-03-01T12:00:00.001", "h g f"),
        ask("a bare day means its start", "2025-04-01", "h"),
        ask("the day after", "2025-04-02", ""),
        ask("the update date counts, not the creation before it", "2025-03-31T00:00:00", "h g"),
        ask("the first second of all", "2025-01-01", ALL),
        ask("long ago", "0001-01-01", ALL),
        ask("long ago, with an offset", "0001-01-01T00:00%2B23:59", ALL),
        ask("blank is not given", "", ALL),
    ]
}

fn to() -> Vec<Row> {
    let ask = |why, value: &str, names| finds(why, &format!("update_date__lte={value}"), names);
    vec![
        ask("lte is inclusive: at or before", "2025-01-31T23:59:59", "b a"),
        ask("a second earlier", "2025-01-31T23:59:58", "a"),
        ask("a fraction keeps its second", "2025-01-31T23:59:59.999", "b a"),
        ask("a bare day means its last second", "2025-01-31", "b a"),
        ask("the day before", "2025-01-30", "a"),
        ask("a changed review is not found by its creation", "2024-12-31", ""),
        ask("the last day that can be written", "9999-12-31", ALL),
        ask("its last second", "9999-12-31T23:59:59Z", ALL),
        ask("blank is not given", "%20", ALL),
    ]
}

fn both() -> Vec<Row> {
    let ask =
        |why, from: &str, to: &str, names| finds(why, &format!("update_date__gte={from}&update_date__lte={to}"), names);
    vec![
        ask("one day", "2025-03-01", "2025-03-01", "f d e"),
        ask("one second", "2025-03-01T12:00:00", "2025-03-01T12:00:00", "d e"),
        ask("whole months", "2025-02-01", "2025-03-31", "g f d e c"),
        ask("parts of months", "2025-01-15T12:00", "2025-03-01T12:00:00", "d e c b"),
        ask("gte after lte: an empty page", "2025-04-01", "2025-03-01", ""),
        ask("gte after lte by a second", "2025-03-01T12:00:01", "2025-03-01T12:00:00", ""),
        ask("no whole second between two fractions", "2025-03-01T12:00:00.2", "2025-03-01T12:00:00.8", ""),
        ask("with other filters", "2025-01-01", "2025-03-01&rating__in=2,5", "f d a"),
    ]
}

fn forms() -> Vec<Row> {
    let ask = |why, value: &str| finds(why, &format!("update_date__gte={value}"), "h g f d e");
    vec![
        ask("Z", "2025-03-01T12:00:00Z"),
        ask("without seconds", "2025-03-01T12:00"),
        ask("an offset, its + encoded", "2025-03-01T14:00:00%2B02:00"),
        ask("an offset whose + a query string turned into a blank", "2025-03-01T14:00:00+02:00"),
        ask("an offset without colon, turned blank", "2025-03-01T14:00:00+0200"),
        ask("a negative offset", "2025-03-01T06:30:00-05:30"),
        ask("an offset into the day before", "2025-03-02T00:00:00%2B12:00"),
        ask("with blanks around", "%202025-03-01T12:00:00%20"),
    ]
}

fn of_businesses() -> Vec<Row> {
    let shops = "business__in=lyon-1,lyon-2,etienne,paris";
    let ask = |why, dates: &str, names| finds(why, &format!("{shops}&{dates}"), names);
    vec![
        ask("gte of businesses", "update_date__gte=2025-03-01T12:00:00", "f d e"),
        ask("lte of businesses", "update_date__lte=2025-03-01T12:00:00", "d e c b a"),
        ask("a range of businesses", "update_date__gte=2025-01-31&update_date__lte=2025-02-01", "c b"),
        ask("an empty range of businesses", "update_date__gte=2025-02-01&update_date__lte=2025-01-01", ""),
        ask("long ago, of businesses", "update_date__gte=0001-01-01&update_date__lte=9999-12-30", "f d e c b a"),
    ]
}

fn refused() -> Vec<Row> {
    let values = [
        ("no date", "yesterday"),
        ("a month", "2025-03"),
        ("no such day", "2025-02-29"),
        ("a timestamp", "1740830400"),
        ("day first", "01-03-2025"),
        ("an hour too many", "2025-03-01T24:00:00"),
        ("a blank instead of the T", "2025-03-01+12:00:00"),
        ("lower case", "2025-03-01t12:00:00z"),
        ("the year 10,000", "10000-01-01"),
        ("a control character inside", "2025-03-01T12:00:00%0A"),
    ];
    let row = |name: &str, (why, value): (&'static str, &str)| {
        let text = if value.contains("%0A") { "must not contain control characters" } else { TEXT };
        bad(why, &format!("{name}={value}"), &format!(r#"{{"{name}":"{text}"}}"#))
    };
    let names = ["update_date__gte", "update_date__lte"];
    let mut rows: Vec<_> = names.iter().flat_map(|name| values.map(|value| row(name, value))).collect();
    rows.push(bad(
        "given twice",
        "update_date__gte=2025-01-01&update_date__gte=2025-01-02",
        r#"{"update_date__gte":"is given more than once"}"#,
    ));
    rows
}
