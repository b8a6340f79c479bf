//! Reasons for which a write of a user is refused.

use presence_domain::error::Error;
use presence_domain::invitation::AddressMark;
use presence_domain::user::{User, UserChange};

use crate::UserStore;
use crate::client::transaction::TransactionError;

/// Error of the write of a user. Nothing was written.
#[derive(Debug)]
pub enum UserWriteError {
    /// The user has changed since it was read, or the id of a new user is taken.
    Stale,
    /// The address belongs to another user.
    EmailTaken,
    /// The user is the last active `ORG_ADMIN` of its organisation.
    LastAdmin,
    /// The user is an active PROVIDER, and the caller who takes it away is none any more.
    LastProvider,
    /// The change sends a mail to an address that is marked.
    AddressMarked(AddressMark),
    /// The write failed.
    Failed(Error),
}

/// Error of the claim of a mail. Nothing was written.
#[derive(Debug)]
pub enum ClaimError {
    /// The user has changed since it was read.
    Stale,
    /// The window of another mail to the address is open.
    AddressQuiet,
    /// The write failed.
    Failed(Error),
}

impl From<Error> for UserWriteError {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// Item of the transaction, for the meaning of its failed condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Guard {
    User,
    Caller,
    Reservation,
    DirectoryHead,
    Change,
    Key,
    Mail,
    Mailbox,
    Mark,
    Notice,
    AuditRecord,
    Answer,
}

impl UserStore {
    /// Returns the error of a refused write, with the mark of the address if that is the reason.
    pub(super) async fn explain(&self, error: TransactionError<Guard>, change: &UserChange) -> UserWriteError {
        let is_marked = matches!(&error, TransactionError::ConditionsFailed(guards) if guards == &[Guard::Mark]);
        let Some(user) = change.after.as_ref().filter(|_| is_marked) else { return write_error(error) };
        match self.address_mark(user.email.key()).await {
            Ok(Some(mark)) => UserWriteError::AddressMarked(mark),
            // The mark was cleared meanwhile.
            Ok(None) => UserWriteError::Stale,
            Err(error) => UserWriteError::Failed(error),
        }
    }

    /// True if the user has changed since it was read.
    pub(super) async fn has_changed(&self, user: &User) -> Result<bool, Error> {
        let latest = self.get_unscoped(user.id).await?;
        Ok(latest.is_none_or(|latest| latest.user.version != user.version))
    }

    /// True if the user's address belongs to another user.
    pub(super) async fn is_address_of_another(&self, user: &User) -> Result<bool, Error> {
        let holder = self.get_id_by_email(user.email.key()).await?;
        Ok(holder.is_some_and(|holder| holder != user.id))
    }
}

/// Returns the error of a refused write. The answer counts first, then the user: if it changed, the other conditions say nothing.
fn write_error(error: TransactionError<Guard>) -> UserWriteError {
    match error {
        TransactionError::ConditionsFailed(guards) if guards.contains(&Guard::Answer) => {
            UserWriteError::Failed(Error::InProgress)
        }
        TransactionError::ConditionsFailed(guards) if guards.contains(&Guard::User) => UserWriteError::Stale,
        TransactionError::ConditionsFailed(guards) if guards.contains(&Guard::Caller) => UserWriteError::LastProvider,
        TransactionError::ConditionsFailed(guards) if guards.contains(&Guard::Reservation) => {
            UserWriteError::EmailTaken
        }
        TransactionError::ConditionsFailed(guards) if guards.contains(&Guard::DirectoryHead) => {
            UserWriteError::LastAdmin
        }
        TransactionError::ConditionsFailed(_) => UserWriteError::Stale,
        TransactionError::Failed(error) => UserWriteError::Failed(error),
    }
}

/// Returns the error of a refused claim. The user counts first: if it changed, the window says nothing.
pub(super) fn claim_error(error: TransactionError<Guard>) -> ClaimError {
    match error {
        TransactionError::ConditionsFailed(guards) if guards.contains(&Guard::User) => ClaimError::Stale,
        TransactionError::ConditionsFailed(guards) if guards.contains(&Guard::Mailbox) => ClaimError::AddressQuiet,
        TransactionError::ConditionsFailed(_) => ClaimError::Stale,
        TransactionError::Failed(error) => ClaimError::Failed(error),
    }
}
