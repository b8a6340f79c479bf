//! The ledger: exact counts and any page of the reviews of a book, in a bounded number of reads.
//!
//! A **book** is the set of reviews of an organisation, or of one city of it. For each month and each day a **tally**
//! counts the book's reviews by cell; for each day and cell **slips** name them. A write moves review, tallies and slips in
//! one transaction ([`post`]). A search adds up tallies to count, walks them to find the page, and reads only the slips and
//! reviews that lie on it ([`find`]).

mod audit;
mod check;
mod find;
mod item;
mod of_business;
mod outline;
mod place;
mod position;
mod post;
mod put;
mod reads;
mod rebuild;
mod repost;
mod scheduled;
mod settled;
mod whole;

pub use audit::ReviewsAudit;
pub use find::ReviewQuery;
pub use post::{FullSlips, PostRefused, Posting};
pub use put::ReviewsPut;
pub use rebuild::ReviewsRebuilt;
pub use scheduled::{AuditRun, AuditSettings};
pub use whole::items_of_reviews;
