//! Issue, list, rotate and revoke keys, for callers of the API and for operators.

use aws_sdk_dynamodb::types::{Put, Update};
use jiff::Timestamp;

use super::record::UserRecord;
use super::update::{WRITE_ATTEMPTS, retry_stale};
use super::write::UserWriteError;
use crate::api_keys::{ApiKeyRecord, KeyWrite, expire, key, revoke, set_limit};
use crate::client::read::Item;
use crate::client::transaction::{Transaction, TransactionError};
use crate::{UserStore, audit_trail, idempotency, schema};
use presence_domain::access::Scope;
use presence_domain::api_key::{ApiKeyHash, ApiKeyId, PlaintextApiKey};
use presence_domain::audit::{Actor, AuditAction, AuditRecord};
use presence_domain::error::{Error, FieldErrors};
use presence_domain::idempotency::KeptAnswer;
use presence_domain::ids::UserId;
use presence_domain::key_rights::{KeyRights, LONGEST_OVERLAP, MAX_KEYS_WITH_OVERLAP, MAX_LIVE_KEYS};
use presence_domain::rate_limit::KeyLimit;
use presence_domain::user::{Status, User, UserChange};

/// Largest number of ended keys kept for the list. With the live ones they fit into every transaction of their owner, which has 100 items
/// at most. Above it the oldest leave the list before their 90 days are over.
const MAX_ENDED_KEYS: usize = 50;

/// Change of the keys of a user.
#[derive(Clone, Copy)]
pub struct KeyChange<'a> {
    /// Owner of the keys.
    pub owner: UserId,
    /// Scope of a caller; `None` for an operator.
    pub scope: Option<Scope>,
    /// Check of the rights on the owner as it is stored.
    pub check: &'a (dyn Fn(&User) -> Result<(), Error> + Sync),
    /// Author of the change.
    pub by: &'a Actor,
    /// Instant of the change.
    pub now: Timestamp,
}

/// Key that a new one replaces.
#[derive(Clone, Copy, Debug)]
pub struct ReplacedKey {
    /// Id of the key.
    pub id: ApiKeyId,
    /// Instant from which it gives no access, unless it ends before.
    pub ends_at: Timestamp,
}

/// Settings of a new key.
#[derive(Clone, Debug, Default)]
pub struct NewApiKey {
    /// Name in lists.
    pub label: Option<String>,
    /// Rights beyond those of its owner.
    pub rights: KeyRights,
}

/// Key just issued. It is shown this one time.
#[derive(Debug)]
pub struct IssuedKey {
    /// Key in plain text.
    pub key: PlaintextApiKey,
    /// Name that operators use for it.
    pub id: ApiKeyId,
    /// Record of the key.
    pub record: ApiKeyRecord,
}

/// Occurs when a key is not issued, rotated or revoked. Nothing was changed.
#[derive(Debug)]
pub enum ApiKeyError {
    /// No such user or key exists.
    NotFound,
    /// The owner is not active.
    OwnerNotActive,
    /// The owner has this many live keys already, which is the limit.
    TooMany(usize),
    /// The key to rotate gives no access any more.
    NotLive,
    /// Any other failure.
    Failed(Error),
}

/// Item of the transaction of a key alone, for the meaning of its failed condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Guard {
    Key,
    Answer,
}

impl From<Error> for ApiKeyError {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl<'a> KeyChange<'a> {
    /// Returns the change of an operator, who may change the keys of everyone.
    fn by_operator(owner: UserId, by: &'a Actor, now: Timestamp) -> Self {
        Self { owner, scope: None, check: &|_| Ok(()), by, now }
    }
}

impl UserStore {
    /// Issues a key to an active user.
    pub async fn issue_key(
        &self,
        owner: UserId,
        new: &NewApiKey,
        by: &Actor,
        now: Timestamp,
    ) -> Result<IssuedKey, ApiKeyError> {
        self.issue_given_key(owner, &PlaintextApiKey::generate(), new, by, now).await
    }

    /// Issues a given key, such as one that examples name. Issuing it again replaces its record.
    pub async fn issue_given_key(
        &self,
        owner: UserId,
        key: &PlaintextApiKey,
        new: &NewApiKey,
        by: &Actor,
        now: Timestamp,
    ) -> Result<IssuedKey, ApiKeyError> {
        let change = KeyChange::by_operator(owner, by, now);
        self.replace_key(change, None, key, |_| Ok(new.clone()), |_| None).await
    }

