//! Table that is written in parts: columns that fit the terminal, or tab-separated values in a pipe.

use std::borrow::Cow;

use anyhow::Context as _;
use dialoguer::console::{Style, measure_text_width};
use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;

use crate::Console;

/// Number of rows of a part. They take some hundred kilobytes.
const PART: usize = 1_000;
/// Spaces between two columns.
const GAP: usize = 2;
/// Width below which no column is cut: a date has it. A column that would have to be narrower is left out.
const MIN_WIDTH: usize = 10;
/// Letters of an instant up to its day, and up to its minute.
const DATE: usize = "2026-03-01".len();
const MINUTE: usize = "2026-03-01T09:30".len();
/// Names of the columns whose cells have a colour.
const STATES: [&str; 2] = ["STATUS", "STATE"];

/// Column of a table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Column {
    pub(crate) heading: &'static str,
    /// Field of the row's JSON. Several fields, with a blank between them, are joined by one.
    field: &'static str,
    /// Text for a value that is null, or a list without members.
    empty: &'static str,
}

/// Returns a column that shows a field, and a dash if there is none.
pub(crate) const fn column(heading: &'static str, field: &'static str) -> Column {
    Column { heading, field, empty: "-" }
}

impl Column {
    /// Returns the column with another text for a missing value.
    pub(crate) const fn or(self, empty: &'static str) -> Self {
        Self { empty, ..self }
    }

    /// Returns the cell of a row.
    pub(crate) fn cell(&self, row: &Value) -> String {
        let texts = self.field.split(' ').map(|field| match &row[field] {
            Value::Null => self.empty.to_owned(),
            Value::Array(list) if list.is_empty() => self.empty.to_owned(),
            Value::Array(list) => list.iter().map(plain_text).collect::<Vec<_>>().join(","),
            value => plain_text(value),
        });
        texts.collect::<Vec<_>>().join(" ")
    }
}

/// Returns a text as it is, and any other value as JSON.
fn plain_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Table that is written in parts of 1,000 rows, so that it may have any length. The columns of a part are at least as wide as
/// those of the parts before.
#[derive(Debug)]
pub(crate) struct TableWriter<const N: usize> {
    columns: [Column; N],
    /// True for values in a pipe that scripts cut since before tables had a header there.
    is_bare_in_pipes: bool,
    is_header_written: bool,
    widths: [usize; N],
    rows: Vec<[String; N]>,
}

impl<const N: usize> TableWriter<N> {
    /// Returns an empty table. The first column names the row, and is never cut. The last ones matter least.
    pub(crate) fn new(columns: [Column; N]) -> Self {
        let widths = columns.map(|column| column.heading.len());
        Self { columns, is_bare_in_pipes: false, is_header_written: false, widths, rows: Vec::new() }
    }

    /// Returns the table without its header in a pipe.
    pub(crate) fn bare_in_pipes(self) -> Self {
        Self { is_bare_in_pipes: true, ..self }
    }

    /// Writes a row as JSON at once if the console writes JSON, and adds its cells otherwise.
    pub(crate) fn add(&mut self, row: &impl Serialize, console: &mut Console) -> anyhow::Result<()> {
        if console.json {
            return console.write_json(row);
        }
        let row = serde_json::to_value(row).context("cannot write a row")?;
        self.add_cells(self.columns.map(|column| column.cell(&row)), console)
    }

    /// Adds the cells of a row. Writes the rows so far if they are many.
    pub(crate) fn add_cells(&mut self, cells: [String; N], console: &mut Console) -> anyhow::Result<()> {
        self.rows.push(cells);
        if self.rows.len() < PART { Ok(()) } else { self.finish(console) }
    }

    /// Writes the rows that are left. Writes no header if there was no row at all.
    pub(crate) fn finish(&mut self, console: &mut Console) -> anyhow::Result<()> {
        if self.rows.is_empty() {
            return Ok(());
        }
        // A name may hold what a terminal obeys, or what ends a cell.
        let plain = |cell: String| cell.replace(char::is_control, " ");
        let rows: Vec<[String; N]> = self.rows.drain(..).map(|row| row.map(plain)).collect();
        let is_first = !std::mem::replace(&mut self.is_header_written, true);
        let Some(width) = console.terminal_width() else {
            let header = (is_first && !self.is_bare_in_pipes).then(|| self.headings().join("\t"));
            let lines = header.into_iter().chain(rows.iter().map(|row| row.join("\t")));
            return console.write_line(lines.collect::<Vec<_>>().join("\n"));
        };
        for row in &rows {
            for (width, cell) in self.widths.iter_mut().zip(row) {
                *width = measure_text_width(cell).max(*width);
            }
        }
        let widths = fitted(self.widths, width);
        if is_first {
            let bold = |_: usize, _: &str| Style::new().bold();
            console.write_line(line(&self.headings(), &widths, bold))?;
        }
        let headings = self.headings();
        let style = |column: usize, cell: &str| cell_style(headings[column], cell);
        rows.iter().try_for_each(|row| console.write_line(line(row, &widths, style)))
    }

