//! Laws that hold for any data. Those of single types (address keys, folding, fuzzy search, API keys) are held by the unit
//! tests of the domain; here are those that only show at the boundary.

mod model;
mod order;
mod pages;
pub(crate) mod sequences;
mod users;
