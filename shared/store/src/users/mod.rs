//! Users: their items, how they are read, and the one transaction that writes them.

mod by_email;
mod by_pattern;
mod find;
mod holders;
mod item;
mod record;
mod write;

pub use by_pattern::{EmailSearch, FoundUser};
pub use find::BusinessIds;
pub(super) use item::{LISTED, READ_LISTED, add_listed, from_item, listed_in, rewritten, role, to_item};
pub use record::UserRecord;
pub use write::{ClaimRefused, MailChange, Refused, UserChange};