    fn headings(&self) -> [&'static str; N] {
        self.columns.map(|column| column.heading)
    }
}

/// Returns the widths of columns in a terminal; 0 for a column that is left out. The widest column gives way first. If that is not enough,
/// the last ones are left out.
fn fitted<const N: usize>(mut widths: [usize; N], terminal: usize) -> [usize; N] {
    let total = |widths: &[usize; N]| {
        let shown = widths.iter().filter(|width| **width > 0);
        shown.map(|width| width + GAP).sum::<usize>().saturating_sub(GAP)
    };
    while total(&widths) > terminal {
        let excess = total(&widths) - terminal;
        let widest = widths.iter_mut().skip(1).filter(|width| **width > MIN_WIDTH).max_by_key(|width| **width);
        if let Some(width) = widest {
            *width = width.saturating_sub(excess.div_ceil(2)).max(MIN_WIDTH);
        } else if let Some(last) = widths.iter_mut().skip(1).rfind(|width| **width > 0) {
            *last = 0;
        } else {
            break;
        }
    }
    widths
}

/// Returns a row in columns, without spaces at its end.
fn line<const N: usize, T: AsRef<str>>(
    cells: &[T; N],
    widths: &[usize; N],
    style: impl Fn(usize, &str) -> Style,
) -> String {
    let shown = widths.iter().enumerate().filter(|(_, width)| **width > 0);
    let mut line = String::new();
    for (column, width) in shown {
        let cell = cells[column].as_ref();
        let text = elided(cell, *width);
        let padding = width - measure_text_width(&text) + GAP;
        line.push_str(&style(column, cell).apply_to(text).to_string());
        line.extend(std::iter::repeat_n(' ', padding));
    }
    line.trim_end().to_owned()
}

/// Returns a text of this width at the most: what is too long loses its middle, because beginnings and ends tell texts apart. An
/// instant loses its seconds, or its whole time.
fn elided(text: &str, width: usize) -> Cow<'_, str> {
    if measure_text_width(text) <= width {
        return Cow::Borrowed(text);
    }
    if width >= DATE && text.parse::<Timestamp>().is_ok() {
        return Cow::Borrowed(&text[..if width < MINUTE { DATE } else { MINUTE }]);
    }
    let letters: Vec<char> = text.chars().collect();
    let kept = (0..letters.len()).rev().map(|kept| {
        let (start, end) = (kept.div_ceil(2), letters.len() - kept / 2);
        letters[..start].iter().chain(&['…']).chain(&letters[end..]).collect::<String>()
    });
    kept.filter(|shorter| measure_text_width(shorter) <= width).map(Cow::Owned).next().unwrap_or_default()
}

/// Returns the style of a cell: a colour for a state that is well, that waits, or that is not.
fn cell_style(column: &str, cell: &str) -> Style {
    let style = Style::new();
    if !STATES.contains(&column) {
        return style;
    }
    match cell.to_ascii_lowercase().as_str() {
        "active" | "live" | "enabled" | "published" | "delivered" => style.green(),
        "failed" | "missing" | "revoked" | "expired" | "disabled" | "rejected" | "unreadable" => style.red(),
        _ => style.yellow(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_fit_the_terminal_and_the_first_one_is_never_cut() {
        for (widths, terminal, expected) in [
            ([16, 2, 30], 80, [16, 2, 30]),
            ([16, 2, 30], 52, [16, 2, 30]),
            ([16, 2, 30], 40, [16, 2, 18]),
            ([16, 20, 30], 40, [16, 10, 10]),
            ([16, 8, 9], 30, [16, 8, 0]),
            ([16, 2, 30], 10, [16, 0, 0]),
        ] {
            let fitted = fitted(widths, terminal);
            let total: usize = fitted.iter().filter(|width| **width > 0).map(|width| width + GAP).sum();
            assert!(total - GAP <= terminal || fitted == [16, 0, 0], "{widths:?} in {terminal}: {fitted:?}");
            assert_eq!(fitted, expected, "{widths:?} in {terminal}");
        }
    }

    #[test]
    fn long_text_loses_its_middle_and_wide_letters_count_twice() {
        for (text, width, expected) in [
            ("ada@example.org", 15, "ada@example.org"),
            ("ada@example.org", 9, "ada@….org"),
            ("北京的商店", 10, "北京的商店"),
            ("北京的商店", 8, "北京…店"),
            ("abc", 1, "…"),
            ("2026-03-01T09:30:07Z", 19, "2026-03-01T09:30"),
            ("2026-03-01T09:30:07.123Z", 15, "2026-03-01"),
        ] {
            assert_eq!(elided(text, width), expected, "{text} in {width}");
        }
    }

    #[test]
    fn row_is_padded_and_loses_the_columns_that_do_not_fit() {
        let plain = |_: usize, _: &str| Style::new().force_styling(false);
        assert_eq!(line(&["7", "active", "Zoë"], &[4, 8, 8], plain), "7     active    Zoë");
        assert_eq!(line(&["7", "active", "Zoë"], &[4, 8, 0], plain), "7     active");
    }
}
