//! Table that is written in parts.

use comfy_table::{ColumnConstraint, Table, Width, presets};
use serde::Serialize;

use crate::Console;

/// Number of rows of a part. They take some hundred kilobytes.
const PART: usize = 1_000;
/// Spaces between two columns.
const PADDING: u16 = 2;

/// Table that is written in parts of 1,000 rows, so that it may have any length. The columns of a part are at least as wide as
/// those of the parts before.
#[derive(Debug)]
pub(crate) struct TableWriter<const N: usize> {
    /// Header, until it is written.
    header: Option<[&'static str; N]>,
    widths: [u16; N],
    rows: Vec<[String; N]>,
}

impl<const N: usize> TableWriter<N> {
    /// Returns an empty table with a header.
    pub(crate) fn new(header: [&'static str; N]) -> Self {
        Self { header: Some(header), widths: [0; N], rows: Vec::new() }
    }

    /// Adds a row. Writes the rows so far if they are many.
    pub(crate) fn add(&mut self, row: [String; N], console: &mut Console) -> anyhow::Result<()> {
        self.rows.push(row);
        if self.rows.len() < PART { Ok(()) } else { self.finish(console) }
    }

    /// Writes a row as JSON at once if the console writes JSON, and adds its cells otherwise.
    pub(crate) fn add_or_json(
        &mut self,
        row: &impl Serialize,
        cells: [String; N],
        console: &mut Console,
    ) -> anyhow::Result<()> {
        if console.json { console.write_json(row) } else { self.add(cells, console) }
    }

    /// Writes the rows that are left. Writes no header if there was no row at all.
    pub(crate) fn finish(&mut self, console: &mut Console) -> anyhow::Result<()> {
        if self.rows.is_empty() {
            return Ok(());
        }
        let mut table = Table::new();
        table.load_preset(presets::NOTHING).add_rows(self.rows.drain(..));
        if let Some(header) = self.header.take() {
            table.set_header(header);
        }
        for (width, found) in self.widths.iter_mut().zip(table.column_max_content_widths()) {
            *width = found.max(*width);
        }
        for (column, width) in table.column_iter_mut().zip(self.widths) {
            column.set_padding((0, PADDING));
            column.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(width + PADDING)));
        }
        console.write_line(table.trim_fmt())
    }
}
