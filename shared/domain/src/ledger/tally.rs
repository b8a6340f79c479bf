//! Tallies: a count for each cell.

use super::cell::{CELLS, Cell, CellMask};

/// How many reviews there are in each cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tally([i64; CELLS]);

impl Default for Tally {
    fn default() -> Self {
        Self([0; CELLS])
    }
}

impl Tally {
    /// Adds to a cell.
    pub fn add(&mut self, cell: Cell, difference: i64) {
        self.0[usize::from(cell.number())] += difference;
    }

    /// The reviews in the cells of the mask.
    #[must_use]
    pub fn count(&self, mask: CellMask) -> i64 {
        self.cells().filter(|(cell, _)| mask.contains(*cell)).map(|(_, count)| count).sum()
    }

    /// All reviews.
    #[must_use]
    pub fn total(&self) -> i64 {
        self.0.iter().sum()
    }

    /// The cells that are not zero.
    pub fn cells(&self) -> impl Iterator<Item = (Cell, i64)> {
        let all = (0..).zip(self.0).filter_map(|(number, count)| Some((Cell::from_number(number)?, count)));
        all.filter(|(_, count)| *count != 0)
    }
}
