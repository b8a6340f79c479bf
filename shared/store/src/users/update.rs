//! Changes of users: read the record, let the domain decide, write on the condition of its version, and begin again if another
//! writer came first. [`retry_stale`] is the only loop of this kind but that of `remove_business`, which pauses as imports do.

use std::future::ready;

use presence_domain::access::Scope;
use presence_domain::error::Error;
use presence_domain::idempotency::KeptAnswer;
use presence_domain::ids::UserId;
use presence_domain::user::{User, UserChange};

use super::record::UserRecord;
use super::write::UserWriteError;
use crate::UserStore;

/// Number of attempts to change a user while others change it at the same time.
pub(super) const WRITE_ATTEMPTS: u32 = 3;

/// Number of ids that are tried for a new user: two collisions in a row among 2^53 ids do not happen.
const ID_ATTEMPTS: u32 = 3;

/// Decision on a user as it was read.
#[derive(Debug)]
pub enum Decision<T = ()> {
    /// The change is written.
    Write(Box<UserChange>),
    /// Nothing is written.
    Stop(T),
}

impl From<UserChange> for Decision {
    fn from(change: UserChange) -> Self {
        Self::Write(Box::new(change))
    }
}

impl From<Option<UserChange>> for Decision {
    fn from(change: Option<UserChange>) -> Self {
        change.map_or(Self::Stop(()), Self::from)
    }
}

/// Result of an update.
#[derive(Debug)]
pub enum UpdateOutcome<T = ()> {
    /// The change was written to this user, as it was before.
    Written(Box<User>),
    /// Nothing was written.
    Stopped(T),
}

impl UserStore {
    /// Creates the user of a change, with another id if its own is taken. Returns the id.
    pub async fn create(&self, change: &UserChange) -> Result<UserId, UserWriteError> {
        self.create_answered(change, |_| None).await
    }

    /// Creates a user like [`UserStore::create`], and keeps the answer of its request. `keep` returns the answer with the id. The error
    /// is [`Error::InProgress`] if an answer is kept already.
    pub async fn create_answered(
        &self,
        change: &UserChange,
        keep: impl Fn(UserId) -> Option<KeptAnswer>,
    ) -> Result<UserId, UserWriteError> {
        let Some(user) = &change.after else {
            return Err(Error::internal("a change that creates has a user").into());
        };
        let keep = &keep;
        let attempt = |number| async move {
            let id = if number == 0 { user.id } else { UserId::random() };
            let change = UserChange { after: Some(User { id, ..user.clone() }), ..change.clone() };
            match self.write_answered(None, &change, keep(id).as_ref()).await {
                Ok(()) => Ok(Some(id)),
                Err(UserWriteError::Stale) => Ok(None),
                Err(error) => Err(error),
            }
        };
        retry_stale(ID_ATTEMPTS, attempt).await
    }

    /// Changes a user as `decide` says.
    ///
    /// - [`Error::NotFound`] if there is none in the scope.
    /// - [`Error::Conflict`] if others changed it during each attempt.
    /// - [`Error::Invalid`] if the address is taken, if the last admin or PROVIDER would go, or if a mail would be sent to a marked address.
    pub async fn update<T>(
        &self,
        scope: Scope,
        id: UserId,
        decide: impl Fn(&User) -> Result<Decision<T>, Error>,
    ) -> Result<UpdateOutcome<T>, Error> {
        self.update_alongside(scope, id, || ready(Ok(())), |user, ()| ready(decide(&user)), None).await
    }