    /// Issues a key that replaces another one. The old one gives access until `old_ends_at`.
    pub async fn rotate_key(
        &self,
        old_id: ApiKeyId,
        new: &NewApiKey,
        old_ends_at: Timestamp,
        by: &Actor,
        now: Timestamp,
    ) -> Result<IssuedKey, ApiKeyError> {
        let (change, key) = (KeyChange::by_operator(old_id.owner(), by, now), PlaintextApiKey::generate());
        let replaced = ReplacedKey { id: old_id, ends_at: old_ends_at };
        self.replace_key(change, Some(replaced), &key, |_| Ok(new.clone()), |_| None).await
    }

    /// Revokes a key from the next request on. Revoking it again changes nothing, and keeps the instant of the first time.
    pub async fn revoke_key(&self, id: ApiKeyId, by: &Actor, now: Timestamp) -> Result<(), ApiKeyError> {
        self.revoke_key_answered(KeyChange::by_operator(id.owner(), by, now), id, &FieldErrors::default(), None).await
    }

    /// Revokes a key like [`UserStore::revoke_key`], unless the request has mistakes, and keeps the answer of its request. The error is
    /// [`Error::InProgress`] if an answer is kept already.
    pub async fn revoke_key_answered(
        &self,
        change: KeyChange<'_>,
        id: ApiKeyId,
        mistakes: &FieldErrors,
        answer: Option<&KeptAnswer>,
    ) -> Result<(), ApiKeyError> {
        let decide = |key: &ApiKeyRecord| {
            mistakes.clone().into_result()?;
            Ok(key.revoked_at.is_none().then(|| revoke(&self.db, &key.hash, change.now)))
        };
        self.update_key(change, id, AuditAction::RevokeKey(id), answer, decide).await.map(drop)
    }

    /// Gives a key a limit of its own, or the default, from the next request on. The same limit again changes nothing.
    pub async fn set_key_limit(
        &self,
        id: ApiKeyId,
        limit: KeyLimit,
        by: &Actor,
        now: Timestamp,
    ) -> Result<(), ApiKeyError> {
        let decide = |key: &ApiKeyRecord| Ok((key.limit != limit).then(|| set_limit(&self.db, &key.hash, limit)));
        let change = KeyChange::by_operator(id.owner(), by, now);
        self.update_key(change, id, AuditAction::SetKeyLimit(id), None, decide).await.map(drop)
    }

    /// Ends a key at an instant, as a rotation does. False if the key is revoked, or ends by then already.
    pub async fn end_key(
        &self,
        id: ApiKeyId,
        ends_at: Timestamp,
        by: &Actor,
        now: Timestamp,
    ) -> Result<bool, ApiKeyError> {
        let decide = |key: &ApiKeyRecord| {
            let has_ended = key.revoked_at.is_some() || key.expires_at.is_some_and(|expires_at| expires_at <= ends_at);
            Ok((!has_ended).then(|| expire(&self.db, &key.hash, ends_at)))
        };
        let change = KeyChange::by_operator(id.owner(), by, now);
        self.update_key(change, id, AuditAction::RotateKey(id, None), None, decide).await
    }

    /// Updates a key as it is decided on its present record, and tries again if another writer came first. False if nothing but the answer
    /// is to be written.
    async fn update_key(
        &self,
        change: KeyChange<'_>,
        id: ApiKeyId,
        action: AuditAction,
        answer: Option<&KeptAnswer>,
        decide: impl Fn(&ApiKeyRecord) -> Result<Option<Update>, Error>,
    ) -> Result<bool, ApiKeyError> {
        let attempt = |_| async {
            let owner = self.checked_owner(&change).await?;
            let key = self.key_of(&owner.user, id).await?;
            let Some(update) = decide(&key)? else {
                self.keep_answer(answer).await?;
                return Ok(Some(false));
            };
            let is_written = self.change_key(&key, update, change, action, answer).await?;
            Ok(is_written.then_some(true))
        };
        retry_stale(WRITE_ATTEMPTS, attempt).await
    }

    /// Writes a change of a key's item alone, with its record in the audit trail. False if the condition of the update failed.
    async fn change_key(
        &self,
        key: &ApiKeyRecord,
        update: Update,
        change: KeyChange<'_>,
        action: AuditAction,
        answer: Option<&KeptAnswer>,
    ) -> Result<bool, Error> {
        let (at, actor, org_id) = (change.now, change.by.clone(), key.org_id);
        let (target, fields) = (key.user_id.into(), Vec::new());
        let record =
            AuditRecord { at, actor, action, target, org_id, fields, version: None, left_org: None, tables: None };
        let mut transaction = Transaction::new();
        transaction.update(Guard::Key, update);
        transaction.write(Guard::Key, audit_trail::put(&self.db, &record)?);
        if let Some(answer) = answer {
            transaction.put(Guard::Answer, idempotency::put(&self.db, answer)?);
        }
        match transaction.commit(&self.db).await {
            Ok(()) => Ok(true),
            Err(TransactionError::ConditionsFailed(guards)) if guards.contains(&Guard::Answer) => {
                Err(Error::InProgress)
            }
            Err(TransactionError::ConditionsFailed(_)) => Ok(false),
            Err(TransactionError::Failed(error)) => Err(error),
        }
    }

