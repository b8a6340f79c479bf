//! The ledger of reviews, held against a brute-force model.

mod model;
mod oracle;
