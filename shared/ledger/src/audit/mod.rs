//! Audit of trees: what they count, compared with the reviews themselves, and corrected.
//!
//! The reviews are the truth. An audit takes those of an organisation from an index, in slices of the order of time ([`FiledReviews`]). It
//! reads every tree of the organisation in the same range, and compares. The index lags and reviews are written meanwhile, so a difference
//! counts only after a second look at reviews that did not change around it.

mod confirm;
mod differences;
mod filed;
mod mend;
mod org_state;
#[cfg(test)]
mod tests;
mod tree_scan;
mod view;

use std::time::Duration;

pub use self::confirm::WrongTree;
pub use self::differences::{Difference, describe};
pub use self::filed::{FiledReview, FiledReviews, Slice};
pub use self::view::TreeView;
use crate::{LogReader, Trees};

/// Pause after which the items of a transaction have appeared, which takes some milliseconds.
const TRANSACTION_TIME: Duration = Duration::from_millis(200);

/// Auditor of the trees of organisations.
#[derive(Clone, Copy, Debug)]
pub struct Auditor<'a> {
    logs: &'a LogReader,
    trees: &'a Trees,
    items: &'a dyn FiledReviews,
}

impl<'a> Auditor<'a> {
    /// Returns the auditor of these trees, which have these reviews.
    pub fn new(logs: &'a LogReader, trees: &'a Trees, items: &'a dyn FiledReviews) -> Self {
        Self { logs, trees, items }
    }
}
