//! Tests of all binary forms of the ledger.

mod round_trips;