    /// Returns the keys of a user, oldest first, with ended ones; `None` if the user does not exist.
    pub async fn list_keys(&self, owner: UserId) -> Result<Option<Vec<ApiKeyRecord>>, Error> {
        match self.get_unscoped(owner).await? {
            Some(record) => self.key_records(&record.user.keys).await.map(Some),
            None => Ok(None),
        }
    }

    /// Returns the keys of a user in the scope, oldest first, with ended ones, if the check of the rights on the user allows it.
    pub async fn list_keys_of(
        &self,
        scope: Scope,
        owner: UserId,
        check: impl Fn(&User) -> Result<(), Error>,
    ) -> Result<Vec<ApiKeyRecord>, Error> {
        let user = self.get(scope, owner).await?.ok_or(Error::NotFound)?;
        check(&user)?;
        self.key_records(&user.keys).await
    }

    /// Returns the record of a key by the id that operators use.
    pub async fn get_key(&self, id: ApiKeyId) -> Result<ApiKeyRecord, ApiKeyError> {
        let owner = self.get_unscoped(id.owner()).await?.ok_or(ApiKeyError::NotFound)?;
        self.key_of(&owner.user, id).await
    }

    /// Returns the record of a key of a user by a strong read of one unit.
    async fn key_of(&self, owner: &User, id: ApiKeyId) -> Result<ApiKeyRecord, ApiKeyError> {
        let hash = owner.keys.iter().find(|hash| ApiKeyId::new(owner.id, hash) == id).ok_or(ApiKeyError::NotFound)?;
        let item = self.db.get(&schema::API_KEYS, key(hash)).await?.ok_or(ApiKeyError::NotFound)?;
        Ok(ApiKeyRecord::read(item)?)
    }

    /// Returns the owner of keys, if it is in the scope of the change and the check allows the change.
    async fn checked_owner(&self, change: &KeyChange<'_>) -> Result<UserRecord, ApiKeyError> {
        let record = self.get_unscoped(change.owner).await?;
        let record = record.filter(|record| change.scope.is_none_or(|scope| scope.covers_user(&record.user)));
        let record = record.ok_or(ApiKeyError::NotFound)?;
        (change.check)(&record.user)?;
        Ok(record)
    }

    /// Issues a key, which may replace another one. `decide` gets the one that is replaced, and returns the settings of the new one; `keep`
    /// gets the new record, and returns the answer to keep.
    ///
    /// The key is the same in each attempt. So an attempt whose reply was lost is recognised by its key, and no second key is issued.
    pub async fn replace_key(
        &self,
        change: KeyChange<'_>,
        replaced: Option<ReplacedKey>,
        plaintext: &PlaintextApiKey,
        decide: impl Fn(Option<&ApiKeyRecord>) -> Result<NewApiKey, Error>,
        keep: impl Fn(&ApiKeyRecord) -> Option<KeptAnswer>,
    ) -> Result<IssuedKey, ApiKeyError> {
        let (decide, keep) = (&decide, &keep);
        let attempt = |_| async move {
            let owner = self.checked_owner(&change).await?;
            // Read in each attempt, after the owner, whose version each rotation raises: so another one has not ended it sooner.
            let records = self.key_records(&owner.user.keys).await?;
            let old = match replaced {
                Some(ReplacedKey { id, .. }) => {
                    Some(records.iter().find(|record| record.id() == id).ok_or(ApiKeyError::NotFound)?)
                }
                None => None,
            };
            let NewApiKey { label, rights } = decide(old)?;
            if owner.user.status != Status::Active {
                return Err(ApiKeyError::OwnerNotActive);
            }
            let KeyRights { access, networks, expires_at, limit } = rights;
            let fresh = ApiKeyRecord::new(plaintext.hash(), &owner.user, change.now);
            let fresh = ApiKeyRecord { label, access, networks, expires_at, limit, ..fresh };
            let old = old.zip(replaced).map(|(old, replaced)| ending_key(old, replaced, change.now)).transpose()?;
            let answer = keep(&fresh);
            let is_written =
                self.write_fresh_key(&owner, &fresh, old.as_ref(), records, change, answer.as_ref()).await?;
            Ok(is_written.then(|| IssuedKey { key: plaintext.clone(), id: fresh.id(), record: fresh }))
        };
        retry_stale(WRITE_ATTEMPTS, attempt).await
    }

