//! Issue, list, rotate and revoke keys, for operators.

use aws_sdk_dynamodb::types::{Put, Update};
use jiff::Timestamp;

use super::update::{WRITE_ATTEMPTS, retry_stale};
use super::write::UserWriteError;
use crate::api_keys::{ApiKeyRecord, KeyWrite, expire, key, revoke, set_limit};
use crate::client::read::Item;
use crate::client::transaction::{Transaction, TransactionError};
use crate::{UserStore, audit_trail, schema};
use presence_domain::api_key::{ApiKeyHash, ApiKeyId, PlaintextApiKey};
use presence_domain::audit::{Actor, AuditAction, AuditRecord};
use presence_domain::error::Error;
use presence_domain::ids::UserId;
use presence_domain::rate_limit::KeyLimit;
use presence_domain::user::{Status, User, UserChange};

/// Largest number of live keys of a user.
pub const MAX_LIVE_KEYS: usize = 5;
/// Largest number of dead keys kept for the list. With the live ones they fit into every transaction of their owner.
const MAX_DEAD_KEYS: usize = 5;

/// Key that a new one replaces.
#[derive(Clone, Copy, Debug)]
struct ReplacedKey {
    id: ApiKeyId,
    /// Instant from which it gives no access, unless it ends before.
    ends_at: Timestamp,
}

/// Settings of a new key.
#[derive(Clone, Debug, Default)]
pub struct NewApiKey {
    /// Name given by the operator.
    pub label: Option<String>,
    /// Instant from which it gives no access.
    pub expires_at: Option<Timestamp>,
}

/// Key just issued. It is shown this one time.
#[derive(Debug)]
pub struct IssuedKey {
    /// Key in plain text.
    pub key: PlaintextApiKey,
    /// Name that operators use for it.
    pub id: ApiKeyId,
}

/// Occurs when a key is not issued, rotated or revoked. Nothing was changed.
#[derive(Debug)]
pub enum ApiKeyError {
    /// No such user or key exists.
    NotFound,
    /// The owner is not active.
    OwnerNotActive,
    /// The owner has [`MAX_LIVE_KEYS`] live keys already.
    TooMany,
    /// The key to rotate gives no access any more.
    NotLive,
    /// Any other failure.
    Failed(Error),
}

impl From<Error> for ApiKeyError {
    fn from(error: Error) -> Self {
        Self::Failed(error)
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
        self.replace_key(owner, new, None, PlaintextApiKey::generate, by, now).await
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
        self.replace_key(owner, new, None, || key.clone(), by, now).await
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
        let replaced = ReplacedKey { id: old_id, ends_at: old_ends_at };
        self.replace_key(old_id.owner(), new, Some(replaced), PlaintextApiKey::generate, by, now).await
    }

    /// Revokes a key from the next request on. Revoking it again changes nothing, and keeps the instant of the first time.
    pub async fn revoke_key(&self, id: ApiKeyId, by: &Actor, now: Timestamp) -> Result<(), ApiKeyError> {
        let decide = |key: &ApiKeyRecord| key.revoked_at.is_none().then(|| revoke(&self.db, &key.hash, now));
        self.update_key(id, by, AuditAction::RevokeKey(id), now, decide).await.map(drop)
    }

