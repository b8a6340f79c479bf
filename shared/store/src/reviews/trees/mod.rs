//! Counted trees in storage: roots and nodes of every review set, and the directory that proves roots current.
//!
//! - A **root** has a fixed key and an edition, which every put raises. Its put is conditional on the edition that was read.
//! - A **node** has a slot and a stamp. It never changes under this name, so a root and the nodes that it names are a snapshot.
//! - The **directory** of an organisation names the least edition that each root has.

pub(crate) mod build;
mod bulk;
pub(crate) mod correction;
pub(crate) mod directory;
mod facets;
mod fold;
mod items;
mod leftovers;
mod named_editions;
pub(crate) mod nodes;
mod org_postings;
pub(crate) mod postings;
mod set_fold;
mod sweep;
mod touched_sets;
mod trim;
mod write;

pub use bulk::{bulk_body_item, bulk_directory_items, bulk_review_items, bulk_tree_items, has_facet_trees};
pub use fold::{FoldLimits, FoldReport};
pub use leftovers::LeftoverFolds;
pub use org_postings::OrgPostings;
