//! The ledger's words, without storage: cells and masks, tallies, calendar buckets, books.

mod book;
mod calendar;
mod cell;
mod tally;

pub use book::Book;
pub use calendar::{Day, Month, SECONDS_OF_DAY};
pub use cell::{CELLS, Cell, CellMask};
pub use tally::Tally;
