//! Cells: what a filter can tell apart.

use crate::review::{Partner, Rating, ReviewState};

/// How many cells there are: 3 states × 5 ratings × 3 partners × content or none.
pub const CELLS: usize = 90;

/// One combination of state, rating, partner and content present, ordered in this way, so that the common filters are
/// contiguous runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cell(u8);

impl Cell {
    /// The cell of a combination.
    #[must_use]
    pub fn new(state: ReviewState, rating: Rating, partner: Partner, has_content: bool) -> Self {
        let number = ((state as u8 * 5 + rating.get() - 1) * 3 + partner as u8) * 2 + u8::from(has_content);
        Self(number)
    }

    /// The cell of a number below [`CELLS`].
    #[must_use]
    pub fn from_number(number: u8) -> Option<Self> {
        (usize::from(number) < CELLS).then_some(Self(number))
    }

    /// Its number, below [`CELLS`].
    #[must_use]
    pub fn number(self) -> u8 {
        self.0
    }
}

/// A set of cells: what a filter is, whatever it combines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellMask(u128);

impl CellMask {
    /// Every cell.
    pub const ALL: Self = Self((1 << CELLS) - 1);
    /// No cell.
    pub const NONE: Self = Self(0);

    /// The cells of which the predicate is true.
    #[must_use]
    pub fn of(admits: impl Fn(ReviewState, Rating, Partner, bool) -> bool) -> Self {
        let mut mask = Self::NONE;
        for state in ReviewState::ALL {
            for rating in Rating::ALL {
                for partner in Partner::ALL {
                    for has_content in [false, true] {
                        if admits(state, rating, partner, has_content) {
                            mask.0 |= 1 << Cell::new(state, rating, partner, has_content).0;
                        }
                    }
                }
            }
        }
        mask
    }

    /// Whether the cell is in it.
    #[must_use]
    pub fn contains(self, cell: Cell) -> bool {
        self.0 >> cell.0 & 1 == 1
    }

    /// Whether no cell is in it.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Its maximal runs of neighbouring cells: first and last of each, ascending.
    #[must_use]
    pub fn runs(self) -> Vec<(Cell, Cell)> {
        let mut runs: Vec<(Cell, Cell)> = Vec::new();
        for number in (0..).take(CELLS) {
            let cell = Cell(number);
            match runs.last_mut() {
                _ if !self.contains(cell) => {}
                Some((_, last)) if last.0 + 1 == number => *last = cell,
                _ => runs.push((cell, cell)),
            }
        }
        runs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_a_bijection_in_order_of_state_rating_partner_content() {
        let mut next = 0;
        for state in ReviewState::ALL {
            for rating in Rating::ALL {
                for partner in Partner::ALL {
                    for has_content in [false, true] {
                        assert_eq!(Cell::new(state, rating, partner, has_content).number(), next);
                        next += 1;
                    }
                }
            }
        }
        assert_eq!(usize::from(next), CELLS);
    }

    #[test]
    fn common_filters_are_few_runs() {
        let state = CellMask::of(|state, _, _, _| state == ReviewState::Treated);
        assert_eq!(state.runs().len(), 1);
        let rating = CellMask::of(|_, rating, _, _| rating.get() == 5);
        assert_eq!(rating.runs().len(), 3);
        assert_eq!(CellMask::ALL.runs(), [(Cell(0), Cell(89))]);
        assert_eq!(CellMask::NONE.runs(), []);
    }
}