    /// Gives a key a limit of its own, or the default, from the next request on. The same limit again changes nothing.
    pub async fn set_key_limit(
        &self,
        id: ApiKeyId,
        limit: KeyLimit,
        by: &Actor,
        now: Timestamp,
    ) -> Result<(), ApiKeyError> {
        let decide = |key: &ApiKeyRecord| (key.limit != limit).then(|| set_limit(&self.db, &key.hash, limit));
        self.update_key(id, by, AuditAction::SetKeyLimit(id), now, decide).await.map(drop)
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
            (!has_ended).then(|| expire(&self.db, &key.hash, ends_at))
        };
        self.update_key(id, by, AuditAction::RotateKey(id), now, decide).await
    }

    /// Updates a key as it is decided on its present record, and tries again if another writer came first. False if nothing is to be
    /// written.
    async fn update_key(
        &self,
        id: ApiKeyId,
        by: &Actor,
        action: AuditAction,
        at: Timestamp,
        decide: impl Fn(&ApiKeyRecord) -> Option<Update>,
    ) -> Result<bool, ApiKeyError> {
        let attempt = |_| async {
            let key = self.get_key(id).await?;
            let Some(update) = decide(&key) else { return Ok(Some(false)) };
            let is_written = self.change_key(&key, update, by, action, at).await?;
            Ok(is_written.then_some(true))
        };
        retry_stale(WRITE_ATTEMPTS, attempt).await
    }

    /// Writes a change of a key's item alone, with its record in the audit trail. False if the condition of the update failed.
    async fn change_key(
        &self,
        key: &ApiKeyRecord,
        update: Update,
        by: &Actor,
        action: AuditAction,
        at: Timestamp,
    ) -> Result<bool, Error> {
        let (actor, target, org_id) = (by.clone(), key.user_id, key.org_id);
        let (target, fields) = (target.into(), Vec::new());
        let record = AuditRecord { at, actor, action, target, org_id, fields, version: None, tables: None };
        let mut transaction = Transaction::new();
        transaction.update((), update);
        transaction.put((), audit_trail::put(&self.db, &record)?);
        match transaction.commit(&self.db).await {
            Ok(()) => Ok(true),
            Err(TransactionError::ConditionsFailed(_)) => Ok(false),
            Err(TransactionError::Failed(error)) => Err(error),
        }
    }

    /// Returns the keys of a user, oldest first, with dead ones; `None` if the user does not exist.
    pub async fn list_keys(&self, owner: UserId) -> Result<Option<Vec<ApiKeyRecord>>, Error> {
        match self.get_unscoped(owner).await? {
            Some(record) => self.key_records(&record.user.keys).await.map(Some),
            None => Ok(None),
        }
    }

    /// Returns the record of a key by the id that operators use.
    pub async fn get_key(&self, id: ApiKeyId) -> Result<ApiKeyRecord, ApiKeyError> {
        let records = self.list_keys(id.owner()).await?.ok_or(ApiKeyError::NotFound)?;
        records.into_iter().find(|record| record.id() == id).ok_or(ApiKeyError::NotFound)
    }

    async fn replace_key(
        &self,
        owner: UserId,
        new: &NewApiKey,
        replaced: Option<ReplacedKey>,
        draw: impl Fn() -> PlaintextApiKey,
        by: &Actor,
        now: Timestamp,
    ) -> Result<IssuedKey, ApiKeyError> {
        let attempt = |_| async {
            let record = self.get_unscoped(owner).await?.ok_or(ApiKeyError::NotFound)?;
            if record.user.status != Status::Active {
                return Err(ApiKeyError::OwnerNotActive);
            }
            // Read in each attempt, after the owner, whose version each rotation raises: so another one has not ended it sooner.
            let old = match replaced {
                Some(replaced) => Some(self.ending_key(replaced, now).await?),
                None => None,
            };
            let plaintext = draw();
            let fresh = ApiKeyRecord {
                label: new.label.clone(),
                expires_at: new.expires_at,
                limit: old.as_ref().map_or(KeyLimit::Default, |old| old.limit),
                ..ApiKeyRecord::new(plaintext.hash(), &record.user, now)
            };
            let after = self.with_key(&record.user, &fresh, old.as_ref(), now).await?;
            let ending =
                old.as_ref().and_then(|old| Some(KeyWrite::Update(expire(&self.db, &old.hash, old.expires_at?))));
            let writes = ending.into_iter().chain([self.put_key(&fresh)?]).collect();
            let action = match &old {
                Some(old) => AuditAction::RotateKey(old.id()),
                None => AuditAction::IssueKey(fresh.id()),
            };
            let change = UserChange::by(by, action, after, now);
            match self.write_with_keys(Some(&record), &change, writes).await {
                Ok(()) => Ok(Some(IssuedKey { key: plaintext, id: fresh.id() })),
                Err(UserWriteError::Failed(error)) => Err(error.into()),
                Err(_) => Ok(None),
            }
        };
        retry_stale(WRITE_ATTEMPTS, attempt).await
    }

    /// Returns a key that is replaced, with its new end. It never lives longer than before.
    async fn ending_key(
        &self,
        ReplacedKey { id, ends_at }: ReplacedKey,
        now: Timestamp,
    ) -> Result<ApiKeyRecord, ApiKeyError> {
        let old = self.get_key(id).await?;
        if !old.is_live(now) {
            return Err(ApiKeyError::NotLive);
        }
        let ends_at = old.expires_at.map_or(ends_at, |expires_at| expires_at.min(ends_at));
        Ok(ApiKeyRecord { expires_at: Some(ends_at), ..old })
    }

    /// Returns the owner with one more key, and without the oldest dead keys beyond the limit.
    async fn with_key(
        &self,
        owner: &User,
        fresh: &ApiKeyRecord,
        old: Option<&ApiKeyRecord>,
        now: Timestamp,
    ) -> Result<User, ApiKeyError> {
        let mut records = self.key_records(&owner.keys).await?;
        records.retain(|record| record.hash != fresh.hash);
        for record in &mut records {
            if let Some(old) = old.filter(|old| old.hash == record.hash) {
                record.expires_at = old.expires_at;
            }
        }
        let (live, mut dead): (Vec<_>, Vec<_>) = records.into_iter().partition(|record| record.is_live(now));
        if live.len() >= MAX_LIVE_KEYS {
            return Err(ApiKeyError::TooMany);
        }
        // The old key is written in this transaction: its record must not be pruned in it.
        dead.retain(|record| old.is_none_or(|old| old.hash != record.hash));
        let kept_dead = dead.split_off(dead.len().saturating_sub(MAX_DEAD_KEYS));
        let rotated = old.filter(|old| !old.is_live(now)).cloned();
        let keys = kept_dead.into_iter().chain(rotated).chain(live).map(|record| record.hash);
        Ok(User { keys: keys.chain([fresh.hash]).collect(), ..owner.clone() })
    }

    fn put_key(&self, record: &ApiKeyRecord) -> Result<KeyWrite, Error> {
        let put = Put::builder().table_name(self.db.name(&schema::API_KEYS)).set_item(Some(record.to_item()?));
        Ok(KeyWrite::Put(put.build().map_err(Error::internal)?))
    }

    async fn key_records(&self, hashes: &[ApiKeyHash]) -> Result<Vec<ApiKeyRecord>, Error> {
        let keys: Vec<Item> = hashes.iter().map(key).collect();
        let items = self.db.get_batch(&schema::API_KEYS, keys, &[]).await?;
        let mut records = items.into_iter().map(ApiKeyRecord::read).collect::<Result<Vec<_>, _>>()?;
        records.sort_unstable_by_key(|record| (record.created_at, record.hash.as_hex()));
        Ok(records)
    }
}
