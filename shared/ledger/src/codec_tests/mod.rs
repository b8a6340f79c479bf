//! Tests of all binary forms of the ledger.

mod golden;
mod hostile;
mod round_trips;
mod sizes;