    /// Writes a new key, the end of the one that it replaces, and their owner. False if another writer came first.
    async fn write_fresh_key(
        &self,
        owner: &UserRecord,
        fresh: &ApiKeyRecord,
        old: Option<&ApiKeyRecord>,
        records: Vec<ApiKeyRecord>,
        change: KeyChange<'_>,
        answer: Option<&KeptAnswer>,
    ) -> Result<bool, ApiKeyError> {
        let after = User { keys: keys_after(records, fresh, old, change.now)?, ..owner.user.clone() };
        let action = match old {
            Some(old) => AuditAction::RotateKey(old.id(), Some(fresh.id())),
            None => AuditAction::IssueKey(fresh.id()),
        };
        let ending = old.and_then(|old| Some(KeyWrite::Update(expire(&self.db, &old.hash, old.expires_at?))));
        let put = Put::builder().table_name(self.db.name(&schema::API_KEYS)).set_item(Some(fresh.to_item()?));
        let writes = ending.into_iter().chain([KeyWrite::Put(put.build().map_err(Error::internal)?)]).collect();
        let user_change = UserChange::by(change.by, action, after, change.now);
        match self.write_with_keys(owner, &user_change, writes, answer).await {
            Ok(()) => Ok(true),
            Err(UserWriteError::Failed(error @ (Error::Unavailable(_) | Error::Internal(_)))) => Err(error.into()),
            // The own transaction may have come first, and its reply was lost.
            Err(_) if self.is_stored(fresh).await? => Ok(true),
            Err(UserWriteError::Failed(error)) => Err(error.into()),
            Err(_) => Ok(false),
        }
    }

    /// True if a key was stored by this issue of it.
    async fn is_stored(&self, fresh: &ApiKeyRecord) -> Result<bool, Error> {
        let stored = self.db.get(&schema::API_KEYS, key(&fresh.hash)).await?.map(ApiKeyRecord::read).transpose()?;
        let issued_at = |record: &ApiKeyRecord| record.created_at.as_millisecond();
        Ok(stored.is_some_and(|stored| issued_at(&stored) == issued_at(fresh)))
    }

    async fn key_records(&self, hashes: &[ApiKeyHash]) -> Result<Vec<ApiKeyRecord>, Error> {
        let keys: Vec<Item> = hashes.iter().map(key).collect();
        let items = self.db.get_batch(&schema::API_KEYS, keys, &[]).await?;
        let mut records = items.into_iter().map(ApiKeyRecord::read).collect::<Result<Vec<_>, _>>()?;
        records.sort_unstable_by_key(|record| (record.created_at, record.hash.as_hex()));
        Ok(records)
    }
}

/// Returns a key that is replaced, with its new end. It never lives longer than before.
fn ending_key(old: &ApiKeyRecord, replaced: ReplacedKey, now: Timestamp) -> Result<ApiKeyRecord, ApiKeyError> {
    if !old.is_live(now) {
        return Err(ApiKeyError::NotLive);
    }
    let ends_at = old.expires_at.map_or(replaced.ends_at, |expires_at| expires_at.min(replaced.ends_at));
    Ok(ApiKeyRecord { expires_at: Some(ends_at), ..old.clone() })
}

/// Returns the keys of an owner with one more, and without those that are listed no longer.
fn keys_after(
    mut records: Vec<ApiKeyRecord>,
    fresh: &ApiKeyRecord,
    old: Option<&ApiKeyRecord>,
    now: Timestamp,
) -> Result<Vec<ApiKeyHash>, ApiKeyError> {
    let is_old = |record: &ApiKeyRecord| old.is_some_and(|old| old.hash == record.hash);
    records.retain(|record| record.hash != fresh.hash && !is_old(record));
    records.extend(old.cloned());
    let (live, mut ended): (Vec<_>, Vec<_>) = records.into_iter().partition(|record| record.is_live(now));
    let max_live = if old.is_some() { MAX_KEYS_WITH_OVERLAP } else { MAX_LIVE_KEYS };
    // All keys that were replaced, and this one, have ended by then. One key that is replaced again and again would leave more than five.
    let staying = live.iter().filter(|record| record.is_live(now + LONGEST_OVERLAP)).count();
    if live.len() >= max_live || staying >= MAX_LIVE_KEYS {
        return Err(ApiKeyError::TooMany(live.len()));
    }
    ended.retain(|record| record.is_listed(now));
    // The old key is written in this transaction. If it ends now, it is the last one, and stays.
    ended.sort_by_key(|record| record.ended_at(now));
    let ended = ended.split_off(ended.len().saturating_sub(MAX_ENDED_KEYS));
    let kept = ended.into_iter().chain(live).map(|record| record.hash);
    Ok(kept.chain([fresh.hash]).collect())
}
