//! The ledger: an index that gives exact counts and any page of reviews in a bounded number of reads.
//!
//! A **review set** holds the reviews of an organisation, or of one of its cities. For each set the ledger stores:
//!
//! - **facet counts** for each month and for each day: the number of reviews by state, rating, partner and content;
//! - **postings** for each day and facet key: the id and the second of each review.
//!
//! A write changes a review, its counts and its postings in one transaction ([`write`](mod@write), [`delta`]). A search sums counts to
//! know the number of matches, and walks them to find the page. It reads only the postings and the reviews of that page
//! ([`find`]). A recount compares the ledger with the reviews, and a rebuild corrects it ([`recount`], [`rebuild`]).

mod bulk_items;
mod item;
mod snapshot;

pub use bulk_items::bulk_review_items;
