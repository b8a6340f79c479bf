//! Counted trees as items of the table of reviews, and folds of what is left in logs.

mod bulk;
pub(crate) mod items;
mod leftovers;

pub use bulk::{bulk_body_item, bulk_directory_items, bulk_org_items, bulk_review_items, bulk_tree_items};
pub use leftovers::LeftoverFolds;