    /// Changes a user like [`UserStore::update`]. `read` runs while the user is read, and `decide` gets its result. The answer of the
    /// request is kept with the change, or alone if nothing else is written. The error is [`Error::InProgress`] if an answer is kept already.
    pub async fn update_alongside<R, T, Read, Decide>(
        &self,
        scope: Scope,
        id: UserId,
        read: impl Fn() -> Read,
        decide: impl Fn(User, R) -> Decide,
        answer: Option<&KeptAnswer>,
    ) -> Result<UpdateOutcome<T>, Error>
    where
        Read: Future<Output = Result<R, Error>>,
        Decide: Future<Output = Result<Decision<T>, Error>>,
    {
        let attempt = |_| async {
            let (record, context) = futures::try_join!(self.get_record(scope, id), read())?;
            let record = record.ok_or(Error::NotFound)?;
            let change = match decide(record.user.clone(), context).await? {
                Decision::Write(change) => change,
                Decision::Stop(result) => {
                    self.keep_answer(answer).await?;
                    return Ok(Some(UpdateOutcome::Stopped(result)));
                }
            };
            match self.write_answered(Some(&record), &change, answer).await {
                Ok(()) => Ok(Some(UpdateOutcome::Written(Box::new(record.user)))),
                Err(UserWriteError::Stale) => Ok(None),
                Err(UserWriteError::EmailTaken) => Err(change.email_taken_error()),
                Err(UserWriteError::LastAdmin) => Err(change.last_admin_error(&record.user)),
                Err(UserWriteError::LastProvider) => Err(change.last_provider_error(&record.user)),
                Err(UserWriteError::AddressMarked(mark)) => Err(mark.error()),
                Err(UserWriteError::Failed(error)) => Err(error),
            }
        };
        retry_stale(WRITE_ATTEMPTS, attempt).await
    }

    pub(super) async fn keep_answer(&self, answer: Option<&KeptAnswer>) -> Result<(), Error> {
        match answer {
            Some(answer) => self.answers.put(answer).await,
            None => Ok(()),
        }
    }

    /// Changes a user as `decide` says, beginning with a record that was just read or written. If others change it meanwhile, the
    /// record is read again. `None` ends the update, and so does a user that is gone.
    pub async fn update_from(
        &self,
        record: &UserRecord,
        attempts: u32,
        decide: impl Fn(&UserRecord) -> Option<UserChange>,
    ) -> Result<(), Error> {
        let decide = &decide;
        let attempt = |number| async move {
            let latest = if number == 0 { Some(record.clone()) } else { self.get_unscoped(record.user.id).await? };
            match latest.and_then(|latest| Some((decide(&latest)?, latest))) {
                Some((change, latest)) => Ok(self.write_if_current(&latest, &change).await?.then_some(())),
                None => Ok(Some(())),
            }
        };
        retry_stale(attempts, attempt).await
    }

    /// Writes a change of a user unless another writer came first. True if it was written.
    pub async fn write_if_current(&self, before: &UserRecord, change: &UserChange) -> Result<bool, Error> {
        match self.write(Some(before), change).await {
            Ok(()) => Ok(true),
            Err(UserWriteError::Failed(error)) => Err(error),
            Err(_) => Ok(false),
        }
    }
}

/// Runs an attempt to change a user, again if another writer came first (`None`), at most `attempts` times. Then the error is
/// [`Error::Conflict`]. The attempt gets its number, from 0.
pub async fn retry_stale<T, E, Attempt>(attempts: u32, attempt: impl Fn(u32) -> Attempt) -> Result<T, E>
where
    E: From<Error>,
    Attempt: Future<Output = Result<Option<T>, E>>,
{
    for number in 0..attempts {
        if let Some(result) = attempt(number).await? {
            return Ok(result);
        }
    }
    Err(Error::Conflict.into())
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;

    use super::*;

    /// Runs attempts of which the first ones meet another writer, and returns the number of the one that succeeds.
    fn run(stale_attempts: u32) -> Result<u32, Error> {
        let attempt = |number| ready(Ok((number >= stale_attempts).then_some(number)));
        retry_stale(WRITE_ATTEMPTS, attempt).now_or_never().expect("nothing to wait for")
    }

    #[test]
    fn an_attempt_is_repeated_a_bounded_number_of_times_while_other_writers_come_first() {
        assert!(matches!(run(0), Ok(0)));
        assert!(matches!(run(WRITE_ATTEMPTS - 1), Ok(2)));
        assert!(matches!(run(WRITE_ATTEMPTS), Err(Error::Conflict)));
    }

    #[test]
    fn an_error_ends_the_attempts() {
        let attempt = |number| ready(if number == 0 { Err::<Option<()>, _>(Error::NotFound) } else { Ok(None) });
        let result = retry_stale(WRITE_ATTEMPTS, attempt).now_or_never();
        assert!(matches!(result, Some(Err(Error::NotFound))));
    }
}
