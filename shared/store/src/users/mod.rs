//! Users: their items, how they are read, and the one transaction that writes them.

pub(crate) mod address_marks;
mod by_email;
mod by_pattern;
pub(crate) mod change_log;
mod details;
pub(crate) mod directory;
pub(crate) mod directory_heads;
mod find;
mod holders;
mod item;
mod keys;
mod members;
mod operator_mails;
mod record;
mod update;
mod write;

pub use by_pattern::{EmailSearch, FoundUser};
pub use details::UserDetails;
pub use find::BusinessIds;
pub(super) use item::{LISTED, ListedItem, add_listed, from_item, listed_in, to_item};
pub use keys::{ApiKeyError, IssuedKey, KeyChange, NewApiKey, ReplacedKey};
pub use record::UserRecord;
pub use update::{Decision, UpdateOutcome, retry_stale};
pub use write::{ClaimError, UserWriteError};

use std::sync::Arc;

use crate::users::directory::DirectoryCache;
use crate::{AnswerStore, Database, OutboxStore};

/// Users with everything that is written with them: directories, keys, mails. Cheap to clone.
#[derive(Clone, Debug)]
pub struct UserStore {
    pub(crate) db: Database,
    pub(crate) outbox: OutboxStore,
    pub(crate) answers: AnswerStore,
    pub(crate) directory_cache: Arc<DirectoryCache>,
}

impl UserStore {
    /// Builds the store. Makes no call.
    pub fn new(database: &Database) -> Self {
        Self {
            db: database.clone(),
            outbox: OutboxStore::new(database),
            answers: AnswerStore::new(database),
            directory_cache: Arc::default(),
        }
    }
}
