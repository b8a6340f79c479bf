//! The ledger of reviews, held against a brute-force model.

pub(crate) mod model;
mod oracle;
