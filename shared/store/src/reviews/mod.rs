//! Reviews: the ledger that counts and finds them, and searches in the scope of a caller.

pub(crate) mod ledger;
pub(crate) mod search;
