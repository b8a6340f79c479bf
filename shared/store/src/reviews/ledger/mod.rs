//! The ledger: exact counts and any page of the reviews of a book, in a bounded number of reads.
//!
//! A **book** is the set of reviews of an organisation, or of one city of it. For each month and each day a **tally**
//! counts the book's reviews by cell; for each day and cell **slips** name them. A write moves review, tallies and slips in
//! one transaction ([`post`]). A search adds up tallies to count, walks them to find the page, and reads only the slips and
//! reviews that lie on it ([`find`]).

mod audit;
mod buckets;
mod bulk_items;
mod by_business;
mod find;
mod initial_reads;
mod item;
mod position;
mod reads;
mod rebuild;
mod recount;
mod relocate;
mod scheduled;
mod settled;
mod upsert;
mod write;

pub use audit::ReviewsAudit;
pub use bulk_items::bulk_review_items;
pub use find::ReviewQuery;
pub use rebuild::RebuildReport;
pub use scheduled::{AuditRun, AuditSettings};
pub use upsert::UpsertOutcome;
pub use write::{PostingItemFullError, ReviewWrite, WriteReviewsError};
